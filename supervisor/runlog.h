/* SPDX-License-Identifier: MIT */
/*
 * The log of one run: the lines that the record will hold, counted against the limits.
 * The first part is kept, what comes after is not, and the run ends there.
 */
#ifndef QUOD_RUNLOG_H
#define QUOD_RUNLOG_H

#include <stdbool.h>
#include <stdint.h>

#include "base/text.h"
#include "rootfs/protocol.h"

struct log_line {
	enum log_level level;
	uint64_t t_us; /* since GO */
	size_t at;     /* in the text of the log */
	size_t len;
};

struct runlog {
	struct text text;
	struct log_line *lines; /* owned */
	size_t count, room;
	uint64_t lines_most;
	bool truncated; /* something did not fit */
};

extern const char *const log_level_names[LOG_LEVELS];

void runlog_init(struct runlog *log, uint64_t bytes_most, uint64_t lines_most);
void runlog_free(struct runlog *log);

/*
 * Keeps a line, or the part of it that fits. `cut`: the guest kept back the end of it.
 * *ret_line (borrowed until the next add) is NULL if nothing of it fits; log->truncated
 * says whether the limit is now exceeded. Errors: -ENOMEM.
 */
int runlog_add(struct runlog *log, enum log_level level, const char *bytes, size_t len,
	       bool cut, uint64_t t_us, const struct log_line **ret_line);

static inline const char *runlog_text(const struct runlog *log,
				      const struct log_line *line)
{
	return text_str(&log->text) + line->at;
}

#endif
