/* SPDX-License-Identifier: MIT */
/*
 * The journal: a transaction of SQLite for the begin of every run and another for its end
 * would be most of what a short run costs the server, and a client would wait for both. So
 * a row is first appended to a small file, with one write, and rows go into the database
 * many at a time: before anybody reads it, when the file is full, and at least at every
 * store_keep().
 *
 * A write is in the kernel's hands at once and survives the process, which is what is
 * promised (store.h). What a death has left is read at the next start and waits like any
 * other row. To write a row into the database twice changes nothing there, so it does no
 * harm to die between the database's commit and journal_reset().
 *
 * The file is as large as it will ever be from the start: on a disk that is full there is
 * still room in it (not where a file system writes everything to a new place: there a row
 * goes into the database at once, or nowhere). Every row begins a page of its own, for a
 * write of part of a page that is not in memory would first have to read it.
 *
 * Whoever had the server taken over could have written what he likes into it. Nothing in a
 * row is believed but what it must be anyway: its length, its numbers of names, the ends of
 * its strings. Its place in the database it gets anew (store_open.c).
 */
#include <errno.h>
#include <fcntl.h>
#include <sha256.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"
#include "base/own.h"
#include "daemon/log.h"
#include "daemon/store_internal.h"

/* For the ends of what is under way when the rest is full. */
#define SPARE_PAGES 16u

/* A larger row goes into the database at once. */
#define ENTRY_PAGES 16u
#define ENTRY_BYTES (ENTRY_PAGES * JOURNAL_PAGE_BYTES)

#define DIGESTED_FROM offsetof(struct journal_head, pass)

static uint32_t pages_of(size_t bytes)
{
	return (uint32_t)((bytes + JOURNAL_PAGE_BYTES - 1) / JOURNAL_PAGE_BYTES);
}

size_t journal_entry_bytes(const struct journal_head *head)
{
	return sizeof(*head) + (size_t)head->name_len + head->message_len +
	       head->json_len;
}

void journal_digest(const unsigned char *entry, size_t bytes,
		    unsigned char to[SHA256_DIGEST_LENGTH])
{
	SHA2_CTX context;

	SHA256Init(&context);
	SHA256Update(&context, entry + DIGESTED_FROM, bytes - DIGESTED_FROM);
	SHA256Final(to, &context);
}

static int write_pages(const struct journal *journal, uint32_t page, uint32_t count)
{
	size_t len = (size_t)count * JOURNAL_PAGE_BYTES;
	ssize_t n;

	do
		n = pwrite(journal->fd, journal->entry, len,
			   (off_t)page * JOURNAL_PAGE_BYTES);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

/* --- writing ------------------------------------------------------------------ */

static void put(unsigned char **to, const struct text *text)
{
	if (text->len)
		memcpy(*to, text->data, text->len);
	*to += text->len;
}

static void compose(const struct journal *journal, const struct row *row,
		    const struct journal_head *head, size_t bytes, uint32_t pages)
{
	unsigned char *to = journal->entry + sizeof(*head);

	memcpy(journal->entry, head, sizeof(*head));
	put(&to, &row->error_name);
	put(&to, &row->error_message);
	put(&to, &row->json);
	memset(to, 0, (size_t)pages * JOURNAL_PAGE_BYTES - bytes);
	journal_digest(journal->entry, bytes, journal->entry);
}

int journal_append(struct journal *journal, const struct row *row)
{
	struct journal_head head;
	uint32_t pages;
	int r = 0;

	memset(&head, 0, sizeof(head)); /* its holes are written too */
	head.pass = journal->pass;
	head.form = JOURNAL_FORM;
	head.page = journal->used;
	head.name_len = (uint32_t)row->error_name.len;
	head.message_len = (uint32_t)row->error_message.len;
	head.json_len = (uint32_t)row->json.len;
	memcpy(&head.facts, &row->facts, sizeof(head.facts));
	pages = pages_of(journal_entry_bytes(&head));
	if (pages > ENTRY_PAGES || pages > JOURNAL_PAGES - journal->used)
		return -ENOSPC;
	if (journal->fd >= 0) {
		compose(journal, row, &head, journal_entry_bytes(&head), pages);
		r = write_pages(journal, journal->used, pages);
	}
	if (r == 0)
		journal->used += pages;
	return r;
}

bool journal_has_room(const struct journal *journal)
{
	return journal->used + SPARE_PAGES <= JOURNAL_PAGES;
}

/* Where that cannot be written the rows are there twice after a death: see above. */
void journal_reset(struct journal *journal)
{
	uint32_t used = journal->used;

	if (used == 0)
		return;
	journal->used = 0;
	journal->pass++;
	if (journal->fd < 0)
		return;
	/* The first page counts; what is in the others is not kept longer than it has to be. */
	memset(journal->entry, 0, ENTRY_BYTES);
	for (uint32_t page = 0; page < used; page += ENTRY_PAGES)
		(void)write_pages(journal, page, ENTRY_PAGES);
}

/* --- reading ------------------------------------------------------------------ */

static bool is_string(const char *bytes, size_t room)
{
	return memchr(bytes, '\0', room) != NULL;
}

static bool is_sound(const struct row_facts *facts)
{
	return facts->status < STATUS_COUNT && facts->gate < GATE_DECISIONS &&
	       facts->engine < POLICY_ENGINES_COUNT &&
	       is_string(facts->id, sizeof(facts->id)) && runid_is_valid(facts->id) &&
	       is_string(facts->tenant, sizeof(facts->tenant)) &&
	       is_string(facts->policy, sizeof(facts->policy)) &&
	       is_string(facts->source_sha256, sizeof(facts->source_sha256)) &&
	       is_string(facts->killed, sizeof(facts->killed));
}

/* `room`: bytes of the file from `entry` on. */
static bool is_entry(const struct journal_head *head, const unsigned char *entry,
		     size_t room, uint32_t page, uint64_t pass)
{
	unsigned char found[SHA256_DIGEST_LENGTH];

	if (head->form != JOURNAL_FORM || head->page != page || head->pass != pass ||
	    journal_entry_bytes(head) > room || journal_entry_bytes(head) > ENTRY_BYTES)
		return false;
	journal_digest(entry, journal_entry_bytes(head), found);
	return !memcmp(found, head->digest, sizeof(found)) && is_sound(&head->facts);
}

static struct row *row_of(const struct journal_head *head, const unsigned char *entry)
{
	const unsigned char *from = entry + sizeof(*head);
	struct row *row = row_new();

	if (!row)
		return NULL;
	row->facts = head->facts;
	row->in_journal = true;
	text_add(&row->error_name, from, head->name_len);
	from += head->name_len;
	text_add(&row->error_message, from, head->message_len);
	from += head->message_len;
	text_add(&row->json, from, head->json_len);
	return row;
}

int journal_read(struct store *store, const unsigned char *file)
{
	struct journal_head head;
	uint64_t pass = 0;

	for (uint32_t page = 0; page < JOURNAL_PAGES;
	     page += pages_of(journal_entry_bytes(&head))) {
		const unsigned char *entry = file + (size_t)page * JOURNAL_PAGE_BYTES;
		struct row *row;

		memcpy(&head, entry, sizeof(head));
		if (page == 0)
			pass = head.pass;
		if (page == 0 && head.form && head.form != JOURNAL_FORM)
			log_say("history/journal is of another quodd: what had not come "
				"into the database is lost");
		if (!is_entry(&head, entry,
			      (size_t)(JOURNAL_PAGES - page) * JOURNAL_PAGE_BYTES, page,
			      pass))
			break;
		row = row_of(&head, entry);
		if (!row)
			return -ENOMEM;
		store_wait_again(store, row);
		store->journal.used = page + pages_of(journal_entry_bytes(&head));
	}
	return 0;
}

/* --- opening ------------------------------------------------------------------ */

/* The whole of it has blocks of its own. */
static int reserve(int fd)
{
	struct stat st;
	int errnum;

	if (fstat(fd, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode))
		return -EINVAL;
	if (ftruncate(fd, (off_t)JOURNAL_FILE_BYTES) < 0)
		return -errno;
	errnum = posix_fallocate(fd, 0, (off_t)JOURNAL_FILE_BYTES);
	/* Some file systems cannot: then it gets them as it is written. */
	return errnum == EOPNOTSUPP ? 0 : -errnum;
}

int journal_open(struct journal *journal, const char *path)
{
	own_fd int fd =
		open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	int r = fd < 0 ? -errno : reserve(fd);

	journal->entry = malloc(ENTRY_BYTES);
	if (!journal->entry)
		return -ENOMEM;
	if (r == 0 && getrandom(&journal->pass, sizeof(journal->pass), 0) < 0)
		r = -errno;
	if (r == 0)
		journal->fd = TAKE_FD(fd);
	return r;
}

int journal_load(struct store *store)
{
	own_free char *file = NULL;
	size_t len;
	int r;

	store_forget(store);
	store->journal.used = 0;
	if (store->journal.fd < 0)
		return 0;
	if (lseek(store->journal.fd, 0, SEEK_SET) < 0)
		return -errno;
	r = file_read_fd(store->journal.fd, JOURNAL_FILE_BYTES, &file, &len);
	if (r < 0)
		return r;
	return len == JOURNAL_FILE_BYTES
		       ? journal_read(store, (const unsigned char *)file)
		       : -EIO;
}

void journal_close(struct journal *journal)
{
	journal->fd = close_fd(journal->fd);
	free(journal->entry);
	journal->entry = NULL;
}
