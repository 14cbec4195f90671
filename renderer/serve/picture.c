/*
 * picture.c - /view/NAME.svg|png|pdf: the renderer's views, drawn on request.
 *
 * A picture has its own arena with a limit: what is too large is an error of this request.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/expression.h"
#include "request/fetch.h"
#include "serve/row_json.h"

#define MOST_ROW_BYTES ((size_t) 192 << 20)
#define MOST_BYTES ((size_t) 768 << 20)
#define MOST_PIXELS 5e7

/* One picture in the making. */
typedef struct Picture
{
	PhSession *session; /* NULL: parameters are checked only */
	PhFonts *fonts;
	const PhView *view;
	PhPictureFormat format;
	const PhTarget *target;
	PhAnswer *answer;
	PhEnv env;
	PhArena arena;
	PhOptions options;
	PhViewRows rows;
	const PhOwnQuery *own; /* NULL: of runs */
	PhAskedQuery asked;
	char runs[PH_RUNS_SIZE];
	bool ok;
} Picture;

static bool
parse_format(const char *ending, PhPictureFormat *out)
{
	PhFormat format;

	*out = PH_PICTURE_JSON;
	if (strcmp(ending, "json") == 0)
		return true;
	*out = PH_PICTURE_SQL;
	if (strcmp(ending, "sql") == 0)
		return true;
	if (!ph_format_parse(ending, &format))
		return false;
	*out = (PhPictureFormat) format;
	return true;
}

bool
ph_picture_split(const char *text, char *name, size_t size, PhPictureFormat *format)
{
	const char *dot = strrchr(text, '.');

	if (dot == NULL || dot == text || (size_t) (dot - text) >= size ||
		!parse_format(dot + 1, format))
		return false;
	memcpy(name, text, (size_t) (dot - text));
	name[dot - text] = '\0';
	return true;
}

bool
ph_picture_find(const char *name, const PhView **view, PhPictureFormat *format)
{
	char stem[64];

	*view = NULL;
	if (!ph_picture_split(name, stem, sizeof(stem), format))
		return false;
	*view = ph_view_find(stem);
	if (*view != NULL && (*view)->query == NULL) /* draws queries only: /q and /sql have them */
		*view = NULL;
	return true;
}

const char *
ph_picture_type(PhPictureFormat format)
{
	static const char *const types[] = {"image/svg+xml; charset=utf-8", "image/png",
										"application/pdf", "application/json", PH_SQL_TYPE};

	return types[format];
}

char *
ph_picture_names(void)
{
	PhTextStream stream;

	if (!ph_text_stream_open(&stream))
		return NULL;
	fputs("Use /view/NAME.svg, .png, .pdf or .json with one of: ", stream.file);
	for (const PhView *const *view = ph_views; *view; view++)
		if ((*view)->query != NULL)
			fprintf(stream.file, "%s%s", view == ph_views ? "" : ", ", (*view)->name);
	fputs(".", stream.file);
	return ph_text_stream_take(&stream, NULL);
}

static bool
refuse(Picture *picture, int status, const char *parameter, const char *message, const char *hint)
{
	ph_answer_error(picture->answer, status, ph_options_request_words(&picture->arena, message),
					ph_options_request_words(&picture->arena, hint), parameter);
	return false;
}

/* Of what is no variable of a query: the size and look of its picture. */
static bool
is_drawn_by(const char *name)
{
	return ph_own_is_option(name) && strcmp(name, "version") != 0 && strcmp(name, "limit") != 0;
}

static bool
read_options(Picture *picture)
{
	const PhTarget *target = picture->target;
	const char *names[PH_TARGET_MOST_PARAMETERS];
	const char *texts[PH_TARGET_MOST_PARAMETERS];
	const char *message = NULL;
	const char *hint = NULL;
	PhProblem problem;
	PhFailure failure;
	size_t n = 0;

	for (size_t i = 0; i < target->n_parameters; i++)
	{
		if (picture->own != NULL && !is_drawn_by(target->parameters[i].name))
			continue;
		names[n] = target->parameters[i].name;
		texts[n++] = target->parameters[i].value;
	}
	if (!ph_options_request(&picture->options, &picture->arena, picture->view->options,
							ph_view_common, "this view", names, texts, n, &problem) ||
		(picture->own == NULL && !ph_values_demand(&picture->options.values, &problem)))
		return refuse(picture, problem.has_form ? 422 : 400, problem.parameter, problem.message,
					  problem.hint);
	picture->options.query = picture->own != NULL ? &picture->asked : NULL;
	picture->view = ph_view_asked(picture->view, &picture->options);
	if (picture->own == NULL && picture->view->check &&
		!picture->view->check(&picture->options, &message, &hint))
		return refuse(picture, 422, NULL, message, hint);
	if (!ph_fetch_check(picture->view, &picture->options, &failure))
		return refuse(picture, 422, NULL, failure.message, failure.hint);
	return true;
}

/* The runs that the picture is of, unless which they are depends on the warehouse. */
static void
note_runs(Picture *picture)
{
	const char *run = ph_option_text(&picture->options, "run");
	const char *vs = ph_option_text(&picture->options, "vs");

	if (picture->view->many_runs || run == NULL ||
		ph_option_is(&picture->options, "vs", "ensemble"))
		return;
	snprintf(picture->runs, sizeof(picture->runs), "{%.20s%s%.20s}", run, vs != NULL ? "," : "",
			 vs != NULL ? vs : "");
}

static bool
fetch(Picture *picture)
{
	PhFailure failure;

	ph_rows_init(&picture->rows, &picture->arena);
	picture->rows.keep_objects = picture->format == PH_PICTURE_JSON;
	if (ph_fetch_rows(picture->session->connection, picture->view, &picture->options,
					  MOST_ROW_BYTES, &picture->rows, &failure))
		return true;
	ph_api_fail(picture->answer, failure.code, failure.sqlstate,
				ph_options_request_words(&picture->arena, failure.message),
				ph_options_request_words(&picture->arena, failure.hint));
	return false;
}

/* The rows instead of the picture. */
static bool
write_rows(Picture *picture)
{
	PhRowJson json;

	if (!ph_row_json_begin(&json))
	{
		ph_answer_memory(picture->answer);
		return false;
	}
	for (uint32_t t = 0; t < picture->rows.n_tables; t++)
	{
		const PhTable *table = &picture->rows.tables[t];

		if (table->n_rows > 0)
			ph_row_json_section(&json, table->name);
		for (uint32_t row = 0; row < table->n_rows; row++)
			ph_row_json_add(&json, table->name, table->objects[row]);
	}
	ph_answer_stream(picture->answer, ph_picture_type(picture->format), &json.stream,
					 ph_row_json_end(&json));
	ph_answer_tag(picture->answer);
	return picture->answer->status == 200;
}

static bool
draw_picture(Picture *picture)
{
	const char *message = NULL;
	PhPicture drawn = {0};
	PhScene scene;
	double scale = ph_option_number(&picture->options, "scale");

	ph_view_draw(picture->view, &picture->options, &picture->rows, picture->fonts, &picture->arena,
				 (PhFormat) picture->format, &scene);
	if (picture->format == PH_PICTURE_PNG &&
		scene.width * scene.height * scale * scale > MOST_PIXELS)
		return refuse(picture, 413, NULL, "the picture is too large for PNG",
					  "Filter more, use a smaller scale, width or height, or SVG.");
	if (!ph_draw(&scene, (PhFormat) picture->format, scale, &drawn, &message))
	{
		if (!drawn.no_memory)
			return refuse(picture, 413, NULL, message, NULL);
		ph_answer_memory(picture->answer);
		return false;
	}
	ph_answer_take(picture->answer, 200, ph_picture_type(picture->format), drawn.bytes, drawn.size);
	ph_answer_tag(picture->answer);
	return true;
}

static bool
write_sql(Picture *picture)
{
	const char *sql = ph_expression(picture->view, &picture->options);
	PhTextStream stream;

	if (!ph_text_stream_open(&stream))
	{
		ph_answer_memory(picture->answer);
		return false;
	}
	fprintf(stream.file, "%s;\n", sql);
	ph_answer_stream(picture->answer, ph_picture_type(PH_PICTURE_SQL), &stream, true);
	ph_answer_tag(picture->answer);
	return picture->answer->status == 200;
}

/* The query of people, and the view that it is drawn by. */
static bool
find_own(Picture *picture)
{
	const char *name = NULL;

	if (!ph_own_find(picture->session, &picture->arena, picture->own, picture->target,
					 &picture->asked, &name, picture->answer))
		return false;
	if (picture->view == NULL && name != NULL)
		picture->view = ph_view_find(name);
	if (picture->view != NULL)
		return true;
	ph_answer_error(picture->answer, 404,
					name == NULL ? "the query is saved without a view" : "there is no such view",
					"perfhouse query add NAME --view VIEW --replace saves it with one.", NULL);
	return false;
}

static void
make(void *user)
{
	Picture *picture = user;

	picture->ok = (picture->own == NULL || find_own(picture)) && read_options(picture);
	if (!picture->ok)
		return;
	if (picture->own == NULL)
		note_runs(picture);
	if (picture->session == NULL)
	{
		if (picture->format == PH_PICTURE_SQL)
			picture->ok = write_sql(picture);
		return;
	}
	picture->ok = fetch(picture) && (picture->format == PH_PICTURE_JSON ? write_rows(picture)
																		: draw_picture(picture));
}

/* True: nothing went wrong. */
static bool
run_guarded(Picture *picture)
{
	char message[160];
	bool finished;

	ph_env_init_malloc(&picture->env);
	picture->env.byte_limit = MOST_BYTES;
	ph_arena_init(&picture->arena, &picture->env);
	finished = ph_need_guarded(make, picture, message, sizeof(message));
	if (!finished)
	{
		if (picture->env.error.status == PH_ERR_LIMIT)
			ph_answer_error(picture->answer, 413, "the picture takes too much memory",
							"Filter more, or choose fewer ranks or a shorter window.", NULL);
		else
			ph_answer_memory(picture->answer);
		if (picture->session != NULL)
			ph_session_close(picture->session); /* perhaps in the middle of a query */
	}
	ph_arena_drop(&picture->arena);
	return finished && picture->ok;
}

bool
ph_picture_check(const PhView *view, const PhTarget *target, PhAnswer *answer,
				 char runs[PH_RUNS_SIZE])
{
	Picture picture = {.view = view, .target = target, .answer = answer};
	bool ok = run_guarded(&picture);

	memcpy(runs, picture.runs, PH_RUNS_SIZE);
	return ok;
}

void
ph_picture_run(PhSession *session, PhFonts *fonts, const PhView *view, PhPictureFormat format,
			   const PhTarget *target, PhAnswer *answer)
{
	Picture picture = {.session = session,
					   .fonts = fonts,
					   .view = view,
					   .format = format,
					   .target = target,
					   .answer = answer};

	run_guarded(&picture);
}

void
ph_picture_sql(const PhView *view, const PhTarget *target, PhAnswer *answer)
{
	Picture picture = {.view = view, .format = PH_PICTURE_SQL, .target = target, .answer = answer};

	run_guarded(&picture);
}

void
ph_picture_own(PhSession *session, PhFonts *fonts, const PhOwnQuery *own, const PhView *view,
			   PhPictureFormat format, const PhTarget *target, PhAnswer *answer)
{
	Picture picture = {.session = session,
					   .fonts = fonts,
					   .view = view,
					   .format = format,
					   .target = target,
					   .answer = answer,
					   .own = own};

	run_guarded(&picture);
}
