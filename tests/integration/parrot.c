/* SPDX-License-Identifier: MIT */
/*
 * parrot [CODE [FD]]: says on standard output, or on FD, what it hears on standard input,
 * to the byte and to the end; then a word on standard error, and exits with CODE.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void say(int fd, const char *bytes, size_t len)
{
	while (len) {
		ssize_t n = write(fd, bytes, len);
		if (n <= 0)
			_exit(99);
		bytes += n;
		len -= (size_t)n;
	}
}

int main(int argc, char **argv)
{
	static const char word[] = "that is all\n";
	char block[10000];
	int to = argc > 2 ? (int)strtol(argv[2], NULL, 10) : 1;
	ssize_t n;

	while ((n = read(0, block, sizeof(block))) > 0)
		say(to, block, (size_t)n);
	say(2, word, strlen(word));
	return argc > 1 ? (int)strtol(argv[1], NULL, 10) : 0;
}
