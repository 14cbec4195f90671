/*
 * text_stream.h - a stream that writes into memory.
 *
 * Running out of memory on the way is an error of the stream, told once, when the text is taken.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_TEXT_STREAM_H
#define PH_SYSTEM_TEXT_STREAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

typedef struct PhTextStream
{
	FILE *file; /* NULL: not open */
	char *bytes;
	size_t size;
} PhTextStream;

/* False: out of memory. */
bool ph_text_stream_open(PhTextStream *stream);

/* Closes it. malloc'ed, ended by a zero byte that *size (may be NULL) does not count; NULL when
 * memory ran out. */
char *ph_text_stream_take(PhTextStream *stream, size_t *size);

/* Closes it, unless it is closed. For ph_need_hold(), too. */
void ph_text_stream_drop(void *stream);

#endif
