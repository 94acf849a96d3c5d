/* SPDX-License-Identifier: MIT */
/*
 * What the journal gets, byte by byte, over a socket pair in its place: no value makes a
 * field of its own, and a journal that takes nothing holds up nobody.
 */
#include <criterion/criterion.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/own.h"
#include "daemon/log.h"

static int journal;

static void open_journal(void)
{
	int ends[2];

	cr_assert(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends) == 0);
	journal = ends[0];
	log_to_journal(ends[1]);
}

static const char *next_entry(void)
{
	static char entry[65536];
	ssize_t n = recv(journal, entry, sizeof(entry) - 1, MSG_DONTWAIT);

	entry[n < 0 ? 0 : n] = '\0';
	return entry;
}

static const char *id_of(enum log_event_id id)
{
	static const char *const ids[] = {
#define X(name, message_id, priority, what) [LOG_##name] = message_id,
		LOG_EVENTS(X)
#undef X
	};

	return ids[id];
}

Test(log, an_event_has_its_fields)
{
	const struct log_field fields[] = {
		{"TENANT", "builder"}, {"NONE", NULL}, {"RUN_ID", "01"}};
	char wanted[400];

	open_journal();
	log_name("server");
	log_event(LOG_RUN_OVER, fields, ARRAY_LEN(fields), "run %s is over", "01");
	snprintf(wanted, sizeof(wanted),
		 "PRIORITY=6\nSYSLOG_IDENTIFIER=quodd\nMESSAGE=run 01 is over\n"
		 "MESSAGE_ID=%s\nQUOD_PROCESS=server\nTENANT=builder\nRUN_ID=01\n",
		 id_of(LOG_RUN_OVER));
	cr_expect_str_eq(next_entry(), wanted);
}

Test(log, what_is_said_has_none)
{
	open_journal();
	log_say("it %s", "fails");
	cr_expect_str_eq(next_entry(), "PRIORITY=4\nSYSLOG_IDENTIFIER=quodd\n"
				       "MESSAGE=it fails\nQUOD_PROCESS=monitor\n");
}

Test(log, a_newline_forges_no_field)
{
	const struct log_field fields[] = {{"TENANT", "a\nTENANT=root\nPRIORITY=0"}};
	unsigned lines = 0;
	const char *entry;

	open_journal();
	log_event(LOG_RUN_OVER, fields, 1, "x\nMESSAGE_ID=%s\n\x1b[31m", "0");
	entry = next_entry();
	cr_expect(strstr(entry, "\nTENANT=a\\x0aTENANT=root\\x0aPRIORITY=0\n"), "%s",
		  entry);
	cr_expect(strstr(entry, "\nMESSAGE=x\\x0aMESSAGE_ID=0\\x0a\\x1b[31m\n"), "%s",
		  entry);
	for (; *entry; entry++)
		lines += *entry == '\n';
	cr_expect_eq(lines, 6);
}

Test(log, a_full_journal_is_not_waited_for)
{
	unsigned had = 0, lost = 0;
	const char *entry;

	open_journal();
	for (int i = 0; i < 10000; i++)
		log_event(LOG_RUN_OVER, NULL, 0, "run %d is over", i);
	while (*(entry = next_entry()))
		had++;
	cr_expect(had > 0 && had < 10000);
	log_event(LOG_RUN_OVER, NULL, 0, "the last");
	entry = strstr(next_entry(), "MESSAGE=");
	cr_assert(entry && sscanf(entry, "MESSAGE=%u entries", &lost) == 1);
	cr_expect_eq(lost + had, 10000);
	cr_expect(strstr(next_entry(), "MESSAGE=the last\n"));
}
