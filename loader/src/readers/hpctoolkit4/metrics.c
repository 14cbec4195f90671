/*
 * metrics.c - metrics of meta.db: which ids their values have, and what becomes of those.
 *
 * A metric has values of several scopes in the same contexts, which follow from one another. One is
 * enough: what was measured in all that is below a context, from which docs/FORMATS.md derives the
 * rest.
 *
 * The cost of GPU work stands below the host's call path that launched it, in metrics of families:
 * GKER (kernels), GXCOPY, GICOPY (copies), GMSET and others. They are metrics here as they are
 * there; "gpu time", "gpu kernels" and "gpu copy bytes" sum them up as they do those of other
 * tools.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <strings.h>

#include "readers/hpctoolkit4/database.h"

/* ---- the table of meta.db, in both layouts ---- */

#define HEADER_SIZE 27
#define DRAFT_HEADER_SIZE 15
#define METRIC_SIZE 32
#define DRAFT_METRIC_SIZE 24
#define INSTANCE_SIZE 10
#define DRAFT_INSTANCE_SIZE 24
#define SCOPE_SIZE 10

/* Types of scopes. */
enum
{
	SCOPE_CUSTOM,
	SCOPE_POINT,
	SCOPE_EXECUTION,
	SCOPE_TRANSITIVE
};

typedef struct Table
{
	PhHpc4 *database;
	const PhHpc4File *file;
	PhHpc4Span section;
	PhHpc4Array metrics, scopes;
	uint32_t instance_size;
} Table;

/* Of the transitive scopes the one over functions. */
static PhHpc4Scope
scope_of(unsigned type, const char *name)
{
	return type == SCOPE_POINT										   ? PH_HPC4_POINT
		   : type == SCOPE_EXECUTION								   ? PH_HPC4_EXECUTION
		   : type == SCOPE_TRANSITIVE && strcmp(name, "function") == 0 ? PH_HPC4_FUNCTION
																	   : PH_HPC4_OTHER;
}

/* The draft has the scope's name in its instance, its type nowhere. */
static PhStatus
read_draft_instance(const Table *table, size_t at, PhHpc4Scope *scope, uint32_t *id)
{
	const char *name;
	PH_TRY(ph_hpc4_text(table->file, &table->section, ph_hpc4_u64(table->file, at), &name));
	*scope = strcmp(name, "execution") == 0	 ? PH_HPC4_EXECUTION
			 : strcmp(name, "point") == 0	 ? PH_HPC4_POINT
			 : strcmp(name, "function") == 0 ? PH_HPC4_FUNCTION
											 : PH_HPC4_OTHER;
	*id = ph_hpc4_u16(table->file, at + 10);
	return PH_OK;
}

static PhStatus
read_instance(const Table *table, size_t at, PhHpc4Scope *scope, uint32_t *id)
{
	const PhHpc4File *file = table->file;
	size_t pointer = ph_hpc4_u64(file, at);
	uint32_t index;
	const char *name;
	if (table->database->is_draft)
		return read_draft_instance(table, at, scope, id);
	PH_TRY(ph_hpc4_element(file, &table->scopes, pointer, "scope", &index));
	if (index == PH_NONE)
		return ph_hpc4_fail(file, at, "an instance of no scope");
	PH_TRY(ph_hpc4_text(file, &table->section, ph_hpc4_u64(file, pointer), &name));
	*scope = scope_of(ph_hpc4_u8(file, pointer + 8), name);
	*id = ph_hpc4_u16(file, at + 8);
	return PH_OK;
}

/* The scopes of one metric. ids: all that were met, each of which is of one metric and scope. */
static PhStatus
read_instances(const Table *table, const PhHpc4Array *instances, PhMap *ids, PhHpc4Metric *metric)
{
	size_t least = table->database->is_draft ? DRAFT_INSTANCE_SIZE : INSTANCE_SIZE;
	PH_TRY(ph_hpc4_array(table->file, &table->section, instances, least, "instances of scopes"));
	for (uint32_t i = 0; i < instances->count; i++)
	{
		size_t at = instances->at + (size_t) i * instances->stride;
		uint32_t id = 0, *known, before = ids->count;
		PhHpc4Scope scope = PH_HPC4_OTHER;
		PH_TRY(read_instance(table, at, &scope, &id));
		PH_TRY(ph_map_enter(ids, id, 0, &known));
		if (ids->count == before)
			return ph_hpc4_fail(table->file, at, "values with id %u are of two metrics or scopes",
								id);
		if (scope != PH_HPC4_OTHER && metric->id[scope] == PH_NONE)
			metric->id[scope] = id;
	}
	return PH_OK;
}

static PhStatus
read_metric(const Table *table, size_t at, PhMap *ids, PhHpc4Metric *metric)
{
	const PhHpc4File *file = table->file;
	bool is_draft = table->database->is_draft;
	PhHpc4Array instances = {.at = ph_hpc4_u64(file, at + (is_draft ? 16 : 8)),
							 .count = ph_hpc4_u16(file, at + (is_draft ? 8 : 24)),
							 .stride = table->instance_size};
	for (uint32_t scope = 0; scope < PH_HPC4_SCOPES; scope++)
		metric->id[scope] = PH_NONE;
	PH_TRY(ph_hpc4_text(file, &table->section, ph_hpc4_u64(file, at), &metric->name));
	if (metric->name[0] == '\0')
		return ph_hpc4_fail(file, at, "a metric without a name");
	return read_instances(table, &instances, ids, metric);
}

static PhStatus
open_table(PhHpc4 *database, Table *table)
{
	const PhHpc4File *file = &database->meta;
	*table = (Table){.database = database, .file = file};
	PH_TRY(ph_hpc4_section(file, PH_HPC4_METRICS, DRAFT_HEADER_SIZE, &table->section));
	size_t at = table->section.at;
	table->metrics =
		(PhHpc4Array){ph_hpc4_u64(file, at), ph_hpc4_u32(file, at + 8), ph_hpc4_u8(file, at + 12)};
	table->instance_size = ph_hpc4_u8(file, at + 13);
	database->is_draft = table->metrics.stride == DRAFT_METRIC_SIZE;
	PH_TRY(ph_hpc4_array(file, &table->section, &table->metrics,
						 database->is_draft ? DRAFT_METRIC_SIZE : METRIC_SIZE, "metrics"));
	if (database->is_draft)
		return PH_OK;
	PH_TRY(ph_hpc4_section(file, PH_HPC4_METRICS, HEADER_SIZE, &table->section));
	table->scopes = (PhHpc4Array){ph_hpc4_u64(file, at + 16), ph_hpc4_u16(file, at + 24),
								  ph_hpc4_u8(file, at + 26)};
	return ph_hpc4_array(file, &table->section, &table->scopes, SCOPE_SIZE, "scopes");
}

PhStatus
ph_hpc4_read_metrics(PhHpc4 *database)
{
	Table table;
	PhMap ids;
	PhStrings names;
	PH_TRY(open_table(database, &table));
	ph_map_init(&ids, &database->arena);
	PH_TRY(ph_strings_init(&names, &database->arena));
	PH_TRY(PH_NEW(&database->arena, table.metrics.count, &database->metrics));
	for (uint32_t i = 0; i < table.metrics.count; i++)
	{
		size_t at = table.metrics.at + (size_t) i * table.metrics.stride;
		uint32_t string, before = names.count;
		PH_TRY(ph_env_poll(database->env));
		PH_TRY(read_metric(&table, at, &ids, &database->metrics[i]));
		PH_TRY(ph_strings_intern(&names, database->metrics[i].name, &string));
		if (names.count == before)
			return ph_hpc4_fail(table.file, at, "a second metric \"%.100s\"",
								database->metrics[i].name);
	}
	database->n_metrics = table.metrics.count;
	return PH_OK;
}

/* ---- what becomes of them ---- */

static const char *
unit_of(const char *name)
{
	static const char *const units[][2] = {{" (sec)", "s"},	  {" (msec)", "ms"},
										   {" (usec)", "us"}, {" (nsec)", "ns"},
										   {" (B)", "bytes"}, {" (cyc)", "cycles"}};
	size_t length = strlen(name);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
	{
		size_t end = strlen(units[i][0]);
		if (length > end && strcmp(name + length - end, units[i][0]) == 0)
			return units[i][1];
	}
	return "count";
}

static bool
is_gpu(const char *name)
{
	static const char *const families[] = {"GPUOP", "GKER",	 "GXCOPY", "GICOPY", "GMEM",
										   "GMSET", "GSYNC", "GINS",   "GSAMP"};
	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		if (strncmp(name, families[i], strlen(families[i])) == 0)
			return true;
	return false;
}

/* Times of the host come first, then its other metrics, then those of GPUs. */
static uint32_t
class_of(const char *name)
{
	bool is_time = strcasestr(name, "TIME") != NULL && strcmp(unit_of(name), "s") == 0;
	return is_gpu(name) ? 2 : is_time ? 0 : 1;
}

/* The id whose values are read: of the first scope that has some. PH_NONE: there are none. */
static uint32_t
id_to_read(const PhHpc4 *database, const PhHpc4Metric *metric, PhHpc4Scope *scope)
{
	for (uint32_t i = 0; i < PH_HPC4_SCOPES; i++)
	{
		*scope = (PhHpc4Scope) i;
		if (metric->id[i] != PH_NONE && database->has_values[metric->id[i]])
			return metric->id[i];
	}
	return PH_NONE;
}

static PhStatus
add_metric(PhHpc4 *database, const char *name, const char *unit, uint32_t *out)
{
	PhMetricSpec spec = {.name = name,
						 .unit = unit,
						 .kind = PH_METRIC_FLOW,
						 .combine = PH_COMBINE_SUM,
						 .given = PH_GIVEN_EXCLUSIVE};
	database->n_declared++;
	return ph_builder_add_metric(database->builder, &spec, out);
}

/* Declare the metrics of one class as they are. */
static PhStatus
add_class(PhHpc4 *database, uint32_t class)
{
	for (uint32_t i = 0; i < database->n_metrics; i++)
	{
		const PhHpc4Metric *metric = &database->metrics[i];
		PhHpc4Scope scope;
		uint32_t id = id_to_read(database, metric, &scope);
		if (id == PH_NONE || class_of(metric->name) != class)
			continue;
		PhHpc4Use *use = &database->uses[id];
		use->scope = (uint8_t) scope;
		PH_TRY(add_metric(database, metric->name, unit_of(metric->name), &use->metric[use->n]));
		use->n++;
	}
	return PH_OK;
}

static bool
is_gpu_time(const char *name)
{
	return strcmp(name, "GKER (sec)") == 0 || strcmp(name, "GXCOPY (sec)") == 0 ||
		   strcmp(name, "GICOPY (sec)") == 0 || strcmp(name, "GMSET (sec)") == 0;
}

static bool
is_gpu_kernels(const char *name)
{
	return strcmp(name, "GKER:COUNT") == 0;
}

static bool
is_gpu_bytes(const char *name)
{
	return strncmp(name, "GXCOPY:", 7) == 0 && strcmp(unit_of(name), "bytes") == 0;
}

/* Declare a metric that is the sum of those that belong to it; nothing where none does. */
static PhStatus
add_sum(PhHpc4 *database, const char *name, const char *unit, bool (*belongs)(const char *name))
{
	uint32_t sum = PH_NONE;
	for (uint32_t i = 0; i < database->n_metrics; i++)
	{
		const PhHpc4Metric *metric = &database->metrics[i];
		PhHpc4Scope scope;
		uint32_t id = id_to_read(database, metric, &scope);
		if (id == PH_NONE || !belongs(metric->name))
			continue;
		if (sum == PH_NONE)
			PH_TRY(add_metric(database, name, unit, &sum));
		database->uses[id].metric[database->uses[id].n++] = sum;
	}
	return PH_OK;
}

/* Metadata "left_out_metrics": those that nothing was measured of. */
static PhStatus
note_left_out(PhHpc4 *database)
{
	char names[1024] = "";
	size_t used = 0;
	for (uint32_t i = 0; i < database->n_metrics; i++)
	{
		const char *name = database->metrics[i].name;
		size_t length = strlen(name);
		PhHpc4Scope scope;
		if (id_to_read(database, &database->metrics[i], &scope) != PH_NONE ||
			used + length + 3 > sizeof(names))
			continue;
		used += (size_t) snprintf(names + used, sizeof(names) - used, "%s%s", used > 0 ? ", " : "",
								  name);
	}
	if (used == 0)
		return PH_OK;
	return ph_meta_set(database->env, &database->run->meta, "left_out_metrics", names, false);
}

PhStatus
ph_hpc4_add_metrics(PhHpc4 *database)
{
	PH_TRY(PH_NEW(&database->arena, PH_HPC4_IDS, &database->uses));
	PH_TRY(add_class(database, 0));
	PH_TRY(add_class(database, 1));
	PH_TRY(add_sum(database, "gpu time", "s", is_gpu_time));
	PH_TRY(add_sum(database, "gpu kernels", "count", is_gpu_kernels));
	PH_TRY(add_sum(database, "gpu copy bytes", "bytes", is_gpu_bytes));
	PH_TRY(add_class(database, 2));
	return note_left_out(database);
}
