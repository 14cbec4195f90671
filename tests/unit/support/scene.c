/*
 * scene.c - scenes in tests: the pinned font, saved rows, and what holds for every picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "support/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "request/fetch.h"
#include "request/view_command.h"

#define SLACK 0.75

void
studio_pin_fonts(void)
{
	setenv("FONTCONFIG_FILE", PH_SOURCE_DIR "/tests/golden/fonts.conf", 1);
}

void
studio_open(Studio *studio)
{
	ph_env_init_malloc(&studio->env);
	ph_arena_init(&studio->arena, &studio->env);
	studio->fonts = ph_fonts_open();
	ph_rows_init(&studio->rows, &studio->arena);
}

void
studio_close(Studio *studio)
{
	ph_fonts_close(studio->fonts);
	ph_arena_drop(&studio->arena);
}

void
studio_row(Studio *studio, const char *section, const char *format, ...)
{
	char *text = NULL;
	va_list arguments;

	va_start(arguments, format);
	assert_true(vasprintf(&text, format, arguments) >= 0);
	va_end(arguments);
	assert_true(ph_rows_add(&studio->rows, section, text));
	free(text);
}

void
studio_draw(Studio *studio, const char *view_name, const char *text, PhScene *out)
{
	const PhView *view = ph_view_find(view_name);
	PhOptions *options = ph_need(&studio->arena, 1, sizeof(PhOptions));
	const PhProgram *program = ph_render_program(NULL);
	PhArguments *arguments;
	PhProblem problem;
	char *words = ph_need_copy(&studio->arena, text);
	char *argv[40];
	int argc = 0;

	assert_non_null(view);
	for (char *save = NULL, *word = strtok_r(words, " ", &save); word && argc < 36;
		 word = strtok_r(NULL, " ", &save))
		argv[argc++] = word;
	arguments = ph_cli_read(program, ph_cli_find(program, view_name), argc, argv, &problem);
	if (arguments == NULL ||
		!ph_options_init(options, &studio->arena, ph_cli_values(arguments), &problem))
		fail_msg("%s", problem.message);
	ph_view_draw(ph_view_asked(view, options), options, &studio->rows, studio->fonts,
				 &studio->arena, PH_FORMAT_SVG, out);
	ph_cli_free(arguments);
}

Box
scene_text_box(const PhScene *scene, const PhItem *item)
{
	const PhTextStyle *style = &item->text_style;
	double width = ph_fonts_width(scene->fonts, item->text, style->size, style->weight);
	double start = style->anchor == PH_END ? -width : style->anchor == PH_MIDDLE ? -width / 2 : 0;

	if (style->vertical)
		return (Box){item->x - style->size * 0.75, item->y - start - width,
					 item->x + style->size * 0.2, item->y - start};
	return (Box){item->x + start, item->y - style->size * 0.75, item->x + start + width,
				 item->y + style->size * 0.2};
}

static bool
overlap(const Box *a, const Box *b)
{
	return a->left + SLACK < b->right && b->left + SLACK < a->right && a->top + SLACK < b->bottom &&
		   b->top + SLACK < a->bottom;
}

static void
check_inside(const PhScene *scene, const Box *box, const char *what)
{
	if (box->left < -SLACK || box->top < -SLACK || box->right > scene->width + SLACK ||
		box->bottom > scene->height + SLACK)
		fail_msg("%s at %.1f,%.1f-%.1f,%.1f is outside %.1f x %.1f", what, box->left, box->top,
				 box->right, box->bottom, scene->width, scene->height);
}

void
scene_check(const PhScene *scene)
{
	Box *boxes = malloc((scene->n_items + 1) * sizeof(Box));
	const char **texts = malloc((scene->n_items + 1) * sizeof(char *));
	uint32_t n = 0;

	assert_int_equal(scene->n_open, 0);
	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		const PhItem *item = &scene->items[i];

		if (item->kind == PH_ITEM_RECT)
		{
			Box box = {item->x, item->y, item->x + item->width, item->y + item->height};

			if (!(item->width >= 0 && item->height >= 0))
				fail_msg("a rectangle of %g x %g", item->width, item->height);
			check_inside(scene, &box, "a rectangle");
		}
		if (item->kind != PH_ITEM_TEXT)
			continue;
		boxes[n] = scene_text_box(scene, item);
		texts[n] = item->text;
		check_inside(scene, &boxes[n], item->text);
		for (uint32_t k = 0; k < n; k++)
			if (overlap(&boxes[k], &boxes[n]))
				fail_msg("\"%s\" overlaps \"%s\"", texts[n], texts[k]);
		n++;
	}
	free(boxes);
	free(texts);
}

uint32_t
scene_count(const PhScene *scene, const char *role)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < scene->n_items; i++)
		n += scene->items[i].kind == PH_ITEM_OPEN && strcmp(scene->items[i].text, role) == 0;
	return n;
}

bool
scene_says(const PhScene *scene, const char *part)
{
	for (uint32_t i = 0; i < scene->n_items; i++)
		if (scene->items[i].kind == PH_ITEM_TEXT && strstr(scene->items[i].text, part))
			return true;
	return false;
}

const char *
item_data(const PhItem *item, const char *name)
{
	for (uint32_t i = 0; i < item->n_attributes; i++)
		if (strcmp(item->attributes[i].name, name) == 0)
			return item->attributes[i].value;
	return NULL;
}
