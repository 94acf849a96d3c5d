/* SPDX-License-Identifier: MIT */
/*
 * The command line of quod, once: the parser and --help read these tables, and so do the
 * manual and the completions of shells, which are made of them while quod is built
 * (man/gen_man.c, packaging/completions/gen_completions.c). Nothing but macros.
 */
#ifndef QUOD_COMMAND_TABLE_H
#define QUOD_COMMAND_TABLE_H

/*
 * What an option or a command takes, for who completes it. X(kind, its words; NULL: they
 * are no fixed list, or another table's)
 */
#define OPTION_KINDS(X)          \
	X(FLAG, NULL)            \
	X(TEXT, NULL)            \
	X(FILE, NULL)            \
	X(DIRECTORY, NULL)       \
	X(POLICY, NULL)          \
	X(ENGINE, NULL)          \
	X(MODE, NULL)            \
	X(STATUS, NULL)          \
	X(USER, NULL)            \
	X(PURPOSE, DOCTOR_WORDS) \
	X(OUTPUT, "text json")   \
	X(STREAM, "text json ndjson")

/* Each in its own file cmd_NAME.c. X(name, what is behind it, kind of that, one line) */
#define COMMANDS(X)                                                         \
	X(run, "[OPTION...] [-e CODE | FILE | -]", FILE,                    \
	  "runs one script in a jail of its own and says what happened")    \
	X(check, "[OPTION...] [-e CODE | FILE | -]", FILE,                  \
	  "says what a script is about to do, without running it")          \
	X(exec, "[OPTION...] -- PROGRAM [ARG...]", FILE,                    \
	  "runs any static program in the same jail")                       \
	X(doctor, "[OPTION...]", TEXT,                                      \
	  "says what this host can enforce, and what mends what it cannot") \
	X(policy, "list | show NAME | test FILE", TEXT,                     \
	  "lists, shows and tests policies")                                \
	X(status, "[OPTION...]", TEXT,                                      \
	  "says whether the daemon is ready, and what its tenants do")      \
	X(history, "[OPTION...] [ID]", TEXT,                                \
	  "shows what the daemon has run, or one run of it")                \
	X(cancel, "[OPTION...] ID", TEXT, "ends a run of the daemon")       \
	X(version, "", TEXT, "says which quod this is")

/* Behind `quod policy`. X(word, kind of what is behind it) */
#define POLICY_WORDS(X) \
	X(list, FLAG)   \
	X(show, POLICY) \
	X(test, FILE)

/*
 * X(letter or 0, name, what follows it or NULL, kind of that, help, member of the struct
 * that the command fills)
 */
#define POLICY_OPTIONS(X)                                                             \
	X('p', "policy", "POLICY", POLICY, "by name, or a file: ./NAME.policy",       \
	  policy.policy)                                                              \
	X(0, "timeout", "DUR", TEXT, "lower the wall time: 500ms, 5s, 5 (seconds)",   \
	  policy.timeout)                                                             \
	X(0, "memory", "SIZE", TEXT, "lower the memory: 8M, 2M", policy.memory)       \
	X(0, "cgroup", "DIR", DIRECTORY, "make the cgroups of runs below this one",   \
	  policy.cgroup)                                                              \
	X(0, "require-cgroup", NULL, FLAG, "no run unless a cgroup holds its limits", \
	  policy.require_cgroup)

#define GATE_OPTIONS(X)                                                           \
	X('e', "eval", "CODE", TEXT, "the source itself instead of a file", code) \
	X(0, "engine", "ENGINE", ENGINE, "auto, duktape or quickjs", engine)      \
	X(0, "mode", "MODE", MODE, "what findings block: strict, standard or off", mode)

/* Where quodd.socket listens. */
#define SOCKET_USUAL "/run/quod/quod.sock"
#define SOCKET_OPTIONS(X)            \
	X(0, "socket", "PATH", FILE, \
	  "where the daemon listens (QUOD_SOCKET, " SOCKET_USUAL ")", socket)

#define DAEMON_OPTIONS(X)                                            \
	X(0, "daemon", NULL, FLAG, "let quodd make the run", daemon) \
	SOCKET_OPTIONS(X)

#define run_OPTIONS(X)                                                                  \
	POLICY_OPTIONS(X)                                                               \
	GATE_OPTIONS(X)                                                                 \
	X(0, "verdict", NULL, FLAG, "exit with 1 unless the value is true", verdict)    \
	X(0, "input", "FILE", FILE, "JSON file for the global `input`, - for stdin",    \
	  input)                                                                        \
	X(0, "input-json", "JSON", TEXT, "the input itself", input_json)                \
	X(0, "cases", "FILE", FILE,                                                     \
	  "one run for each line {\"id\":\"NAME\",\"input\":JSON}, - for stdin", cases) \
	X(0, "seed", "N", TEXT, "fix Math.random", seed)                                \
	X(0, "now", "TIME", TEXT, "freeze Date: ms since 1970 or RFC 3339", now)        \
	DAEMON_OPTIONS(X)                                                               \
	X('o', "output", "KIND", STREAM, "text, json or ndjson", output)

#define check_OPTIONS(X)  \
	POLICY_OPTIONS(X) \
	GATE_OPTIONS(X)   \
	DAEMON_OPTIONS(X) \
	X('o', "output", "KIND", STREAM, "text, json or ndjson", output)

#define exec_OPTIONS(X) POLICY_OPTIONS(X)

#define doctor_OPTIONS(X)                                                                \
	X(0, "for", "WHAT", PURPOSE, "run, quodd, rootless or container (run)", purpose) \
	SOCKET_OPTIONS(X)                                                                \
	X(0, "config", "DIR", DIRECTORY, "quodd's (what quodd --version says)", config)  \
	X(0, "state", "DIR", DIRECTORY, "quodd's (/var/lib/quod)", state)                \
	X('o', "output", "KIND", OUTPUT, "text or json", output)

#define policy_OPTIONS(X)

#define status_OPTIONS(X) \
	SOCKET_OPTIONS(X) \
	X('o', "output", "KIND", OUTPUT, "text or json", output)

#define history_OPTIONS(X)                                                               \
	X(0, "limit", "N", TEXT, "so many at most: 1 to 200", limit)                     \
	X(0, "before", "ID", TEXT, "only runs before that one", before)                  \
	X(0, "status", "STATUS", STATUS, "only those that ended so, or running", status) \
	X(0, "tenant", "NAME", TEXT, "only those of that tenant", tenant)                \
	SOCKET_OPTIONS(X)                                                                \
	X('o', "output", "KIND", OUTPUT, "text or json", output)

#define cancel_OPTIONS(X) SOCKET_OPTIONS(X)

#define version_OPTIONS(X)

/* A row of struct option; OPTIONS_INTO is the struct that is filled. */
#define OPTION_ROW(letter, name, arg, kind, help, member) \
	{letter, name, arg, help, offsetof(OPTIONS_INTO, member)},

#endif
