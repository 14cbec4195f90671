/*
 * dictionary.c - interning: regions, call paths and metrics that several runs share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/dictionary.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "base/vector.h"
#include "pipeline/store/array_param.h"
#include "pipeline/store/copy_table.h"

#include "pipeline/store/id_set.h"
#include "queries.h"
#include "system/memory.h"

#define PORTION 50000 /* entries that a statement interns at once */
#define MOST_COLUMNS 6

typedef struct KnownMetric
{
	char *name;
	char *unit;
	int32_t kind, combine, is_signed;
	int32_t numerator_id, denominator_id; /* 0: none */
	int32_t metric_id;
} KnownMetric;

struct PhDictionary
{
	PhContents *contents;
	pthread_mutex_t lock;
	PhEnv env; /* of what follows: used by who holds the lock, whichever worker that is */
	PhIdSet regions;
	PhIdSet callpaths;
	PH_VECTOR(KnownMetric) metrics;
};

/* A region (index into profile->regions) or a call path (node) that is not known yet. */
typedef struct Fresh
{
	uint64_t id;
	uint64_t check;
	const PhProfile *profile;
	uint32_t index;
} Fresh;

typedef PH_VECTOR(Fresh) FreshList;

static PhStatus find_fresh(PhDictionary *dictionary, PhEnv *env, const PhProfile *profile,
						   FreshList *regions, FreshList *callpaths);
static PhStatus sort_unique(PhEnv *env, FreshList *list, const char *what);
static PhStatus intern_fresh(PhEnv *env, PhConnection *db, const FreshList *regions,
							 const FreshList *callpaths);
static PhStatus remember(PhDictionary *dictionary, const FreshList *regions,
						 const FreshList *callpaths);
static PhStatus intern_metrics(PhDictionary *dictionary, PhEnv *env, PhConnection *db,
							   const PhProfile *profile, int32_t *metric_ids);

PhDictionary *
ph_dictionary_new(void)
{
	PhDictionary *dictionary = ph_must_alloc(1, sizeof(*dictionary));

	dictionary->contents = ph_contents_new();
	pthread_mutex_init(&dictionary->lock, NULL);
	ph_env_init_malloc(&dictionary->env);
	return dictionary;
}

void
ph_dictionary_free(PhDictionary *dictionary)
{
	if (dictionary == NULL)
		return;
	for (uint32_t i = 0; i < dictionary->metrics.count; i++)
	{
		free(dictionary->metrics.items[i].name);
		free(dictionary->metrics.items[i].unit);
	}
	PH_VECTOR_FREE(&dictionary->env, &dictionary->metrics);
	ph_id_set_free(&dictionary->env, &dictionary->regions);
	ph_id_set_free(&dictionary->env, &dictionary->callpaths);
	pthread_mutex_destroy(&dictionary->lock);
	ph_contents_free(dictionary->contents);
	free(dictionary);
}

PhContents *
ph_dictionary_contents(PhDictionary *dictionary)
{
	return dictionary->contents;
}

static PhStatus
intern_paths(PhDictionary *dictionary, PhEnv *env, PhConnection *db,
			 const PhProfile *const *profiles, uint32_t n, FreshList *regions, FreshList *callpaths)
{
	PhStatus status = PH_OK;

	pthread_mutex_lock(&dictionary->lock);
	for (uint32_t p = 0; p < n && status == PH_OK; p++)
		status = find_fresh(dictionary, env, profiles[p], regions, callpaths);
	pthread_mutex_unlock(&dictionary->lock);
	PH_TRY(status);
	if (regions->count == 0 && callpaths->count == 0)
		return PH_OK;
	PH_TRY(sort_unique(env, regions, "region"));
	PH_TRY(sort_unique(env, callpaths, "call path"));
	PH_TRY(intern_fresh(env, db, regions, callpaths));
	pthread_mutex_lock(&dictionary->lock);
	status = remember(dictionary, regions, callpaths);
	if (status != PH_OK)
		env->error = dictionary->env.error;
	pthread_mutex_unlock(&dictionary->lock);
	return status;
}

PhStatus
ph_dictionary_intern(PhDictionary *dictionary, PhEnv *env, PhConnection *db,
					 const PhProfile *const *profiles, uint32_t n, int32_t *const *metric_ids)
{
	FreshList regions = {0};
	FreshList callpaths = {0};
	PhStatus status = intern_paths(dictionary, env, db, profiles, n, &regions, &callpaths);

	for (uint32_t p = 0; p < n && status == PH_OK; p++)
		status = intern_metrics(dictionary, env, db, profiles[p], metric_ids[p]);
	PH_VECTOR_FREE(env, &regions);
	PH_VECTOR_FREE(env, &callpaths);
	return status;
}

/* ---- what is new ---- */

static uint64_t
mix(uint64_t hash, uint64_t value)
{
	hash = (hash ^ value) * UINT64_C(0x9e3779b97f4a7c15);
	return hash ^ hash >> 29;
}

static uint64_t
mix_text(uint64_t hash, const char *text)
{
	for (; *text != '\0'; text++)
		hash = (hash ^ (uint8_t) *text) * UINT64_C(0x100000001b3);
	return mix(hash, 0xff);
}

static bool
has_line(const PhRegion *region)
{
	return region->kind == PH_KIND_LOOP || region->kind == PH_KIND_STATEMENT;
}

/* A second hash of the identity, unrelated to the id. */
static uint64_t
region_check(const PhProfile *profile, const PhRegion *region)
{
	uint64_t hash = mix(UINT64_C(0xcbf29ce484222325), region->kind);

	hash = mix_text(hash, ph_profile_string(profile, region->name));
	hash = mix_text(hash, ph_profile_string(profile, region->library));
	hash = mix_text(hash, ph_profile_string(profile, region->file));
	return mix(hash, has_line(region) ? (uint64_t) region->line : 0);
}

static uint64_t
parent_id(const PhProfile *profile, uint32_t node)
{
	uint32_t parent = profile->parent[node];

	return parent == PH_NONE ? 0 : profile->callpath_id[parent];
}

static uint64_t
callpath_check(const PhProfile *profile, uint32_t node)
{
	return mix(mix(1, parent_id(profile, node)), ph_profile_region(profile, node)->region_id);
}

static PhStatus
append(PhEnv *env, FreshList *list, Fresh item)
{
	PH_TRY(PH_ROOM(env, list));
	list->items[list->count++] = item;
	return PH_OK;
}

static PhStatus
collision(PhEnv *env, const char *what, uint64_t id)
{
	return ph_fail_hint(
		env, PH_ERR_CONFLICT, "Two different names have the same 64-bit hash; rename one of them.",
		"%s id %lld stands for something else already", what, (long long) (int64_t) id);
}

static PhStatus
consider(PhEnv *env, const PhIdSet *known, FreshList *list, const char *what, Fresh item)
{
	switch (ph_id_set_find(known, item.id, item.check))
	{
		case PH_ID_KNOWN:
			return PH_OK;
		case PH_ID_COLLISION:
			return collision(env, what, item.id);
		default:
			return append(env, list, item);
	}
}

static PhStatus
find_fresh(PhDictionary *dictionary, PhEnv *env, const PhProfile *profile, FreshList *regions,
		   FreshList *callpaths)
{
	for (uint32_t r = 0; r < profile->n_regions; r++)
	{
		const PhRegion *region = &profile->regions[r];
		Fresh item = {region->region_id, region_check(profile, region), profile, r};

		PH_TRY(consider(env, &dictionary->regions, regions, "region", item));
	}
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		Fresh item = {profile->callpath_id[node], callpath_check(profile, node), profile, node};

		PH_TRY(consider(env, &dictionary->callpaths, callpaths, "call path", item));
	}
	return PH_OK;
}

static int
compare_fresh(const void *x, const void *y)
{
	int64_t a = (int64_t) ((const Fresh *) x)->id;
	int64_t b = (int64_t) ((const Fresh *) y)->id;

	return (a > b) - (a < b);
}

static PhStatus
sort_unique(PhEnv *env, FreshList *list, const char *what)
{
	size_t kept = 0;

	if (list->count > 0)
		qsort(list->items, list->count, sizeof(*list->items), compare_fresh);
	for (size_t i = 0; i < list->count; i++)
	{
		const Fresh *item = &list->items[i];
		const Fresh *last = kept > 0 ? &list->items[kept - 1] : NULL;

		if (last != NULL && last->id == item->id && last->check != item->check)
			return collision(env, what, item->id);
		if (last == NULL || last->id != item->id)
			list->items[kept++] = *item;
	}
	list->count = kept;
	return PH_OK;
}

static PhStatus
remember_all(PhEnv *env, PhIdSet *set, const FreshList *list)
{
	for (uint32_t i = 0; i < list->count; i++)
		PH_TRY(ph_id_set_add(env, set, list->items[i].id, list->items[i].check));
	return PH_OK;
}

static PhStatus
remember(PhDictionary *dictionary, const FreshList *regions, const FreshList *callpaths)
{
	PH_TRY(remember_all(&dictionary->env, &dictionary->regions, regions));
	return remember_all(&dictionary->env, &dictionary->callpaths, callpaths);
}

/* ---- into the database ---- */

/* What a statement interns at once: a part of a list. */
typedef struct Portion
{
	const Fresh *items;
	uint32_t n;
	PhParam params[MOST_COLUMNS];
	int n_params;
} Portion;

static PhStatus
make_array(PhArena *arena, PhArrayType type, Portion *portion,
		   PhStatus (*put)(PhArrayParam *array, const Fresh *item))
{
	PhArrayParam array;

	PH_TRY(ph_array_begin(&array, arena, type, portion->n));
	for (uint32_t i = 0; i < portion->n; i++)
		PH_TRY(put(&array, &portion->items[i]));
	portion->params[portion->n_params++] = ph_array_param(&array);
	return PH_OK;
}

static PhStatus
put_id(PhArrayParam *array, const Fresh *item)
{
	return ph_array_number(array, (int64_t) item->id);
}

static PhStatus
put_kind(PhArrayParam *array, const Fresh *item)
{
	return ph_array_number(array, item->profile->regions[item->index].kind);
}

static PhStatus
put_name(PhArrayParam *array, const Fresh *item)
{
	const PhProfile *profile = item->profile;

	return ph_array_string(array, ph_profile_string(profile, profile->regions[item->index].name));
}

static PhStatus
put_library(PhArrayParam *array, const Fresh *item)
{
	const PhProfile *profile = item->profile;

	return ph_array_string(array,
						   ph_profile_string(profile, profile->regions[item->index].library));
}

static PhStatus
put_file(PhArrayParam *array, const Fresh *item)
{
	const PhProfile *profile = item->profile;

	return ph_array_string(array, ph_profile_string(profile, profile->regions[item->index].file));
}

static PhStatus
put_line(PhArrayParam *array, const Fresh *item)
{
	const PhRegion *region = &item->profile->regions[item->index];

	return has_line(region) && region->line != PH_NO_NUMBER ? ph_array_number(array, region->line)
															: ph_array_null(array);
}

static PhStatus
put_parent(PhArrayParam *array, const Fresh *item)
{
	return item->profile->parent[item->index] == PH_NONE
			   ? ph_array_null(array)
			   : ph_array_number(array, (int64_t) parent_id(item->profile, item->index));
}

static PhStatus
put_region(PhArrayParam *array, const Fresh *item)
{
	return ph_array_number(array,
						   (int64_t) ph_profile_region(item->profile, item->index)->region_id);
}

static PhStatus
put_depth(PhArrayParam *array, const Fresh *item)
{
	return ph_array_number(array, (int32_t) item->profile->depth[item->index]);
}

static PhStatus
list_regions(PhArena *arena, Portion *portion)
{
	PH_TRY(make_array(arena, PH_ARRAY_INT8, portion, put_id));
	PH_TRY(make_array(arena, PH_ARRAY_INT2, portion, put_kind));
	PH_TRY(make_array(arena, PH_ARRAY_TEXT, portion, put_name));
	PH_TRY(make_array(arena, PH_ARRAY_TEXT, portion, put_library));
	PH_TRY(make_array(arena, PH_ARRAY_TEXT, portion, put_file));
	return make_array(arena, PH_ARRAY_INT4, portion, put_line);
}

static PhStatus
list_callpaths(PhArena *arena, Portion *portion)
{
	PH_TRY(make_array(arena, PH_ARRAY_INT8, portion, put_id));
	PH_TRY(make_array(arena, PH_ARRAY_INT8, portion, put_parent));
	PH_TRY(make_array(arena, PH_ARRAY_INT8, portion, put_region));
	return make_array(arena, PH_ARRAY_INT4, portion, put_depth);
}

/* How the one and the other sort of entries is stored. */
typedef struct Sort
{
	const char *what, *intern;
	PhStatus (*list)(PhArena *arena, Portion *portion);
} Sort;

static const Sort sort_of_regions = {"region", ph_sql_intern_region, list_regions};
static const Sort sort_of_callpaths = {"call path", ph_sql_intern_callpath, list_callpaths};

/* Some ids may mean something else already. */
static PhStatus
merge(PhEnv *env, PhConnection *db, const Sort *sort, const Portion *portion)
{
	PhResult *rows = ph_pq_query(db, sort->intern, portion->params, portion->n_params);
	PhStatus status = PH_OK;

	if (rows == NULL)
		return ph_refused(env, db);
	if (ph_result_count(rows) > 0)
		status = ph_fail_hint(env, PH_ERR_CONFLICT,
							  "Two different names have the same 64-bit hash; rename one of them.",
							  "%s id %s would stand for both %s and %s", sort->what,
							  ph_result_text(rows, 0, 0), ph_result_text(rows, 0, 1),
							  ph_result_text(rows, 0, 2));
	ph_result_free(rows);
	return status;
}

/* In order of the ids, so that concurrent loaders wait for each other in one order only. */
static PhStatus
intern_list(PhEnv *env, PhConnection *db, const Sort *sort, const FreshList *list)
{
	PhStatus status = PH_OK;

	for (uint32_t first = 0; first < list->count && status == PH_OK; first += PORTION)
	{
		Portion portion = {.items = list->items + first, .n = PH_MIN(PORTION, list->count - first)};
		PhArena arena;

		ph_arena_init(&arena, env);
		status = sort->list(&arena, &portion);
		if (status == PH_OK)
			status = merge(env, db, sort, &portion);
		ph_arena_drop(&arena);
	}
	return status;
}

static PhStatus
intern_both(PhEnv *env, PhConnection *db, const FreshList *regions, const FreshList *callpaths)
{
	if (!ph_pq_script(db, ph_sql_intern_begin))
		return ph_refused(env, db);
	PH_TRY(intern_list(env, db, &sort_of_regions, regions));
	PH_TRY(intern_list(env, db, &sort_of_callpaths, callpaths));
	return ph_pq_script(db, "COMMIT") ? PH_OK : ph_refused(env, db);
}

static PhStatus
intern_fresh(PhEnv *env, PhConnection *db, const FreshList *regions, const FreshList *callpaths)
{
	PhStatus status = intern_both(env, db, regions, callpaths);

	if (status != PH_OK)
		ph_pq_rollback(db);
	return status;
}

/* ---- metrics ---- */

static bool
same_metric(const KnownMetric *a, const KnownMetric *b)
{
	return a->kind == b->kind && a->combine == b->combine && a->is_signed == b->is_signed &&
		   a->numerator_id == b->numerator_id && a->denominator_id == b->denominator_id &&
		   strcmp(a->name, b->name) == 0 && strcmp(a->unit, b->unit) == 0;
}

static KnownMetric
describe(const PhProfile *profile, const PhMetric *metric, const int32_t *metric_ids)
{
	KnownMetric wanted = {
		.name = (char *) ph_profile_string(profile, metric->name),
		.unit = (char *) ph_profile_string(profile, metric->unit),
		.kind = metric->kind,
		.combine = metric->combine,
		.is_signed = metric->is_signed != 0,
	};

	if (metric->kind == PH_METRIC_RATIO)
	{
		wanted.numerator_id = metric_ids[metric->numerator];
		wanted.denominator_id = metric_ids[metric->denominator];
	}
	return wanted;
}

static int32_t
find_metric(PhDictionary *dictionary, const KnownMetric *wanted)
{
	int32_t id = 0;

	pthread_mutex_lock(&dictionary->lock);
	for (uint32_t i = 0; i < dictionary->metrics.count && id == 0; i++)
	{
		if (same_metric(&dictionary->metrics.items[i], wanted))
			id = dictionary->metrics.items[i].metric_id;
	}
	pthread_mutex_unlock(&dictionary->lock);
	return id;
}

static PhStatus
remember_metric(PhDictionary *dictionary, PhEnv *env, const KnownMetric *wanted, int32_t id)
{
	KnownMetric known = *wanted;
	PhStatus status;

	known.metric_id = id;
	pthread_mutex_lock(&dictionary->lock);
	status = PH_ROOM(&dictionary->env, &dictionary->metrics);
	if (status == PH_OK)
	{
		known.name = ph_strdup(wanted->name);
		known.unit = ph_strdup(wanted->unit);
		dictionary->metrics.items[dictionary->metrics.count++] = known;
	}
	else
		env->error = dictionary->env.error;
	pthread_mutex_unlock(&dictionary->lock);
	return status;
}

/* Metrics that are not known yet, and where their ids go. */
typedef struct Wanted
{
	const KnownMetric *metrics;
	int32_t **ids;
	size_t n;
} Wanted;

enum
{
	METRIC_TEXTS = 2,
	METRIC_NUMBERS = 5,
	METRIC_FIELDS = METRIC_TEXTS + METRIC_NUMBERS
};

/* The arrays of the query, malloc'ed. */
static void
list_fields(const Wanted *wanted, char *lists[METRIC_FIELDS])
{
	const char **texts[METRIC_TEXTS];
	int64_t *numbers[METRIC_NUMBERS];

	for (int f = 0; f < METRIC_TEXTS; f++)
		texts[f] = ph_must_alloc(wanted->n, sizeof(*texts[f]));
	for (int f = 0; f < METRIC_NUMBERS; f++)
		numbers[f] = ph_must_alloc(wanted->n, sizeof(*numbers[f]));
	for (size_t i = 0; i < wanted->n; i++)
	{
		const KnownMetric *metric = &wanted->metrics[i];
		const int64_t of_metric[METRIC_NUMBERS] = {metric->kind, metric->combine, metric->is_signed,
												   metric->numerator_id, metric->denominator_id};

		texts[0][i] = metric->name;
		texts[1][i] = metric->unit;
		for (int f = 0; f < METRIC_NUMBERS; f++)
			numbers[f][i] = of_metric[f];
	}
	for (int f = 0; f < METRIC_TEXTS; f++)
	{
		lists[f] = ph_array_text(texts[f], wanted->n);
		free(texts[f]);
	}
	for (int f = 0; f < METRIC_NUMBERS; f++)
	{
		lists[METRIC_TEXTS + f] = ph_array_int(numbers[f], wanted->n);
		free(numbers[f]);
	}
}

/* Ids of all that the query looks up or inserts; 0: another loader was faster. */
static PhStatus
ask_metrics(PhEnv *env, PhConnection *db, const Wanted *wanted)
{
	char *lists[METRIC_FIELDS];
	PhParam params[METRIC_FIELDS];
	PhResult *rows;

	list_fields(wanted, lists);
	for (int f = 0; f < METRIC_FIELDS; f++)
		params[f] = ph_param_text(lists[f]);
	rows = ph_pq_query(db, ph_sql_intern_metrics, params, METRIC_FIELDS);
	for (int f = 0; f < METRIC_FIELDS; f++)
		free(lists[f]);
	if (rows == NULL)
		return ph_refused(env, db);
	for (size_t row = 0; row < ph_result_count(rows); row++)
	{
		uint64_t place = (uint64_t) ph_result_int(rows, row, 0) - 1;

		if (place < wanted->n)
			*wanted->ids[place] = (int32_t) ph_result_int(rows, row, 1);
	}
	ph_result_free(rows);
	return PH_OK;
}

static const KnownMetric *
first_without_id(const Wanted *wanted)
{
	for (size_t i = 0; i < wanted->n; i++)
	{
		if (*wanted->ids[i] == 0)
			return &wanted->metrics[i];
	}
	return NULL;
}

/* The loser of a race gets no id and asks again. */
static PhStatus
make_metrics(PhDictionary *dictionary, PhEnv *env, PhConnection *db, const Wanted *wanted)
{
	const KnownMetric *missing = first_without_id(wanted);

	for (int attempt = 0; attempt < 3 && missing != NULL; attempt++)
	{
		PH_TRY(ask_metrics(env, db, wanted));
		missing = first_without_id(wanted);
	}
	if (missing != NULL)
		return ph_fail(env, PH_ERR_CONFLICT, "metric \"%s\" could not be interned", missing->name);
	for (size_t i = 0; i < wanted->n; i++)
		PH_TRY(remember_metric(dictionary, env, &wanted->metrics[i], *wanted->ids[i]));
	return PH_OK;
}

static PhStatus
intern_kind(PhDictionary *dictionary, PhEnv *env, PhConnection *db, const PhProfile *profile,
			bool ratios, int32_t *metric_ids)
{
	KnownMetric *metrics = ph_must_alloc(profile->n_metrics, sizeof(*metrics));
	Wanted wanted = {metrics, ph_must_alloc(profile->n_metrics, sizeof(*wanted.ids)), 0};
	PhStatus status = PH_OK;

	for (uint32_t m = 0; m < profile->n_metrics; m++)
	{
		if ((profile->metrics[m].kind == PH_METRIC_RATIO) != ratios)
			continue;
		metrics[wanted.n] = describe(profile, &profile->metrics[m], metric_ids);
		metric_ids[m] = find_metric(dictionary, &metrics[wanted.n]);
		wanted.ids[wanted.n] = &metric_ids[m];
		wanted.n += metric_ids[m] == 0;
	}
	if (wanted.n > 0)
		status = make_metrics(dictionary, env, db, &wanted);
	free(wanted.ids);
	free(metrics);
	return status;
}

/* Ratios last: their identity includes the ids of two other metrics. */
static PhStatus
intern_metrics(PhDictionary *dictionary, PhEnv *env, PhConnection *db, const PhProfile *profile,
			   int32_t *metric_ids)
{
	PH_TRY(intern_kind(dictionary, env, db, profile, false, metric_ids));
	return intern_kind(dictionary, env, db, profile, true, metric_ids);
}
