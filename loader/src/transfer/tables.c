/*
 * tables.c - rows of the tables by run, streamed from one warehouse into a COPY of the other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "pipeline/store/copy_table.h"
#include "queries.h"
#include "system/log.h"
#include "transfer/internal.h"

/* Fields of a row that hold numbers of this warehouse; SIZE_MAX: the table has none. */
typedef struct Mapped
{
	const char *name;
	const Numbers *numbers;
	bool is_sure; /* every number must be known */
	size_t field;
} Mapped;

#define N_MAPPED 4

/* The rows of one table. */
typedef struct Rows
{
	PhTransfer *transfer;
	const char *write_sql;
	Mapped mapped[N_MAPPED];
	size_t n_fields;
	bool has_begun;
	bool is_refused; /* the table there takes no rows */
	bool is_lost;	 /* a number that nobody knows */
	PhCopy copy;
} Rows;

static bool
begin_copy(Rows *rows, const PhResult *row)
{
	rows->has_begun = ph_pq_copy_begin(rows->transfer->plan.to, rows->write_sql);
	rows->is_refused = !rows->has_begun;
	if (rows->is_refused)
		return false;
	rows->n_fields = ph_result_n_fields(row);
	for (size_t m = 0; m < N_MAPPED; m++)
		for (size_t f = 0; f < rows->n_fields; f++)
			if (strcmp(ph_result_field_name(row, f), rows->mapped[m].name) == 0)
				rows->mapped[m].field = f;
	ph_copy_init(&rows->copy, &rows->transfer->env, ph_copy_to_server, rows->transfer->plan.to);
	return true;
}

static int64_t
read_number(const char *bytes, size_t size)
{
	uint64_t value = 0;

	for (size_t i = 0; i < size; i++)
		value = value << 8 | (uint8_t) bytes[i];
	return size == 4 ? (int32_t) (uint32_t) value : (int64_t) value;
}

/* What the field is there; false: nobody knows. */
static bool
put_mapped(Rows *rows, const Mapped *mapped, const char *bytes, size_t size)
{
	int64_t number = read_number(bytes, size);

	if (!ph_numbers_find(mapped->numbers, number, &number) && mapped->is_sure)
		return false;
	if (size == 4)
		ph_copy_int4(&rows->copy, (int32_t) number);
	else
		ph_copy_int8(&rows->copy, number);
	return true;
}

static const Mapped *
find_mapped(const Rows *rows, size_t field)
{
	for (size_t m = 0; m < N_MAPPED; m++)
		if (rows->mapped[m].field == field)
			return &rows->mapped[m];
	return NULL;
}

static bool
take_row(void *user, const PhResult *row)
{
	Rows *rows = user;

	if (!rows->has_begun && !begin_copy(rows, row))
		return false;
	ph_copy_row(&rows->copy, (int) rows->n_fields);
	for (size_t f = 0; f < rows->n_fields && !rows->is_lost; f++)
	{
		const Mapped *mapped = find_mapped(rows, f);
		size_t size;
		const char *bytes = ph_result_bytes(row, 0, f, &size);

		if (bytes == NULL)
			ph_copy_null(&rows->copy);
		else if (mapped != NULL)
			rows->is_lost = !put_mapped(rows, mapped, bytes, size);
		else
			ph_copy_bytea(&rows->copy, (const uint8_t *) bytes, size);
	}
	return !rows->copy.failed && !rows->is_lost;
}

/* What became of the stream; the COPY, if there was one, is over. */
static PhExit
end_copy(Rows *rows, bool is_read)
{
	PhTransfer *transfer = rows->transfer;
	bool ok = is_read && !rows->is_refused;

	if (rows->has_begun)
	{
		ok = ph_copy_finish(&rows->copy) && ok;
		ok = ph_pq_copy_end(transfer->plan.to, ok ? NULL : "the copy was given up", NULL) && ok;
	}
	if (rows->is_lost)
	{
		ph_log_error("a run has values of a metric that it does not list");
		ph_log_hint(
			"perfhouse doctor --all looks at the runs of the warehouse that it comes from.");
		return PH_EXIT_INTERNAL;
	}
	if (ok)
		return PH_EXIT_OK;
	if (transfer->plan.from->error.code != PH_EXIT_OK)
		return ph_pq_log_error(transfer->plan.from, "reading runs");
	if (rows->has_begun && rows->copy.status != PH_OK)
		return ph_transfer_failed(transfer, rows->copy.status);
	return ph_pq_log_error(transfer->plan.to, "writing runs");
}

static PhExit
copy_table(Batch *batch, const char *read_sql, const char *write_sql)
{
	PhTransfer *transfer = batch->transfer;
	Rows rows = {.transfer = transfer,
				 .write_sql = write_sql,
				 .mapped = {{"run_id", &transfer->runs, true, SIZE_MAX},
							{"metric_id", &transfer->metrics, true, SIZE_MAX},
							{"region_id", &transfer->regions, false, SIZE_MAX},
							{"callpath_id", &transfer->callpaths, false, SIZE_MAX}}};
	PhParam params[] = {ph_param_text(batch->missing), ph_param_text(transfer->plan.hiding.salt)};

	return end_copy(&rows,
					ph_pq_stream_binary(transfer->plan.from, read_sql, params, 2, take_row, &rows));
}

PhExit
ph_transfer_tables(Batch *batch)
{
	PhConnection *to = batch->transfer->plan.to;
	PhParam param = ph_param_text(batch->transfer->plan.hiding.what);
	PhResult *tables = ph_pq_query(to, ph_sql_copy_tables, &param, 1);
	PhExit code = PH_EXIT_OK;

	if (tables == NULL)
		return ph_pq_log_error(to, "tables");
	for (size_t i = 0; i < ph_result_count(tables) && code == PH_EXIT_OK; i++)
		code = copy_table(batch, ph_result_text(tables, i, 0), ph_result_text(tables, i, 1));
	ph_result_free(tables);
	return code;
}
