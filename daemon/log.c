/* SPDX-License-Identifier: MIT */
/*
 * One write for one line, so that the lines of both processes do not mix. What cannot be
 * written is lost: a log must not stop a daemon.
 *
 * The journal's own protocol is NAME=VALUE lines in one datagram. sd_journal_send(3) would
 * open its socket by path whenever it likes; the server has no paths, and so each process
 * brings a socket that is already connected. A value with a newline would be two fields:
 * every value is escaped as what is for a terminal.
 *
 * Who it is that sends a datagram the journal finds out from /proc when it comes to it: a
 * process that has said its last words and is gone belongs to no unit, and `journalctl -u`
 * has nothing of it. So what a process says until it serves goes to its stderr, a stream
 * whose unit the manager has told when it connected it.
 */
#include "daemon/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own.h"
#include "base/text.h"

#define LINE_MOST	 2048u
#define PRIORITY_WARNING 4
#define JOURNAL_SOCKET	 "/run/systemd/journal/socket"

struct entry {
	const char *message_id; /* NULL: none */
	int priority;
	const struct log_field *fields;
	size_t fields_count;
	const char *said;
};

static const struct entry events[LOG_EVENTS_COUNT] = {
#define X(id, message_id_, priority_, what) \
	[LOG_##id] = {.message_id = (message_id_), .priority = (priority_)},
	LOG_EVENTS(X)
#undef X
};

static const char *who;
static int journal_fd = -1;
static bool stream_is_journal;
static unsigned long lost;

void log_name(const char *name)
{
	who = name;
}

void log_to_journal(int fd)
{
	journal_fd = fd;
}

/* --- the journal -------------------------------------------------------------- */

static void add_field(struct text *to, const char *name, const char *value)
{
	if (!value)
		return;
	text_addf(to, "%s=", name);
	text_add_escaped(to, value, strlen(value), 0);
	text_add_char(to, '\n');
}

static int send_entry(const struct entry *entry)
{
	own_text struct text bytes = TEXT_INIT(16 * LINE_MOST);

	text_addf(&bytes, "PRIORITY=%d\nSYSLOG_IDENTIFIER=quodd\n", entry->priority);
	add_field(&bytes, "MESSAGE", entry->said);
	add_field(&bytes, "MESSAGE_ID", entry->message_id);
	add_field(&bytes, "QUOD_PROCESS", who ? who : "monitor");
	for (size_t i = 0; i < entry->fields_count; i++)
		add_field(&bytes, entry->fields[i].name, entry->fields[i].value);
	if (text_status(&bytes) < 0)
		return text_status(&bytes);
	if (send(journal_fd, text_str(&bytes), bytes.len, MSG_DONTWAIT | MSG_NOSIGNAL) <
	    0)
		return -errno;
	return 0;
}

/* Entries that found the journal's queue full are counted, and that is told first. */
static int write_journal(const struct entry *entry)
{
	char text[80];
	const struct entry gap = {.priority = PRIORITY_WARNING, .said = text};
	int r = 0;

	if (lost) {
		snprintf(text, sizeof(text), "%lu entries before this one were lost",
			 lost);
		r = send_entry(&gap);
		if (r == 0)
			lost = 0;
	}
	if (r == 0)
		r = send_entry(entry);
	if (r == -EAGAIN)
		lost++;
	return r == -EAGAIN ? 0 : r;
}

void log_to_stream(void)
{
	stream_is_journal = true;
}

void log_find_stream(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char ours[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return;
	snprintf(ours, sizeof(ours), "%llu:%llu", (unsigned long long)st.st_dev,
		 (unsigned long long)st.st_ino);
	stream_is_journal = strcmp(stream, ours) == 0;
}

int log_new_journal(void)
{
	const struct sockaddr_un name = {.sun_family = AF_UNIX,
					 .sun_path = JOURNAL_SOCKET};
	own_fd int fd = -1;

	if (!stream_is_journal)
		return -1;
	fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || connect(fd, (const struct sockaddr *)&name, sizeof(name)) < 0)
		return -1;
	return TAKE_FD(fd);
}

/* --- lines -------------------------------------------------------------------- */

static void write_line(const struct entry *entry)
{
	own_text struct text line = TEXT_INIT(8 * LINE_MOST);

	/* The journal knows who we are, and takes a priority from the begin of a line. */
	if (stream_is_journal)
		text_addf(&line, "<%d>", entry->priority);
	else
		text_addf(&line, "quodd%s%s: ", who ? " " : "", who ? who : "");
	text_add_escaped(&line, entry->said, strlen(entry->said), 0);
	text_add_char(&line, '\n');
	if (write(STDERR_FILENO, text_str(&line), line.len) < 0)
		return;
}

static void say(struct entry *entry, const char *format, va_list args)
	__attribute__((format(printf, 2, 0)));

static void say(struct entry *entry, const char *format, va_list args)
{
	own_text struct text said = TEXT_INIT(LINE_MOST);

	text_addv(&said, format, args);
	entry->said = text_str(&said);
	if (journal_fd >= 0 && write_journal(entry) == 0)
		return;
	if (entry->priority <= PRIORITY_WARNING)
		write_line(entry);
}

void log_say(const char *format, ...)
{
	struct entry entry = {.priority = PRIORITY_WARNING};
	va_list args;

	va_start(args, format);
	say(&entry, format, args);
	va_end(args);
}

void log_event(enum log_event_id id, const struct log_field *fields, size_t count,
	       const char *format, ...)
{
	struct entry entry = events[id];
	va_list args;

	entry.fields = fields;
	entry.fields_count = count;
	va_start(args, format);
	say(&entry, format, args);
	va_end(args);
}
