/*
 * runs.c - batches of runs: which of them are missing, their rows, what is told of them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "transfer/internal.h"

/* Columns of copy/runs.sql. */
enum
{
	C_RUN,
	C_FINGERPRINT,
	C_REPEAT,
	C_PROJECT,
	C_TREE,
	C_LABELS,
	C_STORAGE,
	C_LABEL,
	C_ROW
};

PhTransfer *
ph_transfer_new(const PhTransferPlan *plan)
{
	PhTransfer *transfer = ph_must_alloc(1, sizeof(*transfer));

	transfer->plan = *plan;
	ph_env_init_malloc(&transfer->env);
	transfer->env.interrupt = ph_interrupt_poll;
	ph_arena_init(&transfer->arena, &transfer->env);
	return transfer;
}

void
ph_transfer_free(PhTransfer *transfer)
{
	ph_arena_drop(&transfer->arena);
	free(transfer->copied);
	free(transfer);
}

PhTransferCounts
ph_transfer_counts(const PhTransfer *transfer)
{
	return transfer->counts;
}

/* ---- which are missing ---- */

/* A column of the rows as SQL's array. */
static char *
column_array(const PhResult *rows, size_t field)
{
	size_t n = ph_result_count(rows);
	const char **texts = ph_must_alloc(n + 1, sizeof(*texts));
	char *array;

	for (size_t i = 0; i < n; i++)
		texts[i] = ph_result_text(rows, i, field);
	array = ph_array_text(texts, n);
	free(texts);
	return array;
}

static PhStatus
note_present(Batch *batch, const PhResult *present)
{
	PhTransfer *transfer = batch->transfer;

	for (size_t i = 0; i < ph_result_count(present); i++)
	{
		size_t row = (size_t) ph_result_int(present, i, 0) - 1;

		batch->is_present[row] = true;
		PH_TRY(ph_numbers_set(transfer, &transfer->runs, ph_result_int(batch->rows, row, C_RUN),
							  ph_result_int(present, i, 1)));
	}
	return PH_OK;
}

/* What a killed loader left of the same contents goes, then what is there is looked up. */
static PhResult *
ask_present(Batch *batch)
{
	PhConnection *to = batch->transfer->plan.to;
	char *fingerprints = column_array(batch->rows, C_FINGERPRINT);
	char *repeats = column_array(batch->rows, C_REPEAT);
	char *projects = column_array(batch->rows, C_PROJECT);
	PhParam params[] = {ph_param_text(fingerprints), ph_param_text(repeats),
						ph_param_text(projects)};
	PhResult *rows = NULL;

	if (ph_pq_execute(to, ph_sql_run_leftover, params, 1))
		rows = ph_pq_query(to, ph_sql_copy_present, params, 3);
	free(fingerprints);
	free(repeats);
	free(projects);
	return rows;
}

static char *
list_missing(const Batch *batch)
{
	size_t n_rows = ph_result_count(batch->rows), n = 0;
	int64_t *ids = ph_must_alloc(n_rows + 1, sizeof(*ids));
	char *list;

	for (size_t i = 0; i < n_rows; i++)
		if (!batch->is_present[i])
			ids[n++] = ph_result_int(batch->rows, i, C_RUN);
	list = ph_array_int(ids, n);
	free(ids);
	return list;
}

static PhExit
find_missing(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;
	PhResult *present = ask_present(batch);
	size_t n_present;
	PhStatus status;

	if (present == NULL)
		return ph_pq_log_error(transfer->plan.to, "runs");
	status = note_present(batch, present);
	n_present = ph_result_count(present);
	ph_result_free(present);
	if (status != PH_OK)
		return ph_transfer_failed(transfer, status);
	transfer->counts.present += n_present;
	batch->n_missing = ph_result_count(batch->rows) - n_present;
	batch->missing = list_missing(batch);
	return PH_EXIT_OK;
}

/* Runs of older releases keep paths where they are not looked for. */
static PhExit
refuse_old(const Batch *batch)
{
	for (size_t i = 0; i < ph_result_count(batch->rows); i++)
		if (batch->transfer->plan.hiding.paths && !batch->is_present[i] &&
			ph_result_int(batch->rows, i, C_STORAGE) < 2)
		{
			ph_log_error(
				"run %s is stored as releases before 0.2.0 did: its paths cannot be hidden",
				ph_result_text(batch->rows, i, C_RUN));
			ph_log_hint(
				"perfhouse doctor --repair, of the warehouse that it is in, stores it anew.");
			return PH_EXIT_UNSUPPORTED;
		}
	return PH_EXIT_OK;
}

/* ---- their rows ---- */

/* Numbers for the missing runs, in their order. */
static PhExit
reserve(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;
	PhParam param = ph_param_int((int64_t) batch->n_missing);
	PhResult *ids = ph_pq_query(transfer->plan.to, ph_sql_run_reserve, &param, 1);
	PhStatus status = PH_OK;
	size_t next = 0;

	if (ids == NULL)
		return ph_pq_log_error(transfer->plan.to, "runs");
	for (size_t i = 0; i < ph_result_count(batch->rows) && status == PH_OK; i++)
		if (!batch->is_present[i])
			status = ph_numbers_set(transfer, &transfer->runs, ph_result_int(batch->rows, i, C_RUN),
									ph_result_int(ids, next++, 0));
	ph_result_free(ids);
	return status == PH_OK ? PH_EXIT_OK : ph_transfer_failed(transfer, status);
}

/* Shared content under its identity there: of two equal keys JSON keeps the last. */
static PhStatus
append_shared(PhStr *text, const Batch *batch, size_t row, size_t field, const char *key,
			  const Numbers *numbers)
{
	int64_t id = ph_result_int(batch->rows, row, field);

	if (ph_result_is_null(batch->rows, row, field) || !ph_numbers_find(numbers, id, &id))
		return PH_OK;
	return ph_str_printf(text, ", \"%s\": %lld", key, (long long) id);
}

/* The missing runs' rows as one array. */
static PhStatus
rows_json(Batch *batch, char **out)
{
	PhTransfer *transfer = batch->transfer;
	bool is_first = true;
	PhStr text;

	ph_str_init(&text, &batch->arena);
	for (size_t i = 0; i < ph_result_count(batch->rows); i++)
	{
		const char *row = ph_result_text(batch->rows, i, C_ROW);

		if (batch->is_present[i])
			continue;
		PH_TRY(ph_str_append(&text, is_first ? "[" : ", "));
		PH_TRY(ph_str_append_n(&text, row, strlen(row) - 1));
		PH_TRY(append_shared(&text, batch, i, C_TREE, "tree_id", &transfer->trees));
		PH_TRY(append_shared(&text, batch, i, C_LABELS, "labels_id", &transfer->labels));
		PH_TRY(ph_str_append(&text, "}"));
		is_first = false;
	}
	PH_TRY(ph_str_append(&text, "]"));
	return ph_str_take(&text, out);
}

static PhStatus
make_json(Batch *batch, char **rows, char **runs, char **metrics)
{
	PH_TRY(rows_json(batch, rows));
	PH_TRY(ph_numbers_json(&batch->transfer->runs, &batch->arena, runs));
	return ph_numbers_json(&batch->transfer->metrics, &batch->arena, metrics);
}

static PhExit
insert_runs(Batch *batch)
{
	PhConnection *to = batch->transfer->plan.to;
	char *rows, *runs, *metrics;
	PhStatus status = make_json(batch, &rows, &runs, &metrics);
	PhResult *inserted;
	size_t n;

	if (status != PH_OK)
		return ph_transfer_failed(batch->transfer, status);
	PhParam params[] = {ph_param_text(rows), ph_param_text(runs), ph_param_text(metrics)};
	inserted = ph_pq_query(to, ph_sql_copy_take_runs, params, 3);
	if (inserted == NULL)
		return ph_pq_log_error(to, "runs");
	n = ph_result_count(inserted);
	ph_result_free(inserted);
	if (n == batch->n_missing)
		return PH_EXIT_OK;
	ph_log_error(
		"%zu of these runs came in from elsewhere meanwhile, or are there out of your sight",
		batch->n_missing - n);
	ph_log_hint(
		"Copy again: what is there is passed over. Runs without a project are their owner's "
		"alone where projects are enabled.");
	return PH_EXIT_CONFLICT;
}

/* ---- what is told of them ---- */

static PhExit
write_told(Batch *batch, const PhResult *told)
{
	PhConnection *to = batch->transfer->plan.to;
	char *rows, *runs, *metrics;
	PhStatus status = make_json(batch, &rows, &runs, &metrics);

	if (status != PH_OK)
		return ph_transfer_failed(batch->transfer, status);
	for (size_t i = 0; i < ph_result_count(told); i++)
	{
		PhParam params[] = {ph_param_text(ph_result_text(told, i, 0)),
							ph_param_text(ph_result_text(told, i, 1)), ph_param_text(runs),
							ph_param_text(metrics)};

		if (!ph_result_is_null(told, i, 1) && !ph_pq_execute(to, ph_sql_copy_take_rows, params, 4))
			return ph_pq_log_error(to, ph_result_text(told, i, 0));
	}
	return PH_EXIT_OK;
}

static PhExit
note_origins(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;

	for (size_t i = 0; i < ph_result_count(batch->rows); i++)
	{
		int64_t number = 0, run = ph_result_int(batch->rows, i, C_RUN);

		if (batch->is_present[i])
			continue;
		(void) ph_numbers_find(&transfer->runs, run, &number);
		PhParam params[] = {ph_param_int(number), ph_param_text(transfer->plan.origin),
							ph_param_int(run)};
		if (!ph_pq_execute(transfer->plan.to, ph_sql_copy_note, params, 3))
			return ph_pq_log_error(transfer->plan.to, "load_log");
	}
	return PH_EXIT_OK;
}

static PhExit
tell(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;
	bool hides = transfer->plan.hiding.is_any;
	PhParam params[] = {ph_param_text(batch->missing), ph_param_bool(hides),
						ph_param_text(transfer->plan.hiding.salt)};
	PhResult *told = ph_pq_query(transfer->plan.from, ph_sql_copy_logs, params, 3);
	PhExit code;

	if (told == NULL)
		return ph_pq_log_error(transfer->plan.from, "logs");
	code = write_told(batch, told);
	ph_result_free(told);
	return code == PH_EXIT_OK ? note_origins(batch) : code;
}

/* Who listens hears of them; before what people mended of them, which their rows have already. */
static PhExit
notify(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;
	int64_t *ids = ph_must_alloc(batch->n_missing + 1, sizeof(*ids));
	size_t n = 0;

	for (size_t i = 0; i < ph_result_count(batch->rows); i++)
		if (!batch->is_present[i] && n < batch->n_missing)
			(void) ph_numbers_find(&transfer->runs, ph_result_int(batch->rows, i, C_RUN),
								   &ids[n++]);
	char *list = ph_array_int(ids, n);
	PhParam param = ph_param_text(list);
	bool ok = ph_pq_execute(transfer->plan.to, ph_sql_runs_notify, &param, 1);
	free(list);
	free(ids);
	return ok ? PH_EXIT_OK : ph_pq_log_error(transfer->plan.to, NULL);
}

/* ---- a batch ---- */

static PhExit
write_batch(Batch *batch)
{
	PhConnection *to = batch->transfer->plan.to;
	PhExit code = ph_pq_begin(to) ? PH_EXIT_OK : ph_pq_log_error(to, NULL);

	if (code == PH_EXIT_OK)
		code = reserve(batch);
	if (code == PH_EXIT_OK)
		code = insert_runs(batch);
	if (code == PH_EXIT_OK)
		code = ph_transfer_tables(batch);
	if (code == PH_EXIT_OK)
		code = notify(batch);
	if (code == PH_EXIT_OK)
		code = tell(batch);
	if (code == PH_EXIT_OK && !ph_pq_commit(to))
		code = ph_pq_log_error(to, NULL);
	if (code != PH_EXIT_OK)
		ph_pq_rollback(to);
	return code;
}

static void
report(Batch *batch)
{
	PhTransfer *transfer = batch->transfer;
	size_t n = transfer->counts.copied;

	transfer->copied =
		ph_must_resize(transfer->copied, n + batch->n_missing + 1, sizeof(*transfer->copied));
	for (size_t i = 0; i < ph_result_count(batch->rows); i++)
	{
		int64_t number = 0, run = ph_result_int(batch->rows, i, C_RUN);

		if (batch->is_present[i])
			continue;
		(void) ph_numbers_find(&transfer->runs, run, &number);
		transfer->copied[n++] = number;
		transfer->plan.copied(transfer->plan.user, run, number,
							  ph_result_text(batch->rows, i, C_LABEL));
	}
	transfer->counts.copied = n;
}

static PhExit
copy_batch(Batch *batch)
{
	PhExit code = find_missing(batch);

	if (code != PH_EXIT_OK || batch->n_missing == 0)
		return code;
	code = refuse_old(batch);
	if (code == PH_EXIT_OK)
		code = ph_transfer_dictionary(batch);
	if (code == PH_EXIT_OK)
		code = write_batch(batch);
	if (code == PH_EXIT_OK)
		report(batch);
	return code;
}

/* In the transaction of the source. */
static PhExit
read_batch(PhTransfer *transfer, const char *runs)
{
	PhParam params[] = {ph_param_text(runs), ph_param_text(transfer->plan.hiding.what),
						ph_param_text(transfer->plan.hiding.salt)};
	Batch batch = {.transfer = transfer};
	PhExit code;

	batch.rows = ph_pq_query(transfer->plan.from, ph_sql_copy_runs, params, 3);
	if (batch.rows == NULL)
		return ph_pq_log_error(transfer->plan.from, "runs");
	batch.is_present = ph_must_alloc(ph_result_count(batch.rows) + 1, sizeof(bool));
	ph_arena_init(&batch.arena, &transfer->env);
	code = copy_batch(&batch);
	ph_arena_drop(&batch.arena);
	ph_result_free(batch.rows);
	free(batch.is_present);
	free(batch.missing);
	return code;
}

PhExit
ph_transfer_runs(PhTransfer *transfer, const int64_t *runs, size_t n)
{
	char *list = ph_array_int(runs, n);
	PhExit code = PH_EXIT_OK;

	if (!ph_pq_execute(transfer->plan.from, ph_sql_copy_begin, NULL, 0))
		code = ph_pq_log_error(transfer->plan.from, NULL);
	if (code == PH_EXIT_OK)
		code = read_batch(transfer, list);
	ph_pq_rollback(transfer->plan.from);
	free(list);
	return code;
}
