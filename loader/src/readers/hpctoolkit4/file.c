/*
 * file.c - see file.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/hpctoolkit4/file.h"

#include <stdarg.h>
#include <stdio.h>

#define MAGIC_SIZE 14
#define MAJOR_AT 14
#define HEADER_SIZE 16
#define SECTION_SIZE 16
#define MAJOR 4
#define MAX_TEXT                                                                                   \
	65535 /* far more than a compiler writes; many pointers into one text cost time                \
		   */

const PhHpc4Kind ph_hpc4_meta = {"HPCTOOLKITmeta", "_meta.db", 8};
const PhHpc4Kind ph_hpc4_profile = {"HPCTOOLKITprof", "_prof.db", 2};
const PhHpc4Kind ph_hpc4_trace = {"HPCTOOLKITtrce", "trace.db", 1};

PhStatus
ph_hpc4_fail(const PhHpc4File *file, size_t at, const char *format, ...)
{
	char message[PH_ERROR_MAX];
	va_list arguments;
	va_start(arguments, format);
	vsnprintf(message, sizeof(message), format, arguments);
	va_end(arguments);
	return ph_fail(file->env, PH_ERR_FORMAT, "%s: offset %zu: %s", file->input->path, at, message);
}

static PhStatus
check_header(const PhHpc4File *file, const PhHpc4Kind *kind)
{
	const PhInput *input = file->input;
	size_t least = HEADER_SIZE + SECTION_SIZE * (size_t) kind->n_sections;
	size_t magic = input->size < MAGIC_SIZE ? input->size : MAGIC_SIZE;
	if (memcmp(input->data, kind->magic, magic) != 0)
		return ph_hpc4_fail(file, 0, "not a file of HPCToolkit 4 that begins with \"%s\"",
							kind->magic);
	if (input->size < least)
		return ph_fail_hint(file->env, PH_ERR_FORMAT, "Copy or write it again.",
							"%s: incomplete: %zu bytes are too few for its header", input->path,
							input->size);
	if (ph_hpc4_u8(file, MAJOR_AT) != MAJOR)
		return ph_fail(file->env, PH_ERR_UNSUPPORTED,
					   "%s: offset %d: version %u.%u of the format, 4 is read", input->path,
					   MAJOR_AT, ph_hpc4_u8(file, MAJOR_AT), ph_hpc4_u8(file, MAJOR_AT + 1));
	return PH_OK;
}

PhStatus
ph_hpc4_open(PhEnv *env, PhInput *input, const PhHpc4Kind *kind, PhHpc4File *out)
{
	*out = (PhHpc4File){.env = env, .input = input};
	PH_TRY(check_header(out, kind));
	for (uint32_t i = 0; i < kind->n_sections; i++)
	{
		size_t entry = HEADER_SIZE + SECTION_SIZE * (size_t) i;
		uint64_t size = ph_hpc4_u64(out, entry), at = ph_hpc4_u64(out, entry + 8);
		if (at > input->size || size > input->size - at)
			return ph_fail_hint(env, PH_ERR_FORMAT, "Copy or write it again.",
								"%s: incomplete: offset %zu: section %u goes beyond the file's end",
								input->path, entry, i);
		out->sections[i] = (PhHpc4Span){at, size};
	}
	return PH_OK;
}

bool
ph_hpc4_is_ended(const PhInput *input, const PhHpc4Kind *kind)
{
	return input->size >= PH_HPC4_FOOTER_SIZE &&
		   memcmp(input->data + input->size - PH_HPC4_FOOTER_SIZE, kind->footer,
				  PH_HPC4_FOOTER_SIZE) == 0;
}

PhStatus
ph_hpc4_section(const PhHpc4File *file, uint32_t number, size_t least, PhHpc4Span *out)
{
	*out = file->sections[number];
	if (out->size < least)
		return ph_hpc4_fail(file, HEADER_SIZE + SECTION_SIZE * (size_t) number,
							"section %u has %zu bytes, at least %zu are needed", number, out->size,
							least);
	return PH_OK;
}

PhStatus
ph_hpc4_array(const PhHpc4File *file, const PhHpc4Span *span, const PhHpc4Array *array,
			  size_t least, const char *what)
{
	if (array->count == 0)
		return PH_OK;
	if (array->stride < least)
		return ph_hpc4_fail(file, array->at, "%s of %u bytes each, at least %zu are needed", what,
							array->stride, least);
	if (!ph_hpc4_holds(span, array->at, (size_t) array->count * array->stride))
		return ph_hpc4_fail(file, array->at, "%u %s go beyond their section", array->count, what);
	return PH_OK;
}

PhStatus
ph_hpc4_element(const PhHpc4File *file, const PhHpc4Array *array, size_t pointer, const char *what,
				uint32_t *out)
{
	*out = PH_NONE;
	if (pointer == 0)
		return PH_OK;
	if (array->count == 0 || pointer < array->at || (pointer - array->at) % array->stride != 0 ||
		(pointer - array->at) / array->stride >= array->count)
		return ph_hpc4_fail(file, pointer, "no %s begins here", what);
	*out = (uint32_t) ((pointer - array->at) / array->stride);
	return PH_OK;
}

PhStatus
ph_hpc4_text(const PhHpc4File *file, const PhHpc4Span *span, size_t pointer, const char **out)
{
	*out = "";
	if (pointer == 0)
		return PH_OK;
	if (!ph_hpc4_holds(span, pointer, 1))
		return ph_hpc4_fail(file, pointer, "a string outside of its section");
	const char *text = (const char *) file->input->data + pointer;
	size_t room = span->size - (pointer - span->at);
	size_t length = strnlen(text, room < MAX_TEXT ? room : MAX_TEXT);
	if (length == room)
		return ph_hpc4_fail(file, pointer, "a string that does not end");
	if (length == MAX_TEXT)
		return ph_hpc4_fail(file, pointer, "a string of more than %d bytes", MAX_TEXT - 1);
	if (!ph_utf8_valid(text, length))
		return ph_hpc4_fail(file, pointer, "a string that is not UTF-8");
	*out = text;
	return PH_OK;
}
