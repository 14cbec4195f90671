/*
 * log_stream.c - mapped bytes, or a window that zlib or libarchive fills.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/log_stream.h"

#include <archive.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "system/memory.h"

#define FIRST_WINDOW ((size_t) 128 << 10)

static bool
is_gzip(const uint8_t *bytes, size_t size)
{
	return size >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b;
}

static PhStatus
make_window(PhLogStream *stream)
{
	void *memory;

	stream->is_gzip = true;
	PH_TRY(ph_env_alloc(stream->env, FIRST_WINDOW, 1, &memory));
	stream->window = memory;
	stream->window_size = FIRST_WINDOW;
	stream->at = stream->end = stream->window;
	return PH_OK;
}

static PhStatus
start_inflating(PhLogStream *stream, size_t offset, int window_bits)
{
	PH_TRY(make_window(stream));
	stream->inflater.next_in = (Bytef *) stream->input.data + offset;
	if (inflateInit2(&stream->inflater, window_bits) != Z_OK)
		return ph_fail_memory(stream->env, "zlib");
	stream->is_inflating = true;
	return PH_OK;
}

/* The first bytes that come out; a byte order mark of theirs is passed. */
static PhStatus
begin_inflating(PhLogStream *stream)
{
	bool has;

	PH_TRY(start_inflating(stream, 0, 15 + 16));
	PH_TRY(ph_log_want(stream, 3, &has));
	stream->at += ph_order_mark(stream->at, (size_t) (stream->end - stream->at));
	return PH_OK;
}

PhStatus
ph_log_open(PhEnv *env, const char *path, const PhInput *lent, PhLogStream *out)
{
	PhStatus status = PH_OK;

	*out = (PhLogStream){.env = env, .is_lent = lent != NULL};
	if (lent != NULL)
		out->input = *lent;
	else
		status = ph_input_open(env, path, &out->input);
	if (status != PH_OK)
		return status;
	out->input.path = path;
	if (is_gzip(out->input.data, out->input.size))
		status = begin_inflating(out);
	else
	{
		out->at = out->input.data;
		out->end = out->input.data + out->input.size;
		out->at_end = true;
	}
	if (status != PH_OK)
		ph_log_close(out);
	return status;
}

PhStatus
ph_log_open_zlib(PhEnv *env, const PhInput *lent, size_t offset, size_t size, PhLogStream *out)
{
	*out = (PhLogStream){.env = env, .is_lent = true, .input = *lent, .is_zlib = true};
	out->input.size = offset + size;
	PhStatus status = start_inflating(out, offset, 15);
	if (status != PH_OK)
		ph_log_close(out);
	return status;
}

static PhStatus
fail_unpacking(const PhLogStream *stream)
{
	const char *message = archive_error_string(stream->archive);

	return ph_fail_hint(stream->env, PH_ERR_FORMAT, "Copy the file again.",
						"%s: behind byte %zu: the compressed data are damaged: %s",
						stream->input.path, stream->offset, message != NULL ? message : "no bzip2");
}

/* What is no bzip2 would pass as it is. */
static PhStatus
start_unpacking(PhLogStream *stream)
{
	struct archive_entry *entry;

	PH_TRY(make_window(stream));
	stream->archive = archive_read_new();
	if (stream->archive == NULL)
		return ph_fail_memory(stream->env, "libarchive");
	archive_read_support_filter_bzip2(stream->archive);
	archive_read_support_format_raw(stream->archive);
	if (archive_read_open_memory(stream->archive, stream->input.data + stream->offset,
								 stream->input.size - stream->offset) != ARCHIVE_OK ||
		archive_read_next_header(stream->archive, &entry) != ARCHIVE_OK ||
		archive_filter_code(stream->archive, 0) != ARCHIVE_FILTER_BZIP2)
		return fail_unpacking(stream);
	return PH_OK;
}

PhStatus
ph_log_open_bzip2(PhEnv *env, const PhInput *lent, size_t offset, size_t size, PhLogStream *out)
{
	*out = (PhLogStream){.env = env, .is_lent = true, .input = *lent, .offset = offset};
	out->input.size = offset + size;
	PhStatus status = start_unpacking(out);
	if (status != PH_OK)
		ph_log_close(out);
	return status;
}

void
ph_log_close(PhLogStream *stream)
{
	if (stream->is_inflating)
		inflateEnd(&stream->inflater);
	stream->is_inflating = false;
	if (stream->archive != NULL)
		archive_read_free(stream->archive);
	stream->archive = NULL;
	if (stream->env != NULL)
		ph_env_free(stream->env, stream->window, stream->window_size, 1);
	stream->window = NULL;
	if (!stream->is_lent)
		ph_input_close(&stream->input);
}

/* ---- filling the window ---- */

/* Move what is left to the front; make room behind it for half a window at least. */
static PhStatus
make_room(PhLogStream *stream)
{
	size_t left = (size_t) (stream->end - stream->at);

	memmove(stream->window, stream->at, left);
	if (left > stream->window_size / 2)
	{
		void *window = stream->window;

		PH_TRY(
			ph_env_resize(stream->env, &window, stream->window_size, stream->window_size * 2, 1));
		stream->window = window;
		stream->window_size *= 2;
	}
	stream->at = stream->window;
	stream->end = stream->window + left;
	return PH_OK;
}

static size_t
compressed_offset(const PhLogStream *stream)
{
	return (size_t) (stream->inflater.next_in - stream->input.data);
}

static void
feed(PhLogStream *stream)
{
	size_t left = stream->input.size - compressed_offset(stream);

	stream->inflater.avail_in = left > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt) left;
}

/* There may be several members one after the other, and zeros behind the last one. */
static PhStatus
end_member(PhLogStream *stream)
{
	size_t at = compressed_offset(stream);

	while (at < stream->input.size && stream->input.data[at] == 0)
		at++;
	if (at == stream->input.size)
	{
		stream->at_end = true;
		return PH_OK;
	}
	if (!stream->is_zlib && !is_gzip(stream->input.data + at, stream->input.size - at))
		return ph_fail(stream->env, PH_ERR_FORMAT,
					   "%s: byte %zu: something follows the compressed data", stream->input.path,
					   at);
	stream->inflater.next_in = (Bytef *) stream->input.data + at;
	inflateReset(&stream->inflater);
	return PH_OK;
}

static PhStatus
inflate_more(PhLogStream *stream)
{
	size_t used = (size_t) (stream->end - stream->window);
	size_t room = stream->window_size - used;
	int code;

	feed(stream);
	stream->inflater.next_out = stream->window + used;
	stream->inflater.avail_out = room > UINT_MAX / 2 ? UINT_MAX / 2 : (uInt) room;
	code = inflate(&stream->inflater, Z_NO_FLUSH);
	stream->end = stream->inflater.next_out;
	ph_input_passed(&stream->input, compressed_offset(stream), NULL);
	if (code == Z_STREAM_END)
		return end_member(stream);
	if (code == Z_MEM_ERROR)
		return ph_fail_memory(stream->env, "zlib");
	if (code == Z_BUF_ERROR && compressed_offset(stream) == stream->input.size)
	{
		stream->is_cut = stream->at_end = true;
		return PH_OK;
	}
	if (code != Z_OK && code != Z_BUF_ERROR)
		return ph_fail_hint(stream->env, PH_ERR_FORMAT, "Copy the file again.",
							"%s: byte %zu, line %llu: the compressed data are damaged: %s",
							stream->input.path, compressed_offset(stream),
							(unsigned long long) stream->line + 1,
							stream->inflater.msg != NULL ? stream->inflater.msg : "bad data");
	return PH_OK;
}

static PhStatus
unpack_more(PhLogStream *stream)
{
	size_t used = (size_t) (stream->end - stream->window);
	la_ssize_t n =
		archive_read_data(stream->archive, stream->window + used, stream->window_size - used);

	if (n < 0)
		return fail_unpacking(stream);
	stream->at_end = n == 0;
	stream->end += n;
	return PH_OK;
}

static PhStatus
fill(PhLogStream *stream)
{
	PH_TRY(make_room(stream));
	return stream->archive != NULL ? unpack_more(stream) : inflate_more(stream);
}

PhStatus
ph_log_want(PhLogStream *stream, size_t n, bool *has)
{
	while ((size_t) (stream->end - stream->at) < n && !stream->at_end)
		PH_TRY(fill(stream));
	*has = (size_t) (stream->end - stream->at) >= n;
	return PH_OK;
}

/* ---- lines ---- */

PhStatus
ph_log_fail(const PhLogStream *stream, PhStatus status, const char *format, ...)
{
	char message[PH_ERROR_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return ph_fail(stream->env, status, "%s:%llu: %s", stream->input.path,
				   (unsigned long long) stream->line, message);
}

PhStatus
ph_log_intern(const PhLogStream *stream, PhStrings *strings, PhSlice text, uint32_t *out)
{
	if (!ph_utf8_valid(text.text, text.size))
		return ph_log_fail(stream, PH_ERR_FORMAT, "a name is not valid UTF-8");
	return ph_strings_intern_n(strings, text.text, text.size, out);
}

static PhStatus
too_long(PhLogStream *stream)
{
	return ph_fail(stream->env, PH_ERR_LIMIT, "%s:%llu: the line is longer than %zu bytes",
				   stream->input.path, (unsigned long long) stream->line + 1, PH_LOG_LINE_MAX);
}

PhStatus
ph_log_line(PhLogStream *stream, const char **line, size_t *size, bool *is_whole, bool *more)
{
	size_t seen = 0;
	const uint8_t *newline;

	for (;;)
	{
		size_t left = (size_t) (stream->end - stream->at);

		newline = left > seen ? memchr(stream->at + seen, '\n', left - seen) : NULL;
		if (newline != NULL || stream->at_end)
			break;
		seen = left;
		if (seen > PH_LOG_LINE_MAX)
			return too_long(stream);
		PH_TRY(fill(stream));
	}
	*line = (const char *) stream->at;
	*is_whole = newline != NULL;
	*size = (size_t) ((newline != NULL ? newline : stream->end) - stream->at);
	*more = *is_whole || *size > 0;
	if (*size > PH_LOG_LINE_MAX)
		return too_long(stream);
	stream->line += *more;
	ph_log_skip(stream, *size + *is_whole);
	if (!stream->is_gzip)
		ph_input_passed(&stream->input, (size_t) (stream->at - stream->input.data), NULL);
	return PH_OK;
}
