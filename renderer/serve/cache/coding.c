/*
 * coding.c - content codings: which one a client takes, and bytes in it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/cache/coding.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <zlib.h>
#ifdef PH_HAVE_ZSTD
#include <zstd.h>
#endif

/* Below this a packet is sent anyway. */
#define LEAST_BYTES 1024
/* A picture of 1 MB takes 3 ms with zstd 3 and 12 ms with gzip 5, at a tenth of its size; higher
 * levels cost several times as much for a few per cent. */
#define PH_ZSTD_LEVEL 3
#define GZIP_LEVEL 5
#define GZIP_WINDOW (15 + 16)
#define GZIP_MEMORY 8

static const char *const names[] = {NULL, "gzip", "zstd"};

const char *
ph_coding_name(PhCoding coding)
{
	return names[coding];
}

bool
ph_coding_is_text(const char *type)
{
	return type != NULL && (strncmp(type, "text/", 5) == 0 || strncmp(type, "image/svg", 9) == 0 ||
							strncmp(type, "application/json", 16) == 0 ||
							strncmp(type, "application/octet-stream", 24) == 0);
}

bool
ph_coding_pays(const char *type, size_t size)
{
	return size >= LEAST_BYTES && ph_coding_is_text(type);
}

/* ---- what the client takes ----------------------------------------------------------------- */

/* The weight of "gzip;q=0.5" in thousandths; what cannot be read counts as 0. */
static int
weight_of(const char *element, size_t length)
{
	const char *found = memchr(element, ';', length);
	const char *end = element + length;
	int weight;
	int unit = 100;

	if (found == NULL)
		return 1000;
	for (found++; found < end && (*found == ' ' || *found == '\t'); found++)
		continue;
	if (end - found < 3 || (found[0] | 0x20) != 'q' || found[1] != '=' || found[2] < '0' ||
		found[2] > '1')
		return 0;
	weight = (found[2] - '0') * 1000;
	for (found += 3; found < end && unit > 0 && (*found == '.' || (*found >= '0' && *found <= '9'));
		 found++)
		if (*found != '.')
		{
			weight += (*found - '0') * unit;
			unit /= 10;
		}
	return weight > 1000 ? 1000 : weight;
}

static bool
is_named(const char *element, size_t length, const char *name)
{
	size_t n = strlen(name);

	return length >= n && strncasecmp(element, name, n) == 0 &&
		   (length == n || strchr("; \t", element[n]) != NULL);
}

/* Notes the weight of one element of the list, "" included. */
static void
note_element(const char *element, size_t length, int weights[PH_N_CODINGS], int *any)
{
	while (length > 0 && (*element == ' ' || *element == '\t'))
	{
		element++;
		length--;
	}
	if (is_named(element, length, "*"))
		*any = weight_of(element, length);
	for (int coding = PH_CODING_GZIP; coding < PH_N_CODINGS; coding++)
		if (is_named(element, length, names[coding]))
			weights[coding] = weight_of(element, length);
	if (is_named(element, length, "x-gzip"))
		weights[PH_CODING_GZIP] = weight_of(element, length);
	if (is_named(element, length, "identity"))
		weights[PH_CODING_IDENTITY] = weight_of(element, length);
}

PhCoding
ph_coding_choose(const char *accept)
{
	int weights[PH_N_CODINGS] = {-1, -1, -1};
	int any = 0;
	PhCoding best = PH_CODING_IDENTITY;

	for (const char *at = accept; at != NULL && *at != '\0';)
	{
		size_t length = strcspn(at, ",");

		note_element(at, length, weights, &any);
		at += length + (at[length] == ',' ? 1 : 0);
	}
	/* identity is worth what it says, but else less than anything that is named */
	weights[PH_CODING_IDENTITY] = weights[PH_CODING_IDENTITY] < 0 ? 0 : weights[PH_CODING_IDENTITY];
	for (PhCoding coding = PH_CODING_GZIP; coding <= ph_coding_packed; coding++)
	{
		int weight = weights[coding] < 0 ? any : weights[coding];

		if (weight > 0 && weight >= weights[best])
			best = coding;
		weights[coding] = weight;
	}
	return best;
}

/* ---- bytes --------------------------------------------------------------------------------- */

/* As a body of its size rather than of the bound that was asked for. */
static PhContent *
take_bytes(void *bytes, size_t size)
{
	void *fitting = realloc(bytes, size > 0 ? size : 1);

	return ph_content_new(fitting != NULL ? fitting : bytes, size);
}

#ifdef PH_HAVE_ZSTD
const PhCoding ph_coding_packed = PH_CODING_ZSTD;

static PhContent *
encode_zstd(const void *bytes, size_t size)
{
	size_t bound = ZSTD_compressBound(size);
	void *out = malloc(bound);
	size_t n = out != NULL ? ZSTD_compress(out, bound, bytes, size, PH_ZSTD_LEVEL) : 0;

	if (out != NULL && !ZSTD_isError(n))
		return take_bytes(out, n);
	free(out);
	return NULL;
}

static PhContent *
decode_zstd(const void *bytes, size_t size, size_t most)
{
	unsigned long long told = ZSTD_getFrameContentSize(bytes, size);
	void *out;
	size_t n;

	if (told == ZSTD_CONTENTSIZE_UNKNOWN || told == ZSTD_CONTENTSIZE_ERROR || told > most)
		return NULL;
	out = malloc((size_t) told + 1);
	n = out != NULL ? ZSTD_decompress(out, (size_t) told, bytes, size) : 0;
	if (out != NULL && !ZSTD_isError(n) && n == told)
		return ph_content_new(out, n);
	free(out);
	return NULL;
}
#else
const PhCoding ph_coding_packed = PH_CODING_GZIP;

static PhContent *
encode_zstd(const void *bytes, size_t size)
{
	(void) bytes;
	(void) size;
	return NULL;
}

static PhContent *
decode_zstd(const void *bytes, size_t size, size_t most)
{
	(void) bytes;
	(void) size;
	(void) most;
	return NULL;
}
#endif

static PhContent *
encode_gzip(const void *bytes, size_t size)
{
	z_stream stream = {.next_in = (Bytef *) bytes, .avail_in = (uInt) size};
	void *out = NULL;
	uLong bound;
	int status = Z_MEM_ERROR;

	if (size > UINT32_MAX / 2 || deflateInit2(&stream, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW,
											  GZIP_MEMORY, Z_DEFAULT_STRATEGY) != Z_OK)
		return NULL;
	bound = deflateBound(&stream, (uLong) size);
	out = malloc(bound);
	if (out != NULL)
	{
		stream.next_out = out;
		stream.avail_out = (uInt) bound;
		status = deflate(&stream, Z_FINISH);
	}
	deflateEnd(&stream);
	if (status == Z_STREAM_END)
		return take_bytes(out, stream.total_out);
	free(out);
	return NULL;
}

/* The size that the end of a gzip member tells, modulo 2^32; SIZE_MAX: there is no end. */
static size_t
told_by_gzip(const unsigned char *bytes, size_t size)
{
	const unsigned char *end = bytes + size - 4;

	if (size < 18)
		return SIZE_MAX;
	return (size_t) end[0] | (size_t) end[1] << 8 | (size_t) end[2] << 16 | (size_t) end[3] << 24;
}

static PhContent *
decode_gzip(const void *bytes, size_t size, size_t most)
{
	z_stream stream = {.next_in = (Bytef *) bytes, .avail_in = (uInt) size};
	size_t told = told_by_gzip(bytes, size);
	void *out;
	int status = Z_MEM_ERROR;

	if (told > most || size > UINT32_MAX / 2 || inflateInit2(&stream, GZIP_WINDOW) != Z_OK)
		return NULL;
	out = malloc(told + 1);
	if (out != NULL)
	{
		stream.next_out = out;
		stream.avail_out = (uInt) told + 1;
		status = inflate(&stream, Z_FINISH);
	}
	inflateEnd(&stream);
	if (status == Z_STREAM_END && stream.total_out == told)
		return ph_content_new(out, told);
	free(out);
	return NULL;
}

PhContent *
ph_coding_encode(PhCoding coding, const void *bytes, size_t size)
{
	return coding == PH_CODING_ZSTD ? encode_zstd(bytes, size) : encode_gzip(bytes, size);
}

PhContent *
ph_coding_decode(PhCoding coding, const void *bytes, size_t size, size_t most)
{
	return coding == PH_CODING_ZSTD ? decode_zstd(bytes, size, most)
									: decode_gzip(bytes, size, most);
}
