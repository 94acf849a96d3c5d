/* SPDX-License-Identifier: MIT */
/*
 * Ways in which a server that was taken over can talk to the monitor. X(id, what it does,
 * a part of what the monitor then says; NULL: the server ends by itself)
 */
#ifndef QUOD_TEST_TAKEN_H
#define QUOD_TEST_TAKEN_H

#define SCENES(X)                                                                        \
	X(NOISE, "bytes of an order's size", "of another version")                       \
	X(SHORT, "a packet that is too short", "not of an order's size")                 \
	X(EMPTY, "an empty packet", NULL)                                                \
	X(LONG, "a packet that is too long", "not of an order's size")                   \
	X(VERSION, "another version", "of another version")                              \
	X(KIND, "an unknown kind", "of an unknown kind")                                 \
	X(POLICY, "a policy that there is not", "for a policy that the tenant")          \
	X(TENANT, "a tenant that there is not", "for a tenant that there is not")        \
	X(GENERATION, "a roster that there is not", "for a roster that does not count")  \
	X(ADOPT, "to adopt what it was not given", "for a roster that does not count")   \
	X(LIMIT, "more memory than the policy has", "with a limit outside")              \
	X(PATH, "an id that is a path", "with an id that is none")                       \
	X(AGAIN, "the number of a run that runs", "about a run that cannot be")          \
	X(TWIN, "the id of a run that runs",                                             \
	  "with an id that is none, or another run's")                                   \
	X(FUTURE, "to kill a run that never was", "about a run that cannot be")          \
	X(EXCESS, "to kill a run, and a policy", "with something where nothing belongs") \
	X(GIFT, "a descriptor along with an order", "with descriptors")                  \
	X(GIFTS, "a hundred descriptors", "with descriptors")                            \
	X(FLOOD, "a thousand orders and no ear for answers", "cannot be answered")       \
	X(LIVELY, "that it is alive, twice", "that says it is alive")                    \
	X(MUTE, "nothing, whatever it is asked", "the server does not answer")           \
	X(DEAF, "its socket closed, and lives on", "was killed by SIGKILL")              \
	X(HONEST, "a right order: it gets three pipes, an ending, a quod-js", NULL)      \
	X(HASTY, "clocks and ends to runs that are still coming: they end so", NULL)     \
	X(LAZY, "no order to kill: the deadline is the monitor's", NULL)                 \
	X(CLOCKS, "the clock again and again: the deadline stays", NULL)                 \
	X(HIGHER, "a clock with more than its run has", "with a limit outside")          \
	X(RAISE, "a clock that takes back what the first had lowered",                   \
	  "with a limit outside")                                                        \
	X(WARM, "a clock for a warm jail: its wall time is held", NULL)                  \
	X(WARM_CPU, "a job to a warm jail: its CPU time is held", NULL)                  \
	X(WARM_KILL, "a warm jail to its death", NULL)                                   \
	X(WARM_TWIN, "the id of a warm jail",                                            \
	  "with an id that is none, or another run's")                                   \
	X(HOARD, "for more warm jails than may be", NULL)                                \
	X(CROWD, "clocks for more warm jails than runs may be", NULL)                    \
	X(STALE, "no clock for a warm jail: it does not become old", NULL)               \
	X(BUSY, "orders without end: what is over does not pile up", NULL)               \
	X(STUBBORN, "nothing at all to another configuration",                           \
	  "does not take the new configuration")                                         \
	X(LEAVES, "an order, and leaves", NULL)

enum scene {
#define X(id, name, said) SCENE_##id,
	SCENES(X)
#undef X
		SCENES_COUNT
};

/* Warm jails of that daemon: the least that its bound on all of them can be. */
#define SCENE_WARM_MOST 64

/* The daemon's --runs says which scene it is: more than one run may be under way. */
#define SCENE_RUNS 10

/* main() of the server; its exit status is 0 if all was as it has to be. What it says on
 * stderr begins with "# ". */
int taken_server(void);

#endif
