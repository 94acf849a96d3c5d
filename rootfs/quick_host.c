/* SPDX-License-Identifier: MIT */
/*
 * The module's twelve imports, all it can ask of the world. Clock and chance are answered;
 * what would load modules, open files or call back through the module's own layer is not
 * there for a script and ends the run if it is reached all the same.
 */
#include "rootfs/hooks.h"
#include "rootfs/quick.h"

#define WASI_BAD_DESCRIPTOR 8u
#define NS_PER_MS	    1e6

static void store(uint32_t to, const void *bytes, uint32_t n)
{
	quick_check(to, n);
	memcpy(quick_at(to), bytes, n);
}

uint32_t
Z_wasi_snapshot_preview1Z_clock_time_get(struct Z_wasi_snapshot_preview1_instance_t *wasi,
					 uint32_t clock, uint64_t precision, uint32_t to)
{
	double ms = clock ? hook_monotonic_ms() : hook_now_ms();
	uint64_t ns = (uint64_t)(ms * NS_PER_MS);

	(void)wasi;
	(void)precision;
	store(to, &ns, sizeof(ns));
	return 0;
}

uint32_t
Z_wasi_snapshot_preview1Z_random_get(struct Z_wasi_snapshot_preview1_instance_t *wasi,
				     uint32_t to, uint32_t n)
{
	(void)wasi;
	for (uint32_t i = 0; i < n; i++) {
		unsigned char byte = (unsigned char)(hook_random() * 256);

		store(to + i, &byte, 1);
	}
	return 0;
}

/* The jail has no time zone. */
uint32_t Z_envZ_host_get_timezone_offset(struct Z_env_instance_t *env, uint32_t high,
					 uint32_t low)
{
	(void)env;
	(void)high;
	(void)low;
	return 0;
}

/* CPU time is limited from outside. */
uint32_t Z_envZ_host_interrupt(struct Z_env_instance_t *env)
{
	(void)env;
	return 0;
}

uint32_t
Z_wasi_snapshot_preview1Z_fd_close(struct Z_wasi_snapshot_preview1_instance_t *wasi,
				   uint32_t fd)
{
	(void)wasi;
	(void)fd;
	return WASI_BAD_DESCRIPTOR;
}

uint32_t
Z_wasi_snapshot_preview1Z_fd_fdstat_get(struct Z_wasi_snapshot_preview1_instance_t *wasi,
					uint32_t fd, uint32_t to)
{
	(void)wasi;
	(void)fd;
	(void)to;
	return WASI_BAD_DESCRIPTOR;
}

uint32_t
Z_wasi_snapshot_preview1Z_fd_seek(struct Z_wasi_snapshot_preview1_instance_t *wasi,
				  uint32_t fd, uint64_t offset, uint32_t whence,
				  uint32_t to)
{
	(void)wasi;
	(void)fd;
	(void)offset;
	(void)whence;
	(void)to;
	return WASI_BAD_DESCRIPTOR;
}

uint32_t
Z_wasi_snapshot_preview1Z_fd_write(struct Z_wasi_snapshot_preview1_instance_t *wasi,
				   uint32_t fd, uint32_t parts, uint32_t count,
				   uint32_t to)
{
	(void)wasi;
	(void)fd;
	(void)parts;
	(void)count;
	(void)to;
	return WASI_BAD_DESCRIPTOR;
}

uint32_t Z_envZ_host_call(struct Z_env_instance_t *env, uint32_t name, uint32_t len,
			  uint32_t self, uint32_t count, uint32_t args)
{
	(void)env;
	(void)name;
	(void)len;
	(void)self;
	(void)count;
	(void)args;
	quick_trapped("a call that nobody asked for");
}

uint32_t Z_envZ_host_module_load(struct Z_env_instance_t *env, uint32_t name, uint32_t to)
{
	(void)env;
	(void)name;
	(void)to;
	quick_trapped("a module that nobody asked for");
}

uint32_t Z_envZ_host_module_normalize(struct Z_env_instance_t *env, uint32_t base,
				      uint32_t name)
{
	(void)env;
	(void)base;
	(void)name;
	quick_trapped("a module that nobody asked for");
}

void Z_envZ_host_promise_rejection(struct Z_env_instance_t *env, uint32_t promise,
				   uint32_t reason, uint32_t is_handled)
{
	(void)env;
	(void)promise;
	(void)reason;
	(void)is_handled;
	quick_trapped("a call that nobody asked for");
}
