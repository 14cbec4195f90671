/*
 * host.c - calls of threads in an Nsight Systems export: CUDA's API, ranges of NVTX, operating
 * system, MPI and libraries.
 *
 * With back traces on, one CUDA call is two rows of one correlation: CUPTI's own, and one of class
 * 67 around it, which is left out. Names of API functions carry a version, "cudaMalloc_v3020",
 * which is cut.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <string.h>

#include "readers/nsight/nsight.h"

#define CLASS_WITH_CHAIN 67
#define NVTX_DOMAIN 75

/* Columns of tables whose name is a number of StringIds, in the order of the rows here. */
enum
{
	START,
	END,
	GLOBAL_TID,
	NAME,
	CORRELATION,
	CLASS
};
static const char *const by_name[] = {"start",	"end",			 "globalTid",
									  "nameId", "correlationId", "eventClass"};
static const char *const by_text[] = {"start", "end", "globalTid", "textId"};

/* What a table of calls is. */
typedef struct CallTable
{
	const char *table;
	const char *const *columns;
	uint32_t n_columns;
	const char *paradigm, *library;
	bool is_api; /* rows have a correlation and a class */
} CallTable;

static const CallTable tables[] = {
	{"CUPTI_ACTIVITY_KIND_RUNTIME", by_name, 6, "cuda", "", true},
	{"CUPTI_ACTIVITY_KIND_DRIVER", by_name, 6, "cuda", "", true},
	{"OSRT_API", by_name, 4, "system", "", false},
	{"CUDNN_EVENTS", by_name, 4, "cuda", "cudnn", false},
	{"CUBLAS_EVENTS", by_name, 4, "cuda", "cublas", false},
	{"MPI_P2P_EVENTS", by_text, 4, "mpi", "MPI", false},
	{"MPI_COLLECTIVES_EVENTS", by_text, 4, "mpi", "MPI", false},
	{"MPI_START_WAIT_EVENTS", by_text, 4, "mpi", "MPI", false},
	{"MPI_OTHER_EVENTS", by_text, 4, "mpi", "MPI", false},
};

typedef PhStatus (*CallFunction)(PhNsight *nsight, PhSqliteRows *rows, const CallTable *of);

/* What is read of which table. */
typedef struct Reading
{
	PhNsight *nsight;
	const CallTable *of;
	CallFunction read;
} Reading;

static PhStatus
read_row(void *user, PhSqliteRows *rows)
{
	const Reading *reading = user;

	return reading->read(reading->nsight, rows, reading->of);
}

static PhStatus
read_rows(PhNsight *nsight, const CallTable *of, CallFunction read)
{
	Reading reading = {nsight, of, read};

	return ph_sqlite_each(nsight->db, of->table, of->columns, of->n_columns, &nsight->row, read_row,
						  &reading);
}

/* ---- CUDA and tables like it ---- */

/* The length of a name without "_v3020". */
static size_t
unversioned(const char *name)
{
	size_t length = strlen(name);
	size_t at = length;

	while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9')
		at--;
	return at < length && at > 2 && name[at - 1] == 'v' && name[at - 2] == '_' ? at - 2 : length;
}

static uint64_t
call_key(const PhSqliteRows *rows)
{
	return ph_map_key(ph_nsight_pid(ph_sqlite_int(rows, GLOBAL_TID)),
					  (uint32_t) ph_sqlite_int(rows, CORRELATION));
}

static PhStatus
count_chain(void *user, PhSqliteRows *rows)
{
	*(uint64_t *) user += ph_sqlite_int(rows, 0) == CLASS_WITH_CHAIN;
	return PH_OK;
}

/* Most exports have none: then nothing needs to be noted. */
static PhStatus
count_chains(PhNsight *nsight, const char *table, uint64_t *out)
{
	static const char *const columns[] = {"eventClass"};

	*out = 0;
	return ph_sqlite_each(nsight->db, table, columns, 1, NULL, count_chain, out);
}

/* Which calls have a row of CUPTI's own. */
static PhStatus
note_call(PhNsight *nsight, PhSqliteRows *rows, const CallTable *of)
{
	uint32_t *known;

	(void) of;
	if (ph_sqlite_int(rows, CLASS) == CLASS_WITH_CHAIN)
		return PH_OK;
	return ph_map_enter(&nsight->calls, call_key(rows), 1, &known);
}

static PhStatus
is_repeated(PhNsight *nsight, const PhSqliteRows *rows, bool *out)
{
	uint32_t *known;

	*out = false;
	if (ph_sqlite_int(rows, CLASS) != CLASS_WITH_CHAIN)
		return PH_OK;
	PH_TRY(ph_map_enter(&nsight->calls, call_key(rows), 0, &known));
	*out = *known != 0;
	return PH_OK;
}

static PhStatus
make_region(PhNsight *nsight, const CallTable *of, const char *name, uint32_t *out)
{
	PhTraceRegion region = {.kind = PH_KIND_FUNCTION,
							.line = PH_NO_NUMBER,
							.paradigm = of->paradigm,
							.library = of->library,
							.role = "function"};
	char *cut;

	PH_TRY(
		ph_arena_strndup(&nsight->row, name, of->is_api ? unversioned(name) : strlen(name), &cut));
	region.name = cut;
	return ph_span_trace_region(nsight->trace, &region, out);
}

static PhStatus
find_region(PhNsight *nsight, const CallTable *of, int64_t name_id, uint32_t *out)
{
	const char *name;
	uint32_t *known;

	PH_TRY(ph_nsight_region(nsight, (uint32_t) (of - tables), name_id, &known));
	if (*known == PH_NONE)
	{
		PH_TRY(ph_nsight_string(nsight, name_id, &name));
		PH_TRY(make_region(nsight, of, name == NULL ? "<unknown>" : name, known));
	}
	*out = *known;
	return PH_OK;
}

static int64_t
end_of(const PhSqliteRows *rows, uint32_t column)
{
	return ph_sqlite_has(rows, column) ? ph_sqlite_int(rows, column) : PH_SPAN_OPEN;
}

/* Rows of thread 0 are the process itself. */
static PhStatus
read_call(PhNsight *nsight, PhSqliteRows *rows, const CallTable *of)
{
	int64_t global = ph_sqlite_int(rows, GLOBAL_TID);
	PhTraceSpan span = {.start = ph_sqlite_int(rows, START), .end = end_of(rows, END)};
	bool is_again = false;

	if (ph_nsight_tid(global) == 0)
		return PH_OK;
	if (of->is_api)
	{
		PH_TRY(is_repeated(nsight, rows, &is_again));
		span.correlation = (uint64_t) ph_sqlite_int(rows, CORRELATION);
	}
	if (is_again)
		return PH_OK;
	PH_TRY(find_region(nsight, of, ph_sqlite_int(rows, NAME), &span.region));
	PH_TRY(ph_nsight_thread(nsight, global, &span.track));
	return ph_nsight_add(nsight, rows, &span);
}

/* ---- ranges of NVTX ---- */

enum
{
	NVTX_START,
	NVTX_END,
	NVTX_TYPE,
	NVTX_TEXT,
	NVTX_TEXT_ID,
	NVTX_GLOBAL_TID,
	NVTX_DOMAIN_ID,
	NVTX_PAYLOAD
};
static const char *const nvtx_columns[] = {"start",	 "end",		  "eventType", "text",
										   "textId", "globalTid", "domainId",  "binaryData"};
static const CallTable nvtx = {"NVTX_EVENTS", nvtx_columns, 8, "user", "", false};

static PhStatus
nvtx_text(PhNsight *nsight, PhSqliteRows *rows, const char **out)
{
	PH_TRY(ph_sqlite_text(rows, &nsight->row, NVTX_TEXT, out));
	return *out != NULL ? PH_OK : ph_nsight_string(nsight, ph_sqlite_int(rows, NVTX_TEXT_ID), out);
}

static uint64_t
domain_key(const PhSqliteRows *rows)
{
	return ph_map_key(ph_nsight_pid(ph_sqlite_int(rows, NVTX_GLOBAL_TID)),
					  (uint32_t) ph_sqlite_int(rows, NVTX_DOMAIN_ID));
}

/* Domains are known by their names; old exports have MPI as one. */
static PhStatus
read_domain(PhNsight *nsight, PhSqliteRows *rows, const CallTable *of)
{
	const char *name;
	uint32_t *known;

	(void) of;
	if (ph_sqlite_int(rows, NVTX_TYPE) != NVTX_DOMAIN)
		return PH_OK;
	PH_TRY(nvtx_text(nsight, rows, &name));
	if (name == NULL)
		return PH_OK;
	PH_TRY(PH_GROW(&nsight->arena, &nsight->text, nsight->n_strings, &nsight->string_room));
	PH_TRY(ph_map_enter(&nsight->domains, domain_key(rows), nsight->n_strings, &known));
	if (*known != nsight->n_strings)
		return PH_OK;
	char *copy;

	PH_TRY(ph_arena_strndup(&nsight->arena, name, strlen(name), &copy));
	nsight->text[nsight->n_strings++] = copy;
	return PH_OK;
}

/* 59 and 60, and 70 and 71 of older versions. */
static bool
is_range(int64_t type)
{
	return type == 59 || type == 60 || type == 70 || type == 71;
}

static PhStatus
read_range(PhNsight *nsight, PhSqliteRows *rows, const CallTable *of)
{
	PhTraceRegion region = {
		.kind = PH_KIND_REGION, .line = PH_NO_NUMBER, .paradigm = of->paradigm, .role = "function"};
	PhTraceSpan span = {.start = ph_sqlite_int(rows, NVTX_START), .end = end_of(rows, NVTX_END)};
	uint32_t *domain;
	size_t size;
	const uint8_t *payload;

	if (!is_range(ph_sqlite_int(rows, NVTX_TYPE)))
		return PH_OK;
	PH_TRY(nvtx_text(nsight, rows, &region.name));
	PH_TRY(ph_map_enter(&nsight->domains, domain_key(rows), PH_NONE, &domain));
	if (*domain != PH_NONE)
		region.library = nsight->text[*domain];
	if (region.library != NULL && strcmp(region.library, "MPI") == 0)
	{
		region.kind = PH_KIND_FUNCTION;
		region.paradigm = "mpi";
	}
	PH_TRY(ph_span_trace_region(nsight->trace, &region, &span.region));
	PH_TRY(ph_nsight_thread(nsight, ph_sqlite_int(rows, NVTX_GLOBAL_TID), &span.track));
	payload = ph_sqlite_bytes(rows, NVTX_PAYLOAD, &size);
	if (region.name != NULL)
		PH_TRY(ph_nsight_note_collective(nsight, region.name, &span, payload, size));
	return ph_nsight_add(nsight, rows, &span);
}

PhStatus
ph_nsight_read_host(PhNsight *nsight)
{
	for (size_t i = 0; i < sizeof(tables) / sizeof(tables[0]); i++)
	{
		uint64_t n_chains = 0;

		if (tables[i].is_api)
			PH_TRY(count_chains(nsight, tables[i].table, &n_chains));
		if (n_chains > 0)
			PH_TRY(read_rows(nsight, &tables[i], note_call));
		PH_TRY(read_rows(nsight, &tables[i], read_call));
	}
	PH_TRY(read_rows(nsight, &nvtx, read_domain));
	return read_rows(nsight, &nvtx, read_range);
}
