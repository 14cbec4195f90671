/*
 * test_golden.c - the golden pictures of tests/golden: SVG byte for byte, PNG by mean colours.
 *
 * A PNG is compared as a grid of mean colours within a tolerance: other versions of the libraries
 * smooth edges differently. PH_GOLDEN_UPDATE=1 writes the files instead (tests/golden/update).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <cairo.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "drawing/draw.h"
#include "support/scene.h"

#define FOLDER PH_SOURCE_DIR "/tests/golden/"
#define MOST_CASES 64
#define ACROSS 32
#define DOWN 20
#define TOLERANCE 6

typedef struct Case
{
	char name[64], view[64], rows[64], options[256];
} Case;

static Case cases[MOST_CASES];
static size_t n_cases;

static void
read_cases(void)
{
	FILE *file = fopen(FOLDER "cases", "r");
	char line[512];

	if (file == NULL)
		return;
	while (n_cases < MOST_CASES && fgets(line, sizeof(line), file))
	{
		Case *new_case = &cases[n_cases];

		if (line[0] != '#' && sscanf(line, "%63s %63s %63s %255[^\n]", new_case->name,
									 new_case->view, new_case->rows, new_case->options) >= 3)
			n_cases++;
	}
	fclose(file);
}

static bool
updating(void)
{
	return getenv("PH_GOLDEN_UPDATE") != NULL;
}

/* The whole file, NULL when there is none; free it. */
static char *
read_all(const char *path, size_t *size)
{
	FILE *file = fopen(path, "rb");
	char *bytes = NULL;

	*size = 0;
	if (file == NULL)
		return NULL;
	fseek(file, 0, SEEK_END);
	*size = (size_t) ftell(file);
	rewind(file);
	bytes = malloc(*size + 1);
	assert_int_equal(fread(bytes, 1, *size, file), *size);
	bytes[*size] = '\0';
	fclose(file);
	return bytes;
}

static void
compare_or_write(const char *path, const unsigned char *bytes, size_t size)
{
	size_t expected_size;
	char *expected;
	FILE *file;

	if (updating())
	{
		file = fopen(path, "wb");
		assert_non_null(file);
		assert_int_equal(fwrite(bytes, 1, size, file), size);
		fclose(file);
		return;
	}
	expected = read_all(path, &expected_size);
	if (expected == NULL)
		fail_msg("%s is missing", path);
	for (size_t i = 0, line = 1; i < size || i < expected_size; i++)
	{
		if (i >= size || i >= expected_size || bytes[i] != (unsigned char) expected[i])
			fail_msg("%s differs in line %zu; look at the new picture, then run "
					 "tests/golden/update",
					 path, line);
		line += bytes[i] == '\n';
	}
	free(expected);
}

typedef struct Stream
{
	const PhPicture *picture;
	size_t at;
} Stream;

static cairo_status_t
read_stream(void *closure, unsigned char *data, unsigned length)
{
	Stream *stream = closure;

	if (stream->at + length > stream->picture->size)
		return CAIRO_STATUS_READ_ERROR;
	memcpy(data, stream->picture->bytes + stream->at, length);
	stream->at += length;
	return CAIRO_STATUS_SUCCESS;
}

/* Mean red, green and blue of every tile. */
static void
tile_colors(const PhPicture *picture, int tiles[DOWN][ACROSS][3])
{
	Stream stream = {picture, 0};
	cairo_surface_t *surface = cairo_image_surface_create_from_png_stream(read_stream, &stream);
	const unsigned char *pixels = cairo_image_surface_get_data(surface);
	int width = cairo_image_surface_get_width(surface);
	int height = cairo_image_surface_get_height(surface);
	int stride = cairo_image_surface_get_stride(surface);

	assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
	for (int row = 0; row < DOWN; row++)
		for (int column = 0; column < ACROSS; column++)
			for (int channel = 0; channel < 3; channel++)
			{
				long sum = 0;
				long n = 0;

				for (int y = row * height / DOWN; y < (row + 1) * height / DOWN; y++)
					for (int x = column * width / ACROSS; x < (column + 1) * width / ACROSS; x++)
					{
						sum += pixels[y * stride + x * 4 + 2 - channel];
						n++;
					}
				tiles[row][column][channel] = (int) (sum / n);
			}
	cairo_surface_destroy(surface);
}

static void
write_tiles(const char *path, int tiles[DOWN][ACROSS][3])
{
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	for (int row = 0; row < DOWN; row++)
		for (int column = 0; column < ACROSS; column++)
			fprintf(file, "%02x%02x%02x%c", tiles[row][column][0], tiles[row][column][1],
					tiles[row][column][2], column + 1 < ACROSS ? ' ' : '\n');
	fclose(file);
}

static void
compare_tiles(const char *path, int tiles[DOWN][ACROSS][3])
{
	FILE *file = fopen(path, "r");

	if (file == NULL)
		fail_msg("%s is missing", path);
	for (int row = 0; row < DOWN; row++)
		for (int column = 0; column < ACROSS; column++)
		{
			unsigned expected[3];

			assert_int_equal(fscanf(file, "%02x%02x%02x", &expected[0], &expected[1], &expected[2]),
							 3);
			for (int channel = 0; channel < 3; channel++)
				if (abs(tiles[row][column][channel] - (int) expected[channel]) > TOLERANCE)
					fail_msg("%s: tile %d,%d has another colour", path, column, row);
		}
	fclose(file);
}

static void
load_rows(Studio *studio, const char *name)
{
	char path[512];
	uint32_t line = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s%s", FOLDER, name);
	file = fopen(path, "r");
	assert_non_null(file);
	if (!ph_rows_read(&studio->rows, file, &line))
		fail_msg("%s: line %u is bad", path, line);
	fclose(file);
}

static void
picture_is_as_before(void **state)
{
	const Case *golden = *state;
	int tiles[DOWN][ACROSS][3];
	const char *message = NULL;
	PhPicture picture;
	Studio studio;
	PhScene scene;
	char path[512];

	studio_open(&studio);
	load_rows(&studio, golden->rows);
	studio_draw(&studio, golden->view, golden->options, &scene);
	scene_check(&scene);
	assert_true(ph_draw_svg(&scene, &picture));
	snprintf(path, sizeof(path), "%s%s.svg", FOLDER, golden->name);
	compare_or_write(path, picture.bytes, picture.size);
	free(picture.bytes);
	if (!ph_draw_png(&scene, 1, &picture, &message))
		fail_msg("%s", message);
	tile_colors(&picture, tiles);
	snprintf(path, sizeof(path), "%s%s.tiles", FOLDER, golden->name);
	if (updating())
		write_tiles(path, tiles);
	else
		compare_tiles(path, tiles);
	free(picture.bytes);
	studio_close(&studio);
}

int
main(void)
{
	struct CMUnitTest tests[MOST_CASES];

	studio_pin_fonts();
	read_cases();
	for (size_t i = 0; i < n_cases; i++)
		tests[i] = (struct CMUnitTest){cases[i].name, picture_is_as_before, NULL, NULL, &cases[i]};
	return _cmocka_run_group_tests("golden", tests, n_cases, NULL, NULL);
}
