/* SPDX-License-Identifier: MIT */
/*
 * `quod run` in three files: cmd_run.c (options and order), run_args.c (from what was
 * typed to a request), cases.c (one source, many inputs); and `quod check`, which is a
 * run that ends early (cmd_check.c).
 */
#ifndef QUOD_CMD_RUN_H
#define QUOD_CMD_RUN_H

#include "supervisor/client.h"
#include "supervisor/interp.h"
#include "supervisor/options.h"
#include "supervisor/output.h"
#include "supervisor/policy_args.h"
#include "supervisor/request.h"

/* As typed; NULL or false: not given. */
struct run_args {
	struct policy_args policy;
	const char *code, *engine, *mode, *input, *input_json, *cases;
	const char *seed, *now, *output;
	bool verdict;
	const char *file; /* the word that is no option */
	bool daemon;
	const char *socket; /* the daemon's; goes with `daemon` */
};

/* What the strings of a request borrow from; freed together. */
struct run_texts {
	char *source, *input; /* owned */
	char name[JOB_NAME_MOST + 1];
};

/*
 * Checks all else and reads the files. Errors: -EINVAL and what reading gives, with
 * usage filled: nothing has been started.
 */
int run_args_resolve(const struct run_args *args, struct request *ret_request,
		     struct run_texts *ret_texts, enum output_kind *ret_kind,
		     struct usage *usage);

/* What does not go together, and what a daemon does not do for its clients. Errors:
 * -EINVAL, with usage filled. */
int run_args_check(const struct run_args *args, struct usage *usage);

/* Index of the word in the list. -EINVAL: usage lists what is known. */
int run_args_choose(const char *option, const char *word, const char *const *names,
		    size_t count, struct usage *usage);

/* A whole file, - for stdin, at most `most` bytes; as file_read_fd(). */
int run_args_read(const char *path, size_t most, char **ret_data, size_t *ret_len);
/* Says why that failed; `most` is the cap in words. Returns r. */
int run_args_read_failed(const char *path, int r, const char *most, struct usage *usage);

struct command;

/* The whole command: words after its name, its options fill a struct run_args. */
int cmd_run_main(const struct command *command, bool check_only, int argc, char **argv);

/* "quod: WHAT: WHY" on stderr. Returns the exit code of internal_error. */
int cmd_run_failed(const char *what, const char *why, struct patience *patience);
/* stdout failed with this negative errno; says so, unless its reader has gone (-EPIPE) or
 * we were told not to wait for him (-EINTR). Returns the exit code. */
int cmd_run_write_failed(int r, struct patience *patience);

/* Where runs are made. */
struct run_where {
	const struct run_place *place; /* here */
	const char *socket;	       /* NULL, or by the daemon there */
};

/* One run, told and flushed. This process can only exit afterwards. Returns the exit
 * code. */
int cmd_run_one(const struct request *request, const struct run_where *where,
		enum output_kind kind);

/*
 * A run for each line {"id", "input"} of the file, in order, each in a process and a jail
 * of its own. Returns the highest exit code of all of them, or -EINVAL and what reading
 * gives, with usage filled, before the first has begun.
 */
int cases_run(const char *path, const struct request *request,
	      const struct run_where *where, enum output_kind kind, struct usage *usage);

#endif
