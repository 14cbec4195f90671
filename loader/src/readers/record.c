/*
 * record.c - see record.h: the list, and what becomes of a record.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/record.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/vector.h"

PhStatus
ph_records_add(PhRecordList *records, PhRecord **out)
{
	PH_TRY(PH_GROW(records->arena, &records->list, records->n, &records->room));
	*out = &records->list[records->n++];
	**out = (PhRecord){0};
	return PH_OK;
}

/* ---- what it says ---- */

bool
ph_record_says(PhSlice value)
{
	return value.size > 0 && !ph_slice_is(value, "null") && !ph_slice_is(value, "None");
}

static PhStatus
put(PhRecordList *records, PhRecord *record, const char *key, PhSlice value)
{
	PhRecordItem *item;
	char *copy;
	double number;

	PH_TRY(PH_GROW(records->arena, &record->items, record->n_items, &record->room_items));
	PH_TRY(ph_arena_strndup(records->arena, value.text, value.size, &copy));
	item = &record->items[record->n_items++];
	*item = (PhRecordItem){key, copy, ph_parse_number(value.text, value.size, &number)};
	return PH_OK;
}

PhStatus
ph_record_put_below(PhRecordList *records, PhRecord *record, const char *prefix, const char *key,
					PhSlice value)
{
	PhStr name;
	char *full;

	if (key[0] == '\0' || !ph_record_says(value))
		return PH_OK;
	ph_str_init(&name, records->arena);
	PH_TRY(ph_str_append(&name, prefix));
	PH_TRY(ph_str_append(&name, key));
	PH_TRY(ph_str_take(&name, &full));
	return put(records, record, full, value);
}

PhStatus
ph_record_put(PhRecordList *records, PhRecord *record, const char *key, PhSlice value)
{
	return ph_record_put_below(records, record, "", key, value);
}

PhStatus
ph_record_put_job(PhRecordList *records, PhRecord *record, const char *key, PhSlice job)
{
	char *copy;

	if (!ph_record_says(job))
		return PH_OK;
	PH_TRY(ph_arena_strndup(records->arena, job.text, job.size, &copy));
	record->job = copy;
	return ph_record_put(records, record, key, job);
}

static PhStatus
add_figure(PhRecordList *records, PhRecord *record, const char *name, double value, PhSlice unit)
{
	PhFigure figure = {.value = value};
	char *copy;

	for (uint32_t i = 0; i < record->n_figures; i++)
		if (strcmp(record->figures[i].name, name) == 0)
			return PH_OK; /* the first one counts */
	if (record->n_figures == PH_MOST_FIGURES)
		return ph_fail(records->arena->env, PH_ERR_LIMIT, "more than %d figures of one run",
					   PH_MOST_FIGURES);
	PH_TRY(PH_GROW(records->arena, &record->figures, record->n_figures, &record->room_figures));
	PH_TRY(ph_arena_strndup(records->arena, name, strlen(name), &copy));
	figure.name = copy;
	PH_TRY(
		ph_arena_strndup(records->arena, unit.text, ph_record_says(unit) ? unit.size : 0, &copy));
	figure.unit = copy;
	record->figures[record->n_figures++] = figure;
	return PH_OK;
}

PhStatus
ph_record_put_figure(PhRecordList *records, PhRecord *record, const char *name, PhSlice value,
					 PhSlice unit, const char *prefix)
{
	double number;

	if (name[0] != '\0' && ph_parse_number(value.text, value.size, &number))
		return add_figure(records, record, name, number, unit);
	return ph_record_put_below(records, record, prefix, name, value);
}

const char *
ph_record_get(const PhRecord *record, const char *key)
{
	for (uint32_t i = 0; i < record->n_items; i++)
		if (strcmp(record->items[i].key, key) == 0)
			return record->items[i].value;
	return NULL;
}

PhStatus
ph_record_place(PhRecordList *records, PhRecord *record, const char *const *keys)
{
	PhStr place;
	char *text;

	ph_str_init(&place, records->arena);
	for (uint32_t i = 0; keys[i] != NULL; i++)
	{
		const char *folder = ph_record_get(record, keys[i]);

		if (folder == NULL)
			return PH_OK;
		PH_TRY(ph_str_append(&place, i > 0 ? "/" : ""));
		PH_TRY(ph_str_append(&place, folder));
	}
	PH_TRY(ph_str_take(&place, &text));
	record->place = text;
	return PH_OK;
}

/* ---- a run ---- */

/* Times first: they are what is compared. */
static uint32_t
primary_figure(const PhRecord *record)
{
	for (uint32_t i = 0; i < record->n_figures; i++)
		if (strcmp(record->figures[i].unit, "s") == 0)
			return i;
	return 0;
}

static PhStatus
add_value(PhProfileBuilder *builder, const PhFigure *figure, uint32_t metric, uint32_t node)
{
	return ph_builder_add_value(builder, metric, node, 0, PH_COST_EXCLUSIVE, figure->value);
}

/* The first metric of a run is its primary one and adds up; others are values of their own. */
static PhStatus
add_metrics(PhProfileBuilder *builder, const PhRecord *record)
{
	uint32_t primary = primary_figure(record), index;

	for (uint32_t k = 0; k < record->n_figures; k++)
	{
		const PhFigure *figure = &record->figures[k == 0 ? primary : k <= primary ? k - 1 : k];
		PhMetricSpec spec = {.name = figure->name,
							 .unit = figure->unit,
							 .kind = k == 0 ? PH_METRIC_FLOW : PH_METRIC_VALUE,
							 .combine = k == 0 ? PH_COMBINE_SUM : PH_COMBINE_MEAN,
							 .given = PH_GIVEN_EXCLUSIVE,
							 .may_be_negative = true};

		PH_TRY(ph_builder_add_metric(builder, &spec, &index));
	}
	return PH_OK;
}

static PhStatus
build(PhProfileBuilder *builder, const PhRecord *record)
{
	const char *application = ph_record_get(record, "application");
	PhRegionSpec spec = {.kind = PH_KIND_REGION,
						 .name = application != NULL	? application
								 : record->name != NULL ? record->name
														: "run",
						 .line = PH_NO_NUMBER,
						 .paradigm = "user"};
	PhColumnSpec unit = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = PH_NO_NUMBER,
						 .thread = PH_NO_NUMBER};
	uint32_t primary = primary_figure(record), column, region, node;

	PH_TRY(add_metrics(builder, record));
	PH_TRY(ph_builder_add_column(builder, &unit, &column));
	PH_TRY(ph_builder_add_region(builder, &spec, &region));
	PH_TRY(ph_builder_add_node(builder, PH_NONE, region, &node));
	for (uint32_t k = 0; k < record->n_figures; k++)
		PH_TRY(add_value(builder,
						 &record->figures[k == 0		 ? primary
										  : k <= primary ? k - 1
														 : k],
						 k, node));
	return PH_OK;
}

/* As far as it is a count of something. */
static int32_t
whole_number(const PhRecord *record, const char *key)
{
	const char *text = ph_record_get(record, key);
	int64_t n;

	if (text == NULL || !ph_parse_int64(text, strlen(text), &n) || n < 1 || n > INT32_MAX)
		return PH_NO_NUMBER;
	return (int32_t) n;
}

PhStatus
ph_record_run(PhEnv *env, const PhRecord *record, PhRunInput *out)
{
	PhProfileBuilder *builder;
	PhStatus status;

	*out = ph_run_input_new();
	out->n_ranks = whole_number(record, "ranks");
	out->n_threads = whole_number(record, "threads");
	PH_TRY(ph_builder_new(env, &builder));
	status = build(builder, record);
	if (status == PH_OK)
		status = ph_builder_finish(builder, &out->profile);
	ph_builder_free(builder);
	if (status == PH_OK && record->name != NULL)
		status = ph_run_strdup(env, record->name, &out->title);
	if (status == PH_OK)
		status = ph_record_describe(env, record, &out->meta);
	if (status != PH_OK)
		ph_run_input_free(env, out);
	return status;
}

/* What it says already stays. */
static PhStatus
describe(PhEnv *env, PhMeta *meta, const char *key, const char *value, bool is_number)
{
	return ph_meta_get(meta, key) != NULL ? PH_OK : ph_meta_set(env, meta, key, value, is_number);
}

static PhStatus
describe_figure(PhEnv *env, const PhFigure *figure, PhMeta *meta)
{
	char key[1024], value[32];

	snprintf(value, sizeof(value), "%.17g", figure->value);
	snprintf(key, sizeof(key), PH_FIGURE_PREFIX "%.900s", figure->name);
	PH_TRY(describe(env, meta, key, value, true));
	if (figure->unit[0] == '\0')
		return PH_OK;
	snprintf(key, sizeof(key), PH_FIGURE_PREFIX "%.900s.unit", figure->name);
	return describe(env, meta, key, figure->unit, false);
}

PhStatus
ph_record_describe(PhEnv *env, const PhRecord *record, PhMeta *meta)
{
	for (uint32_t i = 0; i < record->n_items; i++)
	{
		const PhRecordItem *item = &record->items[i];

		PH_TRY(describe(env, meta, item->key, item->value, item->is_number));
	}
	for (uint32_t i = 0; i < record->n_figures; i++)
		PH_TRY(describe_figure(env, &record->figures[i], meta));
	return PH_OK;
}
