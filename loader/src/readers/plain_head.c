/*
 * plain_head.c - see plain_head.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/plain_head.h"

#include <zlib.h>

#include "readers/input.h"

void
ph_plain_head(const uint8_t *bytes, size_t size, PhPlainHead *out)
{
	z_stream stream = {.next_in = (Bytef *) bytes,
					   .avail_in = (uInt) size,
					   .next_out = out->room,
					   .avail_out = sizeof(out->room)};

	size_t mark;

	out->bytes = bytes;
	out->size = size;
	out->is_gzip =
		size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b && inflateInit2(&stream, 15 + 16) == Z_OK;
	if (!out->is_gzip)
		return;
	(void) inflate(&stream, Z_SYNC_FLUSH);
	out->bytes = out->room;
	out->size = sizeof(out->room) - stream.avail_out;
	mark = ph_order_mark(out->bytes, out->size);
	out->bytes += mark;
	out->size -= mark;
	(void) inflateEnd(&stream);
}
