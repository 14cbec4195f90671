/*
 * test_layout_logical.c - pictures in logical time: boxes, lines, clusters, aligned traces.
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

#include "request/row_names.h"
#include "support/scene.h"

#define MOST_EVENTS 4000

typedef struct Event
{
	uint32_t row, column;
	double value;
} Event;

/* A list of numbers that a function gives for every event of a row. */
typedef double (*Column)(const Event *event);

static double
column_of(const Event *event)
{
	return event->column;
}

static double
step_of(const Event *event)
{
	return 2.0 * event->column;
}

static double
one_of(const Event *event)
{
	(void) event;
	return 1;
}

static double
zero_of(const Event *event)
{
	(void) event;
	return 0;
}

static double
row_of(const Event *event)
{
	return event->row;
}

static double
value_of(const Event *event)
{
	return event->value;
}

static const char *
list(Studio *studio, const Event *events, uint32_t n, Column column)
{
	char *text = ph_need(&studio->arena, (size_t) n * 28 + 3, 1);
	size_t at = 0;

	text[at++] = '[';
	for (uint32_t i = 0; i < n; i++)
		at += (size_t) snprintf(text + at, 28, "%s%.12g", i ? "," : "", column(&events[i]));
	text[at++] = ']';
	return text;
}

static const char *
texts(Studio *studio, uint32_t n, const char *word)
{
	char *text = ph_need(&studio->arena, (size_t) n * 28 + 3, 1);
	size_t at = 0;

	text[at++] = '[';
	for (uint32_t i = 0; i < n; i++)
		at += (size_t) snprintf(text + at, 28, "%s\"%s\"", i ? "," : "", word);
	text[at++] = ']';
	return text;
}

static void
axis_rows(Studio *studio, uint32_t n_rows, uint32_t n_columns)
{
	studio_row(studio, "run", "{\"run_id\":4,\"application\":\"random\",\"n_ranks\":%u}", n_rows);
	studio_row(studio, "axis",
			   "{\"first\":0,\"end\":%u,\"stride\":2,\"between\":false,\"columns\":%u,"
			   "\"columns_a_cell\":1}",
			   2 * n_columns - 1, n_columns);
	for (uint32_t row = 0; row < n_rows; row++)
		studio_row(studio, "rows",
				   "{\"row\":%u,\"rank\":%u,\"last_rank\":%u,\"n_locations\":1,\"thread\":0}", row,
				   row, row);
	studio_row(studio, "phases",
			   "{\"phase\":[0,1],\"first_step\":[0,%u],\"last_step\":[%u,%u],\"n_events\":[3,4],"
			   "\"regions\":[\"MPI_Send\",null],\"pattern\":[null,\"SSRR\"]}",
			   n_columns / 2 * 2, n_columns / 2 * 2, 2 * n_columns - 2);
}

/* Random events by row and column, and their rows; returns how many. */
static uint32_t
event_rows(Studio *studio, Event *events, uint32_t n_rows, uint32_t n_columns)
{
	uint32_t n = 0;

	for (uint32_t row = 0; row < n_rows; row++)
	{
		uint32_t first = n;

		for (uint32_t column = 0; column < n_columns && n < MOST_EVENTS; column++)
			if (rand() % 3 == 0)
				events[n++] = (Event){row, column, rand() % 1000};
		studio_row(studio, "cells",
				   "{\"row\":%u,\"column\":%s,\"n\":%s,\"value\":%s,\"rank\":%s,\"step\":%s,"
				   "\"phase\":%s,\"kind\":%s,\"region\":%s,\"enter\":%s,\"leave\":%s,\"peers\":%s,"
				   "\"n_messages\":%s,\"earliest\":%s,\"aggregate\":%s}",
				   row, list(studio, events + first, n - first, column_of),
				   list(studio, events + first, n - first, one_of),
				   list(studio, events + first, n - first, value_of),
				   list(studio, events + first, n - first, row_of),
				   list(studio, events + first, n - first, step_of),
				   list(studio, events + first, n - first, zero_of),
				   texts(studio, n - first, "send"), texts(studio, n - first, "MPI_Send"),
				   list(studio, events + first, n - first, step_of),
				   list(studio, events + first, n - first, value_of),
				   list(studio, events + first, n - first, one_of),
				   list(studio, events + first, n - first, one_of),
				   list(studio, events + first, n - first, row_of),
				   list(studio, events + first, n - first, zero_of));
	}
	return n;
}

static void
message_rows(Studio *studio, uint32_t n_rows, uint32_t n_columns, uint32_t n)
{
	Event *from = ph_need(&studio->arena, n, sizeof(Event));
	Event *to = ph_need(&studio->arena, n, sizeof(Event));

	for (uint32_t i = 0; i < n; i++)
	{
		from[i] = (Event){(uint32_t) rand() % n_rows, (uint32_t) rand() % n_columns, 8};
		to[i] = (Event){(uint32_t) rand() % n_rows,
						from[i].column + 1 + (uint32_t) rand() % n_columns, 8};
	}
	studio_row(studio, "messages",
			   "{\"from_row\":%s,\"to_row\":%s,\"send_step\":%s,\"receive_step\":%s,\"bytes\":%s}",
			   list(studio, from, n, row_of), list(studio, to, n, row_of),
			   list(studio, from, n, step_of), list(studio, to, n, step_of),
			   list(studio, from, n, value_of));
}

/* Boxes of one row never overlap, and stand in the order of their steps; equal steps are at equal
 * places, equal ranks at equal heights. */
static void
check_boxes(const PhScene *scene, uint32_t n)
{
	double *x = calloc(100000, sizeof(double));
	double *y = calloc(100000, sizeof(double));
	double *bottom = calloc(100000, sizeof(double));
	uint32_t seen = 0;

	for (uint32_t i = 0; i + 1 < scene->n_items; i++)
	{
		const PhItem *box = &scene->items[i + 1];
		uint32_t step, rank;

		if (scene->items[i].kind != PH_ITEM_OPEN || strcmp(scene->items[i].text, "event") != 0)
			continue;
		step = (uint32_t) atoi(item_data(&scene->items[i], "step"));
		rank = (uint32_t) atoi(item_data(&scene->items[i], "rank"));
		assert_int_equal(box->kind, PH_ITEM_RECT);
		assert_true(x[step] == 0 || fabs(x[step] - box->x) < 1e-6);
		assert_true(y[rank] == 0 || fabs(y[rank] - box->y) < 1e-6);
		x[step] = box->x;
		y[rank] = box->y;
		bottom[rank] = box->y + box->height;
		if (step >= 2 && x[step - 2] > 0)
			assert_true(x[step - 2] + box->width <= box->x + 1e-6);
		if (rank >= 1)
			assert_true(bottom[rank - 1] <= box->y + 1e-6);
		seen++;
	}
	assert_int_equal(seen, n);
	free(x);
	free(y);
	free(bottom);
}

static void
timelines_keep_the_invariants(void **state)
{
	static const char *const options[] = {"", "--range step", "--range 1us --palette colour-blind",
										  "--width 700 --height 400", "--color enter"};

	(void) state;
	srand(5);
	for (int round = 0; round < 60; round++)
	{
		uint32_t n_rows = 1 + (uint32_t) rand() % 40;
		uint32_t n_columns = 1 + (uint32_t) rand() % 60;
		Event *events = calloc(MOST_EVENTS, sizeof(Event));
		Studio studio;
		PhScene scene;
		uint32_t n;

		studio_open(&studio);
		axis_rows(&studio, n_rows, n_columns);
		n = event_rows(&studio, events, n_rows, n_columns);
		message_rows(&studio, n_rows, n_columns, 1 + (uint32_t) rand() % 60);
		studio_draw(&studio, "logical", options[round % 5], &scene);
		scene_check(&scene);
		if (n > 0)
			check_boxes(&scene, n);
		free(events);
		studio_close(&studio);
	}
}

/* Lines go from the middle of a box to the middle of another, and stay inside the plot. */
static void
lines_join_boxes(void **state)
{
	Studio studio;
	PhScene scene;
	uint32_t lines = 0;
	double middle[2] = {0};

	(void) state;
	studio_open(&studio);
	axis_rows(&studio, 2, 3);
	for (int row = 0; row < 2; row++)
		studio_row(
			&studio, "cells",
			"{\"row\":%d,\"column\":[%d],\"n\":[1],\"value\":[5],\"rank\":[%d],\"step\":[%d],"
			"\"phase\":[0],\"kind\":[\"send\"],\"region\":[null],\"enter\":[1],\"leave\":[2],"
			"\"peers\":[1],\"n_messages\":[1],\"earliest\":[null],\"aggregate\":[0]}",
			row, row, row, 2 * row);
	studio_row(&studio, "messages",
			   "{\"from_row\":[0,0,7],\"to_row\":[1,1,0],\"send_step\":[0,0,0],"
			   "\"receive_step\":[2,90,2],\"bytes\":[8,8,8]}");
	studio_draw(&studio, "logical", "", &scene);
	scene_check(&scene);
	for (uint32_t i = 0; i + 1 < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "event") == 0)
			middle[atoi(item_data(&scene.items[i], "rank"))] =
				scene.items[i + 1].x + scene.items[i + 1].width / 2;
	for (uint32_t i = 0; i + 1 < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "message") == 0)
		{
			const PhItem *path = &scene.items[i + 1];

			assert_int_equal(path->n_steps, 2);
			assert_true(fabs(path->steps[0].x[0] - middle[0]) < 1e-6);
			assert_true(lines > 0 || fabs(path->steps[1].x[0] - middle[1]) < 1e-6);
			assert_true(path->steps[0].x[0] < path->steps[1].x[0]);
			assert_true(path->steps[1].x[0] <= scene.width - 20);
			lines++;
		}
	assert_int_equal(lines, 2); /* the third names a row that is not there */
	studio_close(&studio);
}

/* Cells that are too small to point at become runs, but none gets lost. */
static void
crowds_stay_visible(void **state)
{
	const uint32_t n_rows = 600;
	Studio studio;
	PhScene scene;
	double area = 0;
	uint32_t runs = 0;

	(void) state;
	studio_open(&studio);
	axis_rows(&studio, n_rows, 900);
	for (uint32_t row = 0; row < n_rows; row++)
		studio_row(&studio, "cells",
				   "{\"row\":%u,\"column\":[1,2,3,%u],\"n\":[9,9,9,1],\"value\":[5,5,700,900],"
				   "\"rank\":[1,1,1,1],\"step\":[2,4,6,%u],\"phase\":[0,0,0,0]}",
				   row, 100 + row, 200 + 2 * row);
	studio_draw(&studio, "logical", "", &scene);
	scene_check(&scene);
	assert_int_equal(scene_count(&scene, "event"), 0);
	for (uint32_t i = 0; i < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_RECT && scene.items[i].height < 2.4 &&
			scene.items[i].y > 120)
		{
			area += scene.items[i].width * scene.items[i].height;
			runs++;
		}
	assert_true(area > 4 * n_rows * 1.0 && area < 4 * n_rows * 3.0);
	assert_int_equal(runs, 3 * n_rows); /* neighbours of one value are one */
	studio_close(&studio);
}

/* ---- clusters ---- */

static void
cluster_rows(Studio *studio, uint32_t n_leaves, const char *pattern)
{
	studio_row(studio, "run", "{\"run_id\":4,\"application\":\"random\",\"n_ranks\":64}");
	studio_row(studio, "phase", "{\"phase\":2,\"pattern\":%s}", pattern);
	studio_row(studio, "axis",
			   "{\"first\":0,\"end\":11,\"stride\":2,\"between\":true,\"columns\":12,"
			   "\"columns_a_cell\":1}");
	for (uint32_t i = 0; i < 2 * n_leaves - 1; i++)
	{
		uint32_t join = i - n_leaves;
		bool leaf = i < n_leaves;

		studio_row(studio, "clusters",
				   "{\"cluster\":%u,\"parent\":%d,\"distance\":%u,\"n_members\":%u,"
				   "\"max_metric\":%u,\"child_right\":%d,\"child_left\":%d,\"ranks\":[1,2,5],"
				   "\"latest_rank\":1,\"centroid_rank\":2}",
				   i, i + 1 == 2 * n_leaves - 1 ? -1 : (int) (leaf ? n_leaves + i / 2 : 0),
				   leaf ? 0 : join + 1, 1 + (uint32_t) rand() % 30, (uint32_t) rand() % 1000,
				   leaf ? -1 : (int) (2 * join), leaf ? -1 : (int) (2 * join + 1));
	}
	for (uint32_t i = 0; i < n_leaves; i++)
		studio_row(
			studio, "series",
			"{\"cluster\":%u,\"first_sends\":true,\"n\":10,\"column\":[1,3,5],"
			"\"step\":[0,2,4],\"sends\":[7,0,3],\"receives\":[0,6,4],\"collectives\":[0,0,2],"
			"\"send_value\":[90,null,5],\"receive_value\":[null,3,7],"
			"\"collective_value\":[null,null,1],\"send_before\":[4,null,4],"
			"\"receive_before\":[null,3,3],\"collective_before\":[null,null,3],"
			"\"received\":[null,1.5,3]}",
			i);
}

static void
heights_of_glyphs_are_shares(void **state)
{
	Studio studio;
	PhScene scene;
	uint32_t checked = 0;

	(void) state;
	srand(3);
	studio_open(&studio);
	cluster_rows(&studio, 4, "null");
	studio_draw(&studio, "logical-clusters", "--phase 2", &scene);
	scene_check(&scene);
	assert_int_equal(scene_count(&scene, "cluster"), 4);
	assert_int_equal(scene_count(&scene, "join"), 3);
	assert_int_equal(scene_count(&scene, "glyph"), 12);
	for (uint32_t i = 0; i + 6 < scene.n_items; i++)
	{
		const PhItem *item = &scene.items[i];

		if (item->kind != PH_ITEM_OPEN || strcmp(item->text, "glyph") != 0 ||
			strcmp(item_data(item, "step"), "4") != 0)
			continue;
		/* the time before: sends, collectives, receives; then the events */
		for (int side = 0; side < 2; side++)
		{
			const PhItem *part = &scene.items[i + 1 + 3 * (uint32_t) side];

			assert_true(fabs(part[0].height / 3 - part[1].height / 2) < 1e-6);
			assert_true(fabs(part[0].height / 3 - part[2].height / 4) < 1e-6);
			assert_true(fabs(part[0].y + part[0].height - part[1].y) < 1e-6);
			assert_true(part[1].y + part[1].height < part[2].y);
		}
		checked++;
	}
	assert_int_equal(checked, 4);
	studio_close(&studio);
}

/* Rows of clusters lie below each other without gaps, more members are higher. */
static void
rows_of_clusters_tile(void **state)
{
	(void) state;
	srand(9);
	for (int round = 0; round < 40; round++)
	{
		static const char *const patterns[] = {"null", "\"SRSR\"", "\"SSWA\"", "\"SSRR\""};
		Studio studio;
		PhScene scene;
		double bottom = 0;
		uint32_t n = 1 + (uint32_t) rand() % 20;

		studio_open(&studio);
		cluster_rows(&studio, n, patterns[round % 4]);
		studio_draw(&studio, "logical-clusters",
					round % 3 ? "--phase 2" : "--phase 2 --no-inactive", &scene);
		scene_check(&scene);
		assert_int_equal(scene_count(&scene, "cluster"), n);
		for (uint32_t i = 0; i + 1 < scene.n_items; i++)
			if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "cluster") == 0)
			{
				assert_true(bottom == 0 || fabs(scene.items[i + 1].y - bottom) < 1e-6);
				bottom = scene.items[i + 1].y + scene.items[i + 1].height;
			}
		studio_close(&studio);
	}
}

/* ---- two traces ---- */

static void
changes_point_up_and_down(void **state)
{
	Studio studio;
	PhScene scene;
	double zero = 0;

	(void) state;
	studio_open(&studio);
	studio_row(&studio, "run", "{\"run_id\":1}");
	studio_row(&studio, "run_b", "{\"run_id\":2}");
	studio_row(&studio, "axis",
			   "{\"first\":0,\"end\":4,\"stride\":1,\"between\":false,\"columns\":4,"
			   "\"columns_a_cell\":1}");
	studio_row(&studio, "bars",
			   "{\"column\":[0,1,2,3],\"step_a\":[0,2,4,null],\"step_b\":[0,2,null,4],"
			   "\"phase_a\":[0,0,0,null],\"phase_b\":[0,0,null,0],\"only_a\":[0,0,1,0],"
			   "\"only_b\":[0,0,0,1],\"lateness\":[500,-300,0,0],\"duration\":[0,0,0,0],"
			   "\"messages\":[0,0,0,0],\"rank\":[3,4,null,null],"
			   "\"region\":[\"MPI_Send\",null,null,null]}");
	studio_draw(&studio, "trace-diff", "", &scene);
	scene_check(&scene);
	assert_int_equal(scene_count(&scene, "only-a"), 1);
	assert_int_equal(scene_count(&scene, "only-b"), 1);
	assert_int_equal(scene_count(&scene, "change"), 2);
	for (uint32_t i = 0; i + 1 < scene.n_items; i++)
		if (scene.items[i].kind == PH_ITEM_OPEN && strcmp(scene.items[i].text, "change") == 0)
		{
			const PhItem *bar = &scene.items[i + 1];

			if (zero == 0)
				zero = bar->y + bar->height;
			else
				assert_true(fabs(bar->y - zero) < 1e-6);
		}
	studio_close(&studio);
}

/* Rows that say too little, or nonsense, draw something or say that there is nothing. */
static void
odd_rows_do_no_harm(void **state)
{
	static const char *const views[] = {"logical", "step-overview", "logical-clusters",
										"trace-diff", "timeline"};
	static const char *const sections[] = {"axis",	  "rows",	"phases",	"cells", "messages",
										   "bars",	  "series", "clusters", "stubs", "links",
										   "logical", "steps",	"window"};
	static const char *const columns[] = {
		"first",		"end",		 "stride",	   "columns",	"columns_a_cell",
		"row",			"column",	 "n",		   "value",		"rank",
		"step",			"phase",	 "first_step", "last_step", "n_events",
		"regions",		"pattern",	 "cluster",	   "parent",	"child_left",
		"child_right",	"n_members", "from_row",   "to_row",	"send_step",
		"receive_step", "bytes",	 "sent",	   "up",		"bins",
		"from",			"to",		 "bar",		   "notes",		"options",
		"distance"};
	static const char *const values[] = {
		"0",  "1", "-1", "null",	"[0,1,2]", "[3,null,-7]", "[\"x\"]", "1e300",
		"[]", "7", "{}", "[1e9,2]", "\"x\"",   "[0.5,1]",	  "true",	 "2"};

	(void) state;
	srand(11);
	for (int round = 0; round < 600; round++)
	{
		Studio studio;
		PhScene scene;

		studio_open(&studio);
		for (size_t s = 0; s < sizeof(sections) / sizeof(sections[0]); s++)
		{
			const char *text = "";

			if (rand() % 6 == 0)
				continue;
			for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
				text = ph_need_format(&studio.arena, "%s%s\"%s\":%s", text, *text ? "," : "",
									  columns[c], values[rand() % 16]);
			studio_row(&studio, sections[s], "{%s}", text);
		}
		if (round % 2)
			studio_row(&studio, "axis",
					   "{\"first\":0,\"end\":9,\"stride\":2,\"columns\":5,\"columns_a_cell\":1}");
		studio_draw(&studio, views[round % 5], round % 5 == 2 ? "--phase 0" : "", &scene);
		assert_int_equal(scene.n_open, 0);
		studio_close(&studio);
	}
}

static void
rows_of_several_ranks_are_called_by_round_ones(void **state)
{
	static const char *const several[] = {"0\342\200\2233", "4\342\200\2237", "8\342\200\22311"};
	static const char *const chares[] = {"Main@0", "Jacobi[0,0]", "Jacobi[1,0]"};
	/* at 10 there is room for every other one: ranks before what belongs to them */
	static const char *const mixed[] = {"0", "0: GPU 0 stream 7", "0: GPU 0 stream 13", "1", "1.1",
										"2"};
	PhRowNames names;
	PhArena arena;
	PhEnv env;

	(void) state;
	ph_env_init_malloc(&env);
	ph_arena_init(&arena, &env);
	names = ph_row_names(&arena, several, 3, 10);
	assert_int_equal(names.ranks_a_row, 4);
	assert_true(names.every == 10); /* ranks are 2.5 high, a line of text 13 */
	assert_string_equal(ph_row_name(&arena, &names, 0), "0");
	assert_null(ph_row_name(&arena, &names, 1));
	assert_string_equal(ph_row_name(&arena, &names, 2), "10");
	names = ph_row_names(&arena, chares, 3, 8);
	assert_string_equal(ph_row_name(&arena, &names, 0), "Main@0");
	assert_null(ph_row_name(&arena, &names, 1));
	assert_string_equal(ph_row_name(&arena, &names, 2), "Jacobi[1,0]");
	names = ph_row_names(&arena, mixed, 6, 10);
	assert_string_equal(ph_row_name(&arena, &names, 0), "0");
	assert_null(ph_row_name(&arena, &names, 1));
	assert_null(ph_row_name(&arena, &names, 2));
	assert_string_equal(ph_row_name(&arena, &names, 3), "1");
	assert_null(ph_row_name(&arena, &names, 4));
	assert_string_equal(ph_row_name(&arena, &names, 5), "2");
	names = ph_row_names(&arena, mixed, 3, 10);
	assert_string_equal(ph_row_name(&arena, &names, 2), "0: GPU 0 stream 13");
	ph_arena_drop(&arena);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(timelines_keep_the_invariants),
		cmocka_unit_test(lines_join_boxes),
		cmocka_unit_test(crowds_stay_visible),
		cmocka_unit_test(heights_of_glyphs_are_shares),
		cmocka_unit_test(rows_of_clusters_tile),
		cmocka_unit_test(changes_point_up_and_down),
		cmocka_unit_test(odd_rows_do_no_harm),
		cmocka_unit_test(rows_of_several_ranks_are_called_by_round_ones),
	};

	studio_pin_fonts();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
