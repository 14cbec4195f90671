/*
 * dictionary.c - metrics, regions, call paths, trees and labels that runs need, from one warehouse
 * to the other, in a short transaction before theirs, as loads do it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "pipeline/store/array_param.h"
#include "queries.h"
#include "system/log.h"
#include "system/memory.h"
#include "transfer/internal.h"

#define MOST_ENTRIES 100000 /* of one statement */

/* Columns of entries that wait to be written; absent: NULL. */
typedef struct Entries
{
	PhArena arena;
	const char **fields[6];
	uint32_t n;
	size_t n_fields;
	const char *sql;
} Entries;

typedef PhStatus (*EnterRow)(PhTransfer *transfer, Entries *entries, const PhResult *row);

/* The user of a stream of entries. */
typedef struct Feed
{
	PhTransfer *transfer;
	Entries *entries;
	EnterRow enter;
	PhExit code;
	PhStatus status;
} Feed;

/* ---- metrics ---- */

PhExit
ph_transfer_metrics(PhTransfer *transfer, const char *json)
{
	PhParam param = ph_param_text(json);
	PhResult *numbers = ph_pq_query(transfer->plan.to, ph_sql_copy_take_metrics, &param, 1);
	PhStatus status = PH_OK;

	if (numbers == NULL)
		return ph_pq_log_error(transfer->plan.to, "metrics");
	for (size_t i = 0; i < ph_result_count(numbers) && status == PH_OK; i++)
		status = ph_numbers_set(transfer, &transfer->metrics, ph_result_int(numbers, i, 0),
								ph_result_int(numbers, i, 1));
	ph_result_free(numbers);
	return status == PH_OK ? PH_EXIT_OK : ph_transfer_failed(transfer, status);
}

static PhExit
copy_metrics(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;
	PhParam param = ph_param_text(batch->missing);
	PhResult *rows = ph_pq_query(transfer->plan.from, ph_sql_copy_metrics, &param, 1);
	PhExit code;

	if (rows == NULL)
		return ph_pq_log_error(transfer->plan.from, "metrics");
	code = ph_transfer_metrics(transfer, ph_result_text(rows, 0, 0));
	ph_result_free(rows);
	return code;
}

/* ---- regions and call paths ---- */

static PhStatus
keep(Entries *entries, size_t field, const char *text)
{
	char *copy = NULL;

	if (text != NULL)
		PH_TRY(ph_arena_strndup(&entries->arena, text, strlen(text), &copy));
	entries->fields[field][entries->n] = copy;
	return PH_OK;
}

static PhStatus
keep_number(Entries *entries, size_t field, int64_t number)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%lld", (long long) number);
	return keep(entries, field, digits);
}

/* A region with hidden paths has another identity. */
static PhStatus
enter_region(PhTransfer *transfer, Entries *entries, const PhResult *row)
{
	const char *name = ph_result_text(row, 0, 2), *library = ph_result_text(row, 0, 3);
	const char *file = ph_result_text(row, 0, 4);
	bool has_line = !ph_result_is_null(row, 0, 5);
	int64_t id = ph_result_int(row, 0, 0), number = id;

	if (transfer->plan.hiding.paths)
	{
		PH_TRY(
			ph_hide_in_region(&entries->arena, transfer->plan.hiding.salt, &name, &library, &file));
		number =
			(int64_t) ph_hash_region((PhRegionKind) ph_result_int(row, 0, 1), name, library, file,
									 has_line ? (int32_t) ph_result_int(row, 0, 5) : PH_NO_NUMBER);
		PH_TRY(ph_numbers_set(transfer, &transfer->regions, id, number));
		transfer->renames = transfer->renames || number != id;
	}
	PH_TRY(keep_number(entries, 0, number));
	PH_TRY(keep(entries, 1, ph_result_text(row, 0, 1)));
	PH_TRY(keep(entries, 2, name));
	PH_TRY(keep(entries, 3, library));
	PH_TRY(keep(entries, 4, file));
	return keep(entries, 5, ph_result_text(row, 0, 5));
}

/* Parents come first. */
static PhStatus
enter_callpath(PhTransfer *transfer, Entries *entries, const PhResult *row)
{
	bool is_root = ph_result_is_null(row, 0, 1);
	int64_t id = ph_result_int(row, 0, 0), parent = ph_result_int(row, 0, 1);
	int64_t region = ph_result_int(row, 0, 2);

	if (transfer->plan.hiding.paths)
	{
		int64_t number;

		(void) ph_numbers_find(&transfer->callpaths, parent, &parent);
		(void) ph_numbers_find(&transfer->regions, region, &region);
		number = (int64_t) ph_hash_callpath(is_root ? 0 : (uint64_t) parent, (uint64_t) region);
		PH_TRY(ph_numbers_set(transfer, &transfer->callpaths, id, number));
		id = number;
	}
	PH_TRY(keep_number(entries, 0, id));
	if (is_root)
		PH_TRY(keep(entries, 1, NULL));
	else
		PH_TRY(keep_number(entries, 1, parent));
	PH_TRY(keep_number(entries, 2, region));
	return keep(entries, 3, ph_result_text(row, 0, 3));
}

/* ---- writing ---- */

static PhStatus
begin_entries(PhTransfer *transfer, Entries *entries)
{
	ph_arena_init(&entries->arena, &transfer->env);
	entries->n = 0;
	for (size_t f = 0; f < entries->n_fields; f++)
		PH_TRY(PH_NEW(&entries->arena, MOST_ENTRIES, &entries->fields[f]));
	return PH_OK;
}

/* Refuses an identity that stands for something else there. */
static PhExit
check_collisions(const PhResult *rows)
{
	if (ph_result_count(rows) == 0)
		return PH_EXIT_OK;
	ph_log_error("%s here has the identity of %s there", ph_result_text(rows, 0, 1),
				 ph_result_text(rows, 0, 2));
	ph_log_hint("Two different names have the same 64-bit hash, or one of the two warehouses is "
				"damaged: perfhouse doctor --all looks.");
	return PH_EXIT_INTERNAL;
}

static PhExit
write_entries(PhTransfer *transfer, Entries *entries)
{
	PhParam params[6];
	char *arrays[6];
	PhResult *rows;
	PhExit code;

	if (entries->n == 0)
		return PH_EXIT_OK;
	for (size_t f = 0; f < entries->n_fields; f++)
	{
		arrays[f] = ph_array_text(entries->fields[f], entries->n);
		params[f] = ph_param_text(arrays[f]);
	}
	rows = ph_pq_query(transfer->plan.to, entries->sql, params, (int) entries->n_fields);
	for (size_t f = 0; f < entries->n_fields; f++)
		free(arrays[f]);
	if (rows == NULL)
		return ph_pq_log_error(transfer->plan.to, "functions and call paths");
	code = check_collisions(rows);
	ph_result_free(rows);
	return code;
}

static bool
take_entry(void *user, const PhResult *row)
{
	Feed *feed = user;
	Entries *entries = feed->entries;

	if (entries->n == MOST_ENTRIES)
	{
		feed->code = write_entries(feed->transfer, entries);
		ph_arena_drop(&entries->arena);
		feed->status = begin_entries(feed->transfer, entries);
	}
	if (feed->code == PH_EXIT_OK && feed->status == PH_OK)
		feed->status = feed->enter(feed->transfer, entries, row);
	entries->n++;
	return feed->code == PH_EXIT_OK && feed->status == PH_OK;
}

/* From the query there to the statement here. */
static PhExit
copy_entries(PhTransfer *transfer, const char *read_sql, const PhParam *params, int n_params,
			 Entries *entries, EnterRow enter)
{
	Feed feed = {.transfer = transfer, .entries = entries, .enter = enter};
	bool ok;

	feed.status = begin_entries(transfer, entries);
	ok = feed.status == PH_OK &&
		 ph_pq_stream(transfer->plan.from, read_sql, params, n_params, take_entry, &feed);
	if (ok)
		feed.code = write_entries(transfer, entries);
	ph_arena_drop(&entries->arena);
	if (feed.code != PH_EXIT_OK)
		return feed.code;
	if (feed.status != PH_OK)
		return ph_transfer_failed(transfer, feed.status);
	return ok ? PH_EXIT_OK : ph_pq_log_error(transfer->plan.from, "functions and call paths");
}

/* ---- trees and labels ---- */

/* Packed content, a statement each; its identity there is the hash of its bytes. */
static PhExit
store_content(PhTransfer *transfer, PhArena *arena, const char *sql, const uint8_t *bytes,
			  size_t size)
{
	PhArrayParam array;
	PhStatus status = ph_array_begin(&array, arena, PH_ARRAY_BYTEA, 1);
	PhParam param;

	if (status == PH_OK)
		status = ph_array_bytes(&array, bytes, size);
	if (status != PH_OK)
		return ph_transfer_failed(transfer, status);
	param = ph_array_param(&array);
	return ph_pq_execute(transfer->plan.to, sql, &param, 1)
			   ? PH_EXIT_OK
			   : ph_pq_log_error(transfer->plan.to, "call trees");
}

static PhStatus
hide_tree(PhTransfer *transfer, PhArena *arena, const uint8_t **bytes, size_t *size)
{
	uint8_t *hidden = NULL;

	if (!transfer->renames)
		return PH_OK;
	PH_TRY(ph_hide_in_tree(arena, transfer->plan.hiding.salt, *bytes, *size, &hidden, size));
	*bytes = hidden;
	return PH_OK;
}

static PhStatus
hide_labels(PhTransfer *transfer, PhArena *arena, const uint8_t **bytes, size_t *size)
{
	uint8_t *hidden = NULL;

	if (!transfer->renames)
		return PH_OK;
	PH_TRY(ph_hide_in_labels(transfer, arena, *bytes, *size, &hidden, size));
	*bytes = hidden;
	return PH_OK;
}

/* Sorts of content that runs share. */
typedef struct Sort
{
	const char *read_sql, *store_sql;
	PhStatus (*hide)(PhTransfer *transfer, PhArena *arena, const uint8_t **bytes, size_t *size);
	Numbers *numbers;
} Sort;

typedef struct ContentFeed
{
	PhTransfer *transfer;
	const Sort *sort;
	PhExit code;
} ContentFeed;

static bool
take_content(void *user, const PhResult *row)
{
	ContentFeed *feed = user;
	PhTransfer *transfer = feed->transfer;
	size_t size;
	const char *id = ph_result_bytes(row, 0, 0, &size);
	const uint8_t *bytes = (const uint8_t *) ph_result_bytes(row, 0, 1, &size);
	uint64_t old;
	PhStatus status;
	PhArena arena;

	memcpy(&old, id, sizeof(old));
	ph_arena_init(&arena, &transfer->env);
	status = feed->sort->hide(transfer, &arena, &bytes, &size);
	if (status == PH_OK)
		status = ph_numbers_set(transfer, feed->sort->numbers, (int64_t) __builtin_bswap64(old),
								(int64_t) ph_hash_bytes(bytes, size));
	feed->code = status == PH_OK
					 ? store_content(transfer, &arena, feed->sort->store_sql, bytes, size)
					 : ph_transfer_failed(transfer, status);
	ph_arena_drop(&arena);
	return feed->code == PH_EXIT_OK;
}

static PhExit
copy_content(PhTransfer *transfer, const char *ids, const Sort *sort)
{
	ContentFeed feed = {transfer, sort, PH_EXIT_OK};
	PhParam params[] = {ph_param_text(ids), ph_param_text(transfer->plan.hiding.what),
						ph_param_text(transfer->plan.hiding.salt)};
	int n = sort->numbers == &transfer->labels ? 3 : 1;
	bool ok =
		ph_pq_stream_binary(transfer->plan.from, sort->read_sql, params, n, take_content, &feed);

	if (feed.code != PH_EXIT_OK)
		return feed.code;
	return ok ? PH_EXIT_OK : ph_pq_log_error(transfer->plan.from, "call trees");
}

/* ---- all of it ---- */

/* SQL's int8[] of the content that missing runs have in this column and that has not been sent. */
static char *
list_new(const Batch *batch, const char *column, const Numbers *sent)
{
	size_t n_rows = ph_result_count(batch->rows), n = 0;
	size_t field = ph_result_field(batch->rows, column);
	int64_t *ids = ph_must_alloc(n_rows + 1, sizeof(*ids));
	char *list;
	int64_t known;

	for (size_t i = 0; i < n_rows; i++)
		if (!batch->is_present[i] && !ph_result_is_null(batch->rows, i, field) &&
			!ph_numbers_find(sent, ph_result_int(batch->rows, i, field), &known))
			ids[n++] = ph_result_int(batch->rows, i, field);
	list = ph_array_int(ids, n);
	free(ids);
	return list;
}

static PhExit
copy_entries_of(Batch *batch, const char *trees, const char *labels)
{
	PhTransfer *transfer = batch->transfer;
	PhParam of_regions[] = {ph_param_text(trees), ph_param_text(labels),
							ph_param_text(batch->missing)};
	PhParam of_paths[] = {ph_param_text(trees), ph_param_text(batch->missing)};
	Entries regions = {.n_fields = 6, .sql = ph_sql_intern_region};
	Entries callpaths = {.n_fields = 4, .sql = ph_sql_intern_callpath};
	PhExit code =
		copy_entries(transfer, ph_sql_copy_regions, of_regions, 3, &regions, enter_region);

	if (code == PH_EXIT_OK)
		code =
			copy_entries(transfer, ph_sql_copy_callpaths, of_paths, 2, &callpaths, enter_callpath);
	return code;
}

PhExit
ph_transfer_dictionary(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;
	const Sort trees = {ph_sql_copy_trees, ph_sql_intern_trees, hide_tree, &transfer->trees};
	const Sort labels = {ph_sql_copy_labels, ph_sql_intern_labels, hide_labels, &transfer->labels};
	char *tree_ids = list_new(batch, "tree_id", &transfer->trees);
	char *label_ids = list_new(batch, "labels_id", &transfer->labels);
	PhExit code = PH_EXIT_OK;

	if (!ph_pq_script(transfer->plan.to, ph_sql_intern_begin))
		code = ph_pq_log_error(transfer->plan.to, NULL);
	if (code == PH_EXIT_OK)
		code = copy_metrics(batch);
	if (code == PH_EXIT_OK)
		code = copy_entries_of(batch, tree_ids, label_ids);
	if (code == PH_EXIT_OK)
		code = copy_content(transfer, tree_ids, &trees);
	if (code == PH_EXIT_OK)
		code = copy_content(transfer, label_ids, &labels);
	if (code == PH_EXIT_OK && !ph_pq_commit(transfer->plan.to))
		code = ph_pq_log_error(transfer->plan.to, NULL);
	if (code != PH_EXIT_OK)
		ph_pq_rollback(transfer->plan.to);
	free(tree_ids);
	free(label_ids);
	return code;
}
