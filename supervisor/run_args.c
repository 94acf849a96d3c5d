/* SPDX-License-Identifier: MIT */
/*
 * From what was typed to a request. The policy comes first, because all else is measured
 * against it.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/number.h"
#include "supervisor/cmd_run.h"
#include "supervisor/json.h"
#include "supervisor/timestamp.h"

int run_args_choose(const char *option, const char *word, const char *const *names,
		    size_t count, struct usage *usage)
{
	own_text struct text known = TEXT_INIT(256);

	for (size_t i = 0; i < count; i++) {
		if (!strcmp(names[i], word))
			return (int)i;
		text_addf(&known, "%s%s", i ? ", " : "", names[i]);
	}
	return usage_fail(usage, -EINVAL, "%s '%.100s' is not one of: %s", option, word,
			  text_str(&known));
}

static int take_determinism(struct request *request, const struct run_args *args,
			    struct usage *usage)
{
	enum number_error e;

	if (args->seed) {
		request->seeded = true;
		e = number_parse_u64(args->seed, 0, UINT64_MAX, &request->seed);
		if (e)
			return usage_fail(usage, -EINVAL, "--seed '%.100s' %s",
					  args->seed, number_error_text(e));
	}
	if (args->now) {
		if (request_set_now(request, args->now) < 0)
			return usage_fail(usage, -EINVAL,
					  "--now '%.100s' is neither milliseconds since "
					  "1970 nor a time like 2024-02-29T12:00:00Z, "
					  "of the years 1970 to 2262",
					  args->now);
	}
	return 0;
}

static int take_engine(struct request *request, const char *word, struct usage *usage)
{
	int r = run_args_choose("--engine", word, policy_engine_names,
				POLICY_ENGINES_COUNT, usage);

	if (r < 0)
		return r;
	if (request_set_engine(request, (enum policy_engine)r) < 0)
		return usage_fail(usage, -EINVAL,
				  "--engine %s: policy '%s' allows only %s", word,
				  request->policy->name,
				  policy_engine_names[request->policy->engine]);
	return 0;
}

static int take_mode(struct request *request, const char *word, struct usage *usage)
{
	int r = run_args_choose("--mode", word, policy_mode_names, POLICY_MODES_COUNT,
				usage);

	if (r < 0)
		return r;
	if (request_set_mode(request, (enum policy_mode)r) < 0)
		return usage_fail(usage, -EINVAL,
				  "--mode %s: it may only be stricter than the '%s' of "
				  "policy '%s'; to loosen it is for a policy (-p open, "
				  "or Mode= in a file)",
				  word, policy_mode_names[request->policy->mode],
				  request->policy->name);
	return 0;
}

static int take_choices(struct request *request, const struct run_args *args,
			enum output_kind *kind, struct usage *usage)
{
	int r = 0;

	if (args->engine)
		r = take_engine(request, args->engine, usage);
	if (r >= 0 && args->mode)
		r = take_mode(request, args->mode, usage);
	if (r >= 0 && args->output) {
		r = run_args_choose("-o", args->output, output_kind_names,
				    OUTPUT_KINDS_COUNT, usage);
		*kind = r < 0 ? *kind : (enum output_kind)r;
	}
	return r < 0 ? r : 0;
}

static int check_sources(const struct run_args *args, struct usage *usage)
{
	bool source_stdin = args->file && !strcmp(args->file, "-");

	if (!args->code && !args->file)
		return usage_fail(usage, -EINVAL,
				  "a source is missing: a FILE, - for stdin, or -e CODE");
	if (args->code && args->file)
		return usage_fail(usage, -EINVAL, "-e and '%.100s' are two sources",
				  args->file);
	if (args->input && args->input_json)
		return usage_fail(usage, -EINVAL,
				  "--input and --input-json are two inputs");
	if (source_stdin && args->cases && !strcmp(args->cases, "-"))
		return usage_fail(usage, -EINVAL,
				  "source and --cases cannot both come from stdin");
	if (args->cases && (args->input || args->input_json))
		return usage_fail(usage, -EINVAL,
				  "--cases brings its own inputs: leave %s out",
				  args->input ? "--input" : "--input-json");
	if (source_stdin && args->input && !strcmp(args->input, "-"))
		return usage_fail(usage, -EINVAL,
				  "source and --input cannot both come from stdin");
	return 0;
}

static int check_daemon(const struct run_args *args, struct usage *usage)
{
	const struct policy_args *policy = &args->policy;

	if (policy->cgroup || policy->require_cgroup)
		return usage_fail(usage, -EINVAL,
				  "%s and --daemon: where the cgroups of its runs are is "
				  "for the daemon to say",
				  policy->cgroup ? "--cgroup" : "--require-cgroup");
	if (policy->policy && strchr(policy->policy, '/'))
		return usage_fail(usage, -EINVAL,
				  "-p '%.200s' and --daemon: the daemon has policies of "
				  "its own and takes no file; name one of them",
				  policy->policy);
	return 0;
}

int run_args_check(const struct run_args *args, struct usage *usage)
{
	int r = check_sources(args, usage);

	return r == 0 && args->daemon ? check_daemon(args, usage) : r;
}

int run_args_read_failed(const char *path, int r, const char *most, struct usage *usage)
{
	if (r == -EFBIG)
		return usage_fail(usage, r, "'%.200s' is longer than %s",
				  strcmp(path, "-") ? path : "stdin", most);
	const char *why = r == -EISDIR ? "it is a directory" : strerror(-r);

	return usage_fail(usage, r, "cannot read '%.200s': %s",
			  strcmp(path, "-") ? path : "stdin", why);
}

int run_args_read(const char *path, size_t most, char **ret_data, size_t *ret_len)
{
	if (!strcmp(path, "-"))
		return file_read_fd(STDIN_FILENO, most, ret_data, ret_len);
	return file_read_at(AT_FDCWD, path, most, ret_data, ret_len);
}

/* Short enough and clean, whatever the file is called: it comes back in stacks. */
static void set_name(struct run_texts *texts, const char *path)
{
	const char *slash = strrchr(path, '/');
	const char *base = slash ? slash + 1 : path;
	size_t len = strlen(base);

	if (len == 0 || len > JOB_NAME_MOST || text_utf8_span(base, len) < len)
		base = "source.js";
	snprintf(texts->name, sizeof(texts->name), "%s", base);
}

static int take_source(struct request *request, const struct run_args *args,
		       struct run_texts *texts, struct usage *usage)
{
	size_t most = (size_t)request->limits.value[LIMIT_ID_source_bytes];
	int r;

	request->name = texts->name;
	if (args->code) {
		set_name(texts, "-e");
		request->source = args->code;
		request->source_len = strlen(args->code);
		return 0;
	}
	set_name(texts, strcmp(args->file, "-") ? args->file : "stdin");
	r = run_args_read(args->file, most, &texts->source, &request->source_len);
	if (r == -EFBIG) {
		/* How much longer it is nobody needs to know: it is refused by its size.
		 */
		request->source = "";
		request->source_len = most + 1;
		return 0;
	}
	request->source = texts->source;
	return r < 0 ? run_args_read_failed(args->file, r, "its limit", usage) : 0;
}

static int check_input(const struct request *request, const char *what,
		       struct usage *usage)
{
	bool valid = false;
	size_t good = text_utf8_span(request->input, request->input_len);

	if (good < request->input_len)
		return usage_fail(usage, -EINVAL, "%s is not UTF-8 at offset %zu", what,
				  good);
	good = json_check(request->input, request->input_len, 0, &valid);
	if (!valid)
		return usage_fail(usage, -EINVAL, "%s is not JSON at offset %zu", what,
				  good);
	return 0;
}

static int take_input(struct request *request, const struct run_args *args,
		      struct run_texts *texts, struct usage *usage)
{
	int r;

	request->has_input = args->input || args->input_json;
	if (!request->has_input)
		return 0;
	if (args->input) {
		r = run_args_read(args->input, JOB_INPUT_MOST, &texts->input,
				  &request->input_len);
		if (r < 0)
			return run_args_read_failed(args->input, r, "1 MiB", usage);
		request->input = texts->input;
	} else {
		request->input = args->input_json;
		request->input_len = strlen(args->input_json);
		if (request->input_len > JOB_INPUT_MOST)
			return usage_fail(usage, -EFBIG,
					  "--input-json is longer than 1 MiB");
	}
	return check_input(request, args->input ? "--input" : "--input-json", usage);
}

int run_args_resolve(const struct run_args *args, struct request *ret_request,
		     struct run_texts *ret_texts, enum output_kind *ret_kind,
		     struct usage *usage)
{
	const struct policy *policy = NULL;
	struct request *request = ret_request;
	struct limits limits;
	int r;

	*request = (struct request){0};
	r = policy_args_resolve(&args->policy, &policy, &limits, usage);
	if (r < 0)
		return r;
	request_begin(request, policy, &limits);
	request->judged = request->judged || args->verdict;
	r = take_determinism(request, args, usage);
	if (r == 0)
		r = take_choices(request, args, ret_kind, usage);
	if (r == 0)
		r = take_source(request, args, ret_texts, usage);
	return r < 0 ? r : take_input(request, args, ret_texts, usage);
}
