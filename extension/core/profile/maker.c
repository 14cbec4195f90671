/*
 * maker.c - begin and end of a profile under construction; copies of its parts.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "base/min_max.h"
#include "base/text.h"
#include "profile/cells.h"
#include "profile/internal.h"
#include "profile/tree.h"

PhStatus
ph_maker_begin(PhMaker *maker, PhEnv *env)
{
	void *memory;
	memset(maker, 0, sizeof(*maker));
	maker->env = env;
	ph_arena_init(&maker->scratch, env);
	PH_TRY(ph_env_alloc(env, 1, sizeof(PhProfile), &memory));
	maker->profile = memory;
	ph_arena_init(&maker->profile->arena, env);
	return ph_strings_init(&maker->strings, &maker->profile->arena);
}

/*
 * x - x is 0 for finite x and NaN otherwise. There is no early exit, because nearly all arrays are
 * finite throughout, and a loop without branches is vectorised.
 */
static bool
all_finite(const double *values, size_t n)
{
	int found = 0;
	for (size_t i = 0; i < n; i++)
		found |= values[i] - values[i] != 0;
	return found == 0;
}

/* A sum may leave the range of doubles although its addends do not. */
static PhStatus
check_finite(PhMaker *maker, const PhMetric *metric, double *values)
{
	size_t cells = values == NULL ? 0 : ph_profile_cells(maker->profile);
	size_t first = 0;
	while (first < cells && all_finite(values + first, PH_MIN(cells - first, PH_POLLED_CELLS)))
	{
		first += PH_MIN(cells - first, PH_POLLED_CELLS);
		PH_TRY(ph_env_poll_now(maker->env));
	}
	for (size_t i = first; i < cells; i++)
	{
		if (isfinite(values[i]))
			continue;
		if (metric->kind == PH_METRIC_FLOW)
		{
			const char *name = maker->strings.text[metric->name];
			return ph_fail(maker->env, PH_ERR_VALUE,
						   "values of metric \"%.*s\" are too large to add up",
						   ph_text_fit(name, 100), name);
		}
		values[i] = NAN;
	}
	return ph_env_poll(maker->env);
}

static PhStatus
check_values(PhMaker *maker)
{
	PhProfile *profile = maker->profile;
	for (uint32_t i = 0; i < profile->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		PH_TRY(check_finite(maker, metric, metric->exclusive));
		PH_TRY(check_finite(maker, metric, metric->inclusive));
		PH_TRY(check_finite(maker, metric, metric->absorbed));
		PH_TRY(check_finite(maker, metric, metric->residual));
	}
	return PH_OK;
}

PhStatus
ph_maker_end(PhMaker *maker, PhStatus status, PhProfile **out)
{
	ph_arena_drop(&maker->scratch);
	if (status == PH_OK)
		status = check_values(maker);
	if (status != PH_OK || maker->profile == NULL)
	{
		ph_profile_free(maker->env, maker->profile);
		return status;
	}
	maker->profile->strings = maker->strings.text;
	maker->profile->n_strings = maker->strings.count;
	ph_profile_tidy(maker->profile);
	*out = maker->profile;
	return PH_OK;
}

void
ph_maker_drop(PhMaker *maker)
{
	ph_arena_drop(&maker->scratch);
	ph_profile_free(maker->env, maker->profile);
}

static PhStatus
take_string(PhMaker *maker, const PhProfile *from, PhString string, PhString *to)
{
	return ph_strings_intern(&maker->strings, from->strings[string], to);
}

PhStatus
ph_maker_column(PhMaker *maker, PhColumn *to, const PhProfile *from, const PhColumn *column)
{
	*to = *column;
	PH_TRY(take_string(maker, from, column->host, &to->host));
	return take_string(maker, from, column->name, &to->name);
}

PhStatus
ph_maker_columns(PhMaker *maker, const PhProfile *from)
{
	PhProfile *profile = maker->profile;
	PH_TRY(PH_NEW(&profile->arena, from->n_columns, &profile->columns));
	profile->n_columns = from->n_columns;
	for (uint32_t i = 0; i < from->n_columns; i++)
		PH_TRY(ph_maker_column(maker, &profile->columns[i], from, &from->columns[i]));
	return PH_OK;
}

PhStatus
ph_maker_metrics(PhMaker *maker, const PhProfile *from)
{
	PhProfile *profile = maker->profile;
	PH_TRY(PH_NEW(&profile->arena, from->n_metrics, &profile->metrics));
	profile->n_metrics = from->n_metrics;
	for (uint32_t i = 0; i < from->n_metrics; i++)
	{
		PhMetric *metric = &profile->metrics[i];
		*metric = from->metrics[i];
		metric->exclusive = metric->inclusive = metric->absorbed = metric->residual = NULL;
		metric->mean_exclusive = metric->mean_inclusive = metric->mean_residual = NULL;
		PH_TRY(take_string(maker, from, from->metrics[i].name, &metric->name));
		PH_TRY(take_string(maker, from, from->metrics[i].unit, &metric->unit));
	}
	return PH_OK;
}

PhStatus
ph_maker_provenance(PhMaker *maker, const PhProfile *from, const char *note)
{
	const PhProvenance *old = &from->provenance;
	PhProvenance *new = &maker->profile->provenance;
	uint32_t n_notes = old->n_notes + (note != NULL);
	PH_TRY(PH_NEW(&maker->profile->arena, old->n_sources, &new->sources));
	PH_TRY(PH_NEW(&maker->profile->arena, n_notes, &new->notes));
	new->n_sources = old->n_sources;
	new->n_notes = n_notes;
	new->share_filtered = old->share_filtered;
	new->residual_cells = old->residual_cells;
	new->missing_columns = old->missing_columns;
	for (uint32_t i = 0; i < old->n_sources; i++)
	{
		new->sources[i].run_id = old->sources[i].run_id;
		PH_TRY(take_string(maker, from, old->sources[i].label, &new->sources[i].label));
	}
	for (uint32_t i = 0; i < old->n_notes; i++)
		PH_TRY(take_string(maker, from, old->notes[i], &new->notes[i]));
	if (note == NULL)
		return PH_OK;
	return ph_strings_intern(&maker->strings, note, &new->notes[old->n_notes]);
}

PhStatus
ph_maker_marks(PhMaker *maker, const PhProfile *from)
{
	PhProfile *to = maker->profile;
	PH_TRY(ph_profile_copy_cells(to, from));
	if (from->diff_status != NULL)
	{
		PH_TRY(PH_NEW(&to->arena, from->n_nodes, &to->diff_status));
		memcpy(to->diff_status, from->diff_status, from->n_nodes);
	}
	return PH_OK;
}

static PhStatus
copy_array(PhArena *arena, const double *from, size_t n, double **to)
{
	if (from == NULL)
		return PH_OK;
	PH_TRY(PH_NEW(arena, n, to));
	for (size_t i = 0; i < n; i += PH_POLLED_CELLS)
	{
		memcpy(*to + i, from + i, PH_MIN(n - i, PH_POLLED_CELLS) * sizeof(double));
		PH_TRY(ph_env_poll_now(arena->env));
	}
	return PH_OK;
}

static PhStatus
copy_values(PhProfile *to, const PhProfile *from)
{
	size_t cells = ph_profile_cells(from);
	for (uint32_t i = 0; i < from->n_metrics; i++)
	{
		const PhMetric *old = &from->metrics[i];
		PhMetric *new = &to->metrics[i];
		PH_TRY(copy_array(&to->arena, old->exclusive, cells, &new->exclusive));
		PH_TRY(copy_array(&to->arena, old->inclusive, cells, &new->inclusive));
		PH_TRY(copy_array(&to->arena, old->absorbed, cells, &new->absorbed));
		PH_TRY(copy_array(&to->arena, old->residual, cells, &new->residual));
	}
	return PH_OK;
}

static PhStatus
copy_parts(PhMaker *maker, const PhProfile *profile)
{
	PH_TRY(ph_tree_copy(maker, profile));
	PH_TRY(ph_maker_columns(maker, profile));
	PH_TRY(ph_maker_metrics(maker, profile));
	PH_TRY(ph_maker_provenance(maker, profile, NULL));
	PH_TRY(ph_maker_marks(maker, profile));
	return copy_values(maker->profile, profile);
}

PhStatus
ph_profile_copy(PhEnv *env, const PhProfile *profile, PhProfile **out)
{
	PhMaker maker;
	PhStatus status = ph_maker_begin(&maker, env);
	if (status == PH_OK)
		status = copy_parts(&maker, profile);
	return ph_maker_end(&maker, status, out);
}

/* Index of text in a finished profile, appended when new. */
static PhStatus
append_string(PhProfile *profile, const char *text, PhString *out)
{
	const char **longer;
	char *copy;
	for (uint32_t i = 0; i < profile->n_strings; i++)
	{
		if (strcmp(profile->strings[i], text) != 0)
			continue;
		*out = i;
		return PH_OK;
	}
	PH_TRY(PH_NEW(&profile->arena, (size_t) profile->n_strings + 1, &longer));
	PH_TRY(ph_arena_strndup(&profile->arena, text, strlen(text), &copy));
	memcpy(longer, profile->strings, profile->n_strings * sizeof(*longer));
	longer[profile->n_strings] = copy;
	profile->strings = longer;
	*out = profile->n_strings++;
	return PH_OK;
}

PhStatus
ph_profile_add_source(PhEnv *env, PhProfile *profile, int64_t run_id, const char *label)
{
	PhProvenance *p = &profile->provenance;
	PhSource *longer;
	const char *text = label == NULL ? "" : label;
	if (p->n_notes > 0)
		return ph_fail(env, PH_ERR_INTERNAL, "a source is added after a note");
	PH_TRY(ph_check_text(env, "source label", text, strlen(text)));
	PH_TRY(PH_NEW(&profile->arena, (size_t) p->n_sources + 1, &longer));
	PH_TRY(append_string(profile, text, &longer[p->n_sources].label));
	if (p->n_sources > 0)
		memcpy(longer, p->sources, p->n_sources * sizeof(*longer));
	longer[p->n_sources++].run_id = run_id;
	p->sources = longer;
	return PH_OK;
}

PhStatus
ph_profile_add_note(PhEnv *env, PhProfile *profile, const char *note)
{
	PhProvenance *p = &profile->provenance;
	PhString *longer;
	PH_TRY(ph_check_text(env, "note", note, strlen(note)));
	PH_TRY(PH_NEW(&profile->arena, (size_t) p->n_notes + 1, &longer));
	PH_TRY(append_string(profile, note, &longer[p->n_notes]));
	if (p->n_notes > 0)
		memcpy(longer, p->notes, p->n_notes * sizeof(*longer));
	p->n_notes++;
	p->notes = longer;
	return PH_OK;
}
