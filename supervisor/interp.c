/* SPDX-License-Identifier: MIT */
/*
 * The file is opened for reading where that is allowed, so that it can be looked at
 * later, when nothing can be opened any more; a file that may only be executed is as
 * good.
 */
#include "supervisor/interp.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/own.h"

#ifndef ST_NOEXEC
#define ST_NOEXEC 8
#endif

/* Program headers that are looked at; a static program has about ten. */
#define HEADERS_MOST 32

const char *interp_path(void)
{
	const char *path = secure_getenv("QUOD_JS");

	return path && *path ? path : PKGLIBEXECDIR "/quod-js";
}

static void explain_open(struct interp *interp)
{
	const char *remedy = "install quod, or let QUOD_JS name a quod-js";

	if (interp->errnum == EMFILE)
		remedy = "raise the limit on open files: ulimit -n";
	snprintf(interp->why, sizeof(interp->why),
		 "cannot open the interpreter '%s': %s (%s)", interp->path,
		 strerror(interp->errnum), remedy);
}

void interp_open(struct interp *ret_interp)
{
	const char *path = interp_path();
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0 && errno == EACCES)
		fd = open(path, O_PATH | O_CLOEXEC);
	*ret_interp =
		(struct interp){.fd = fd, .path = path, .errnum = fd < 0 ? errno : 0};
	if (fd < 0)
		explain_open(ret_interp);
	else
		(void)fstat(fd, &ret_interp->st);
}

void interp_close(struct interp *interp)
{
	interp->fd = close_fd(interp->fd);
}

static const char *file_problem(const struct interp *interp)
{
	struct statfs fs;

	if (!interp->st.st_mode) /* it could not be asked for */
		return NULL;
	if (!S_ISREG(interp->st.st_mode))
		return "is not a regular file";
	if (fstatfs(interp->fd, &fs) == 0 && (fs.f_flags & ST_NOEXEC))
		return "is on a file system that is mounted noexec (install it "
		       "elsewhere, or "
		       "remount that with exec)";
	if (!(interp->st.st_mode & S_IXOTH))
		return "may not be executed by others, and a jail's user owns nothing "
		       "(chmod "
		       "o+x)";
	return NULL;
}

static bool is_truncated(const struct interp *interp, const Elf64_Phdr *header)
{
	return header->p_type == PT_LOAD && interp->st.st_mode &&
	       header->p_offset + header->p_filesz > (Elf64_Off)interp->st.st_size;
}

static const char *headers_problem(const struct interp *interp, const Elf64_Ehdr *elf)
{
	Elf64_Phdr headers[HEADERS_MOST];
	size_t count = elf->e_phnum < HEADERS_MOST ? elf->e_phnum : HEADERS_MOST;
	ssize_t want = (ssize_t)(count * sizeof(headers[0]));

	if (count == 0 ||
	    pread(interp->fd, headers, (size_t)want, (off_t)elf->e_phoff) != want)
		return "is truncated (install it again)";
	for (size_t i = 0; i < count; i++) {
		if (headers[i].p_type == PT_INTERP)
			return "is not static, and the jail has no loader (build it with "
			       "-static)";
		if (is_truncated(interp, &headers[i]))
			return "is truncated (install it again)";
	}
	return NULL;
}

static const char *content_problem(const struct interp *interp)
{
	Elf64_Ehdr elf;
	ssize_t n = pread(interp->fd, &elf, sizeof(elf), 0);

	if (n < 0)
		return NULL;
	if ((size_t)n < sizeof(elf))
		return "is too short to be a program (install it again)";
	if (memcmp(elf.e_ident, ELFMAG, SELFMAG) != 0 ||
	    elf.e_ident[EI_CLASS] != ELFCLASS64)
		return "is no 64-bit ELF program (install quod's own quod-js)";
	return headers_problem(interp, &elf);
}

void interp_diagnose(const struct interp *interp, char *why, size_t size)
{
	const char *problem = interp->fd < 0 ? NULL : file_problem(interp);

	if (!problem && interp->fd >= 0)
		problem = content_problem(interp);
	if (problem)
		snprintf(why, size, "the interpreter '%s' %s", interp->path, problem);
	else
		why[0] = '\0';
}
