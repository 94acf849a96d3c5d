/* SPDX-License-Identifier: MIT */
/*
 * Reads frames of the host: exact lengths, every field checked.
 */
#include <string.h>
#include <unistd.h>

#include "rootfs/end.h"
#include "rootfs/gate.h"
#include "rootfs/job.h"

/* Bytes read before end of file. */
static size_t read_all(void *to, size_t n)
{
	size_t have = 0;

	while (have < n) {
		ssize_t got = read(STDIN_FILENO, (char *)to + have, n - have);

		if (got < 0)
			end_now(END_BAD_JOB);
		if (!got)
			break;
		have += (size_t)got;
	}
	return have;
}

static void read_exact(void *to, size_t n)
{
	if (read_all(to, n) != n)
		end_now(END_BAD_JOB);
}

/* False: end of file before the frame began. */
static bool read_header(enum frame_type type, uint32_t *ret_len)
{
	unsigned char header[FRAME_HEADER_BYTES];
	size_t got = read_all(header, sizeof(header));

	if (!got)
		return false;
	if (got != sizeof(header) || header[0] != type)
		end_now(END_BAD_JOB);
	*ret_len = get_u32le(header + 1);
	return true;
}

static void parse_head(struct job *job, const unsigned char *head)
{
	job->flags = get_u32le(head);
	job->engine = (enum job_engine)get_u32le(head + 4);
	job->heap_bytes = get_u64le(head + 8);
	job->seed = get_u64le(head + 16);
	job->now_ms = (int64_t)get_u64le(head + 24);
	job->stack_frames = get_u32le(head + 32);
	job->value_bytes = get_u32le(head + 36);
	job->log_bytes = get_u32le(head + 40);
	job->log_lines = get_u32le(head + 44);
	job->source_len = get_u32le(head + 48);
	job->input_len = get_u32le(head + 52);
	job->name_len = get_u32le(head + 56);
	job->rules_len = get_u32le(head + 60);
	job->globals_len = get_u32le(head + 64);
}

static bool job_is_sound(const struct job *job, uint32_t payload)
{
	return !(job->flags & ~(uint32_t)JOB_FLAGS_ALL) &&
	       job->engine <= JOB_ENGINE_QUICKJS && job->stack_frames &&
	       job->stack_frames <= INT32_MAX && job->source_len <= JOB_SOURCE_MOST &&
	       job->input_len <= JOB_INPUT_MOST && job->name_len <= JOB_NAME_MOST &&
	       job->rules_len <= JOB_RULES_MOST && job->globals_len <= JOB_GLOBALS_MOST &&
	       payload == JOB_HEAD_BYTES + job->source_len + job->input_len +
				  job->name_len + job->rules_len + job->globals_len;
}

static char *read_text(char **room, uint32_t len)
{
	char *text = *room;

	read_exact(text, len);
	text[len] = '\0';
	*room += len + 1;
	return text;
}

bool job_read(struct job *job, char *room)
{
	unsigned char head[JOB_HEAD_BYTES];
	uint32_t payload;

	if (!read_header(FRAME_JOB, &payload))
		return false;
	read_exact(head, sizeof(head));
	parse_head(job, head);
	if (!job_is_sound(job, payload))
		end_now(END_BAD_JOB);
	job->source = read_text(&room, job->source_len);
	job->input = read_text(&room, job->input_len);
	job->name = read_text(&room, job->name_len);
	job->rules = read_text(&room, job->rules_len);
	job->globals = read_text(&room, job->globals_len);
	if (!gate_check_rules((const unsigned char *)job->rules, job->rules_len))
		end_now(END_BAD_JOB);
	return true;
}

const char *job_plain_source(const struct job *job, size_t *ret_len)
{
	char *source = job->source;
	size_t len = job->source_len;

	if (len >= 3 && !memcmp(source, "\xEF\xBB\xBF", 3)) {
		source += 3;
		len -= 3;
	}
	if (len >= 2 && !memcmp(source, "#!", 2))
		memcpy(source, "//", 2);
	*ret_len = len;
	return source;
}

bool job_wait_go(uint32_t *ret_flags)
{
	unsigned char flags[4];
	uint32_t payload;

	if (!read_header(FRAME_GO, &payload))
		return false;
	if (payload != sizeof(flags))
		end_now(END_BAD_JOB);
	read_exact(flags, sizeof(flags));
	*ret_flags = get_u32le(flags);
	if (*ret_flags & ~(uint32_t)GO_FLAGS_ALL)
		end_now(END_BAD_JOB);
	return true;
}
