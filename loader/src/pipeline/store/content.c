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
#include "pipeline/store/copy_table.h"
#include "pipeline/store/id_set.h"
#include "profile/flat.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"

#define REMEMBERED_NS (INT64_C(3600) * 1000000000)
#define BYTEA_OID 17

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

/* How the one and the other sort of content is looked for and made. */
typedef struct Sort
{
	const char *what;
	const char *known_sql;
	PhStatus (*make)(PhArena *arena, const PhRunInput *input, Content *out);
	PhStatus (*store)(PhEnv *env, PhConnection *db, PhArena *arena, const PhRunInput *input,
					  const Content *content, int64_t *id);
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
	{
		ph_profile_flatten(skeleton, out->bytes);
		identify(out);
	}
	ph_profile_free(arena->env, skeleton);
	return status;
}

static PhStatus
take_id(PhEnv *env, const PhConnection *db, PhResult *rows, int64_t *id)
{
	if (rows == NULL)
		return ph_refused(env, db);
	*id = ph_result_int(rows, 0, 0);
	ph_result_free(rows);
	return PH_OK;
}

static PhStatus
store_tree(PhEnv *env, PhConnection *db, PhArena *arena, const PhRunInput *input,
		   const Content *content, int64_t *id)
{
	PhParam tree = {.bytes = (const char *) content->bytes, .binary = true, .type = BYTEA_OID};

	(void) arena;
	(void) input;
	if (content->size > INT32_MAX)
		return ph_fail(env, PH_ERR_LIMIT, "a call tree of %zu bytes is too large", content->size);
	tree.length = (int) content->size;
	return take_id(env, db, ph_pq_query(db, ph_sql_intern_tree, &tree, 1), id);
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

enum
{
	P_REGIONS,
	P_PLACES,
	P_LINES,
	P_MODULES,
	P_FILES,
	P_PARADIGMS,
	P_COUNT
};

static PhStatus
store_labels(PhEnv *env, PhConnection *db, PhArena *arena, const PhRunInput *input,
			 const Content *content, int64_t *id)
{
	char *lists[P_COUNT];
	PhParam params[P_COUNT];
	const char **texts[3];
	int64_t *numbers[3];
	PhStatus status;
	Label *labels;
	uint32_t n;

	(void) content;
	PH_TRY(list_labels(arena, input, &labels, &n));
	for (int i = 0; i < 3; i++)
	{
		PH_TRY(PH_NEW(arena, n, &numbers[i]));
		PH_TRY(PH_NEW(arena, n, &texts[i]));
	}
	for (uint32_t i = 0; i < n; i++)
	{
		numbers[P_REGIONS][i] = labels[i].region_id;
		numbers[P_PLACES][i] = labels[i].local_id;
		numbers[P_LINES][i] = labels[i].line;
		texts[0][i] = labels[i].module != NULL ? labels[i].module : "";
		texts[1][i] = labels[i].raw_file != NULL ? labels[i].raw_file : "";
		texts[2][i] = labels[i].paradigm != NULL ? labels[i].paradigm : "";
	}
	for (int i = 0; i < 3; i++)
	{
		lists[i] = ph_array_int(numbers[i], n);
		lists[P_MODULES + i] = ph_array_text((const char *const *) texts[i], n);
	}
	for (int i = 0; i < P_COUNT; i++)
		params[i] = ph_param_text(lists[i]);
	status = take_id(env, db, ph_pq_query(db, ph_sql_intern_labels, params, P_COUNT), id);
	for (int i = 0; i < P_COUNT; i++)
		free(lists[i]);
	return status;
}

static const Sort trees = {"call tree", ph_sql_intern_known_trees, make_tree, store_tree};
static const Sort labels_of_regions = {"labels of regions", ph_sql_intern_known_labels, make_labels,
									   store_labels};

/* ---- both ---- */

static PhStatus
collision(PhEnv *env, const Sort *sort, int64_t id)
{
	return ph_fail_hint(
		env, PH_ERR_CONFLICT,
		"Two different contents have the same 64-bit hash; rename a function of one of them.",
		"%s %lld stands for something else already", sort->what, (long long) id);
}

/* Whether the database has it. */
static PhStatus
look(PhEnv *env, PhConnection *db, const Sort *sort, const Content *content, bool *is_there)
{
	char *list = ph_array_int(&content->id, 1);
	PhParam param = ph_param_text(list);
	PhResult *rows = ph_pq_query(db, sort->known_sql, &param, 1);
	bool differs;

	free(list);
	if (rows == NULL)
		return ph_refused(env, db);
	*is_there = ph_result_count(rows) > 0;
	differs = *is_there && (uint32_t) ph_result_int(rows, 0, 1) != content->crc;
	ph_result_free(rows);
	return differs ? collision(env, sort, content->id) : PH_OK;
}

static PhStatus
look_or_store(PhEnv *env, PhConnection *db, PhArena *arena, const Sort *sort,
			  const PhRunInput *input, const Content *content)
{
	int64_t id = content->id;
	bool is_there;

	PH_TRY(look(env, db, sort, content, &is_there));
	if (!is_there)
		PH_TRY(sort->store(env, db, arena, input, content, &id));
	if (id != content->id)
		return ph_fail(env, PH_ERR_INTERNAL, "the server hashes %s in another way", sort->what);
	return PH_OK;
}

/* As the dictionary, in a transaction that the commit of the run makes durable. */
static PhStatus
look_or_store_now(PhEnv *env, PhConnection *db, PhArena *arena, const Sort *sort,
				  const PhRunInput *input, const Content *content)
{
	PhStatus status;

	if (!ph_pq_script(db, ph_sql_intern_begin))
		return ph_refused(env, db);
	status = look_or_store(env, db, arena, sort, input, content);
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

/* Under the lock also while the database is asked: nobody else makes the same. */
static PhStatus
know(PhContents *contents, PhEnv *env, PhConnection *db, PhArena *arena, const Sort *sort,
	 PhIdSet *known, const PhRunInput *input, const Content *content)
{
	PhStatus status;

	forget_old(contents);
	switch (ph_id_set_find(known, (uint64_t) content->id, content->crc))
	{
		case PH_ID_KNOWN:
			return PH_OK;
		case PH_ID_COLLISION:
			return collision(env, sort, content->id);
		default:
			break;
	}
	PH_TRY(look_or_store_now(env, db, arena, sort, input, content));
	status = ph_id_set_add(&contents->env, known, (uint64_t) content->id, content->crc);
	if (status != PH_OK)
		env->error = contents->env.error;
	return status;
}

static PhStatus
intern_one(PhContents *contents, PhEnv *env, PhConnection *db, const Sort *sort, PhIdSet *known,
		   const PhRunInput *input, int64_t *id)
{
	PhArena arena;
	PhStatus status;
	Content content;

	ph_arena_init(&arena, env);
	status = sort->make(&arena, input, &content);
	if (status == PH_OK)
	{
		pthread_mutex_lock(&contents->lock);
		status = know(contents, env, db, &arena, sort, known, input, &content);
		pthread_mutex_unlock(&contents->lock);
		*id = content.id;
	}
	ph_arena_drop(&arena);
	return status;
}

PhStatus
ph_contents_intern(PhContents *contents, PhEnv *env, PhConnection *db, const PhRunInput *input,
				   PhContentIds *ids)
{
	PH_TRY(intern_one(contents, env, db, &trees, &contents->trees, input, &ids->tree_id));
	return intern_one(contents, env, db, &labels_of_regions, &contents->labels, input,
					  &ids->labels_id);
}
