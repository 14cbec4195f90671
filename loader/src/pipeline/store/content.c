/*
 * content.c - see content.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/store/content.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/crc32c.h"
#include "base/hash.h"
#include "base/str.h"
#include "pipeline/store/array_param.h"
#include "pipeline/store/copy_table.h"
#include "pipeline/store/id_set.h"
#include "profile/flat.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"

#define REMEMBERED_NS (INT64_C(3600) * 1000000000)

struct PhContents
{
	pthread_mutex_t lock; /* held while the database is asked: nobody else makes the same */
	PhEnv env;
	PhIdSet trees;
	PhIdSet labels;
	int64_t since; /* when the sets were empty */
};

/* Something to store: its bytes are what the id is the hash of. */
typedef struct Content
{
	int64_t id;
	uint32_t crc;
	uint8_t *bytes;
	size_t size;
} Content;

/* How the one and the other sort of content is looked for and stored. */
typedef struct Sort
{
	const char *what;
	const char *known_sql;
	const char *store_sql;
	PhStatus (*make)(PhArena *arena, const PhRunInput *input, Content *out);
} Sort;

PhContents *
ph_contents_new(void)
{
	PhContents *contents = ph_must_alloc(1, sizeof(*contents));

	pthread_mutex_init(&contents->lock, NULL);
	ph_env_init_malloc(&contents->env);
	return contents;
}

void
ph_contents_free(PhContents *contents)
{
	if (contents == NULL)
		return;
	ph_id_set_free(&contents->env, &contents->trees);
	ph_id_set_free(&contents->env, &contents->labels);
	pthread_mutex_destroy(&contents->lock);
	free(contents);
}

static void
identify(Content *content)
{
	content->id = (int64_t) ph_hash_bytes(content->bytes, content->size);
	content->crc = ph_crc32c(0, content->bytes, content->size);
}

/* ---- trees ---- */

static PhStatus
make_tree(PhArena *arena, const PhRunInput *input, Content *out)
{
	PhProfile *skeleton;
	PhStatus status;

	PH_TRY(ph_profile_skeleton(arena->env, input->profile, &skeleton));
	status = ph_profile_flat_size(arena->env, skeleton, &out->size);
	if (status == PH_OK)
		status = PH_NEW(arena, out->size, &out->bytes);
	if (status == PH_OK)
		status = ph_profile_flatten(arena->env, skeleton, out->bytes);
	if (status == PH_OK)
		identify(out);
	ph_profile_free(arena->env, skeleton);
	return status;
}

/* ---- labels ---- */

typedef struct Label
{
	int64_t region_id;
	int32_t local_id;
	int32_t line; /* -1: unknown */
	const char *module, *raw_file, *paradigm;
} Label;

static int
compare_labels(const void *x, const void *y)
{
	const Label *a = x;
	const Label *b = y;

	if (a->region_id != b->region_id)
		return a->region_id < b->region_id ? -1 : 1;
	return (a->local_id > b->local_id) - (a->local_id < b->local_id);
}

/* One for each region_id, the first of the run, in order of the ids. */
static PhStatus
list_labels(PhArena *arena, const PhRunInput *input, Label **out, uint32_t *n)
{
	const PhProfile *profile = input->profile;
	const PhRawRegion *raw = input->raw_regions;
	uint32_t kept = 0;
	Label *labels;

	PH_TRY(PH_NEW(arena, profile->n_regions, &labels));
	for (uint32_t r = 0; r < profile->n_regions; r++)
	{
		const PhRegion *region = &profile->regions[r];
		bool has_raw_line = raw != NULL && raw[r].line != PH_NO_NUMBER;

		labels[r] = (Label){.region_id = (int64_t) region->region_id,
							.local_id = (int32_t) r,
							.line = has_raw_line ? raw[r].line : region->line,
							.module = ph_profile_string(profile, region->module),
							.raw_file = raw != NULL ? raw[r].raw_file : NULL,
							.paradigm = ph_profile_string(profile, region->paradigm)};
	}
	qsort(labels, profile->n_regions, sizeof(*labels), compare_labels);
	for (uint32_t i = 0; i < profile->n_regions; i++)
	{
		if (kept == 0 || labels[kept - 1].region_id != labels[i].region_id)
			labels[kept++] = labels[i];
	}
	*out = labels;
	*n = kept;
	return PH_OK;
}

static PhStatus
append_number(PhStr *bytes, uint64_t value, unsigned size)
{
	char big_endian[8];

	for (unsigned i = 0; i < size; i++)
		big_endian[i] = (char) (value >> (8 * (size - 1 - i)));
	return ph_str_append_n(bytes, big_endian, size);
}

static PhStatus
append_text(PhStr *bytes, const char *text)
{
	return text == NULL ? ph_str_append_n(bytes, "", 1)
						: ph_str_append_n(bytes, text, strlen(text) + 1);
}

/* As perfhouse_internal.label_bytes. */
static PhStatus
make_labels(PhArena *arena, const PhRunInput *input, Content *out)
{
	Label *labels;
	uint32_t n;
	PhStr bytes;

	PH_TRY(list_labels(arena, input, &labels, &n));
	ph_str_init(&bytes, arena);
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(append_number(&bytes, (uint64_t) labels[i].region_id, 8));
		PH_TRY(append_number(&bytes, (uint32_t) labels[i].local_id, 4));
		PH_TRY(append_number(&bytes, (uint32_t) labels[i].line, 4));
		PH_TRY(append_text(&bytes, labels[i].module));
		PH_TRY(append_text(&bytes, labels[i].raw_file));
		PH_TRY(append_text(&bytes, labels[i].paradigm));
	}
	out->size = bytes.length;
	PH_TRY(ph_str_take(&bytes, (char **) &out->bytes));
	identify(out);
	return PH_OK;
}

static const Sort trees = {"call tree", ph_sql_intern_known_trees, ph_sql_intern_trees, make_tree};
static const Sort labels_of_regions = {"labels of regions", ph_sql_intern_known_labels,
									   ph_sql_intern_labels, make_labels};

/* ---- both ---- */

static PhStatus
collision(PhEnv *env, const Sort *sort, int64_t id)
{
	return ph_fail_hint(
		env, PH_ERR_CONFLICT,
		"Two different contents have the same 64-bit hash; rename a function of one of them.",
		"%s %lld stands for something else already", sort->what, (long long) id);
}

/* Contents of one sort that the loader has not seen in the database yet, each once. */
typedef struct Fresh
{
	const Sort *sort;
	PhIdSet *known;
	const Content **items;
	bool *is_stored;
	uint32_t n;
} Fresh;

/* Adds what is neither known nor there already. */
static PhStatus
consider(PhEnv *env, Fresh *fresh, const Content *content)
{
	switch (ph_id_set_find(fresh->known, (uint64_t) content->id, content->crc))
	{
		case PH_ID_KNOWN:
			return PH_OK;
		case PH_ID_COLLISION:
			return collision(env, fresh->sort, content->id);
		default:
			break;
	}
	for (uint32_t i = 0; i < fresh->n; i++)
	{
		if (fresh->items[i]->id != content->id)
			continue;
		return fresh->items[i]->crc == content->crc ? PH_OK
													: collision(env, fresh->sort, content->id);
	}
	fresh->items[fresh->n++] = content;
	return PH_OK;
}

static PhStatus
find_fresh(PhArena *arena, const Sort *sort, PhIdSet *known, const Content *contents, uint32_t n,
		   Fresh *out)
{
	*out = (Fresh){.sort = sort, .known = known};
	PH_TRY(PH_NEW(arena, n, &out->items));
	PH_TRY(PH_NEW(arena, n, &out->is_stored));
	for (uint32_t i = 0; i < n; i++)
		PH_TRY(consider(arena->env, out, &contents[i]));
	return PH_OK;
}

/* Which of them the database has. */
static PhStatus
look(PhEnv *env, PhConnection *db, PhArena *arena, Fresh *fresh)
{
	int64_t *ids;
	char *list;
	PhParam param;
	PhResult *rows;
	PhStatus status = PH_OK;

	PH_TRY(PH_NEW(arena, fresh->n, &ids));
	for (uint32_t i = 0; i < fresh->n; i++)
		ids[i] = fresh->items[i]->id;
	list = ph_array_int(ids, fresh->n);
	param = ph_param_text(list);
	rows = ph_pq_query(db, fresh->sort->known_sql, &param, 1);
	free(list);
	if (rows == NULL)
		return ph_refused(env, db);
	for (size_t row = 0; row < ph_result_count(rows) && status == PH_OK; row++)
		for (uint32_t i = 0; i < fresh->n; i++)
		{
			if (ids[i] != ph_result_int(rows, row, 0))
				continue;
			fresh->is_stored[i] = true;
			if ((uint32_t) ph_result_int(rows, row, 1) != fresh->items[i]->crc)
				status = collision(env, fresh->sort, ids[i]);
		}
	ph_result_free(rows);
	return status;
}

/* The bytes of those that are not stored. */
static PhStatus
list_missing(PhArena *arena, const Fresh *fresh, uint32_t n_missing, PhParam *out)
{
	PhArrayParam list;

	PH_TRY(ph_array_begin(&list, arena, PH_ARRAY_BYTEA, n_missing));
	for (uint32_t i = 0; i < fresh->n; i++)
	{
		if (!fresh->is_stored[i])
			PH_TRY(ph_array_bytes(&list, fresh->items[i]->bytes, fresh->items[i]->size));
	}
	*out = ph_array_param(&list);
	return PH_OK;
}

static PhStatus
look_or_store(PhEnv *env, PhConnection *db, PhArena *arena, Fresh *fresh)
{
	uint32_t n_missing = 0;
	uint32_t row = 0;
	PhStatus status = PH_OK;
	PhResult *rows;
	PhParam list;

	if (fresh->n == 0)
		return PH_OK;
	PH_TRY(look(env, db, arena, fresh));
	for (uint32_t i = 0; i < fresh->n; i++)
		n_missing += !fresh->is_stored[i];
	if (n_missing == 0)
		return PH_OK;
	PH_TRY(list_missing(arena, fresh, n_missing, &list));
	rows = ph_pq_query(db, fresh->sort->store_sql, &list, 1);
	if (rows == NULL)
		return ph_refused(env, db);
	if (ph_result_count(rows) != n_missing)
		status = ph_fail(env, PH_ERR_INTERNAL, "the server stored %zu %s of %u",
						 ph_result_count(rows), fresh->sort->what, n_missing);
	for (uint32_t i = 0; i < fresh->n && status == PH_OK; i++)
	{
		if (fresh->is_stored[i])
			continue;
		if (ph_result_int(rows, row++, 0) != fresh->items[i]->id)
			status = ph_fail(env, PH_ERR_INTERNAL, "the server hashes %s in another way",
							 fresh->sort->what);
	}
	ph_result_free(rows);
	return status;
}

/* As the dictionary, in a transaction that the commit of the run makes durable. */
static PhStatus
look_or_store_now(PhEnv *env, PhConnection *db, PhArena *arena, Fresh fresh[2])
{
	PhStatus status;

	if (!ph_pq_script(db, ph_sql_intern_begin))
		return ph_refused(env, db);
	status = look_or_store(env, db, arena, &fresh[0]);
	if (status == PH_OK)
		status = look_or_store(env, db, arena, &fresh[1]);
	if (status == PH_OK)
		status = ph_pq_script(db, "COMMIT") ? PH_OK : ph_refused(env, db);
	if (status != PH_OK)
		ph_pq_rollback(db);
	return status;
}

/* What was seen long ago may be gone by now. */
static void
forget_old(PhContents *contents)
{
	int64_t now = ph_now_ns();

	if (now - contents->since < REMEMBERED_NS)
		return;
	ph_id_set_free(&contents->env, &contents->trees);
	ph_id_set_free(&contents->env, &contents->labels);
	contents->since = now;
}

static PhStatus
remember(PhContents *contents, PhEnv *env, const Fresh *fresh)
{
	for (uint32_t i = 0; i < fresh->n; i++)
	{
		const Content *content = fresh->items[i];

		if (ph_id_set_add(&contents->env, fresh->known, (uint64_t) content->id, content->crc) !=
			PH_OK)
		{
			env->error = contents->env.error;
			return contents->env.error.status;
		}
	}
	return PH_OK;
}

/* Under the lock also while the database is asked: nobody else makes the same. */
static PhStatus
know(PhContents *contents, PhConnection *db, PhArena *arena, const Content *made_trees,
	 const Content *made_labels, uint32_t n)
{
	PhEnv *env = arena->env;
	Fresh fresh[2];

	forget_old(contents);
	PH_TRY(find_fresh(arena, &trees, &contents->trees, made_trees, n, &fresh[0]));
	PH_TRY(find_fresh(arena, &labels_of_regions, &contents->labels, made_labels, n, &fresh[1]));
	if (fresh[0].n == 0 && fresh[1].n == 0)
		return PH_OK;
	PH_TRY(look_or_store_now(env, db, arena, fresh));
	PH_TRY(remember(contents, env, &fresh[0]));
	return remember(contents, env, &fresh[1]);
}

static PhStatus
intern(PhContents *contents, PhConnection *db, PhArena *arena, const PhRunInput *const *inputs,
	   uint32_t n, PhContentIds *ids)
{
	Content *made_trees;
	Content *made_labels;
	PhStatus status;

	PH_TRY(PH_NEW(arena, n, &made_trees));
	PH_TRY(PH_NEW(arena, n, &made_labels));
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(trees.make(arena, inputs[i], &made_trees[i]));
		PH_TRY(labels_of_regions.make(arena, inputs[i], &made_labels[i]));
		ids[i] = (PhContentIds){made_trees[i].id, made_labels[i].id};
	}
	pthread_mutex_lock(&contents->lock);
	status = know(contents, db, arena, made_trees, made_labels, n);
	pthread_mutex_unlock(&contents->lock);
	return status;
}

PhStatus
ph_contents_intern(PhContents *contents, PhEnv *env, PhConnection *db,
				   const PhRunInput *const *inputs, uint32_t n, PhContentIds *ids)
{
	PhArena arena;
	PhStatus status;

	ph_arena_init(&arena, env);
	status = intern(contents, db, &arena, inputs, n, ids);
	ph_arena_drop(&arena);
	return status;
}
