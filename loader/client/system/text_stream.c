/*
 * text_stream.c - a stream that writes into memory.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/text_stream.h"

#include <stdlib.h>

bool
ph_text_stream_open(PhTextStream *stream)
{
	*stream = (PhTextStream){0};
	stream->file = open_memstream(&stream->bytes, &stream->size);
	return stream->file != NULL;
}

char *
ph_text_stream_take(PhTextStream *stream, size_t *size)
{
	bool ok = fflush(stream->file) == 0 && !ferror(stream->file);
	char *bytes;

	ok = fclose(stream->file) == 0 && ok;
	stream->file = NULL;
	bytes = stream->bytes;
	stream->bytes = NULL;
	if (size != NULL)
		*size = stream->size;
	if (ok)
		return bytes;
	free(bytes);
	return NULL;
}

void
ph_text_stream_drop(void *stream)
{
	if (((PhTextStream *) stream)->file != NULL)
		free(ph_text_stream_take(stream, NULL));
}
