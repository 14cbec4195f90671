/*
 * columns.c - reductions of the columns: subset and roll-up.
 *
 * Flow adds up over the merged columns in ascending order, value metrics combine, ratios need
 * nothing: they are evaluated from their sums.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "profile/cells.h"
#include "profile/ops.h"
#include "profile/regroup.h"
#include "profile/tree.h"

typedef struct Reshape
{
	const uint32_t *group; /* per old column: new column or PH_NONE */
	uint32_t n_columns;
	const PhColumn *columns;	/* per new column */
	const char *const *strings; /* what their strings index */
	const double *factor;		/* per new column, of flow; NULL: 1 */
	const char *note;
} Reshape;

/*
 * The row of one node: sums by new column are made in a vector, which is 0 before and after, so
 * that a row costs its cells.
 */
static void
reshape_row(const Reshape *reshape, const PhProfile *from, const PhProfile *profile, uint32_t node,
			const double *values, double *vector, double *to)
{
	PhRow row = ph_profile_row(profile, node);
	PhRowWalk walk = ph_row_walk(from, node);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t i = 0; i < span.n; i++)
			if (reshape->group[span.first + i] != PH_NONE)
				vector[reshape->group[span.first + i]] += values[span.cell + i];
	ph_row_gather(&row, vector, to + row.cell);
	ph_row_clear(&row, vector);
	for (uint32_t i = 0; reshape->factor != NULL && i < row.n_runs; i++)
	{
		PhRowSpan span = ph_row_span(&row, i);
		for (uint32_t c = 0; c < span.n; c++)
			to[span.cell + c] *= reshape->factor[span.first + c];
	}
}

static PhStatus
reshape_flow(PhMaker *maker, const Reshape *reshape, const PhProfile *from, const double *values,
			 double **to)
{
	PhProfile *profile = maker->profile;
	double *vector;
	if (values == NULL)
		return PH_OK;
	PH_TRY(PH_NEW(&maker->scratch, reshape->n_columns, &vector));
	PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
	for (uint32_t node = 0; node < from->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(maker->env));
		reshape_row(reshape, from, profile, node, values, vector, *to);
	}
	return PH_OK;
}

static void
combine_row(const Reshape *reshape, const PhProfile *from, const PhProfile *profile, uint32_t node,
			PhCombine how, const double *values, PhCombined *combined, double *to)
{
	PhRowWalk walk = ph_row_walk(from, node), made = ph_row_walk(profile, node);
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t i = 0; i < span.n; i++)
			if (reshape->group[span.first + i] != PH_NONE)
				ph_combine(&combined[reshape->group[span.first + i]], how, values[span.cell + i]);
	for (PhRowSpan span; ph_row_next(&made, &span);)
		for (uint32_t i = 0; i < span.n; i++)
		{
			to[span.cell + i] = ph_combined(&combined[span.first + i], how);
			combined[span.first + i] = (PhCombined){0};
		}
}

static PhStatus
reshape_value(PhMaker *maker, const Reshape *reshape, const PhProfile *from, PhCombine how,
			  const double *values, double **to)
{
	PhProfile *profile = maker->profile;
	PhCombined *combined;
	PH_TRY(PH_NEW(&maker->scratch, reshape->n_columns, &combined));
	PH_TRY(PH_NEW(&profile->arena, ph_profile_cells(profile), to));
	for (uint32_t node = 0; node < from->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(maker->env));
		combine_row(reshape, from, profile, node, how, values, combined, *to);
	}
	return PH_OK;
}

static PhStatus
reshape_metric(PhMaker *maker, const Reshape *reshape, const PhProfile *from, const PhMetric *old,
			   PhMetric *metric)
{
	if (old->kind == PH_METRIC_RATIO)
		return PH_OK;
	if (old->kind == PH_METRIC_VALUE)
	{
		PH_TRY(
			reshape_value(maker, reshape, from, old->combine, old->exclusive, &metric->exclusive));
		return reshape_value(maker, reshape, from, old->combine, old->inclusive,
							 &metric->inclusive);
	}
	PH_TRY(reshape_flow(maker, reshape, from, old->exclusive, &metric->exclusive));
	PH_TRY(reshape_flow(maker, reshape, from, old->inclusive, &metric->inclusive));
	PH_TRY(reshape_flow(maker, reshape, from, old->absorbed, &metric->absorbed));
	return reshape_flow(maker, reshape, from, old->residual, &metric->residual);
}

/* The new columns of one node, each once: columns of a group are often neighbours. */
static PhStatus
reshape_presence(const Reshape *reshape, const PhProfile *from, uint32_t node, PhPresence *presence)
{
	PhRowWalk walk = ph_row_walk(from, node);
	uint32_t last = PH_NONE;
	for (PhRowSpan span; ph_row_next(&walk, &span);)
		for (uint32_t c = span.first; c < span.first + span.n; c++)
		{
			uint32_t group = reshape->group[c];
			if (group != PH_NONE && group != last)
				PH_TRY(ph_presence_add(presence, node, group, 1));
			last = group;
		}
	return PH_OK;
}

/* Groups without a column. */
static PhStatus
has_empty_group(PhArena *scratch, const Reshape *reshape, uint32_t n_old, bool *out)
{
	bool *has;
	PH_TRY(PH_NEW(scratch, reshape->n_columns, &has));
	for (uint32_t c = 0; c < n_old; c++)
		if (reshape->group[c] != PH_NONE)
			has[reshape->group[c]] = true;
	*out = false;
	for (uint32_t i = 0; i < reshape->n_columns; i++)
		*out = *out || !has[i];
	return PH_OK;
}

static PhStatus
reshape_cells(PhMaker *maker, const Reshape *reshape, const PhProfile *from)
{
	PhPresence presence;
	bool has_empty;
	PH_TRY(has_empty_group(&maker->scratch, reshape, from->n_columns, &has_empty));
	if (from->first_cell == NULL && !has_empty)
		return PH_OK;
	ph_presence_init(&presence, &maker->scratch);
	for (uint32_t node = 0; node < from->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(maker->env));
		PH_TRY(reshape_presence(reshape, from, node, &presence));
	}
	return ph_profile_set_cells(maker->profile, &presence);
}

static PhStatus
reshape_parts(PhMaker *maker, const PhProfile *from, const Reshape *reshape)
{
	PhProfile *profile = maker->profile;
	/* columns speak of another string table */
	PhProfile names = {.strings = (const char **) reshape->strings,
					   .columns = (PhColumn *) reshape->columns,
					   .n_columns = reshape->n_columns};
	PH_TRY(ph_tree_copy(maker, from));
	PH_TRY(ph_maker_columns(maker, &names));
	PH_TRY(ph_maker_metrics(maker, from));
	PH_TRY(ph_maker_provenance(maker, from, reshape->note));
	if (from->diff_status != NULL)
	{
		PH_TRY(PH_NEW(&profile->arena, from->n_nodes, &profile->diff_status));
		memcpy(profile->diff_status, from->diff_status, from->n_nodes);
	}
	PH_TRY(reshape_cells(maker, reshape, from));
	for (uint32_t i = 0; i < from->n_metrics; i++)
		PH_TRY(reshape_metric(maker, reshape, from, &from->metrics[i], &profile->metrics[i]));
	profile->provenance.share_filtered = ph_profile_share_absorbed(profile);
	return PH_OK;
}

static PhStatus
reshape_one(PhEnv *env, const PhProfile *profile, const void *arguments, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = reshape_parts(&maker, profile, arguments);
	return ph_maker_end(&maker, status, out);
}

static PhStatus
subset_columns(PhArena *scratch, const PhProfile *profile, const bool *keep, PhProfile **out)
{
	uint32_t *group, n_kept = 0;
	PhColumn *columns;
	char note[64];
	PH_TRY(PH_NEW(scratch, profile->n_columns, &group));
	PH_TRY(PH_NEW(scratch, profile->n_columns, &columns));
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		group[i] = keep[i] ? n_kept : PH_NONE;
		if (keep[i])
			columns[n_kept++] = profile->columns[i];
	}
	if (n_kept == 0)
		return ph_fail(scratch->env, PH_ERR_VALUE, "no column is left of %u", profile->n_columns);
	snprintf(note, sizeof(note), "subset: %u of %u columns", n_kept, profile->n_columns);
	Reshape reshape = {group, n_kept, columns, profile->strings, NULL, note};
	return ph_reduce_deep(scratch->env, profile, reshape_one, &reshape, out);
}

PhStatus
ph_profile_subset(PhEnv *env, const PhProfile *profile, const bool *keep, PhProfile **out)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = subset_columns(&scratch, profile, keep, out);
	ph_arena_drop(&scratch);
	return status;
}

PhStatus
ph_profile_roll_up(PhEnv *env, const PhProfile *profile, const uint32_t *group, uint32_t n_groups,
				   const PhColumn *columns, PhProfile **out)
{
	char note[64];
	if (n_groups == 0)
		return ph_fail(env, PH_ERR_VALUE, "no column is left of %u", profile->n_columns);
	for (uint32_t i = 0; i < profile->n_columns; i++)
		if (group[i] != PH_NONE && group[i] >= n_groups)
			return ph_fail(env, PH_ERR_VALUE, "column %u is in group %u of %u", i, group[i],
						   n_groups);
	for (uint32_t i = 0; i < n_groups; i++)
		if (columns[i].host >= profile->n_strings || columns[i].name >= profile->n_strings)
			return ph_fail(env, PH_ERR_VALUE, "label of group %u is not a string of the profile",
						   i);
	snprintf(note, sizeof(note), "roll up: %u columns to %u", profile->n_columns, n_groups);
	Reshape reshape = {group, n_groups, columns, profile->strings, NULL, note};
	return ph_reduce_deep(env, profile, reshape_one, &reshape, out);
}

typedef enum Level
{
	LEVEL_RANK,
	LEVEL_PROCESS,
	LEVEL_HOST,
	LEVEL_THREAD,
	LEVEL_ITERATION,
	LEVEL_RUN,
	LEVEL_ALL,
	LEVEL_COUNT
} Level;

static const char *const level_names[LEVEL_COUNT] = {"rank",	  "process", "host", "thread",
													 "iteration", "run",	 "all"};

/* LEVEL_COUNT when there is no such level. */
static Level
parse_level(const char *text)
{
	int level = 0;
	while (level < LEVEL_COUNT && strcmp(text, level_names[level]) != 0)
		level++;
	return (Level) level;
}

/* A roll-up under way, with a string table for the labels of the groups. */
typedef struct RollUp
{
	const PhProfile *profile;
	Level level;
	PhStrings strings;
	PhRecords groups;  /* keys: PhColumn */
	uint32_t *group;   /* per old column */
	PhColumn *columns; /* per group */
	PhProfile names;   /* strings and columns of the groups, for ph_column_compare */
} RollUp;

static PhStatus
take_name(RollUp *roll, PhString from, PhString *to)
{
	return ph_strings_intern(&roll->strings, roll->profile->strings[from], to);
}

/* What the columns of one group have in common by definition; padding stays zero. */
static PhStatus
group_key(RollUp *roll, const PhColumn *column, PhColumn *key)
{
	memset(key, 0, sizeof(*key));
	key->iteration = PH_NO_ITERATION;
	key->rank = key->thread = PH_NO_NUMBER;
	key->kind = PH_COLUMN_GROUP;
	if (roll->level == LEVEL_ALL)
		return ph_strings_intern(&roll->strings, "all", &key->name);
	key->run_id = column->run_id;
	if (roll->level == LEVEL_HOST)
		return take_name(roll, column->host, &key->host);
	if (roll->level == LEVEL_ITERATION)
	{
		key->iteration = column->iteration;
		return PH_OK;
	}
	if (roll->level == LEVEL_RUN)
	{
		key->kind = PH_COLUMN_RUN;
		return column->kind == PH_COLUMN_RUN ? take_name(roll, column->name, &key->name) : PH_OK;
	}
	key->kind = column->kind;
	key->rank = column->rank;
	key->thread = roll->level == LEVEL_THREAD ? column->thread : PH_NO_NUMBER;
	bool has_rank = column->rank != PH_NO_NUMBER;
	return has_rank ? PH_OK : take_name(roll, column->name, &key->name);
}

static PhStatus
assign_groups(PhArena *scratch, RollUp *roll)
{
	const PhProfile *profile = roll->profile;
	ph_records_init(&roll->groups, scratch, sizeof(PhColumn));
	PH_TRY(ph_strings_init(&roll->strings, scratch));
	PH_TRY(PH_NEW(scratch, profile->n_columns, &roll->group));
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		PhColumn key;
		PH_TRY(group_key(roll, &profile->columns[i], &key));
		PH_TRY(ph_records_intern(&roll->groups, &key, &roll->group[i]));
	}
	return PH_OK;
}

/* A group has a host when all its columns have that one. */
static PhStatus
common_hosts(PhArena *scratch, RollUp *roll)
{
	const PhProfile *profile = roll->profile;
	bool *seen;
	PH_TRY(PH_NEW(scratch, roll->groups.count, &seen));
	for (uint32_t i = 0; i < profile->n_columns; i++)
	{
		PhColumn *group = &roll->columns[roll->group[i]];
		PhString host;
		PH_TRY(take_name(roll, profile->columns[i].host, &host));
		group->host = !seen[roll->group[i]] || group->host == host ? host : 0;
		seen[roll->group[i]] = true;
	}
	return PH_OK;
}

static int
compare_groups(const void *context, uint32_t x, uint32_t y)
{
	const PhProfile *names = context;
	return ph_column_compare(names, &names->columns[x], names, &names->columns[y]);
}

static PhStatus
sort_groups(PhArena *scratch, RollUp *roll)
{
	uint32_t n = roll->groups.count, *order, *place;
	PhColumn *sorted;
	roll->columns = (PhColumn *) (void *) roll->groups.bytes;
	PH_TRY(common_hosts(scratch, roll));
	roll->names.strings = roll->strings.text;
	roll->names.columns = roll->columns;
	PH_TRY(ph_sort_indices(scratch, n, compare_groups, &roll->names, &order));
	PH_TRY(PH_NEW(scratch, n, &place));
	PH_TRY(PH_NEW(scratch, n, &sorted));
	for (uint32_t i = 0; i < n; i++)
	{
		sorted[i] = roll->columns[order[i]];
		place[order[i]] = i;
	}
	for (uint32_t i = 0; i < roll->profile->n_columns; i++)
		roll->group[i] = place[roll->group[i]];
	roll->columns = sorted;
	return PH_OK;
}

static PhStatus
roll_up_to_level(PhArena *scratch, const PhProfile *profile, Level level, PhProfile **out)
{
	RollUp roll = {.profile = profile, .level = level};
	char note[96];
	if (profile->n_columns == 0)
		return ph_fail(scratch->env, PH_ERR_VALUE, "the profile has no columns to roll up");
	PH_TRY(assign_groups(scratch, &roll));
	PH_TRY(sort_groups(scratch, &roll));
	snprintf(note, sizeof(note), "roll up: by %s, %u columns to %u", level_names[level],
			 profile->n_columns, roll.groups.count);
	Reshape reshape = {roll.group, roll.groups.count, roll.columns, roll.strings.text, NULL, note};
	return ph_reduce_deep(scratch->env, profile, reshape_one, &reshape, out);
}

PhStatus
ph_profile_roll_up_by(PhEnv *env, const PhProfile *profile, const char *level, PhProfile **out)
{
	Level parsed = parse_level(level);
	PhArena scratch;
	if (parsed == LEVEL_COUNT)
		return ph_fail_hint(env, PH_ERR_VALUE,
							"Levels are rank (or process), host, thread, iteration, run and all.",
							"unknown level \"%.*s\"", ph_text_fit(level, 100), level);
	ph_arena_init(&scratch, env);
	PhStatus status = roll_up_to_level(&scratch, profile, parsed, out);
	ph_arena_drop(&scratch);
	return status;
}

/* Groups by label: a group per label, in the order of their first columns. */
typedef struct Labels
{
	PhStrings strings;
	PhRecords known; /* keys: PhString */
	uint32_t *group; /* per old column: group or PH_NONE */
	uint32_t *count; /* per group */
	PhColumn *columns;
	double *factor;
} Labels;

/* What all columns of a group have in common stays: the run and the host. */
static PhStatus
join_group(Labels *labels, const PhProfile *profile, uint32_t index)
{
	const PhColumn *column = &profile->columns[index];
	uint32_t group = labels->group[index];
	PhColumn *whole = &labels->columns[group];
	PhString host;
	PH_TRY(ph_strings_intern(&labels->strings, profile->strings[column->host], &host));
	if (labels->count[group]++ == 0)
	{
		const PhString *name = (const PhString *) (void *) labels->known.bytes + group;
		whole->kind = PH_COLUMN_GROUP;
		whole->iteration = PH_NO_ITERATION;
		whole->rank = whole->thread = PH_NO_NUMBER;
		whole->name = *name;
		whole->run_id = column->run_id;
		whole->host = host;
	}
	whole->run_id = whole->run_id == column->run_id ? whole->run_id : 0;
	whole->host = whole->host == host ? host : 0;
	return PH_OK;
}

static PhStatus
group_by_label(PhArena *scratch, const PhProfile *profile, const char *const *texts, Labels *labels)
{
	uint32_t n = profile->n_columns;
	PH_TRY(ph_strings_init(&labels->strings, scratch));
	ph_records_init(&labels->known, scratch, sizeof(PhString));
	PH_TRY(PH_NEW(scratch, n, &labels->group));
	PH_TRY(PH_NEW(scratch, n, &labels->count));
	PH_TRY(PH_NEW(scratch, n, &labels->columns));
	PH_TRY(PH_NEW(scratch, n, &labels->factor));
	for (uint32_t i = 0; i < n; i++)
	{
		PhString label;
		labels->group[i] = PH_NONE;
		if (texts[i] == NULL)
			continue;
		PH_TRY(ph_strings_intern(&labels->strings, texts[i], &label));
		PH_TRY(ph_records_intern(&labels->known, &label, &labels->group[i]));
		PH_TRY(join_group(labels, profile, i));
	}
	for (uint32_t group = 0; group < labels->known.count; group++)
		labels->factor[group] = 1.0 / labels->count[group];
	return PH_OK;
}

static PhStatus
roll_up_labels(PhArena *scratch, const PhProfile *profile, const char *const *texts, bool means,
			   PhProfile **out)
{
	Labels labels;
	char note[96];
	PH_TRY(group_by_label(scratch, profile, texts, &labels));
	uint32_t n = labels.known.count;
	if (n == 0)
		return ph_fail(scratch->env, PH_ERR_VALUE, "no column is left of %u", profile->n_columns);
	snprintf(note, sizeof(note), "roll up: %s of %u columns in %u groups", means ? "means" : "sums",
			 profile->n_columns, n);
	Reshape reshape = {
		labels.group, n, labels.columns, labels.strings.text, means ? labels.factor : NULL, note};
	return ph_reduce_deep(scratch->env, profile, reshape_one, &reshape, out);
}

PhStatus
ph_profile_roll_up_labels(PhEnv *env, const PhProfile *profile, const char *const *labels,
						  bool means, PhProfile **out)
{
	PhArena scratch;
	ph_arena_init(&scratch, env);
	PhStatus status = roll_up_labels(&scratch, profile, labels, means, out);
	ph_arena_drop(&scratch);
	return status;
}
