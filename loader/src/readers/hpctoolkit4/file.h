/*
 * file.h - the container that all files of an HPCToolkit 4 database share: header, sections,
 * footer.
 *
 * Numbers are little-endian and may be unaligned; pointers are offsets from the begin of the file,
 * 0 is none. Arrays come with the size of their elements, which later minor versions make larger.
 *
 * Nothing is read before it was checked: ph_hpc4_open checks that the sections lie within the file,
 * ph_hpc4_array and ph_hpc4_text that a thing lies within its section. The loads check nothing.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_HPCTOOLKIT4_FILE_H
#define PH_READERS_HPCTOOLKIT4_FILE_H

#include <endian.h>
#include <string.h>

#include "readers/input.h"

#define PH_HPC4_FOOTER_SIZE 8
#define PH_HPC4_MAX_SECTIONS 8

/* What a file begins and ends with. */
typedef struct PhHpc4Kind
{
	const char *magic;	/* "HPCTOOLKITmeta" */
	const char *footer; /* 8 bytes */
	uint32_t n_sections;
} PhHpc4Kind;

extern const PhHpc4Kind ph_hpc4_meta;
extern const PhHpc4Kind ph_hpc4_profile;
extern const PhHpc4Kind ph_hpc4_trace;

typedef struct PhHpc4Span
{
	size_t at, size;
} PhHpc4Span;

typedef struct PhHpc4File
{
	PhEnv *env;
	PhInput *input;
	PhHpc4Span sections[PH_HPC4_MAX_SECTIONS];
} PhHpc4File;

typedef struct PhHpc4Array
{
	size_t at;
	uint32_t count, stride;
} PhHpc4Array;

/* Check header and sections. What is no such file, or ends before a section, is PH_ERR_FORMAT. */
PhStatus ph_hpc4_open(PhEnv *env, PhInput *input, const PhHpc4Kind *kind,
					  PhHpc4File *out) PH_MUST_CHECK;

/* Does it end with the footer that its writer puts there last? */
bool ph_hpc4_is_ended(const PhInput *input, const PhHpc4Kind *kind);

/* "path: offset N: message", PH_ERR_FORMAT. */
PhStatus ph_hpc4_fail(const PhHpc4File *file, size_t at, const char *format, ...) PH_PRINTF(3, 4);

/* The section with this number, of at least so many bytes. */
PhStatus ph_hpc4_section(const PhHpc4File *file, uint32_t number, size_t least,
						 PhHpc4Span *out) PH_MUST_CHECK;

/* Whether [at, at + size) lies within the span. */
static inline bool
ph_hpc4_holds(const PhHpc4Span *span, size_t at, size_t size)
{
	return at >= span->at && at - span->at <= span->size && size <= span->size - (at - span->at);
}

/* Check that the array lies within the span and that its elements have at least so many bytes. */
PhStatus ph_hpc4_array(const PhHpc4File *file, const PhHpc4Span *span, const PhHpc4Array *array,
					   size_t least, const char *what) PH_MUST_CHECK;

/* Which element of the array begins at pointer; PH_NONE for pointer 0. */
PhStatus ph_hpc4_element(const PhHpc4File *file, const PhHpc4Array *array, size_t pointer,
						 const char *what, uint32_t *out) PH_MUST_CHECK;

/* The string at pointer, in the file's own bytes; "" for pointer 0. */
PhStatus ph_hpc4_text(const PhHpc4File *file, const PhHpc4Span *span, size_t pointer,
					  const char **out) PH_MUST_CHECK;

static inline uint8_t
ph_hpc4_u8(const PhHpc4File *file, size_t at)
{
	return file->input->data[at];
}

static inline uint16_t
ph_hpc4_u16(const PhHpc4File *file, size_t at)
{
	uint16_t raw;
	memcpy(&raw, file->input->data + at, sizeof(raw));
	return le16toh(raw);
}

static inline uint32_t
ph_hpc4_u32(const PhHpc4File *file, size_t at)
{
	uint32_t raw;
	memcpy(&raw, file->input->data + at, sizeof(raw));
	return le32toh(raw);
}

static inline uint64_t
ph_hpc4_u64(const PhHpc4File *file, size_t at)
{
	uint64_t raw;
	memcpy(&raw, file->input->data + at, sizeof(raw));
	return le64toh(raw);
}

static inline double
ph_hpc4_double(const PhHpc4File *file, size_t at)
{
	uint64_t raw = ph_hpc4_u64(file, at);
	double value;
	memcpy(&value, &raw, sizeof(value));
	return value;
}

#endif
