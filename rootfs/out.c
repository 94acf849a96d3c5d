/* SPDX-License-Identifier: MIT */
/*
 * The buffer under the frames, and the plain bytes. Text is in out_text.c.
 */
#include <string.h>
#include <unistd.h>

#include "rootfs/end.h"
#include "rootfs/out.h"

static void write_all(const unsigned char *at, size_t n)
{
	while (n) {
		ssize_t written = write(STDOUT_FILENO, at, n);

		if (written <= 0)
			end_now(END_PIPE);
		at += written;
		n -= (size_t)written;
	}
}

static void spill(struct out *out)
{
	write_all(out->buf, out->used);
	out->used = 0;
}

void out_section(struct out *out, uint64_t most)
{
	out->total = 0;
	out->most = most;
	out->cut = false;
}

void out_count(struct out *out, uint64_t most)
{
	out->writing = false;
	out_section(out, most);
}

void out_frame(struct out *out, enum frame_type type, uint64_t payload_bytes)
{
	out_count(out, UINT64_MAX);
	spill(out);
	out->buf[0] = (unsigned char)type;
	put_u32le(out->buf + 1, (uint32_t)payload_bytes);
	out->used = FRAME_HEADER_BYTES;
	out->promised = payload_bytes;
	out->writing = true;
}

void out_hold(struct out *out)
{
	if (out->promised)
		end_now(END_ENGINE);
	out->writing = false;
}

void out_flush(struct out *out)
{
	out_hold(out);
	spill(out);
}

static void store(struct out *out, const unsigned char *bytes, size_t n)
{
	if (n > out->promised)
		end_now(END_ENGINE);
	out->promised -= n;
	while (n) {
		size_t part = sizeof(out->buf) - out->used;

		if (part > n)
			part = n;
		memcpy(out->buf + out->used, bytes, part);
		out->used += part;
		bytes += part;
		n -= part;
		if (out->used == sizeof(out->buf))
			spill(out);
	}
}

void out_bytes(struct out *out, const void *bytes, size_t n)
{
	if (out->cut)
		return;
	if (n > out->most - out->total) {
		out->cut = true;
		return;
	}
	out->total += n;
	if (out->writing)
		store(out, bytes, n);
}

void out_text(struct out *out, const char *text)
{
	out_bytes(out, text, strlen(text));
}

void out_char(struct out *out, char c)
{
	out_bytes(out, &c, 1);
}

void out_u8(struct out *out, uint8_t v)
{
	out_bytes(out, &v, 1);
}

void out_u32(struct out *out, uint32_t v)
{
	unsigned char bytes[4];

	put_u32le(bytes, v);
	out_bytes(out, bytes, sizeof(bytes));
}

void out_u64(struct out *out, uint64_t v)
{
	unsigned char bytes[8];

	put_u64le(bytes, v);
	out_bytes(out, bytes, sizeof(bytes));
}

void out_decimal(struct out *out, uint64_t v)
{
	char digits[20];
	size_t at = sizeof(digits);

	do
		digits[--at] = (char)('0' + v % 10);
	while (v /= 10);
	out_bytes(out, digits + at, sizeof(digits) - at);
}

void out_release(struct out *out)
{
	if (!out->writing)
		spill(out);
}

/* With what is held in one write, if it fits: each wakes the host. */
void out_small_frame(struct out *out, enum frame_type type, const void *payload, size_t n)
{
	unsigned char frame[FRAME_HEADER_BYTES + OUT_SMALL_MOST];
	size_t len = FRAME_HEADER_BYTES + n;

	frame[0] = (unsigned char)type;
	put_u32le(frame + 1, (uint32_t)n);
	if (n)
		memcpy(frame + FRAME_HEADER_BYTES, payload, n);
	if (out->writing) {
		write_all(frame, len);
		return;
	}
	if (len > sizeof(out->buf) - out->used)
		spill(out);
	memcpy(out->buf + out->used, frame, len);
	out->used += len;
	spill(out);
}
