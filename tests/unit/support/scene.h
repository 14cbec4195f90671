/*
 * scene.h - scenes in tests: the pinned font, saved rows, and what holds for every picture.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_SCENE_H
#define SUPPORT_SCENE_H

#include "drawing/arena_must.h"
#include "drawing/scene.h"
#include "request/rows.h"
#include "request/view.h"

/* Memory and fonts of one test. */
typedef struct Studio
{
	PhEnv env;
	PhArena arena;
	PhFonts *fonts;
	PhViewRows rows;
} Studio;

/* Call first in main: text is measured with the pinned font only. */
void studio_pin_fonts(void);
void studio_open(Studio *studio);
void studio_close(Studio *studio);

/* Adds a row given like printf. */
void studio_row(Studio *studio, const char *section, const char *format, ...) PH_PRINTF(3, 4);

/* Draws a view with options given as one text, separated by spaces. */
void studio_draw(Studio *studio, const char *view, const char *options, PhScene *out);

typedef struct Box
{
	double left, top, right, bottom;
} Box;

/* The letters of a text item. */
Box scene_text_box(const PhScene *scene, const PhItem *item);

/* Fails the test unless every text and rectangle is inside the picture and no two texts overlap. */
void scene_check(const PhScene *scene);

/* Number of groups with this role. */
uint32_t scene_count(const PhScene *scene, const char *role);
/* Is there a text that contains part? */
bool scene_says(const PhScene *scene, const char *part);
/* Value of a data attribute of a group, NULL when it has none. */
const char *item_data(const PhItem *item, const char *name);

#endif
