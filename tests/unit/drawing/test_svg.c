/*
 * test_svg.c - SVG, PNG and PDF: escaping, well-formed XML, the same bytes every time.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <expat.h>

#include "drawing/draw.h"
#include "support/scene.h"

static const char *const hostile[] = {
	"<script>alert(\"1\")</script>",
	"a & b && c",
	"]]>",
	"\"quoted\" 'single'",
	"&amp;",
	"operator<< <char, std::char_traits<char>>",
	"\x01\x02\x1b[31m",
	"\xff\xfe\x80",
	"\xed\xa0\x80",
	"\xe2\x80\xae reversed",
	"\xef\xbf\xbe no \xef\xb7\x90 characters \xf0\x9f\xbf\xbf\xef\xbf\xbf",
	"--><!--",
	"\xf0\x9f\x94\xa5",
	""};

#define N_HOSTILE (sizeof(hostile) / sizeof(hostile[0]))

typedef struct Seen
{
	uint32_t groups, titles, texts, scripts;
	bool sorted;
	char text[256];
	size_t length;
} Seen;

static void
start_element(void *user, const char *name, const char **attributes)
{
	Seen *seen = user;

	seen->groups += strcmp(name, "g") == 0;
	seen->titles += strcmp(name, "title") == 0;
	seen->texts += strcmp(name, "text") == 0;
	seen->scripts += strcmp(name, "script") == 0;
	if (strcmp(name, "svg") == 0 || strcmp(name, "g") == 0)
		return; /* data-x sorts by x */
	for (int i = 0; attributes[i] && attributes[i + 2]; i += 2)
		seen->sorted =
			seen->sorted && (strcmp(attributes[i], attributes[i + 2]) < 0 ||
							 strcmp(attributes[i + 2], "d") == 0 || strcmp(name, "rect") == 0);
}

static bool
parse(const PhPicture *picture, Seen *seen)
{
	XML_Parser parser = XML_ParserCreate(NULL);
	bool ok;

	memset(seen, 0, sizeof(*seen));
	seen->sorted = true;
	XML_SetUserData(parser, seen);
	XML_SetElementHandler(parser, start_element, NULL);
	ok = XML_Parse(parser, (const char *) picture->bytes, (int) picture->size, 1) == XML_STATUS_OK;
	XML_ParserFree(parser);
	return ok;
}

static void
hostile_scene(Studio *studio, PhScene *scene)
{
	ph_scene_init(scene, &studio->arena, studio->fonts, 400, 300);
	for (size_t i = 0; i < N_HOSTILE; i++)
	{
		ph_scene_open(scene, "bar", hostile[i]);
		ph_scene_data(scene, "node", hostile[i]);
		ph_scene_data(scene, "run", "3");
		ph_scene_data(scene, "label", NULL);
		ph_scene_text(scene, 10, 20 + 20 * (double) i, hostile[i],
					  ph_text_style(11, ph_color_hex(0)));
		ph_scene_close(scene);
	}
	scene->description = "a \"hostile\" <scene> & more";
}

static void
hostile_names_stay_text(void **state)
{
	Studio studio;
	PhScene scene;
	PhPicture picture;
	Seen seen;

	(void) state;
	studio_open(&studio);
	hostile_scene(&studio, &scene);
	assert_true(ph_draw_svg(&scene, &picture));
	assert_true(parse(&picture, &seen));
	assert_int_equal(seen.groups, N_HOSTILE);
	assert_int_equal(seen.titles, N_HOSTILE);
	assert_int_equal(seen.texts, N_HOSTILE - 1); /* no element for an empty text */
	assert_int_equal(seen.scripts, 0);
	assert_true(seen.sorted);
	assert_non_null(strstr((char *) picture.bytes, "data-node=\"&lt;script&gt;"));
	assert_null(strstr((char *) picture.bytes, "\xe2\x80\xae"));
	free(picture.bytes);
	studio_close(&studio);
}

static void
random_bytes_stay_text(void **state)
{
	(void) state;
	srand(13);
	for (int round = 0; round < 300; round++)
	{
		Studio studio;
		PhScene scene;
		PhPicture picture;
		Seen seen;
		char name[64];

		for (size_t i = 0; i + 1 < sizeof(name); i++)
			name[i] = (char) (1 + rand() % 255);
		name[sizeof(name) - 1] = '\0';
		studio_open(&studio);
		ph_scene_init(&scene, &studio.arena, studio.fonts, 400, 300);
		ph_scene_open(&scene, "bar", name);
		ph_scene_data(&scene, "node", name);
		ph_scene_text_fit(&scene, 0, 10, 300, name, ph_text_style(11, ph_color_hex(0)));
		ph_scene_close(&scene);
		assert_true(ph_draw_svg(&scene, &picture));
		assert_true(parse(&picture, &seen));
		free(picture.bytes);
		studio_close(&studio);
	}
}

static void
numbers_are_short_and_fixed(void **state)
{
	static const double values[] = {0.004, -0.001, 12.5, 3, -7.25, 1e300, -1e300, NAN, 0.1 + 0.2};
	static const char expected[] = "M0 0L12.5 3L-7.25 90000000000000L-90000000000000 0L0.3 0";
	PhPicture picture;
	Studio studio;
	PhScene scene;
	PhPath path;

	(void) state;
	studio_open(&studio);
	ph_scene_init(&scene, &studio.arena, studio.fonts, 10, 10);
	path = ph_path(&scene);
	ph_path_move(&path, values[0], values[1]);
	ph_path_line(&path, values[2], values[3]);
	ph_path_line(&path, values[4], values[5]);
	ph_path_line(&path, values[6], values[7]);
	ph_path_line(&path, values[8], 0);
	ph_scene_path(&scene, &path, ph_stroke(ph_color_hex(0), 1));
	assert_true(ph_draw_svg(&scene, &picture));
	assert_non_null(strstr((char *) picture.bytes, expected));
	free(picture.bytes);
	studio_close(&studio);
}

static PhPicture
draw_again(PhFormat format)
{
	const char *message = NULL;
	PhPicture picture;
	Studio studio;
	PhScene scene;

	studio_open(&studio);
	hostile_scene(&studio, &scene);
	ph_scene_rect(&scene, 10, 10, 50, 50,
				  (PhStyle){ph_color_alpha(ph_color_hex(0x336699), 0.5), ph_color_hex(0), 2, 3});
	ph_scene_circle(&scene, 100, 100, 20, ph_fill(ph_color_hex(0x884422)));
	ph_scene_hatch(&scene, 10, 10, 50, 50, ph_color_hex(0));
	if (!ph_draw(&scene, format, 1.5, &picture, &message))
		fail_msg("%s", message);
	studio_close(&studio);
	return picture;
}

static void
the_same_scene_gives_the_same_bytes(void **state)
{
	static const char *const starts[] = {"<?xml", "\x89PNG", "%PDF"};

	(void) state;
	for (int format = 0; format < 3; format++)
	{
		PhPicture a = draw_again(format);
		PhPicture b = draw_again(format);

		assert_int_equal(a.size, b.size);
		assert_memory_equal(a.bytes, b.bytes, a.size);
		assert_memory_equal(a.bytes, starts[format], strlen(starts[format]));
		free(a.bytes);
		free(b.bytes);
	}
}

static void
pictures_that_are_too_large_are_refused(void **state)
{
	const char *message = NULL;
	PhPicture picture;
	Studio studio;
	PhScene scene;

	(void) state;
	studio_open(&studio);
	ph_scene_init(&scene, &studio.arena, studio.fonts, 100, 50000);
	assert_false(ph_draw(&scene, PH_FORMAT_PNG, 1, &picture, &message));
	assert_non_null(strstr(message, "too large"));
	studio_close(&studio);
}

static void
formats_by_name(void **state)
{
	PhFormat format;

	(void) state;
	assert_true(ph_format_parse("PNG", &format) && format == PH_FORMAT_PNG);
	assert_true(ph_format_parse("pdf", &format) && format == PH_FORMAT_PDF);
	assert_false(ph_format_parse("jpeg", &format));
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hostile_names_stay_text),
		cmocka_unit_test(random_bytes_stay_text),
		cmocka_unit_test(numbers_are_short_and_fixed),
		cmocka_unit_test(the_same_scene_gives_the_same_bytes),
		cmocka_unit_test(pictures_that_are_too_large_are_refused),
		cmocka_unit_test(formats_by_name),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
