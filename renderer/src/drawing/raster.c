/*
 * raster.c - cells without number as one image.
 *
 * A PNG of at most 256 colours, as they are if there are no more, else in as many steps of red,
 * green and blue as fit.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/raster.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "drawing/arena_must.h"

#define MOST_PIXELS 4e7
#define MOST_COLORS 256
#define MOST_BITS 6 /* of each component that may be dropped */

typedef struct Raster
{
	PhArena *arena;
	double x, y; /* of the first pixel */
	uint32_t width, height;
	uint32_t *pixels; /* red, green, blue, alpha from the highest byte; 0: not painted */
	uint32_t colors[MOST_COLORS];
	uint32_t n_colors;
} Raster;

/* ---- painting ------------------------------------------------------------------------------ */

/* A colour over another; as both are painted over what is under them, the order of that does not
 * matter. */
static uint32_t
blend(uint32_t below, PhColor color)
{
	double alpha = color.a / 255.0;
	double rest = (below & 255) / 255.0 * (1 - alpha);
	double all = alpha + rest;
	uint8_t over[3] = {color.r, color.g, color.b};
	uint32_t out = (uint32_t) lround(all * 255);

	for (int i = 0; i < 3; i++)
	{
		int shift = 24 - 8 * i;
		double mixed = (over[i] * alpha + (below >> shift & 255) * rest) / all;

		out |= (uint32_t) lround(mixed) << shift;
	}
	return out;
}

static void
paint(Raster *raster, const PhBare *shape)
{
	uint32_t left = (uint32_t) (shape->x - raster->x);
	uint32_t top = (uint32_t) (shape->y - raster->y);
	PhColor fill = shape->style.fill;
	uint32_t plain = blend(0, fill);

	for (uint32_t y = top; y < top + (uint32_t) shape->height; y++)
		for (uint32_t x = left; x < left + (uint32_t) shape->width; x++)
		{
			uint32_t *pixel = &raster->pixels[(size_t) y * raster->width + x];

			*pixel = fill.a == 255 || *pixel == 0 ? plain : blend(*pixel, fill);
		}
}

/* False: there are none, or they are too far from each other. */
static bool
paint_all(Raster *raster, const PhBare *shapes, uint32_t n)
{
	double right = -INFINITY, bottom = -INFINITY;

	raster->x = raster->y = INFINITY;
	for (uint32_t i = 0; i < n; i++)
	{
		if (!shapes[i].is_crisp)
			continue;
		raster->x = fmin(raster->x, shapes[i].x);
		raster->y = fmin(raster->y, shapes[i].y);
		right = fmax(right, shapes[i].x + shapes[i].width);
		bottom = fmax(bottom, shapes[i].y + shapes[i].height);
	}
	if (!((right - raster->x) * (bottom - raster->y) <= MOST_PIXELS) || !(right > raster->x))
		return false;
	raster->width = (uint32_t) (right - raster->x);
	raster->height = (uint32_t) (bottom - raster->y);
	raster->pixels =
		ph_need(raster->arena, (size_t) raster->width * raster->height, sizeof(uint32_t));
	for (uint32_t i = 0; i < n; i++)
		if (shapes[i].is_crisp)
			paint(raster, &shapes[i]);
	return true;
}

/* ---- colours ------------------------------------------------------------------------------- */

static uint32_t
coarse(uint32_t pixel, int bits)
{
	uint32_t mask = 255u >> bits << bits;
	uint32_t middle = bits > 0 ? 1u << (bits - 1) : 0;

	if (pixel == 0)
		return 0;
	return (pixel & (mask << 24 | mask << 16 | mask << 8)) |
		   (middle << 24 | middle << 16 | middle << 8) |
		   ((pixel & 255) == 255 ? 255 : (pixel & mask) | middle);
}

/* Where a colour is in the palette or belongs: they are in order. */
static uint32_t
find_color(const Raster *raster, uint32_t color)
{
	uint32_t low = 0, high = raster->n_colors;

	while (low < high)
	{
		uint32_t middle = (low + high) / 2;

		if (raster->colors[middle] < color)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* False: there are more colours. */
static bool
collect_colors(Raster *raster, int bits)
{
	size_t n = (size_t) raster->width * raster->height;

	raster->n_colors = 0;
	for (size_t i = 0; i < n; i++)
	{
		uint32_t color, at;

		if (i > 0 && raster->pixels[i] == raster->pixels[i - 1])
			continue;
		color = coarse(raster->pixels[i], bits);
		at = find_color(raster, color);
		if (at < raster->n_colors && raster->colors[at] == color)
			continue;
		if (raster->n_colors == MOST_COLORS)
			return false;
		memmove(&raster->colors[at + 1], &raster->colors[at],
				(raster->n_colors - at) * sizeof(uint32_t));
		raster->colors[at] = color;
		raster->n_colors++;
	}
	return true;
}

/* ---- PNG ----------------------------------------------------------------------------------- */

static void
put_number(unsigned char *out, uint32_t value)
{
	for (int i = 0; i < 4; i++)
		out[i] = (unsigned char) (value >> (24 - 8 * i));
}

/* Appends a chunk; returns the end. */
static unsigned char *
put_chunk(unsigned char *out, const char *type, const unsigned char *data, size_t size)
{
	put_number(out, (uint32_t) size);
	memcpy(out + 4, type, 4);
	if (size > 0)
		memcpy(out + 8, data, size);
	put_number(out + 8 + size, (uint32_t) crc32(0, out + 4, (uInt) (size + 4)));
	return out + 12 + size;
}

static void
index_row(const Raster *raster, const uint32_t *pixels, int bits, unsigned char *out)
{
	for (uint32_t x = 0; x < raster->width; x++)
		out[x] = x > 0 && pixels[x] == pixels[x - 1]
					 ? out[x - 1]
					 : (unsigned char) find_color(raster, coarse(pixels[x], bits));
}

/* The rows, each behind a zero byte (no filter), as numbers of colours. */
static unsigned char *
index_rows(const Raster *raster, int bits, size_t *size)
{
	size_t row = (size_t) raster->width + 1;
	unsigned char *out;

	*size = row * raster->height;
	out = ph_need(raster->arena, *size, 1);
	for (uint32_t y = 0; y < raster->height; y++)
		index_row(raster, raster->pixels + (size_t) y * raster->width, bits, out + y * row + 1);
	return out;
}

static unsigned char *
encode(const Raster *raster, int bits, size_t *size)
{
	static const unsigned char signature[8] = {0x89, 'P', 'N', 'G', 13, 10, 26, 10};
	unsigned char head[13] = {[8] = 8, [9] = 3};
	unsigned char palette[3 * MOST_COLORS];
	unsigned char alphas[MOST_COLORS];
	size_t n_rows;
	unsigned char *rows = index_rows(raster, bits, &n_rows);
	uLongf n_packed = compressBound((uLong) n_rows);
	unsigned char *packed = ph_need(raster->arena, n_packed, 1);
	unsigned char *png, *end;

	ph_need_memory(compress2(packed, &n_packed, rows, (uLong) n_rows, 6) == Z_OK);
	for (uint32_t i = 0; i < raster->n_colors; i++)
	{
		for (int k = 0; k < 3; k++)
			palette[3 * i + (uint32_t) k] = (unsigned char) (raster->colors[i] >> (24 - 8 * k));
		alphas[i] = (unsigned char) raster->colors[i];
	}
	put_number(head, raster->width);
	put_number(head + 4, raster->height);
	png = ph_need(raster->arena, n_packed + 2048, 1);
	memcpy(png, signature, sizeof(signature));
	end = put_chunk(png + sizeof(signature), "IHDR", head, sizeof(head));
	end = put_chunk(end, "PLTE", palette, 3 * (size_t) raster->n_colors);
	end = put_chunk(end, "tRNS", alphas, raster->n_colors);
	end = put_chunk(end, "IDAT", packed, n_packed);
	end = put_chunk(end, "IEND", NULL, 0);
	*size = (size_t) (end - png);
	return png;
}

/* ---- the image ----------------------------------------------------------------------------- */

static char *
base64(PhArena *arena, const unsigned char *bytes, size_t size)
{
	static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
	char *out = ph_need(arena, size / 3 * 4 + 8, 1);
	char *to = out;

	for (size_t i = 0; i < size; i += 3)
	{
		size_t left = size - i;
		uint32_t three = (uint32_t) bytes[i] << 16 | (left > 1 ? (uint32_t) bytes[i + 1] << 8 : 0) |
						 (left > 2 ? bytes[i + 2] : 0);

		*to++ = digits[three >> 18];
		*to++ = digits[three >> 12 & 63];
		*to++ = left > 1 ? digits[three >> 6 & 63] : '=';
		*to++ = left > 2 ? digits[three & 63] : '=';
	}
	*to = '\0';
	return out;
}

bool
ph_raster_draw(PhScene *scene, const PhBare *shapes, uint32_t n, size_t most, size_t *bytes)
{
	Raster raster = {.arena = scene->arena};
	unsigned char *png = NULL;
	size_t size = SIZE_MAX / 8;

	if (!paint_all(&raster, shapes, n))
		return false;
	for (int bits = 0; bits <= MOST_BITS && size * 4 / 3 + 300 > most; bits++)
		if (collect_colors(&raster, bits))
			png = encode(&raster, bits, &size);
	*bytes = size * 4 / 3 + 300;
	if (png == NULL || *bytes > most)
		return false;
	ph_scene_image(scene, raster.x, raster.y, raster.width, raster.height,
				   base64(scene->arena, png, size));
	return true;
}
