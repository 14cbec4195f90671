/*
 * test_logical_rows.c - what is stored of random programs' logical time, rows of phases and chunks
 * of events, against the definitions.
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

#include "logical/pattern.h"
#include "logical/phase_rows.h"
#include "logical/store/phases.h"
#include "support/fault_env.h"
#include "support/logical.h"
#include "support/rounds.h"

#define MAX_EVENTS 1000
#define ROUNDS rounds(4000)

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Analysis
{
	TestTrace trace;
	PhLogicalModel model;
	PhLogical logical;
	PhLogicalMetrics metrics;
	uint8_t patterns[MAX_EVENTS]; /* by phase */
} Analysis;

/* Some ends of messages are lost, so that some events have no peer and some counts are not 0. */
static void
analyse(uint64_t seed, Analysis *out)
{
	RandomNumbers numbers = {seed * UINT64_C(7919)};
	ProgramShape shape = {.max_ranks = 6, .max_actions = 80, .loses_events = seed % 2 == 0};
	PhLogicalOptions options;
	random_program(&numbers, shape, &out->trace);
	ph_logical_options_default(&options);
	options.call_tree_merge = false;
	must(make_model(&env, &out->trace, &options, NULL, &out->model));
	assert_true(out->model.n_events <= MAX_EVENTS);
	must(ph_logical_build(&env, &out->model, &options, &out->logical));
	must(ph_logical_metrics_build(&env, &out->logical, &out->metrics));
	must(ph_logical_patterns(&env, &out->logical, false, out->patterns));
}

static void
drop(Analysis *analysis)
{
	ph_logical_metrics_free(&analysis->metrics);
	ph_logical_free(&analysis->logical);
	ph_logical_model_free(&analysis->model);
	test_trace_free(&analysis->trace);
	assert_int_equal(env.bytes, 0);
}

/* ------------------------------------------------------------------------------------- phases */

/* Names of the functions of a phase's events, each once, in order of bytes. */
static void
expected_regions(const Analysis *analysis, uint32_t phase, char *out, size_t size)
{
	const PhTraceModel *trace = &analysis->trace.model;
	const char *last = "";
	size_t used = 0;
	out[0] = '\0';
	for (;;)
	{
		const char *next = NULL;
		for (uint32_t e = 0; e < analysis->model.n_events; e++)
		{
			uint32_t region = analysis->model.region[e];
			if (analysis->logical.phase[e] != phase || region == PH_NONE)
				continue;
			const char *name = trace->regions[region].name;
			if (strcmp(name, last) > 0 && (next == NULL || strcmp(name, next) < 0))
				next = name;
		}
		if (next == NULL)
			return;
		used += (size_t) snprintf(out + used, size - used, "%s%s", used > 0 ? ", " : "", next);
		last = next;
	}
}

/* Is an event of phase p directly followed by one of q on its timeline? */
static bool
leads_to(const Analysis *analysis, uint32_t p, uint32_t q)
{
	const PhLogicalModel *model = &analysis->model;
	const uint32_t *phase = analysis->logical.phase;
	for (uint32_t e = 1; p != q && e < model->n_events; e++)
		if (model->timeline[e] == model->timeline[e - 1] && phase[e - 1] == p && phase[e] == q)
			return true;
	return false;
}

static void
expected_followers(const Analysis *analysis, uint32_t phase, char *out, size_t size)
{
	size_t used = (size_t) snprintf(out, size, "{");
	for (uint32_t q = 0; q < analysis->logical.n_phases; q++)
		if (leads_to(analysis, phase, q))
			used += (size_t) snprintf(out + used, size - used, "%s%u", used > 1 ? "," : "", q);
	snprintf(out + used, size - used, "}");
}

static void
expected_reasons(const Analysis *analysis, uint32_t phase, char *out, size_t size)
{
	size_t used = (size_t) snprintf(out, size, "{");
	for (uint32_t reason = PH_MERGE_NONE + 1; reason < PH_MERGE_REASONS; reason++)
		if ((analysis->logical.reasons[phase] & 1u << (reason - 1)) != 0)
			used += (size_t) snprintf(out + used, size - used, "%s\"%s\"", used > 1 ? "," : "",
									  ph_merge_reason_name(reason));
	snprintf(out + used, size - used, "}");
}

static void
check_numbers(const Analysis *analysis, uint32_t phase, const PhPhaseRow *row)
{
	const PhLogicalModel *model = &analysis->model;
	int64_t first = INT64_MAX, last = INT64_MIN, late = 0;
	uint32_t n_locations = 0;
	bool met[64] = {false};
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		if (analysis->logical.phase[e] != phase)
			continue;
		int64_t lateness = ph_logical_value(&analysis->metrics, PH_LATENESS, e);
		first = model->enter[e] < first ? model->enter[e] : first;
		last = model->exit[e] > last ? model->exit[e] : last;
		late = lateness > late ? lateness : late;
		n_locations += !met[model->timeline[e]];
		met[model->timeline[e]] = true;
	}
	assert_int_equal(row->t_first, first);
	assert_int_equal(row->t_last, last);
	assert_int_equal(row->max_lateness, late);
	assert_int_equal(row->n_locations, n_locations);
}

static void
check_texts(const Analysis *analysis, uint32_t phase, const PhPhaseRow *row)
{
	static const char *const patterns[] = {"", "", "unknown", "SRSR", "SSRR", "SSWA"};
	char text[8 * MAX_EVENTS];
	expected_regions(analysis, phase, text, sizeof(text));
	assert_string_equal(row->regions, text);
	expected_followers(analysis, phase, text, sizeof(text));
	assert_string_equal(row->followed_by, text);
	expected_reasons(analysis, phase, text, sizeof(text));
	assert_string_equal(row->reasons, text);
	assert_string_equal(row->reason, ph_merge_reason_name(analysis->logical.reason[phase]));
	assert_string_equal(row->pattern, patterns[analysis->patterns[phase]]);
}

static void
check_notes(const Analysis *analysis)
{
	const PhLogicalNotes *notes = &analysis->model.notes;
	char expected[400], *text;
	PhArena arena;
	ph_arena_init(&arena, &env);
	must(ph_logical_notes_text(&arena, &analysis->logical, &text));
	snprintf(
		expected, sizeof(expected),
		"{\"unmatched_sends\": %lu, \"unmatched_receives\": %lu, \"unpaired_collectives\": "
		"%lu, \"calls_without_region\": %lu, \"inferred_collectives\": %lu, "
		"\"unknown_collectives\": %lu, \"split_collectives\": %u, \"cut_messages\": %u}",
		(unsigned long) notes->unmatched_sends, (unsigned long) notes->unmatched_receives,
		(unsigned long) notes->unpaired_collectives, (unsigned long) notes->calls_without_region,
		(unsigned long) notes->inferred_collectives, (unsigned long) notes->unknown_collectives,
		analysis->logical.split_collectives, analysis->logical.cut_messages);
	assert_string_equal(text, expected);
	ph_arena_drop(&arena);
}

static void
rows_of_phases_tell_of_their_events(void **state)
{
	static Analysis analysis;
	uint32_t n_patterns[PH_PATTERNS] = {0}, n_branches = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		PhPhaseLister *lister;
		PhPhaseRow row;
		analyse(seed, &analysis);
		must(ph_phase_lister_new(&env, &analysis.metrics, &analysis.trace.model, false, &lister));
		for (uint32_t p = 0; p < analysis.logical.n_phases; p++)
		{
			must(ph_phase_lister_row(lister, p, &row));
			check_numbers(&analysis, p, &row);
			check_texts(&analysis, p, &row);
			n_patterns[analysis.patterns[p]]++;
			n_branches += strchr(row.followed_by, ',') != NULL;
		}
		check_notes(&analysis);
		ph_phase_lister_free(lister);
		drop(&analysis);
	}
	assert_true(n_branches > ROUNDS / 10 && n_patterns[PH_PATTERN_SSWA] > 0);
	assert_true(n_patterns[PH_PATTERN_NONE] > 0 && n_patterns[PH_PATTERN_SSRR] > 0 &&
				n_patterns[PH_PATTERN_SRSR] > 0);
}

/* ------------------------------------------------------------------------------------- chunks */

static void
check_place(const Analysis *analysis, uint32_t event, uint32_t location, uint32_t seq)
{
	const PhLogicalModel *model = &analysis->model;
	uint32_t timeline = event == PH_NONE ? 0 : model->timeline[event];
	assert_int_equal(location, event == PH_NONE ? PH_NONE : model->timeline_location[timeline]);
	assert_int_equal(seq, event == PH_NONE ? 0 : event - model->timeline_first[timeline]);
}

/* The ends of an event's messages; at: the chunk's first of them. */
static void
check_ends(const Analysis *analysis, const PhLogicalEvents *events, uint32_t event, uint32_t at)
{
	const PhLogicalModel *model = &analysis->model;
	for (uint32_t i = model->first_end[event]; i < model->first_end[event + 1]; i++, at++)
	{
		uint32_t m = model->message_of_end[i];
		uint32_t peer =
			model->send_event[m] == event ? model->receive_event[m] : model->send_event[m];
		check_place(analysis, peer, events->peer_location[at], events->peer_seq[at]);
		assert_int_equal(events->peer_step[at], peer == PH_NONE ? 0 : analysis->logical.step[peer]);
		assert_int_equal(events->tag[at], model->tag[m]);
		assert_int_equal(events->bytes[at], model->bytes[m]);
	}
}

/* The peer that leaves first, and how many there are. */
static void
check_peers(const Analysis *analysis, const PhLogicalEvents *events, uint32_t event, uint32_t i)
{
	const PhLogical *logical = &analysis->logical;
	uint32_t earliest = PH_NONE, n = 0;
	for (uint32_t e = 0; e < analysis->model.n_events; e++)
	{
		if (logical->phase[e] != logical->phase[event] || logical->step[e] != logical->step[event])
			continue;
		n++;
		if (earliest == PH_NONE || analysis->model.exit[e] < analysis->model.exit[earliest])
			earliest = e;
	}
	assert_int_equal(events->n_peers[i], n);
	assert_int_equal(events->earliest_location[i],
					 analysis->model.timeline_location[analysis->model.timeline[earliest]]);
}

static void
check_event(const Analysis *analysis, const PhLogicalEvents *events, uint32_t event, uint32_t i)
{
	const PhLogicalModel *model = &analysis->model;
	const PhLogical *logical = &analysis->logical;
	assert_int_equal(events->kind[i], model->kind[event]);
	assert_int_equal(events->flags[i], model->flags[event]);
	assert_int_equal(events->region[i], model->region[event]);
	assert_int_equal(events->ends_of[i], model->first_end[event + 1] - model->first_end[event]);
	assert_int_equal(events->phase[i], logical->phase[event]);
	assert_int_equal(events->step[i], logical->step[event]);
	assert_int_equal(events->enter[i], model->enter[event]);
	assert_int_equal(events->leave[i], model->exit[event]);
	for (uint32_t m = 0; m < PH_LOGICAL_METRICS; m++)
	{
		PhLogicalMetric metric = (PhLogicalMetric) m;
		assert_int_equal(events->value[m][i], ph_logical_value(&analysis->metrics, metric, event));
		assert_int_equal(events->aggregate[m][i],
						 ph_logical_aggregate(&analysis->metrics, metric, event));
	}
	check_place(analysis, logical->binding[event], events->binding_location[i],
				events->binding_seq[i]);
	check_peers(analysis, events, event, i);
}

static void
check_chunk(const Analysis *analysis, const PhLogicalEvents *events, uint32_t first)
{
	uint32_t at = 0;
	check_place(analysis, first, events->location, events->first_seq);
	for (uint32_t i = 0; i < events->n_events; i++)
	{
		check_event(analysis, events, first + i, i);
		check_ends(analysis, events, first + i, at);
		at += events->ends_of[i];
	}
	assert_int_equal(at, events->n_ends);
}

static void
chunks_have_the_events_of_a_timeline(void **state)
{
	static Analysis analysis;
	const PhLogicalCounters none = {{NULL}};
	PhLogicalCodec *codec;
	uint32_t n_unmatched = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS / 4; seed++)
	{
		PhLogicalEvents events;
		analyse(seed, &analysis);
		must(ph_logical_codec_new(&env, &codec));
		for (uint32_t e = 0; e < analysis.model.n_events; e += events.n_events)
		{
			must(ph_logical_extract(codec, &analysis.metrics, &none, e, &events));
			assert_true(events.n_events > 0);
			check_chunk(&analysis, &events, e);
			for (uint32_t i = 0; i < events.n_ends; i++)
				n_unmatched += events.peer_location[i] == PH_NONE;
		}
		ph_logical_codec_free(codec);
		drop(&analysis);
	}
	assert_true(n_unmatched > ROUNDS / 2);
}

/* Decodes a chunk of several locations; returns how many events it has. */
static uint32_t
check_block(const Analysis *analysis, PhLogicalCodec *codec, const PhLogicalChunk *chunk,
			uint32_t *next)
{
	PhLogicalBlock block;
	uint32_t n_members = 0;
	must(ph_logical_decode_block(codec, chunk, PH_LOGICAL_WANT_ALL, &block));
	assert_int_equal(block.n_members, chunk->n_members);
	for (uint32_t m = 0; m < block.n_members; m++)
	{
		PhLogicalEvents member;
		uint32_t timeline = 0;
		ph_logical_member(&block, m, &member);
		while (analysis->model.timeline_location[timeline] != member.location)
			timeline++;
		if (member.n_events > 0)
			check_chunk(analysis, &member, next[timeline]);
		next[timeline] += member.n_events;
		n_members += member.n_events > 0;
	}
	assert_true(n_members > 0);
	return block.events.n_events;
}

/* The bytes are those of the events written out with all their metrics. */
static void
check_bytes(PhLogicalCodec *reader, PhLogicalCodec *writer, const PhLogicalChunk *chunk)
{
	PhLogicalBlock block;
	PhLogicalChunk again;
	must(ph_logical_decode_block(reader, chunk, PH_LOGICAL_WANT_ALL, &block));
	must(ph_logical_encode_block(writer, &block, &again));
	again.chunk_no = chunk->chunk_no;
	assert_int_equal(again.metrics.size, chunk->metrics.size);
	assert_memory_equal(again.metrics.data, chunk->metrics.data, chunk->metrics.size);
	assert_int_equal(ph_logical_chunk_crc(&again), ph_logical_chunk_crc(chunk));
}

static void
blocks_have_the_events_of_all_timelines(void **state)
{
	static Analysis analysis;
	const PhLogicalCounters none = {{NULL}};
	PhLogicalCodec *codec, *other, *third;
	uint32_t next[64];
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS / 4; seed++)
	{
		uint32_t n = 0;
		PhLogicalBlocks *blocks;
		PhLogicalChunk chunk;
		bool done;
		analyse(seed, &analysis);
		must(ph_logical_codec_new(&env, &codec));
		must(ph_logical_codec_new(&env, &other));
		must(ph_logical_codec_new(&env, &third));
		memcpy(next, analysis.model.timeline_first, analysis.model.n_timelines * sizeof(*next));
		must(
			ph_logical_blocks_new(&env, &analysis.metrics, &none, (uint32_t) (seed % 97), &blocks));
		for (;;)
		{
			must(ph_logical_blocks_next(blocks, codec, &chunk, &done));
			if (done)
				break;
			n += check_block(&analysis, other, &chunk, next);
			check_bytes(other, third, &chunk);
		}
		assert_int_equal(n, analysis.model.n_events);
		for (uint32_t t = 0; t < analysis.model.n_timelines; t++)
			assert_int_equal(next[t], analysis.model.timeline_first[t + 1]);
		ph_logical_blocks_free(blocks);
		ph_logical_codec_free(third);
		ph_logical_codec_free(other);
		ph_logical_codec_free(codec);
		drop(&analysis);
	}
}

/* ---- phases as they are stored ---- */

static void
check_stored_phase(const Analysis *analysis, PhPhaseLister *lister, const PhStoredPhases *stored,
				   uint32_t i)
{
	const PhLogical *logical = &analysis->logical;
	uint32_t phase = stored->first + i, edge = logical->first_edge[phase];
	PhPhaseRow row;
	must(ph_phase_lister_row(lister, phase, &row));
	assert_int_equal(stored->first_step[i], logical->first_step[phase]);
	assert_int_equal(stored->last_step[i], logical->last_step_of[phase]);
	assert_int_equal(stored->n_events[i], logical->n_events_of[phase]);
	assert_int_equal(stored->leap[i], logical->leap[phase]);
	assert_int_equal(stored->n_locations[i], row.n_locations);
	assert_int_equal(stored->max_lateness[i], row.max_lateness);
	assert_int_equal(stored->t_first[i], row.t_first);
	assert_int_equal(stored->t_last[i], row.t_last);
	assert_string_equal(ph_phase_pattern_text(stored->pattern[i]), row.pattern);
	assert_string_equal(ph_merge_reason_name(stored->reason[i]), row.reason);
	assert_int_equal(stored->reasons[i], logical->reasons[phase]);
	assert_string_equal(stored->name[stored->names[i]], row.regions);
	assert_true(stored->identity[i] == row.identity && row.identity != 0);
	for (uint32_t f = stored->first_follower[i]; f < stored->first_follower[i + 1]; f++)
		assert_int_equal(stored->followers[f], logical->edge_target[edge++]);
	assert_int_equal(edge, logical->first_edge[phase + 1]);
}

static void
phases_come_back(void **state)
{
	static Analysis analysis;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS / 8; seed++)
	{
		PhPhasePacker *packer;
		PhPhaseLister *lister;
		PhLogicalCodec *codec;
		PhPhaseChunk chunk;
		PhStoredPhases stored;
		PhArena arena;
		bool done;
		analyse(seed, &analysis);
		must(ph_logical_codec_new(&env, &codec));
		must(ph_phase_packer_new(&env, &analysis.metrics, &analysis.trace.model, false, &packer));
		must(ph_phase_lister_new(&env, &analysis.metrics, &analysis.trace.model, false, &lister));
		ph_arena_init(&arena, &env);
		uint32_t n = 0;
		for (;;)
		{
			must(ph_phase_packer_next(packer, &chunk, &done));
			if (done)
				break;
			must(ph_phases_unpack(&arena, codec, &chunk, &stored));
			for (uint32_t i = 0; i < stored.n; i++)
				check_stored_phase(&analysis, lister, &stored, i);
			n += stored.n;
		}
		assert_int_equal(n, analysis.logical.n_phases);
		ph_arena_drop(&arena);
		ph_phase_lister_free(lister);
		ph_phase_packer_free(packer);
		ph_logical_codec_free(codec);
		drop(&analysis);
	}
}

/* ------------------------------------------------------------------------------------- faults */

static PhStatus
list_rows(PhEnv *faulty, void *user)
{
	const Analysis *analysis = user;
	PhPhaseLister *lister;
	PhPhaseRow row;
	PhArena arena;
	char *text;
	PH_TRY(ph_phase_lister_new(faulty, &analysis->metrics, &analysis->trace.model, false, &lister));
	ph_arena_init(&arena, faulty);
	PhStatus status = ph_logical_notes_text(&arena, &analysis->logical, &text);
	for (uint32_t p = 0; p < analysis->logical.n_phases && status == PH_OK; p++)
		status = ph_phase_lister_row(lister, p, &row);
	ph_arena_drop(&arena);
	ph_phase_lister_free(lister);
	return status;
}

static void
rows_fail_cleanly(void **state)
{
	static Analysis analysis;
	(void) state;
	analyse(12, &analysis);
	assert_string_equal(fault_env_try_allocations(list_rows, &analysis, 0), "");
	drop(&analysis);
}

int
main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_phases_tell_of_their_events),
		cmocka_unit_test(chunks_have_the_events_of_a_timeline),
		cmocka_unit_test(blocks_have_the_events_of_all_timelines),
		cmocka_unit_test(phases_come_back),
		cmocka_unit_test(rows_fail_cleanly),
	};
	ph_env_init_malloc(&env);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
