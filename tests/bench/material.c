/* SPDX-License-Identifier: MIT */
/*
 * What the benchmark gives to programs that are not quod:
 *	material job SOURCE	the frames JOB and GO for the interpreter, to stdout
 *	material filter		the interpreter's filter as bytes, execve allowed on top:
 *				others start it by that call, quod by execveat
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>

#include "base/own.h"
#include "policy/filter_js.h"
#include "rootfs/protocol.h"

#define HEAP_BYTES   (32u << 20)
#define STACK_FRAMES 1000u
#define TEXT_BYTES   65536u
#define LOG_LINES    1000u

static int write_job(const char *source)
{
	static const char name[] = "bench.js";
	unsigned char head[FRAME_HEADER_BYTES + JOB_HEAD_BYTES] = {FRAME_JOB};
	unsigned char go[FRAME_HEADER_BYTES + 4] = {FRAME_GO, 4};
	unsigned char *job = head + FRAME_HEADER_BYTES;
	size_t source_len = strlen(source), name_len = sizeof(name) - 1;

	put_u32le(head + 1, (uint32_t)(JOB_HEAD_BYTES + source_len + name_len));
	put_u32le(job + 4, JOB_ENGINE_DUKTAPE);
	put_u64le(job + 8, HEAP_BYTES);
	put_u32le(job + 32, STACK_FRAMES);
	put_u32le(job + 36, TEXT_BYTES);
	put_u32le(job + 40, TEXT_BYTES);
	put_u32le(job + 44, LOG_LINES);
	put_u32le(job + 48, (uint32_t)source_len);
	put_u32le(job + 56, (uint32_t)name_len);
	fwrite(head, sizeof(head), 1, stdout);
	fwrite(source, source_len, 1, stdout);
	fwrite(name, name_len, 1, stdout);
	fwrite(go, sizeof(go), 1, stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}

static int write_filter(void)
{
	static const struct sock_filter execve_too[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_execve, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};

	fwrite(execve_too, sizeof(execve_too), 1, stdout);
	fwrite(filter_js, sizeof(filter_js), 1, stdout);
	return fflush(stdout) == 0 ? 0 : 1;
}

int main(int argc, char **argv)
{
	if (argc == 3 && strcmp(argv[1], "job") == 0)
		return write_job(argv[2]);
	if (argc == 2 && strcmp(argv[1], "filter") == 0)
		return write_filter();
	fprintf(stderr, "usage: material job SOURCE | material filter\n");
	return 2;
}
