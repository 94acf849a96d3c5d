/* SPDX-License-Identifier: MIT */
/*
 * All text lies end to end in one buffer whose cap is the limit: the limit cannot be
 * passed by mistake.
 */
#include "supervisor/runlog.h"

#include <errno.h>
#include <stdlib.h>

const char *const log_level_names[LOG_LEVELS] = {
	[LOG_LOG] = "log",   [LOG_INFO] = "info",   [LOG_DEBUG] = "debug",
	[LOG_WARN] = "warn", [LOG_ERROR] = "error",
};

void runlog_init(struct runlog *log, uint64_t bytes_most, uint64_t lines_most)
{
	*log = (struct runlog){.text = TEXT_INIT((size_t)bytes_most),
			       .lines_most = lines_most};
}

void runlog_free(struct runlog *log)
{
	text_free(&log->text);
	free(log->lines);
	log->lines = NULL;
	log->count = log->room = 0;
}

static struct log_line *line_add(struct runlog *log)
{
	size_t room = log->room ? 2 * log->room : 16;
	struct log_line *lines;

	if (log->count < log->room)
		return &log->lines[log->count++];
	lines = realloc(log->lines, room * sizeof(*lines));
	if (!lines)
		return NULL;
	log->lines = lines;
	log->room = room;
	return &log->lines[log->count++];
}

int runlog_add(struct runlog *log, enum log_level level, const char *bytes, size_t len,
	       bool cut, uint64_t t_us, const struct log_line **ret_line)
{
	size_t left = log->text.most - log->text.len;
	struct log_line *line;

	*ret_line = NULL;
	if (cut || len > left || log->count == log->lines_most)
		log->truncated = true;
	if (log->count == log->lines_most)
		return 0;
	/* A character that straddles the limit goes as a whole; a line of which nothing
	 * is left is no line that the script wrote. */
	if (len > left) {
		len = text_utf8_span(bytes, left);
		if (len == 0)
			return 0;
	}
	line = line_add(log);
	if (!line)
		return -ENOMEM;
	*line = (struct log_line){
		.level = level, .t_us = t_us, .at = log->text.len, .len = len};
	text_add(&log->text, bytes, len);
	if (text_status(&log->text) < 0)
		return -ENOMEM;
	*ret_line = line;
	return 0;
}
