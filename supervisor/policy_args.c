/* SPDX-License-Identifier: MIT */
/*
 * A job may lower what its policy grants. The message for anything else says what the
 * policy's value is.
 */
#include "supervisor/policy_args.h"

#include <errno.h>
#include <stdio.h>
#include <sys/resource.h>

#include "base/number.h"
#include "base/own.h"

static int load_policy(const struct policy_args *args, const struct policy **ret,
		       struct usage *usage)
{
	struct policy_error error;
	int r = args->given ? 0 : policy_load(args->policy, ret, &error);

	if (r < 0)
		return usage_fail(usage, r, "%s", error.text);
	if (args->given)
		*ret = args->given;
	return 0;
}

static int number_failed(const char *option, const char *word, enum number_error e,
			 const char *example, struct usage *usage)
{
	return usage_fail(usage, -EINVAL, "%s '%.100s' %s; it is written like %s", option,
			  word, number_error_text(e), example);
}

static int lower_limit(struct limits *limits, const struct policy *policy,
		       enum limit_id id, const char *option, uint64_t value,
		       struct usage *usage)
{
	char text[LIMIT_TEXT_MOST];
	int r = limits_lower(limits, id, value);

	if (r == 0)
		return 0;
	limits_print(id, r == -EPERM ? policy->limits.value[id] : limit_infos[id].least,
		     text);
	if (r == -EPERM)
		return usage_fail(
			usage, -EINVAL,
			"%s may only lower the limit: policy '%s' allows at most %s "
			"of %s",
			option, policy->name, text, limit_infos[id].what);
	return usage_fail(usage, -EINVAL, "%s is out of range: the least %s is %s",
			  option, limit_infos[id].what, text);
}

/* The caller's own hard limit goes with every process that we make. The kernel counts the
 * start too, and in ticks: ours has to come first, or a kill is all that is seen. */
static void obey_rlimit(struct limits *limits)
{
	struct rlimit own;

	if (getrlimit(RLIMIT_CPU, &own) == 0 && own.rlim_max < UINT32_MAX)
		(void)limits_lower(limits, LIMIT_ID_cpu_ms, own.rlim_max * 500);
}

int policy_args_resolve(const struct policy_args *args, const struct policy **ret_policy,
			struct limits *ret_limits, struct usage *usage)
{
	uint64_t v;
	enum number_error e;
	own_policy const struct policy *policy = NULL;
	int r = load_policy(args, &policy, usage);

	if (r < 0)
		return r;
	*ret_limits = policy->limits;
	if (args->timeout) {
		e = number_parse_duration_ms(args->timeout, 0, UINT64_MAX, &v);
		r = e ? number_failed("--timeout", args->timeout, e,
				      "500ms, 5s or 5 (seconds)", usage)
		      : lower_limit(ret_limits, policy, LIMIT_ID_wall_ms, "--timeout", v,
				    usage);
	}
	if (r == 0 && args->memory) {
		e = number_parse_size(args->memory, 0, UINT64_MAX, &v);
		r = e ? number_failed("--memory", args->memory, e, "16M or 512K", usage)
		      : lower_limit(ret_limits, policy, LIMIT_ID_memory_bytes, "--memory",
				    v, usage);
	}
	if (r < 0)
		return r;
	/* A policy that was given is another process's, and so are the rlimits. */
	if (!args->given)
		obey_rlimit(ret_limits);
	*ret_policy = TAKE_PTR(policy);
	return 0;
}

struct place_request policy_args_place(const struct policy_args *args,
				       const struct policy *policy)
{
	return (struct place_request){.dir = args->cgroup,
				      .required = policy->require_cgroup ||
						  args->require_cgroup};
}
