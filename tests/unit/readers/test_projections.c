/*
 * test_projections.c - Projections logs: random runs as text and as binary logs against what was
 * generated, a slow matching of messages, and failing allocations; the neutral format.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "pipeline/trace/read.h"
#include "readers/projections/projections.h"
#include "readers/tasks/lines.h"
#include "support/fault_env.h"
#include "support/reader.h"
#include "support/rounds.h"
#include "tasks/collect.h"

#define N_CASES rounds(2000)
#define MOST_PES 4
#define MOST_RECORDS 60

/* Entry methods 0..3: SDAG_RTS, one of a one-dimensional, a three- and a six-dimensional array. */
static const char definitions[] =
	"PROJECTIONS_ID \nVERSION 11.0\nPROCESSORS %d\nSMPMODE 2 2\n"
	"CHARE 0 \"SDAG\" -1\nCHARE 1 \"A\" 1\nCHARE 2 \"B\" 3\nCHARE 3 \"C\" 6\n"
	"ENTRY CHARE 0 \"SDAG_RTS\" 0 0\nENTRY CHARE 1 \"go(int a, int b)\" 1 0\n"
	"ENTRY CHARE 2 \"go()\" 2 0\nENTRY CHARE 3 \"go()\" 3 0\nEND\n";
static const int n_ids[] = {4, 1, 3, 6};

typedef struct Record
{
	int type; /* 1 creation, 2 begin, 3 end, 14, 15 idle */
	int entry, event, pe, time, bytes;
	int ids[6];
} Record;

typedef struct Case
{
	int n_pes;
	int n[MOST_PES];
	Record records[MOST_PES][MOST_RECORDS];
	char sts[1024];
	PhInput sts_input;
	uint8_t bytes[2][MOST_PES][MOST_RECORDS * 100];
	char paths[MOST_PES][24];
	PhInput logs[2][MOST_PES]; /* as text, as binary */
} Case;

/* ---- random runs ---- */

static Record *
add(Case *made, int pe, int type, int *time, uint64_t *seed)
{
	Record *record = &made->records[pe][made->n[pe]++];

	memset(record, 0, sizeof(*record));
	*time += (int) draw_below(seed, 4);
	record->type = type;
	record->time = *time;
	record->event = -1;
	return record;
}

/* Creations count on; a block is begun by any message, stale and foreign ones among them. */
static void
make_log(Case *made, int pe, uint64_t *seed)
{
	int time = 1000 + (int) draw_below(seed, 50);
	int n_created = 0;
	int n = (int) draw_below(seed, MOST_RECORDS - 12);

	while (made->n[pe] < n)
	{
		int event = (int) draw_below(seed, 12) - 1;
		int sender = (int) draw_below(seed, (uint32_t) made->n_pes + 1);
		int entry = (int) draw_below(seed, 4);
		Record *record;

		if (draw_below(seed, 4) == 0)
		{
			add(made, pe, 14, &time, seed);
			add(made, pe, 15, &time, seed);
			continue;
		}
		record = add(made, pe, 2, &time, seed);
		record->entry = entry;
		record->event = event;
		record->pe = sender;
		for (int i = 0; i < n_ids[entry]; i++)
			record->ids[i] = entry == 0 ? 0 : (int) draw_below(seed, 3) - 1;
		for (int i = (int) draw_below(seed, 4); i > 0; i--)
		{
			record = add(made, pe, 1, &time, seed);
			record->entry = (int) draw_below(seed, 4);
			record->event = n_created++;
			record->pe = pe;
			record->bytes = 80 + (int) draw_below(seed, 100);
		}
		record = add(made, pe, 3, &time, seed);
		record->entry = entry;
		record->event = event;
		record->pe = sender;
	}
}

/* ---- as text and as binary logs ---- */

typedef struct Out
{
	uint8_t *at;
} Out;

static void
put(Out *out, uint64_t value, size_t size)
{
	for (size_t i = 0; i < size; i++)
		*out->at++ = (uint8_t) (value >> (8 * i));
}

static void
put_binary(Out *out, const Record *record)
{
	put(out, (uint64_t) record->type, 1);
	if (record->type <= 3)
	{
		put(out, 4, 2);
		put(out, (uint64_t) record->entry, 2);
		put(out, (uint64_t) record->time, 8);
		put(out, (uint64_t) (int64_t) record->event, 4);
		put(out, (uint64_t) record->pe, 4);
		put(out, (uint64_t) record->bytes, 4);
		put(out, 0, 8);
	}
	else
	{
		put(out, (uint64_t) record->time, 8);
		if (record->type >= 14)
			put(out, 0, 4);
	}
	if (record->type == 2)
	{
		for (int i = 0; i < n_ids[record->entry]; i++)
			put(out, (uint64_t) (int64_t) record->ids[i], n_ids[record->entry] == 6 ? 2 : 4);
		put(out, 77, 8);
	}
	put(out, '\n', 1);
}

static void
put_text(Out *out, size_t room, const Record *record)
{
	char ids[80] = "";
	int size;

	for (int i = 0; record->type == 2 && i < n_ids[record->entry]; i++)
		snprintf(ids + strlen(ids), sizeof(ids) - strlen(ids), " %d", record->ids[i]);
	if (record->type > 3)
		size = snprintf((char *) out->at, room, "%d %d%s\n", record->type, record->time,
						record->type >= 14 ? " 0" : "");
	else
		size = snprintf((char *) out->at, room, "%d 4 %d %d %d %d %d 0%s%s\n", record->type,
						record->entry, record->time, record->event, record->pe, record->bytes, ids,
						record->type == 2 ? " 77" : "");
	out->at += size;
}

static void
write_log(Case *made, int pe)
{
	Record first = {.type = 6, .time = 900};
	Record last = {.type = 7, .time = 100000};
	Out text = {made->bytes[0][pe]};
	Out binary = {made->bytes[1][pe]};

	text.at += snprintf((char *) text.at, 64, "PROJECTIONS-RECORD 1\n");
	put(&binary, 1, 4);
	for (int i = -1; i <= made->n[pe]; i++)
	{
		const Record *record = i < 0 ? &first : i == made->n[pe] ? &last : &made->records[pe][i];

		put_text(&text, 200, record);
		put_binary(&binary, record);
	}
	snprintf(made->paths[pe], sizeof(made->paths[pe]), "run.%d.log", pe);
	made->logs[0][pe] =
		ph_input_lend(made->paths[pe], made->bytes[0][pe], (size_t) (text.at - made->bytes[0][pe]));
	made->logs[1][pe] = ph_input_lend(made->paths[pe], made->bytes[1][pe],
									  (size_t) (binary.at - made->bytes[1][pe]));
}

static Case *
make_case(uint64_t seed)
{
	Case *made = test_calloc(1, sizeof(*made));

	made->n_pes = 1 + (int) draw_below(&seed, MOST_PES);
	snprintf(made->sts, sizeof(made->sts), definitions, made->n_pes);
	made->sts_input = ph_input_lend("run.sts", made->sts, strlen(made->sts));
	for (int pe = 0; pe < made->n_pes; pe++)
	{
		make_log(made, pe, &seed);
		write_log(made, pe);
	}
	return made;
}

/* ---- what must come out, slowly ---- */

typedef struct Expected
{
	uint32_t n_blocks, n_resumed, n_matched, n_sends;
} Expected;

static bool
same_block(const Record *a, const Record *b)
{
	return a->event >= 0 && a->entry == b->entry && a->event == b->event && a->pe == b->pe &&
		   memcmp(a->ids, b->ids, sizeof(a->ids)) == 0;
}

/* A mark for each BEGIN that goes on with a block. */
static void
mark_resumed(const Case *made, int pe, bool *resumed)
{
	const Record *stack[MOST_RECORDS];
	int depth = 0;
	const Record *open = NULL;

	for (int i = 0; i < made->n[pe]; i++)
	{
		const Record *record = &made->records[pe][i];

		if (record->type == 14)
			depth = 0;
		if (record->type == 3)
			stack[depth++] = open;
		if (record->type != 2)
			continue;
		open = record;
		resumed[i] = depth >= 2 && same_block(record, stack[depth - 2]);
		if (resumed[i])
			depth -= 2;
	}
}

static const Record *
find_sent(const Case *made, const Record *begin)
{
	for (int i = 0; begin->pe < made->n_pes && i < made->n[begin->pe]; i++)
	{
		const Record *record = &made->records[begin->pe][i];

		if (record->type == 1 && record->event == begin->event && record->entry == begin->entry)
			return record;
	}
	return NULL;
}

/* Was the message received before, by the same chare, in time? Chares without an index are by PE.
 */
static bool
is_repeated(const Case *made, bool (*matched)[MOST_RECORDS], int pe, int at)
{
	const Record *record = &made->records[pe][at];

	for (int p = 0; p <= pe; p++)
	{
		for (int i = 0; i < (p == pe ? at : made->n[p]); i++)
		{
			const Record *other = &made->records[p][i];

			if (matched[p][i] && other->type == 2 && same_block(record, other) &&
				(record->entry != 0 || p == pe))
				return true;
		}
	}
	return false;
}

/* SMP nodes of two: those share a clock. */
static bool
is_early(const Record *sent, const Record *begin, int pe)
{
	return begin->pe / 2 == pe / 2 && sent->time > begin->time;
}

static Expected
expect(const Case *made)
{
	static bool matched[MOST_PES][MOST_RECORDS];
	Expected expected = {0};

	memset(matched, 0, sizeof(matched));
	for (int pe = 0; pe < made->n_pes; pe++)
	{
		bool resumed[MOST_RECORDS] = {false};

		mark_resumed(made, pe, resumed);
		for (int i = 0; i < made->n[pe]; i++)
		{
			const Record *record = &made->records[pe][i];
			const Record *sent;

			expected.n_sends += record->type == 1;
			expected.n_blocks += record->type == 2;
			expected.n_resumed += resumed[i];
			if (record->type != 2 || resumed[i] || record->event < 0)
				continue;
			sent = find_sent(made, record);
			matched[pe][i] =
				sent != NULL && !is_early(sent, record, pe) && !is_repeated(made, matched, pe, i);
			expected.n_matched += matched[pe][i];
		}
	}
	return expected;
}

/* ---- reading ---- */

typedef struct Reading
{
	PhEnv env;
	PhRunInput run;
	PhChunkReader *reader;
	PhTaskCollector *collector; /* NULL: only the digest */
	const PhLink *links;
	uint32_t n_links_used;
	uint64_t digest;
} Reading;

static PhStatus
take_chunk(void *user, const PhChunk *chunk)
{
	Reading *reading = user;
	const PhBytes columns[] = {chunk->dt, chunk->kind, chunk->region, chunk->msg, chunk->extra};
	uint32_t n_receives;

	for (size_t c = 0; c < sizeof(columns) / sizeof(columns[0]); c++)
	{
		for (size_t i = 0; i < columns[c].size; i++)
			reading->digest = (reading->digest ^ columns[c].data[i]) * UINT64_C(1099511628211);
	}
	PH_TRY(ph_chunk_reader_open(reading->reader, chunk, PH_WANT_ALL));
	n_receives = ph_chunk_count(reading->reader, PH_EVENT_RECV);
	reading->n_links_used += n_receives;
	if (reading->collector == NULL)
		return PH_OK;
	reading->links += n_receives;
	return ph_task_collector_add(reading->collector, chunk, reading->reader,
								 reading->links - n_receives, n_receives);
}

/* Chunks of few events, so that blocks lie across their ends. */
static void
read_locations(Reading *reading)
{
	PhTraceSource *source = reading->run.trace;
	PhTraceCursor *cursor;
	PhTraceCounts counts = {0};

	assert_int_equal(source->open(&reading->env, source, &cursor), PH_OK);
	for (uint32_t i = 0; i < source->model.n_locations; i++)
	{
		PhChunkWriter *writer;
		PhArena arena;
		uint64_t n;

		ph_arena_init(&arena, &reading->env);
		assert_int_equal(source->links(source, &arena, i, &reading->links, &n), PH_OK);
		reading->n_links_used = 0;
		assert_int_equal(ph_chunk_writer_new(&reading->env, i, 16, take_chunk, reading, &writer),
						 PH_OK);
		assert_int_equal(source->read_location(cursor, i, writer, &counts), PH_OK);
		assert_int_equal(ph_chunk_writer_finish(writer), PH_OK);
		assert_int_equal(ph_chunk_writer_open_calls(writer), 0);
		assert_int_equal(reading->n_links_used, n);
		ph_chunk_writer_free(writer);
		ph_arena_drop(&arena);
	}
	source->close(cursor);
}

/* The stored definitions, as the server reads them. */
static void
define(const PhTaskSource *tasks, PhArena *arena, PhTaskDefinitions *out)
{
	*out = (PhTaskDefinitions){.model = tasks->model,
							   .tick = tasks->tick,
							   .n_types = tasks->n_types,
							   .n_entries = tasks->n_entries,
							   .n_chares = tasks->n_chares,
							   .idle_region = tasks->n_entries};
	assert_int_equal(PH_NEW(arena, out->n_types, &out->type_name), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_types, &out->type_dimensions), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_entries, &out->entry_name), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_entries, &out->entry_type), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_chares, &out->chare_name), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_chares, &out->chare_type), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_chares, &out->chare_collection), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_chares, &out->chare_dimensions), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_chares, &out->chare_index), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_chares, &out->chare_is_runtime), PH_OK);
	assert_int_equal(PH_NEW(arena, out->n_chares, &out->chare_location), PH_OK);
	for (uint32_t i = 0; i < out->n_types; i++)
	{
		out->type_name[i] = tasks->types[i].name;
		out->type_dimensions[i] = tasks->types[i].dimensions;
	}
	for (uint32_t i = 0; i < out->n_entries; i++)
	{
		out->entry_name[i] = tasks->entries[i].name;
		out->entry_type[i] = tasks->entries[i].type;
	}
	for (uint32_t i = 0; i < out->n_chares; i++)
	{
		const PhTaskChare *chare = &tasks->chares[i];

		out->chare_type[i] = chare->key.type;
		out->chare_collection[i] = PH_NONE;
		out->chare_dimensions[i] = (uint8_t) chare->key.n_index;
		memcpy(out->chare_index[i], chare->key.index, sizeof(out->chare_index[i]));
		out->chare_is_runtime[i] = chare->is_runtime;
		out->chare_location[i] = chare->location;
	}
}

/* ---- checks ---- */

static void
check_tasks(const PhTaskTrace *tasks, const PhTaskOrigin *origin, const Expected *expected)
{
	uint32_t n_partners = 0;
	uint32_t n_sends = 0;
	uint32_t n_continued = 0;

	assert_int_equal(tasks->count[PH_TASK_BLOCKS], expected->n_blocks);
	for (uint32_t b = 0; b < tasks->count[PH_TASK_BLOCKS]; b++)
	{
		assert_int_not_equal(origin->block_chare[b], PH_NONE);
		n_continued += tasks->block_continues[b] != PH_NONE;
	}
	for (uint32_t e = 0; e < tasks->count[PH_TASK_EVENTS]; e++)
	{
		n_sends += tasks->event_kind[e] == PH_TASK_SEND;
		n_partners += tasks->event_partner[e] != PH_NONE;
	}
	assert_int_equal(n_continued, expected->n_resumed);
	assert_int_equal(n_sends, expected->n_sends);
	assert_int_equal(n_partners, expected->n_matched);
}

static void
collect(Reading *reading, const Expected *expected)
{
	const PhTaskSource *source = reading->run.trace->tasks;
	PhTaskDefinitions task_definitions;
	PhTaskTrace tasks;
	PhTaskOrigin origin;
	PhArena arena;

	ph_arena_init(&arena, &reading->env);
	define(source, &arena, &task_definitions);
	assert_int_equal(ph_task_collector_new(&reading->env, &reading->run.trace->model,
										   &task_definitions, &reading->collector),
					 PH_OK);
	read_locations(reading);
	assert_int_equal(ph_task_collector_finish(reading->collector, &arena, &tasks, &origin), PH_OK);
	check_tasks(&tasks, &origin, expected);
	ph_task_collector_free(reading->collector);
	reading->collector = NULL;
	ph_task_trace_free(&tasks);
	ph_arena_drop(&arena);
}

static uint64_t
read_case(Case *made, int form, uint32_t n_threads, const Expected *expected)
{
	Reading reading = {.digest = UINT64_C(14695981039346656037)};
	PhReadOptions options = {.n_threads = n_threads};
	uint64_t digest;

	ph_env_init_malloc(&reading.env);
	assert_int_equal(ph_read_projections(&reading.env, &made->sts_input, made->logs[form],
										 (uint32_t) made->n_pes, &options, &reading.run),
					 PH_OK);
	assert_int_equal(reading.run.trace->matches.messages, expected->n_matched);
	assert_int_equal(ph_chunk_reader_new(&reading.env, &reading.reader), PH_OK);
	read_locations(&reading);
	digest = reading.digest;
	collect(&reading, expected);
	ph_chunk_reader_free(reading.reader);
	ph_run_input_free(&reading.env, &reading.run);
	assert_int_equal(reading.env.bytes, 0);
	return digest;
}

/* Text and binary, one thread and several: the same events, as slow reading expects them. */
static void
reads_random_runs(void **state)
{
	uint64_t n_matched = 0;
	uint64_t n_resumed = 0;

	(void) state;
	for (uint64_t seed = 1; seed <= N_CASES; seed++)
	{
		Case *made = make_case(seed * 7919);
		Expected expected = expect(made);
		uint64_t digest = read_case(made, 0, 1, &expected);

		assert_int_equal(read_case(made, 1, 1, &expected), digest);
		if (seed % 16 == 0)
			assert_int_equal(read_case(made, 0, 3, &expected), digest);
		n_matched += expected.n_matched;
		n_resumed += expected.n_resumed;
		test_free(made);
	}
	assert_true(n_matched > N_CASES);
	assert_true(n_resumed > met_in_rounds(10));
}

/* ---- faults ---- */

static PhStatus
read_once(PhEnv *env, void *user)
{
	Case *made = user;
	PhReadOptions options = {.n_threads = 1};
	PhRunInput run;
	PhStatus status = ph_read_projections(env, &made->sts_input, made->logs[0],
										  (uint32_t) made->n_pes, &options, &run);

	if (status == PH_OK)
		ph_run_input_free(env, &run);
	return status;
}

static const char lines[] =
	"{\"type\":\"tasks\",\"version\":1,\"time_unit\":\"us\",\"title\":\"t\"}\n"
	"{\"type\":\"processor\",\"id\":3}\n{\"type\":\"processor\",\"id\":1,\"node\":\"n\"}\n"
	"{\"type\":\"entity\",\"id\":\"a\",\"class\":\"A\",\"index\":[1,-2]}\n"
	"{\"type\":\"block\",\"id\":1,\"processor\":3,\"entity\":\"a\",\"entry\":\"e\",\"begin\":5,"
	"\"end\":9,\"sends\":[{\"message\":7}]}\n"
	"{\"type\":\"block\",\"id\":2,\"processor\":1,\"entity\":\"a\",\"entry\":\"f\",\"begin\":10,"
	"\"end\":12,\"receives\":[{\"message\":7},{\"message\":8}],\"after\":[1],\"continues\":1}\n"
	"{\"type\":\"idle\",\"processor\":1,\"begin\":12,\"end\":20}\n";

static PhStatus
read_lines_once(PhEnv *env, void *user)
{
	PhInput input = ph_input_lend("lines", user, strlen(user));
	PhReadOptions options = {.n_threads = 1};
	PhRunInput run;
	PhStatus status = ph_read_task_lines(env, &input, &options, &run);

	if (status == PH_OK)
	{
		assert_int_equal(run.trace->matches.messages, 1);
		assert_int_equal(run.trace->matches.unmatched_receives, 1);
		assert_int_equal(run.trace->model.locations[0].source_id, 1);
		ph_run_input_free(env, &run);
	}
	return status;
}

/* The n-th allocation fails: an error, and nothing is left. */
static void
fail_each(FaultWork work, void *user)
{
	for (size_t n = 1;; n++)
	{
		FaultEnv fault;
		PhStatus status;

		fault_env_init(&fault);
		fault.fail_at = n;
		status = work(&fault.env, user);
		assert_int_equal(fault.n_blocks, 0);
		fault_env_drop(&fault);
		if (status == PH_OK)
			return;
		assert_int_equal(status, PH_ERR_MEMORY);
	}
}

static void
survives_failing_allocations(void **state)
{
	Case *made = make_case(99);

	(void) state;
	fail_each(read_once, made);
	fail_each(read_lines_once, (void *) (uintptr_t) lines);
	test_free(made);
}

/* Every prefix of a log is an error, or a run that was cut off; nothing hangs. */
static void
reads_cut_logs(void **state)
{
	Case *made = make_case(5);
	size_t sizes[2] = {made->logs[0][0].size, made->logs[1][0].size};

	(void) state;
	for (int form = 0; form < 2; form++)
	{
		for (size_t size = 0; size < sizes[form]; size++)
		{
			PhEnv env;
			PhRunInput run;
			PhReadOptions options = {0};
			PhStatus status;

			ph_env_init_malloc(&env);
			made->logs[form][0].size = size;
			status = ph_read_projections(&env, &made->sts_input, made->logs[form],
										 (uint32_t) made->n_pes, &options, &run);
			if (status == PH_OK)
			{
				assert_non_null(ph_meta_get(&run.meta, "projections.cut_logs"));
				ph_run_input_free(&env, &run);
			}
			else
				assert_true(strncmp(env.error.message, "run.0.log", 9) == 0);
			assert_int_equal(env.bytes, 0);
		}
		made->logs[form][0].size = sizes[form];
	}
	test_free(made);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(reads_random_runs),
		cmocka_unit_test(survives_failing_allocations),
		cmocka_unit_test(reads_cut_logs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
