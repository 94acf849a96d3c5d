/* SPDX-License-Identifier: MIT */
/*
 * gate [--builtin | --rules FILE] [--repeat N] [--refuse] [--duktape] [SOURCE]: the
 * gate's findings of a source, or of standard input, one a line:
 *
 *	LINE:COLUMN SPAN RULE DETAIL
 *
 * and a line of numbers. Without rules, every signal is looked for. In a file of rules each
 * line is NAME KIND PATTERN. --refuse: memory is refused at the first request, then at the
 * second, and so on until none is refused; each time the analysis must end by exhausted().
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/number.h"
#include "base/own.h"
#include "policy/rules.h"
#include "rootfs/gate.h"
#include "rootfs/protocol.h"
#include "tests/gate/heap.h"

#define SIGNALS                                                                     \
	"code-constructor constructor-call global-dynamic-key global-enumeration "  \
	"global-escape global-guarded "                                             \
	"timer-string dynamic-import module-syntax with-statement prototype-write " \
	"unbounded-loop recursion large-literal obfuscation html-comment "          \
	"too-many-findings too-deep"

struct rules {
	unsigned char wire[JOB_RULES_MOST];
	size_t len;
	char names[JOB_RULES_COUNT_MOST + 1][64];
	unsigned count;
};

static _Noreturn void usage(const char *what)
{
	fprintf(stderr, "gate: %s\n", what);
	exit(99);
}

static unsigned rule_number(struct rules *rules, const char *name)
{
	for (unsigned i = 0; i < rules->count; i++)
		if (!strcmp(rules->names[i], name))
			return i;
	if (rules->count == JOB_RULES_COUNT_MOST || strlen(name) >= sizeof(*rules->names))
		usage("too many rules");
	strcpy(rules->names[rules->count], name);
	return rules->count++;
}

static void rule_add(struct rules *rules, const char *name, unsigned kind,
		     const char *pattern)
{
	size_t len = strlen(pattern);

	if (!len || len > 255 || rules->len + 3 + len > sizeof(rules->wire))
		usage("a rule is too long");
	rules->wire[rules->len] = (unsigned char)rule_number(rules, name);
	rules->wire[rules->len + 1] = (unsigned char)kind;
	rules->wire[rules->len + 2] = (unsigned char)len;
	memcpy(rules->wire + rules->len + 3, pattern, len);
	rules->len += 3 + len;
}

static void rules_of_signals(struct rules *rules)
{
	char names[] = SIGNALS;

	for (char *name = strtok(names, " "); name; name = strtok(NULL, " "))
		rule_add(rules, name, RULE_SIGNAL, name);
}

static void rules_of_table(struct rules *rules)
{
	for (size_t i = 0; i < rules_builtin_count; i++)
		for (size_t k = 0; k < rules_builtin[i].matches_count; k++)
			rule_add(rules, rules_builtin[i].name,
				 rules_builtin[i].matches[k].kind,
				 rules_builtin[i].matches[k].pattern);
}

static void rules_of_file(struct rules *rules, const char *path)
{
	char name[64], kind[16], pattern[256];
	FILE *file = fopen(path, "r");

	if (!file)
		usage(strerror(errno));
	while (fscanf(file, "%63s %15s %255s", name, kind, pattern) == 3) {
		unsigned i = 0;

		while (i < RULE_KINDS_COUNT && strcmp(kind, rule_kind_names[i]) != 0)
			i++;
		if (i == RULE_KINDS_COUNT)
			usage("a rule of no known kind");
		rule_add(rules, name, i, pattern);
	}
	fclose(file);
}

static char *read_source(const char *path, size_t *ret_len)
{
	FILE *file = path ? fopen(path, "r") : stdin;
	char *source = malloc(JOB_SOURCE_MOST + 1);

	if (!file || !source)
		usage(strerror(errno));
	*ret_len = fread(source, 1, JOB_SOURCE_MOST + 1, file);
	if (*ret_len > JOB_SOURCE_MOST)
		usage("the source is too long");
	if (path)
		fclose(file);
	return source;
}

static void print_finding(void *context, const struct gate_finding *finding)
{
	struct rules *rules = context;

	printf("%u:%u %u %s ", finding->line, finding->column, finding->span,
	       rules->names[finding->rule]);
	for (size_t i = 0; i < finding->detail_len; i++)
		putchar((unsigned char)finding->detail[i] < ' ' ? ' '
								: finding->detail[i]);
	putchar('\n');
}

static void count_finding(void *context, const struct gate_finding *finding)
{
	(void)context, (void)finding;
}

static double now_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e6 + (double)now.tv_nsec / 1e3;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void repeat(struct gate_job *job, unsigned long times)
{
	double *took = calloc(times, sizeof(*took));
	struct gate_summary summary;

	if (!took)
		usage(strerror(errno));
	job->found = count_finding;
	for (unsigned long i = 0; i < times; i++) {
		double from = now_us();

		gate_analyse(job, &summary);
		took[i] = now_us() - from;
	}
	qsort(took, times, sizeof(*took), by_value);
	printf("best %.1f median %.1f microseconds\n", took[0], took[times / 2]);
	free(took);
}

/* Refused at every request in turn: how often it was, and whether it was ever not told.
 */
static int refuse(struct gate_job *job, struct heap *heap)
{
	volatile unsigned long told = 0, at = 1;
	struct gate_summary summary;

	job->found = count_finding;
	for (;; at++) {
		heap->calls = 0;
		heap->refuse_at = at;
		if (setjmp(heap_exhausted)) {
			told++;
			heap_clear(heap);
			continue;
		}
		gate_analyse(job, &summary);
		break;
	}
	printf("refused %lu told %lu left %zu\n", at - 1, told, heap->used);
	return told == at - 1 && !heap->used && heap->calls < at ? 0 : 1;
}

static int analyse(struct gate_job *job, struct heap *heap)
{
	struct gate_summary summary;

	if (setjmp(heap_exhausted)) {
		puts("exhausted");
		return 1;
	}
	gate_analyse(job, &summary);
	printf("complexity %u nesting %u unparsed %d modern %d peak %zu left %zu\n",
	       summary.complexity, summary.nesting, summary.unparsed, summary.modern,
	       heap->peak, heap->used);
	return heap->used != 0;
}

int main(int argc, char **argv)
{
	static struct rules rules;
	struct heap heap = {0};
	const char *path = NULL;
	uint64_t times = 0;
	bool refusing = false, duktape = false;
	char *source;
	int status;

	for (int i = 1; i < argc; i++) {
		if (!strcmp(argv[i], "--builtin"))
			rules_of_table(&rules);
		else if (!strcmp(argv[i], "--duktape"))
			duktape = true;
		else if (!strcmp(argv[i], "--refuse"))
			refusing = true;
		else if (!strcmp(argv[i], "--rules") && i + 1 < argc)
			rules_of_file(&rules, argv[++i]);
		else if (!strcmp(argv[i], "--repeat") && i + 1 < argc) {
			if (number_parse_u64(argv[++i], 1, 1000000, &times) != NUMBER_OK)
				usage("--repeat takes a number");
		} else if (argv[i][0] == '-' || path)
			usage("see the head of tests/gate/gate.c");
		else
			path = argv[i];
	}
	if (!rules.count)
		rules_of_signals(&rules);

	struct gate_job job = {
		.rules = rules.wire,
		.rules_len = rules.len,
		.duktape = duktape,
		.memory = heap_memory(&heap),
		.found = print_finding,
		.context = &rules,
	};
	if (!gate_check_rules(rules.wire, rules.len))
		usage("the rules do not follow the format");
	source = read_source(path, &job.source_len);
	job.source = source;
	if (refusing)
		status = refuse(&job, &heap);
	else
		status = analyse(&job, &heap);
	if (!status && times)
		repeat(&job, times);
	free(source);
	return status;
}
