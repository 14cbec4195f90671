/*
 * log_stream.h - the bytes of a log, plain or gzip, as lines or as pieces of known size.
 *
 * A plain file is mapped and read where it lies; of a gzip file a window is in memory. A stream
 * that ends early (a gzip file that was cut off) gives what is there and says so.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_LOG_STREAM_H
#define PH_READERS_LOG_STREAM_H

#include <zlib.h>

#include "base/table.h"
#include "readers/input.h"
#include "readers/slice.h"

#define PH_LOG_LINE_MAX ((size_t) 8 << 20) /* bytes of a line at most */

typedef struct PhLogStream
{
	PhEnv *env;
	PhInput input;
	bool is_lent; /* the input is the caller's */
	const uint8_t *at, *end;
	uint64_t passed; /* bytes before at, as uncompressed */
	uint64_t line;	 /* lines taken so far */
	bool at_end;	 /* no byte follows end */
	bool is_cut;	 /* the compressed data end too early */

	/* compressed data only */
	bool is_gzip; /* or bare zlib: */
	bool is_zlib;
	bool is_inflating;
	z_stream inflater;
	struct archive *archive; /* of libarchive, which inflates bzip2; else NULL */
	size_t offset;			 /* where those data begin */
	uint8_t *window;
	size_t window_size;
} PhLogStream;

/* lent: bytes to use instead of the file; NULL: open path, which must outlive the stream. */
PhStatus ph_log_open(PhEnv *env, const char *path, const PhInput *lent,
					 PhLogStream *out) PH_MUST_CHECK;
void ph_log_close(PhLogStream *stream);

/* A part of the input that is one stream of zlib, or several one behind the other. */
PhStatus ph_log_open_zlib(PhEnv *env, const PhInput *lent, size_t offset, size_t size,
						  PhLogStream *out) PH_MUST_CHECK;

/* The same of bzip2, as libarchive reads it. Data that end too early are damaged. */
PhStatus ph_log_open_bzip2(PhEnv *env, const PhInput *lent, size_t offset, size_t size,
						   PhLogStream *out) PH_MUST_CHECK;

/*
 * The next line without its end; *more false: there is none. A last line without end is given, too,
 * with *is_whole false. Valid until the next call.
 */
PhStatus ph_log_line(PhLogStream *stream, const char **line, size_t *size, bool *is_whole,
					 bool *more) PH_MUST_CHECK;

/* "path:line: message" for the line that was taken last. */
PhStatus ph_log_fail(const PhLogStream *stream, PhStatus status, const char *format, ...)
	PH_PRINTF(3, 4);

/* The string of a part of the line that was taken last; it must be UTF-8. */
PhStatus ph_log_intern(const PhLogStream *stream, PhStrings *strings, PhSlice text,
					   uint32_t *out) PH_MUST_CHECK;

/* At least n bytes at stream->at if there are as many; *has tells. */
PhStatus ph_log_want(PhLogStream *stream, size_t n, bool *has) PH_MUST_CHECK;

static inline void
ph_log_skip(PhLogStream *stream, size_t n)
{
	stream->at += n;
	stream->passed += n;
}

#endif
