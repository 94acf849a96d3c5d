/* SPDX-License-Identifier: MIT */
/*
 * A filter that tells. Its listener, a descriptor that comes into being together with the
 * filter, hears from the kernel of every call that gets SECCOMP_RET_USER_NOTIF: number
 * and ABI, before anything of it is done. The caller is held in the call, where a signal
 * can still kill it, until the listener answers. Nobody here does; when the last copy of
 * the listener is closed, the kernel answers ENOSYS.
 *
 * The child has the listener only once the filter is on, and hands it over under the
 * filter: by sendmsg, on a socket with the one number that the filter lets through. It
 * and the child's own copy are close-on-exec, so the guest has neither.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/own.h"
#include "jail/internal.h"

/* A byte and one descriptor beside it. */
struct parcel {
	char byte;
	struct iovec bytes;
	struct msghdr message;
	/* The last, because a cmsghdr ends in an array without a size. */
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
};

static void parcel_init(struct parcel *parcel)
{
	memset(parcel, 0, sizeof(*parcel));
	parcel->bytes = (struct iovec){.iov_base = &parcel->byte, .iov_len = 1};
	parcel->message = (struct msghdr){
		.msg_iov = &parcel->bytes,
		.msg_iovlen = 1,
		.msg_control = &parcel->control,
		.msg_controllen = sizeof(parcel->control),
	};
}

static int send_fd(int socket, int fd)
{
	struct parcel parcel;

	parcel_init(&parcel);
	struct cmsghdr *head = CMSG_FIRSTHDR(&parcel.message);
	*head = (struct cmsghdr){.cmsg_level = SOL_SOCKET,
				 .cmsg_type = SCM_RIGHTS,
				 .cmsg_len = CMSG_LEN(sizeof(int))};
	memcpy(CMSG_DATA(head), &fd, sizeof(fd));
	return sendmsg(socket, &parcel.message, MSG_NOSIGNAL) < 0 ? -errno : 0;
}

/* *ret_fd is the caller's; -1 if the other side ended without sending one. */
static int receive_fd(int socket, int *ret_fd)
{
	struct parcel parcel;

	parcel_init(&parcel);
	ssize_t n = recvmsg(socket, &parcel.message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	if (n < 0)
		return -errno;
	struct cmsghdr *head = CMSG_FIRSTHDR(&parcel.message);
	if (n > 0 && !head)
		return -EMFILE; /* the kernel drops what finds no place here */
	*ret_fd = -1;
	if (n > 0)
		memcpy(ret_fd, CMSG_DATA(head), sizeof(*ret_fd));
	return 0;
}

/* Of the filters around one process only one can have a listener: EBUSY where we run
 * inside something that uses it. EINVAL: a kernel or an emulation without listeners. */
static bool has_no_listener(int errnum)
{
	return errnum == EBUSY || errnum == EINVAL;
}

int child_notify(const struct child_plan *plan, bool *ret_on, struct jail_error *err)
{
	if (plan->notify_filter.len == 0)
		return 0;
	long listener = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
				SECCOMP_FILTER_FLAG_NEW_LISTENER, &plan->notify_filter);
	if (listener < 0 && has_no_listener(errno))
		return 0;
	if (listener < 0)
		return jail_fail(err, JAIL_STAGE_FILTER, errno,
				 "load the seccomp filter with a listener");
	int r = send_fd(plan->notify_fd, (int)listener);
	if (r < 0)
		return jail_fail(err, JAIL_STAGE_FILTER, -r,
				 "hand over the filter's listener");
	*ret_on = true;
	return 0;
}

JAIL_API int jail_take_listener(struct jail *jail, struct jail_error *err)
{
	own_fd int listener = -1;
	int r = receive_fd(jail->fd[JAIL_FD_NOTIFY], &listener);

	if (r < 0)
		return jail_fail(err, JAIL_STAGE_FILTER, -r,
				 "receive the filter's listener");
	close_fd(jail->fd[JAIL_FD_NOTIFY]);
	jail->fd[JAIL_FD_NOTIFY] = TAKE_FD(listener);
	return 0;
}

JAIL_API int jail_read_violation(struct jail *jail, struct jail_violation *ret_violation)
{
	/* The kernel wants zeros; and room, should its structure have grown. */
	union {
		struct seccomp_notif told;
		char room[512];
	} notif = {.room = {0}};

	/* No wrapper: musl's has a signed request, which the caller's own filter might
	 * not know again. */
	if (syscall(SYS_ioctl, jail->fd[JAIL_FD_NOTIFY], SECCOMP_IOCTL_NOTIF_RECV,
		    &notif) < 0)
		return -errno;
	*ret_violation = (struct jail_violation){
		.arch = notif.told.data.arch,
		.number = (uint32_t)notif.told.data.nr,
	};
	return 0;
}
