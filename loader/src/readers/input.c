/*
 * input.c - mapping of input files, positions in messages, text checks shared by the readers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/input.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "readers/decimal.h"
#include "system/memory.h"

#define PH_DROP_STEP ((size_t) 4 << 20)
#define SMALL_FILE (64 << 10) /* reading costs less than mapping, which all threads wait for */

PhStatus
ph_input_errno_status(int error)
{
	return error == ENOENT || error == ENOTDIR ? PH_ERR_NOT_FOUND : PH_ERR_UNREADABLE;
}

/* As far as the file goes, which may have become shorter. */
static PhStatus
read_descriptor(PhEnv *env, int fd, const char *path, size_t size, PhInput *out)
{
	uint8_t *copy = ph_must_resize(NULL, size, 1); /* not zeroed */
	size_t got = 0;
	ssize_t n = 1;
	while (got < size && n != 0)
	{
		n = read(fd, copy + got, size - got);
		if (n < 0 && errno != EINTR)
		{
			free(copy);
			return ph_fail(env, PH_ERR_UNREADABLE, "%s: %s", path, strerror(errno));
		}
		got += n > 0 ? (size_t) n : 0;
	}
	*out = ph_input_lend(path, copy, got);
	out->copy = copy;
	return PH_OK;
}

static PhStatus
open_descriptor(PhEnv *env, int fd, const char *path, PhInput *out)
{
	struct stat status;
	if (fstat(fd, &status) != 0)
		return ph_fail(env, PH_ERR_UNREADABLE, "%s: %s", path, strerror(errno));
	if (!S_ISREG(status.st_mode))
		return ph_fail(env, PH_ERR_VALUE, "%s: not a regular file", path);
	if (status.st_size == 0)
		return ph_fail(env, PH_ERR_FORMAT, "%s: file is empty", path);
	if (status.st_size <= SMALL_FILE)
		return read_descriptor(env, fd, path, (size_t) status.st_size, out);
	void *data = mmap(NULL, (size_t) status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED)
		return ph_fail(env, PH_ERR_MEMORY, "%s: cannot map %lld bytes: %s", path,
					   (long long) status.st_size, strerror(errno));
	madvise(data, (size_t) status.st_size, MADV_SEQUENTIAL);
	*out = ph_input_lend(path, data, (size_t) status.st_size);
	out->mapped = true;
	return PH_OK;
}

PhStatus
ph_input_open(PhEnv *env, const char *path, PhInput *out)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0)
		return ph_fail_hint(env, ph_input_errno_status(errno),
							"Check the path and that this user may read it.", "%s: cannot open: %s",
							path, strerror(errno));
	PhStatus status = open_descriptor(env, fd, path, out);
	close(fd);
	return status;
}

size_t
ph_order_mark(const uint8_t *bytes, size_t size)
{
	return size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

PhInput
ph_input_lend(const char *path, const void *data, size_t size)
{
	size_t skipped = ph_order_mark(data, size);
	PhInput input = {.path = path,
					 .data = data != NULL ? (const uint8_t *) data + skipped : (const void *) "",
					 .size = size - skipped,
					 .skipped = skipped};
	return input;
}

void
ph_input_close(PhInput *input)
{
	if (input->mapped)
		munmap((void *) (input->data - input->skipped), input->size + input->skipped);
	free(input->copy);
	input->copy = NULL;
	input->mapped = false;
}

void
ph_input_passed(PhInput *input, size_t offset, const PhReadOptions *options)
{
	if (offset < input->dropped + 2 * PH_DROP_STEP)
		return;
	if (input->mapped)
		madvise((void *) (input->data - input->skipped + input->dropped), PH_DROP_STEP,
				MADV_DONTNEED);
	input->dropped += PH_DROP_STEP;
	if (options != NULL && options->progress != NULL)
		options->progress(options->progress_user, offset, input->size);
}

void
ph_input_position(const PhInput *input, size_t offset, size_t *line, size_t *column)
{
	size_t start = 0;

	if (offset > input->size)
		offset = input->size;
	*line = 1;
	for (const uint8_t *at = input->data; offset > 0; ++*line)
	{
		at = memchr(at, '\n', offset - (size_t) (at - input->data));
		if (at == NULL)
			break;
		start = (size_t) (++at - input->data);
	}
	*column = offset - start + 1;
}

PhStatus
ph_input_fail(PhEnv *env, const PhInput *input, PhStatus status, size_t offset, const char *format,
			  ...)
{
	char message[PH_ERROR_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);

	size_t line;
	size_t column;
	ph_input_position(input, offset, &line, &column);
	return ph_fail(env, status, "%s:%zu:%zu: %s", input->path, line, column, message);
}

/* Length of the well-formed UTF-8 sequence at text, 0 when there is none. */
static size_t
utf8_sequence(const uint8_t *text, size_t size)
{
	uint8_t first = text[0];
	size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
	if (length == 0 || length > size)
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((text[i] & 0xC0) != 0x80)
			return 0;
	bool overlong = (first == 0xE0 && text[1] < 0xA0) || (first == 0xF0 && text[1] < 0x90);
	bool surrogate = first == 0xED && text[1] >= 0xA0;
	bool beyond = first == 0xF4 && text[1] >= 0x90;
	return overlong || surrogate || beyond ? 0 : length;
}

bool
ph_utf8_valid(const char *text, size_t size)
{
	const uint8_t *bytes = (const uint8_t *) text;
	for (size_t i = 0; i < size;)
	{
		size_t length = bytes[i] < 0x80 ? bytes[i] != 0 : utf8_sequence(bytes + i, size - i);
		if (length == 0)
			return false;
		i += length;
	}
	return true;
}

PhStatus
ph_run_strdup(PhEnv *env, const char *text, char **out)
{
	void *copy;
	size_t size = strlen(text) + 1;
	PH_TRY(ph_env_alloc(env, size, 1, &copy));
	memcpy(copy, text, size);
	*out = copy;
	return PH_OK;
}

PhStatus
ph_run_append(PhEnv *env, char ***list, size_t *n, const char *text)
{
	void *memory = *list;
	char *copy;

	PH_TRY(ph_env_resize(env, &memory, *n, *n + 1, sizeof(char *)));
	*list = memory;
	(*list)[(*n)++] = NULL;
	PH_TRY(ph_run_strdup(env, text, &copy));
	(*list)[*n - 1] = copy;
	return PH_OK;
}

PhStatus
ph_run_warn(PhEnv *env, PhRunInput *run, const char *format, ...)
{
	char message[PH_ERROR_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return ph_run_append(env, &run->warnings, &run->n_warnings, message);
}

/* Length of the JSON number at the start of text, 0 when there is none. */
static size_t
number_length(const char *text, size_t size)
{
	size_t i = size > 0 && text[0] == '-';
	size_t digits = i;
	while (i < size && text[i] >= '0' && text[i] <= '9')
		i++;
	if (i == digits || (text[digits] == '0' && i - digits > 1))
		return 0;
	if (i < size && text[i] == '.')
	{
		digits = ++i;
		while (i < size && text[i] >= '0' && text[i] <= '9')
			i++;
		if (i == digits)
			return 0;
	}
	if (i < size && (text[i] == 'e' || text[i] == 'E'))
	{
		i++;
		if (i < size && (text[i] == '+' || text[i] == '-'))
			i++;
		digits = i;
		while (i < size && text[i] >= '0' && text[i] <= '9')
			i++;
		if (i == digits)
			return 0;
	}
	return i;
}

bool
ph_parse_number(const char *text, size_t size, double *out)
{
	char buffer[64];
	if (size > 0 && ph_take_decimal((const uint8_t *) text, size, out) == size)
		return true;
	if (size == 0 || size >= sizeof(buffer) || number_length(text, size) != size)
		return false;
	memcpy(buffer, text, size);
	buffer[size] = '\0';
	double value = strtod(buffer, NULL);
	if (!isfinite(value))
		return false;
	*out = value;
	return true;
}

bool
ph_parse_int64(const char *text, size_t size, int64_t *out)
{
	bool negative = size > 0 && text[0] == '-';
	size_t i = negative;
	if (i == size)
		return false;
	int64_t value = 0;
	for (; i < size; i++)
	{
		if (text[i] < '0' || text[i] > '9' || __builtin_mul_overflow(value, 10, &value) ||
			__builtin_sub_overflow(value, text[i] - '0', &value))
			return false;
	}
	if (!negative && value == INT64_MIN)
		return false;
	*out = negative ? value : -value;
	return true;
}
