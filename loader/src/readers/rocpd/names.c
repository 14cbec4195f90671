/*
 * names.c - what rows of rocpd refer to: texts, processes, threads, agents, kernels, events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "base/name_set.h"
#include "readers/json_scan.h"
#include "readers/rocpd/rocpd.h"

/* ---- numbers by id ---- */

/* Rows of a table come in order of its primary key. */
static PhStatus
add_id(PhRocpd *rocpd, PhRocpdTable table, const int64_t *numbers, uint32_t n)
{
	PhRocpdIds *ids = &rocpd->ids[table];

	if (ids->values.count > 0 &&
		ids->values.items[ids->values.count - ids->n_columns] >= numbers[0])
		return ph_fail(rocpd->env, PH_ERR_FORMAT, "%s: its rows are not in order of their ids",
					   rocpd->files->path);
	ids->n_columns = n;
	for (uint32_t i = 0; i < n; i++)
	{
		PH_TRY(PH_ROOM(rocpd->env, &ids->values));
		ids->values.items[ids->values.count++] = numbers[i];
	}
	return PH_OK;
}

/* Most ids are consecutive: where one would be then is looked at first. */
const int64_t *
ph_rocpd_find(const PhRocpd *rocpd, PhRocpdTable table, int64_t id)
{
	const PhRocpdIds *ids = &rocpd->ids[table];
	uint32_t n = ids->n_columns == 0 ? 0 : ids->values.count / ids->n_columns;
	const int64_t *items = ids->values.items;
	uint64_t guess = n == 0 ? 0 : (uint64_t) id - (uint64_t) items[0];
	uint32_t low = 0;
	uint32_t high = n;

	if (guess < n && items[guess * ids->n_columns] == id)
		return items + guess * ids->n_columns + 1;
	while (low < high)
	{
		uint32_t middle = low + (high - low) / 2;

		if (items[(size_t) middle * ids->n_columns] < id)
			low = middle + 1;
		else
			high = middle;
	}
	if (low == n || items[(size_t) low * ids->n_columns] != id)
		return NULL;
	return items + (size_t) low * ids->n_columns + 1;
}

const char *
ph_rocpd_text(const PhRocpd *rocpd, int64_t text)
{
	return text > 0 && text < rocpd->texts.count ? rocpd->texts.items[text] : "";
}

const char *
ph_rocpd_string(const PhRocpd *rocpd, int64_t id)
{
	const int64_t *string = ph_rocpd_find(rocpd, PH_ROCPD_STRINGS, id);

	return string == NULL ? "" : ph_rocpd_text(rocpd, string[0]);
}

PhStatus
ph_rocpd_table(PhRocpd *rocpd, const char *name, const char **out)
{
	return ph_arena_printf(&rocpd->arena, out, "%s%s", name, rocpd->suffix);
}

/* ---- rows ---- */

/* The number of a column's text; 0: it has none. */
static PhStatus
add_text(PhRocpd *rocpd, PhSqliteRows *rows, uint32_t column, int64_t *out)
{
	const char *text;

	PH_TRY(ph_sqlite_text(rows, &rocpd->arena, column, &text));
	*out = 0;
	if (text == NULL)
		return PH_OK;
	PH_TRY(PH_ROOM(rocpd->env, &rocpd->texts));
	*out = rocpd->texts.count;
	rocpd->texts.items[rocpd->texts.count++] = text;
	return PH_OK;
}

static PhStatus
read_string(void *user, PhSqliteRows *rows)
{
	int64_t numbers[2] = {ph_sqlite_int(rows, 0), 0};

	PH_TRY(add_text(user, rows, 1, &numbers[1]));
	return add_id(user, PH_ROCPD_STRINGS, numbers, 2);
}

static PhStatus
read_node(void *user, PhSqliteRows *rows)
{
	int64_t numbers[2] = {ph_sqlite_int(rows, 0), 0};

	PH_TRY(add_text(user, rows, 1, &numbers[1]));
	return add_id(user, PH_ROCPD_NODES, numbers, 2);
}

static PhStatus
read_thread(void *user, PhSqliteRows *rows)
{
	int64_t numbers[4] = {ph_sqlite_int(rows, 0), ph_sqlite_int(rows, 1), ph_sqlite_int(rows, 2),
						  0};

	PH_TRY(add_text(user, rows, 3, &numbers[3]));
	return add_id(user, PH_ROCPD_THREADS, numbers, 4);
}

static PhStatus
read_kernel(void *user, PhSqliteRows *rows)
{
	int64_t numbers[4] = {ph_sqlite_int(rows, 0), 0, ph_sqlite_int(rows, 3),
						  ph_sqlite_int(rows, 4)};

	PH_TRY(add_text(user, rows, ph_sqlite_has(rows, 1) ? 1 : 2, &numbers[1]));
	return add_id(user, PH_ROCPD_KERNELS, numbers, 4);
}

static PhStatus
read_stream(void *user, PhSqliteRows *rows)
{
	PhRocpd *rocpd = user;
	int64_t numbers[1] = {ph_sqlite_int(rows, 0)};

	rocpd->has_streams |= numbers[0] != 0;
	return add_id(rocpd, PH_ROCPD_STREAMS, numbers, 1);
}

static PhStatus
read_agent(void *user, PhSqliteRows *rows)
{
	PhRocpd *rocpd = user;
	int64_t numbers[3] = {ph_sqlite_int(rows, 0), 0, ph_sqlite_int(rows, 2)};
	const char *type;
	const char *name;

	PH_TRY(ph_sqlite_text(rows, &rocpd->row, 1, &type));
	numbers[1] = type != NULL && strcmp(type, "GPU") == 0;
	PH_TRY(ph_sqlite_text(rows, &rocpd->row, ph_sqlite_has(rows, 3) ? 3 : 4, &name));
	if (numbers[1] != 0 && name != NULL)
		PH_TRY(ph_meta_set(rocpd->env, &rocpd->files->run->meta, "gpu", name, false));
	return add_id(rocpd, PH_ROCPD_AGENTS, numbers, 3);
}

/* Rows of numbers alone, the first of which is their id. */
static PhStatus
read_numbers(PhRocpd *rocpd, PhSqliteRows *rows, PhRocpdTable table)
{
	int64_t numbers[7];

	for (uint32_t i = 0; i < rows->n_columns; i++)
		numbers[i] = ph_sqlite_int(rows, i);
	return add_id(rocpd, table, numbers, rows->n_columns);
}

static PhStatus
read_event(void *user, PhSqliteRows *rows)
{
	return read_numbers(user, rows, PH_ROCPD_EVENTS);
}

static PhStatus
read_track(void *user, PhSqliteRows *rows)
{
	return read_numbers(user, rows, PH_ROCPD_TRACKS);
}

static PhStatus
read_time(void *user, PhSqliteRows *rows)
{
	return read_numbers(user, rows, PH_ROCPD_TIMES);
}

/* ---- processes ---- */

typedef struct Environment
{
	PhRocpd *rocpd;
	PhJsonScan json;
	PhJobVariables *job;
} Environment;

static PhStatus
take_variable(void *context, const PhJsonText *key)
{
	Environment *environment = context;
	PhJsonScan *json = &environment->json;
	PhRocpd *rocpd = environment->rocpd;
	char *name, *value;
	bool is_number;

	PH_TRY(ph_json_unescape(json, &rocpd->row, key, &name));
	PH_TRY(ph_json_scalar(json, &rocpd->row, &value, &is_number));
	return value == NULL ? PH_OK
						 : ph_rank_files_variable(rocpd->files, environment->job, name, value);
}

/* An environment that is no object tells nothing. */
static PhStatus
read_environment(PhRocpd *rocpd, const char *text, PhJobVariables *job)
{
	PhInput input = ph_input_lend(rocpd->files->path, text, strlen(text));
	Environment environment = {rocpd, {.env = rocpd->env, .input = &input}, job};
	PhStatus status = ph_json_members(&environment.json, take_variable, &environment);

	if (status != PH_ERR_FORMAT)
		return status;
	rocpd->env->error = (PhError){0};
	return PH_OK;
}

static PhStatus
read_process(void *user, PhSqliteRows *rows)
{
	PhRocpd *rocpd = user;
	PhRocpdProcess process = {.job = ph_job_variables_none(), .process = PH_NONE};
	int64_t numbers[4] = {ph_sqlite_int(rows, 0), ph_sqlite_int(rows, 1),
						  ph_sqlite_int(rows, ph_sqlite_has(rows, 2) ? 2 : 3),
						  rocpd->processes.count};
	const char *text;

	PH_TRY(ph_sqlite_text(rows, &rocpd->row, 4, &text));
	if (text != NULL)
		PH_TRY(read_environment(rocpd, text, &process.job));
	PH_TRY(PH_ROOM(rocpd->env, &rocpd->processes));
	rocpd->processes.items[rocpd->processes.count++] = process;
	return add_id(rocpd, PH_ROCPD_PROCESSES, numbers, 4);
}

/* ---- all of them ---- */

#define READ(name, read, ...)                                                                      \
	do                                                                                             \
	{                                                                                              \
		static const char *const columns[] = {__VA_ARGS__};                                        \
		const char *table;                                                                         \
		PH_TRY(ph_rocpd_table(rocpd, name, &table));                                               \
		PH_TRY(ph_sqlite_each(rocpd->db, table, columns, sizeof(columns) / sizeof(columns[0]),     \
							  &rocpd->row, read, rocpd));                                          \
	} while (0)

PhStatus
ph_rocpd_read_names(PhRocpd *rocpd)
{
	PH_TRY(PH_ROOM(rocpd->env, &rocpd->texts));
	rocpd->texts.items[rocpd->texts.count++] = "";
	READ("rocpd_string", read_string, "id", "string");
	READ("rocpd_info_node", read_node, "id", "hostname");
	READ("rocpd_info_process", read_process, "id", "nid", "init", "start", "environment");
	READ("rocpd_info_thread", read_thread, "id", "pid", "tid", "name");
	READ("rocpd_info_agent", read_agent, "id", "type", "type_index", "product_name", "name");
	READ("rocpd_info_stream", read_stream, "id");
	READ("rocpd_info_kernel_symbol", read_kernel, "id", "display_name", "kernel_name",
		 "arch_vgpr_count", "group_segment_size");
	READ("rocpd_event", read_event, "id", "category_id", "stack_id", "parent_stack_id");
	READ("rocpd_track", read_track, "id", "nid", "pid", "tid", "agent_id", "queue_id", "stream_id");
	READ("rocpd_timestamp", read_time, "id", "value");
	return PH_OK;
}
