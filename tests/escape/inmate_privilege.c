/* SPDX-License-Identifier: MIT */
/*
 * Attacks by what only the privileged may do: regaining a capability or an id, the whole
 * machine's clock, modules, devices, and whatever the jail set up against us.
 */
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/reboot.h>
#include <sys/resource.h>
#include <sys/swap.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timex.h>
#include <time.h>
#include <unistd.h>

#include "tests/escape/inmate.h"

#define ATTEMPT(name, expression)          \
	static long name(const char *arg)  \
	{                                  \
		(void)arg;                 \
		return (long)(expression); \
	}

static long raise_capability(const char *arg)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};
	unsigned bit = 1u << atoi(arg);

	data[0].effective = data[0].permitted = data[0].inheritable = bit;
	return syscall(SYS_capset, &head, data);
}

static long raise_inheritable(const char *arg)
{
	struct __user_cap_header_struct head = {_LINUX_CAPABILITY_VERSION_3, 0};
	struct __user_cap_data_struct data[2] = {{0}};

	data[0].inheritable = 1u << atoi(arg);
	return syscall(SYS_capset, &head, data);
}

ATTEMPT(raise_ambient, prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_ADMIN, 0, 0))
ATTEMPT(unlock_securebits, prctl(PR_SET_SECUREBITS, 0, 0, 0, 0))
ATTEMPT(allow_new_privileges, prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0))
ATTEMPT(cut_lifeline, prctl(PR_SET_PDEATHSIG, 0, 0, 0, 0))

static long become(const char *arg)
{
	uid_t uid = (uid_t)strtoul(arg, NULL, 10);

	return syscall(SYS_setresuid, uid, uid, uid);
}

static long become_group(const char *arg)
{
	gid_t gid = (gid_t)strtoul(arg, NULL, 10);

	return syscall(SYS_setresgid, gid, gid, gid);
}

static long join_groups(const char *arg)
{
	gid_t gid = (gid_t)strtoul(arg, NULL, 10);

	return syscall(SYS_setgroups, 1, &gid);
}

static long set_clock(const char *arg)
{
	struct timespec now; /* to what it says already: no harm if we may */

	(void)arg;
	clock_gettime(CLOCK_REALTIME, &now);
	return syscall(SYS_clock_settime, CLOCK_REALTIME, &now);
}

static long bend_clock(const char *arg)
{
	struct timex change = {.modes = ADJ_OFFSET_SINGLESHOT, .offset = 0};

	(void)arg;
	return adjtimex(&change);
}

ATTEMPT(name_host, sethostname("quod", 4))
ATTEMPT(name_domain, setdomainname("quod", 4))
ATTEMPT(restart, syscall(SYS_reboot, 0xfee1dead, 672274793, RB_DISABLE_CAD, NULL))
ATTEMPT(load_module, syscall(SYS_init_module, "x", 1, ""))
ATTEMPT(unload_module, syscall(SYS_delete_module, "quod_no_such_module", O_NONBLOCK))
ATTEMPT(load_kernel, syscall(SYS_kexec_load, 0, 0, NULL, 0))
ATTEMPT(account, syscall(SYS_acct, NULL))
ATTEMPT(swap_on, swapon("/", 0))
ATTEMPT(set_console, klogctl(7, NULL, 0))
ATTEMPT(hang_up, syscall(SYS_vhangup))
#ifdef __x86_64__
ATTEMPT(all_ports, syscall(SYS_iopl, 3))
ATTEMPT(one_port, syscall(SYS_ioperm, 0x80, 1, 1))
#endif

/* The kernel's messages: addresses, other people's programs. */
static long read_kernel_log(const char *arg)
{
	static char log[1 << 16];

	(void)arg;
	return klogctl(3, log, sizeof(log));
}

static long be_real_time(const char *arg)
{
	const struct sched_param high = {.sched_priority = 1};

	(void)arg;
	return syscall(SYS_sched_setscheduler, 0, SCHED_FIFO, &high);
}

ATTEMPT(be_favoured, setpriority(PRIO_PROCESS, 0, -5))
ATTEMPT(be_first_at_disk, syscall(SYS_ioprio_set, 1, 0, 1 << 13))

static long lock_memory(const char *arg)
{
	static char page[4096];

	(void)arg;
	return mlock(page, sizeof(page));
}

/* arg: a resource's number. Above the hard limit that the jail has set. */
static long raise_limit(const char *arg)
{
	struct rlimit limit;
	int resource = atoi(arg);

	if (getrlimit(resource, &limit) < 0 || limit.rlim_max == RLIM_INFINITY)
		_exit(97);
	limit.rlim_max++;
	return setrlimit(resource, &limit);
}

const struct attempt privilege_attempts[] = {
	{"raise-capability", raise_capability},
	{"raise-inheritable", raise_inheritable},
	{"raise-ambient", raise_ambient},
	{"unlock-securebits", unlock_securebits},
	{"allow-new-privileges", allow_new_privileges},
	{"cut-lifeline", cut_lifeline},
	{"become", become},
	{"become-group", become_group},
	{"join-groups", join_groups},
	{"set-clock", set_clock},
	{"bend-clock", bend_clock},
	{"name-host", name_host},
	{"name-domain", name_domain},
	{"restart", restart},
	{"load-module", load_module},
	{"unload-module", unload_module},
	{"load-kernel", load_kernel},
	{"account", account},
	{"swap-on", swap_on},
	{"set-console", set_console},
	{"hang-up", hang_up},
#ifdef __x86_64__
	{"all-ports", all_ports},
	{"one-port", one_port},
#endif
	{"read-kernel-log", read_kernel_log},
	{"be-real-time", be_real_time},
	{"be-favoured", be_favoured},
	{"be-first-at-disk", be_first_at_disk},
	{"lock-memory", lock_memory},
	{"raise-limit", raise_limit},
	{NULL, NULL},
};
