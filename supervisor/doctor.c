/* SPDX-License-Identifier: MIT */
/*
 * The table of checks, and what they are written with. The order is that of the answer:
 * what lies below comes first, because it is the cause of what fails further down.
 */
#include "supervisor/doctor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own.h"
#include "supervisor/doctor_checks.h"

#define FOR(id) (1u << DOCTOR_##id)
/* Whose runs are made by who asks. */
#define FOR_CALLER (FOR(RUN) | FOR(ROOTLESS) | FOR(CONTAINER))
#define FOR_ALL	   ((1u << DOCTOR_PURPOSES_COUNT) - 1)

static const struct {
	const char *room;
	unsigned purposes;
	bool not_of_daemon; /* quodd itself knows it, or finds it out in another way */
	void (*run)(struct doctor *doctor);
} checks[] = {
	{"jail", FOR_ALL, false, check_jail},
	{"host", FOR_ALL, false, check_proc},
	{"host", FOR_ALL, false, check_clock},
	{"host", FOR_ALL, false, check_core},
	{"host", FOR_ALL, false, check_processes},
	{"host", FOR_CALLER, true, check_files},
	{"host", FOR_ALL, true, check_interpreter},
	{"host", FOR_CALLER, true, check_policies},
	{"caller", FOR(ROOTLESS), true, check_caller},
	{"caller", FOR(ROOTLESS), true, check_manager},
	{"caller", FOR(ROOTLESS), true, check_linger},
	{"caller", FOR(ROOTLESS), true, check_delegated},
	{"container", FOR_ALL, false, check_container},
	{"host", FOR(QUODD), true, check_host_controllers},
	{"daemon", FOR(QUODD), true, check_operator},
	{"daemon", FOR(QUODD), true, check_program},
	{"daemon", FOR(QUODD), true, check_config},
	{"daemon", FOR(QUODD), true, check_server_user},
	{"daemon", FOR(QUODD), true, check_state},
	{"daemon", FOR(QUODD), true, check_units},
	{"daemon", FOR(QUODD), true, check_socket},
	{"daemon", FOR(QUODD), true, check_daemon},
};

const char *const doctor_purpose_names[DOCTOR_PURPOSES_COUNT] = {
#define X(id, word) [DOCTOR_##id] = word,
	DOCTOR_PURPOSES(X)
#undef X
};

void doctor_examine(struct doctor *doctor)
{
	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		if (!(checks[i].purposes & 1u << doctor->purpose) ||
		    (doctor->is_daemon && checks[i].not_of_daemon))
			continue;
		doctor->room = checks[i].room;
		checks[i].run(doctor);
	}
}

struct finding *doctor_add(struct doctor *doctor, const char *name, const char *format,
			   ...)
{
	unsigned at = doctor->count < FINDING_ROWS_MOST ? doctor->count++
							: FINDING_ROWS_MOST - 1;
	struct finding *finding = &doctor->findings[at];
	va_list args;

	*finding = (struct finding){.state = JAIL_PROBE_WORKS};
	snprintf(finding->name, sizeof(finding->name), "%s", name);
	snprintf(finding->room, sizeof(finding->room), "%s", doctor->room);
	va_start(args, format);
	vsnprintf(finding->tried, sizeof(finding->tried), format, args);
	va_end(args);
	return finding;
}

enum jail_probe_state doctor_worst(const struct doctor *doctor)
{
	enum jail_probe_state worst = JAIL_PROBE_WORKS;

	for (unsigned i = 0; i < doctor->count; i++)
		if (doctor->findings[i].state > worst)
			worst = doctor->findings[i].state;
	return worst;
}

bool doctor_read_text(const char *path, char *text, size_t size)
{
	own_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);

	text[n > 0 ? n : 0] = '\0';
	return n >= 0;
}

bool doctor_read_line(const char *path, char *line, size_t size)
{
	bool is_read = doctor_read_text(path, line, size);

	line[strcspn(line, "\n")] = '\0';
	return is_read;
}

bool doctor_missing_controllers(const char *path, char *missing, size_t size)
{
	static const char *const wanted[] = {" memory", " pids", " cpu"};
	char text[256], words[300];
	size_t len = 0;

	missing[0] = '\0';
	if (!doctor_read_line(path, text, sizeof(text)))
		return false;
	snprintf(words, sizeof(words), " %s ", text);
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		char word[16];

		snprintf(word, sizeof(word), "%s ", wanted[i]);
		if (!strstr(words, word) && len < size)
			len += (size_t)snprintf(missing + len, size - len, "%s",
						wanted[i]);
	}
	return true;
}

long doctor_read_number(const char *path, long missing)
{
	char line[32], *end;
	long number;

	if (!doctor_read_line(path, line, sizeof(line)))
		return missing;
	errno = 0;
	number = strtol(line, &end, 10);
	return end == line || errno ? missing : number;
}
