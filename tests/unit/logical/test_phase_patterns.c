/*
 * test_phase_patterns.c - names of phases and ideal schedules, by hand and against plain searches.
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
#include "logical/patterns/phase_patterns.h"
#include "logical/patterns/schedule.h"
#include "support/fault_env.h"
#include "support/logical.h"
#include "support/rounds.h"

#define MAX_EVENTS 400
#define MAX_RANKS 16
#define ROUNDS rounds(1000)
#define WORD 160 /* bytes of an event's text */

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Program
{
	TestTrace trace;
	PhLogicalModel model;
	PhLogical logical;
	PhMpiCall *calls;
	PhPhasePattern phases[MAX_EVENTS];
	PhMemberPattern members[MAX_EVENTS];
} Program;

static void
analyse(Program *program, bool call_tree_merge, PhRegex *const *users, uint32_t n_users)
{
	PhLogicalOptions options;
	uint32_t any;
	ph_logical_options_default(&options);
	options.call_tree_merge = call_tree_merge;
	must(make_model(&env, &program->trace, &options, NULL, &program->model));
	assert_true(program->model.n_events <= MAX_EVENTS);
	must(ph_logical_build(&env, &program->model, &options, &program->logical));
	must(ph_mpi_calls(&env, &program->trace.model, &program->calls, &any));
	must(ph_phase_patterns(&env, &program->logical, program->calls, users, n_users, program->phases,
						   program->members));
}

static void
end(Program *program)
{
	ph_env_free(&env, program->calls, program->trace.model.n_regions, sizeof(PhMpiCall));
	ph_logical_free(&program->logical);
	ph_logical_model_free(&program->model);
	test_trace_free(&program->trace);
}

/* ---- programs by hand ---- */

/*
 * What each rank does: "S1 R0 W2 A1,2": sends to 1, receives from 0, waits for a message from 2,
 * and for two at once. Calls take 10 ns, ranks 5 between them, and lag more before each.
 */
typedef struct Script
{
	const char *at[MAX_RANKS];
	int64_t time[MAX_RANKS];
	uint32_t n_ranks, on_way[MAX_RANKS][MAX_RANKS];
	int64_t sent[MAX_RANKS][MAX_RANKS]; /* the last one */
	TestTrace *trace;
} Script;

static void
add_message(Script *script, uint32_t rank, PhEventKind kind, uint32_t peer, uint64_t request)
{
	PhEvent *event = add_event(script->trace, rank, kind, script->time[rank]);
	event->peer = peer;
	event->comm = 0;
	event->bytes = 8;
	event->request = request;
}

static bool
all_came(const Script *script, uint32_t rank, const uint32_t *peers, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (script->on_way[peers[i]][rank] == 0)
			return false;
	return true;
}

static void
add_call(Script *script, uint32_t rank, char what, const uint32_t *peers, uint32_t n)
{
	uint32_t region = what == 'S'	? TEST_SEND
					  : what == 'R' ? TEST_RECV
					  : what == 'W' ? TEST_WAIT
									: TEST_WAITALL;
	for (uint32_t i = 0; i < n && (what == 'W' || what == 'A'); i++)
		add_event(script->trace, rank, PH_EVENT_IRECV_REQUEST, script->time[rank])->request = i + 1;
	script->time[rank] += 5;
	add_event(script->trace, rank, PH_EVENT_ENTER, script->time[rank])->region = region;
	if (what == 'S')
		script->sent[rank][peers[0]] = script->time[rank];
	for (uint32_t i = 0; i < n; i++)
	{
		if (what == 'S')
			script->on_way[rank][peers[i]]++;
		else
		{
			script->on_way[peers[i]][rank]--;
			if (script->time[rank] < script->sent[peers[i]][rank])
				script->time[rank] = script->sent[peers[i]][rank];
		}
		add_message(script, rank,
					what == 'S'	  ? PH_EVENT_SEND
					: what == 'R' ? PH_EVENT_RECV
								  : PH_EVENT_IRECV,
					peers[i], what == 'W' || what == 'A' ? i + 1 : 0);
	}
	script->time[rank] += 10;
	add_event(script->trace, rank, PH_EVENT_LEAVE, script->time[rank])->region = region;
}

/* The next call of the rank, if what it waits for has come. */
static bool
go_on(Script *script, uint32_t rank)
{
	uint32_t peers[MAX_RANKS], n = 0;
	const char *at = script->at[rank];
	if (*at == '\0')
		return false;
	char what = *at;
	do
	{
		char *rest;
		peers[n++] = (uint32_t) strtoul(at + 1, &rest, 10);
		at = rest;
	} while (*at == ',');
	if (what != 'S' && !all_came(script, rank, peers, n))
		return false;
	add_call(script, rank, what, peers, n);
	script->at[rank] = at + strspn(at, " ");
	return true;
}

/* slow: a rank that begins 1000 ns late; PH_NONE: none. */
static void
run_scripts(const char *const *scripts, uint32_t n_ranks, uint32_t slow, Program *out)
{
	static Script script;
	bool goes_on = true;
	empty_trace(n_ranks, &out->trace);
	memset(&script, 0, sizeof(script));
	script.n_ranks = n_ranks;
	script.trace = &out->trace;
	for (uint32_t r = 0; r < n_ranks; r++)
	{
		script.at[r] = scripts[r];
		script.time[r] = r == slow ? 1000 : 0;
		add_event(&out->trace, r, PH_EVENT_ENTER, 0)->region = TEST_MAIN;
	}
	while (goes_on)
	{
		goes_on = false;
		for (uint32_t r = 0; r < n_ranks; r++)
			goes_on = go_on(&script, r) || goes_on;
	}
	for (uint32_t r = 0; r < n_ranks; r++)
	{
		assert_string_equal(script.at[r], "");
		add_event(&out->trace, r, PH_EVENT_LEAVE, script.time[r] + 1)->region = TEST_MAIN;
	}
}

typedef struct Named
{
	const char *name;
	uint32_t n_ranks, n_following, degree, repeats;
	const char *scripts[MAX_RANKS];
} Named;

static const Named known[] = {
	{"pairwise", 2, 2, 0, 3, {"S1 R1 S1 R1 S1 R1", "R0 S0 R0 S0 R0 S0"}},
	{"SSWA", 4, 4, 0, 1, {"S1 S3 A1,3", "S0 S2 A0,2", "S1 S3 A1,3", "S2 S0 A2,0"}},
	{"SSWA",
	 4,
	 4,
	 0,
	 2,
	 {"S1 S3 A1,3 S1 S3 A1,3", "S0 S2 A0,2 S0 S2 A0,2", "S1 S3 A1,3 S1 S3 A1,3",
	  "S2 S0 A2,0 S2 S0 A2,0"}},
	{"SSRR", 4, 4, 0, 1, {"S1 S3 R1 R3", "S0 S2 R0 R2", "S1 S3 R1 R3", "S2 S0 R2 R0"}},
	{"SSWW", 4, 4, 0, 1, {"S1 S3 W1 W3", "S0 S2 W0 W2", "S1 S3 W1 W3", "S2 S0 W2 W0"}},
	{"SRSR", 4, 3, 0, 1, {"S1 R1 S3 R3", "S0 R0 S2 R2", "S1 R1 S3 R3", "S2 S0 R2 R0"}},
	{"gather", 4, 4, 0, 1, {"R1 R2 R3", "S0", "S0", "S0"}},
	{"scatter", 4, 4, 0, 1, {"S1 S2 S3", "R0", "R0", "R0"}},
	{"root", 4, 4, 0, 1, {"S1 S2 S3 R1 R2 R3", "R0 S0", "R0 S0", "R0 S0"}},
	{"all-to-all",
	 4,
	 4,
	 0,
	 1,
	 {"S1 S2 S3 A1,2,3", "S0 S2 S3 A0,2,3", "S0 S1 S3 A0,1,3", "S0 S1 S2 A0,1,2"}},
	{"pipeline", 4, 4, 0, 1, {"S1", "R0 S2", "R1 S3", "R2"}},
	{"tree", 7, 7, 2, 1, {"R1 R2", "R3 R4 S0", "R5 R6 S0", "S1", "S1", "S2", "S2"}},
	{"tree",
	 7,
	 7,
	 2,
	 1,
	 {"S1 S2 R1 R2", "R0 S3 S4 R3 R4 S0", "R0 S5 S6 R5 R6 S0", "R1 S1", "R1 S1", "R2 S2", "R2 S2"}},
	{"wavefront", 4, 4, 0, 1, {"S1 S2", "R0 S3", "R0 S3", "R1 R2"}},
	{"one way",
	 5,
	 5,
	 0,
	 1,
	 {"S1 S2 R4 R3", "S2 S3 R0 R4", "S3 S4 R1 R0", "S4 S0 R2 R1", "S0 S1 R3 R2"}},
	{"shift", 4, 4, 0, 1, {"S1 R3", "S2 R0", "S3 R1", "S0 R2"}},
	{"shift", 4, 4, 0, 1, {"S1", "S2 R0", "S3 R1", "R2"}},
	{"shift", 5, 4, 0, 1, {"S1", "S2 R0", "R1 S3", "S4 R2", "R3"}},
	{"shift",
	 4,
	 4,
	 0,
	 5,
	 {"S1 R3 S1 R3 S1 R3 S1 R3 S1 R3", "S2 R0 S2 R0 S2 R0 S2 R0 S2 R0",
	  "S3 R1 S3 R1 S3 R1 S3 R1 S3 R1", "S0 R2 S0 R2 S0 R2 S0 R2 S0 R2"}},
};

static void
patterns_have_their_names(void **state)
{
	static Program program;
	(void) state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
	{
		run_scripts(known[i].scripts, known[i].n_ranks, PH_NONE, &program);
		analyse(&program, true, NULL, 0);
		assert_int_equal(program.logical.n_phases, 1);
		const PhPhasePattern *p = &program.phases[0];
		assert_string_equal(ph_phase_form_name(p->form), known[i].name);
		assert_int_equal(p->n_members, known[i].n_ranks);
		assert_int_equal(p->n_following, known[i].n_following);
		assert_int_equal(p->degree, known[i].degree);
		assert_int_equal(p->repeats, known[i].repeats);
		assert_int_equal(p->recorded, program.model.n_messages);
		assert_int_equal(p->merged, program.model.n_events - known[i].n_ranks);
		assert_true(p->inferred == 0 && p->of_user == PH_NONE);
		end(&program);
		assert_int_equal(env.bytes, 0);
	}
}

static void
names_of_users_come_first(void **state)
{
	static const char *const expressions[] = {"SRRR", " (S S (R|W){1,2} A*)+ ", "S*R*"};
	static Program program;
	PhRegex *users[3];
	PhArena arena;
	char *sequence;
	(void) state;
	ph_arena_init(&arena, &env);
	for (uint32_t u = 0; u < 3; u++)
		must(ph_pattern_compile(&arena, expressions[u], strlen(expressions[u]), &users[u]));
	run_scripts(known[3].scripts, 4, PH_NONE, &program);
	analyse(&program, true, users, 3);
	assert_int_equal(program.phases[0].form, PH_FORM_OF_USERS);
	assert_int_equal(program.phases[0].of_user, 1);
	assert_int_equal(program.phases[0].n_following, 4);
	must(ph_member_sequence(&arena, &program.logical, program.calls, 2, &sequence));
	assert_string_equal(sequence, "SSRR");
	end(&program);
	run_scripts(known[5].scripts, 4, PH_NONE, &program); /* one of four has it: less than half */
	analyse(&program, true, users + 1, 1);
	assert_int_equal(program.phases[0].form, PH_FORM_SRSR);
	assert_true(program.members[0].follows && !program.members[3].follows);
	end(&program);
	ph_arena_drop(&arena);
	assert_int_equal(env.bytes, 0);
}

static void
mistakes_are_told(void **state)
{
	static const char *const wrong[] = {"",	   " ",	   "SX",  "S)",		"(S",	  "S)(R", "S{",
										"*",   "^S",   "S.R", "S{2,1}", "S{,2}",  "S3",	  "S}",
										"S,R", "S{2,", "[S]", "S\\",	"S{300}", "(?i)S"};
	PhArena arena;
	PhRegex *regex;
	char longer[PH_MOST_EXPRESSION + 2];
	(void) state;
	ph_arena_init(&arena, &env);
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
	{
		PhStatus status = ph_pattern_compile(&arena, wrong[i], strlen(wrong[i]), &regex);
		if (status != PH_ERR_VALUE && status != PH_ERR_LIMIT)
			fail_msg("\"%s\": %s", wrong[i], ph_status_name(status));
	}
	memset(longer, 'S', sizeof(longer));
	assert_int_equal(ph_pattern_compile(&arena, longer, sizeof(longer) - 1, &regex), PH_ERR_LIMIT);
	assert_int_equal(ph_pattern_compile(&arena, "S\0R", 3, &regex), PH_ERR_VALUE);
	ph_arena_drop(&arena);
}

/* Nobody late: nothing deviates; one rank late: it and those after it do, by that. */
static void
who_is_late_deviates(void **state)
{
	static Program program;
	(void) state;
	for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
	{
		run_scripts(known[i].scripts, known[i].n_ranks, 1, &program);
		analyse(&program, true, NULL, 0);
		const PhPhasePattern *p = &program.phases[0];
		assert_true(p->span - p->ideal >= 900 && p->span - p->ideal <= 1000);
		assert_true(p->worst_deviation >= 900 && p->worst_deviation <= 1000);
		end(&program);
	}
	run_scripts(known[3].scripts, 4, PH_NONE, &program); /* all alike */
	analyse(&program, true, NULL, 0);
	assert_int_equal(program.phases[0].span, program.phases[0].ideal);
	assert_int_equal(program.phases[0].worst_deviation, 0);
	end(&program);
}

/* ---- the ideal schedule, by repeated looking ---- */

static void
describe(const Program *program, uint32_t e, char *out)
{
	const PhLogicalModel *model = &program->model;
	const PhTraceRegion *regions = program->trace.model.regions;
	uint64_t bytes = 0;
	for (uint32_t k = model->first_end[e]; k < model->first_end[e + 1]; k++)
		bytes += model->bytes[model->message_of_end[k]];
	size_t used =
		(size_t) snprintf(out, WORD, "%s %s %d", ph_comm_kind_name(model->kind[e]),
						  model->region[e] == PH_NONE ? "" : regions[model->region[e]].name,
						  bytes == 0 ? 0 : 64 - __builtin_clzll(bytes));
	for (uint32_t c = model->caller[e]; c != PH_NONE; c = model->call_parent[c])
		used +=
			(size_t) snprintf(out + used, WORD - used, "<%s", regions[model->call_region[c]].name);
	assert_true(used < WORD);
}

/*
 * The latest of those whom the event waits for, by when they come. by_steps: of a collective whose
 * members depend on each other only those that come first.
 */
static int64_t
latest_cause(const Program *program, uint32_t e, const int64_t *comes, bool by_steps)
{
	const PhLogicalModel *model = &program->model;
	int64_t latest = comes[e];
	for (uint32_t f = 0; f < model->n_events; f++)
	{
		bool sends = false;
		for (uint32_t m = 0; m < model->n_messages; m++)
			sends = sends || (model->send_event[m] == f && model->receive_event[m] == e);
		bool counts =
			(sends && program->logical.step[f] < program->logical.step[e]) ||
			(model->collective[e] != PH_NONE && model->kind[e] == PH_COMM_COLLECTIVE &&
			 model->collective[f] == model->collective[e] && model->kind[f] == PH_COMM_COLLECTIVE &&
			 (!by_steps || program->logical.step[f] <= program->logical.step[e]));
		if (counts && comes[f] > latest)
			latest = comes[f];
	}
	return latest;
}

typedef struct Plain
{
	char word[MAX_EVENTS][WORD];
	int64_t own[MAX_EVENTS], gap[MAX_EVENTS], least[MAX_EVENTS], least_gap[MAX_EVENTS];
	int64_t comes[MAX_EVENTS], leaves[MAX_EVENTS];
	bool is_first[MAX_EVENTS];
} Plain;

static void
measure(const Program *program, Plain *plain)
{
	const PhLogicalModel *model = &program->model;
	const uint32_t *phase = program->logical.phase;
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		bool goes_on = e + 1 < model->n_events && model->timeline[e] == model->timeline[e + 1] &&
					   phase[e] == phase[e + 1] && (model->flags[e + 1] & PH_COMM_SAME_CALL) != 0;
		describe(program, e, plain->word[e]);
		plain->is_first[e] =
			e == 0 || model->timeline[e] != model->timeline[e - 1] || phase[e] != phase[e - 1];
		plain->own[e] =
			goes_on ? 0 : model->exit[e] - latest_cause(program, e, model->enter, false);
		plain->own[e] = plain->own[e] < 0 ? 0 : plain->own[e];
		plain->gap[e] = plain->is_first[e] ? 0 : model->enter[e] - model->exit[e - 1];
		plain->gap[e] = plain->gap[e] < 0 ? 0 : plain->gap[e];
		plain->comes[e] = plain->leaves[e] = 0;
	}
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		plain->least[e] = plain->own[e];
		plain->least_gap[e] = plain->gap[e];
		for (uint32_t f = 0; f < model->n_events; f++)
		{
			if (phase[e] != phase[f] || strcmp(plain->word[e], plain->word[f]) != 0)
				continue;
			if (plain->own[f] < plain->least[e])
				plain->least[e] = plain->own[f];
			if (!plain->is_first[e] && !plain->is_first[f] && plain->gap[f] < plain->least_gap[e] &&
				strcmp(plain->word[e - 1], plain->word[f - 1]) == 0)
				plain->least_gap[e] = plain->gap[f];
		}
	}
}

/* Until nothing becomes later. */
static void
settle(const Program *program, Plain *plain)
{
	bool changed = true;
	for (uint32_t round = 0; changed; round++)
	{
		assert_true(round <= 2 * MAX_EVENTS);
		changed = false;
		for (uint32_t e = 0; e < program->model.n_events; e++)
		{
			int64_t comes = plain->is_first[e] ? 0 : plain->leaves[e - 1] + plain->least_gap[e];
			changed = changed || comes != plain->comes[e];
			plain->comes[e] = comes;
			int64_t leaves = latest_cause(program, e, plain->comes, true) + plain->least[e];
			changed = changed || leaves != plain->leaves[e];
			plain->leaves[e] = leaves;
		}
	}
}

/* Of every event: what it was entered and left after the plain schedule says. */
static void
check_deviations(const Program *program, const Plain *plain)
{
	const PhLogicalModel *model = &program->model;
	int64_t enter[MAX_EVENTS], leave[MAX_EVENTS];
	must(ph_schedule_deviations(&env, &program->logical, enter, leave));
	for (uint32_t e = 0; e < model->n_events; e++)
	{
		int64_t begin = program->phases[program->logical.phase[e]].begin;
		int64_t late = model->enter[e] - begin - plain->comes[e];
		assert_int_equal(enter[e], late > 0 ? late : 0);
		late = model->exit[e] - begin - plain->leaves[e];
		assert_int_equal(leave[e], late > 0 ? late : 0);
	}
}

static void
schedules_are_those_of_plain_searches(void **state)
{
	static Program program;
	static Plain plain;
	uint32_t n_late = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS / 4; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(7919)};
		ProgramShape shape = {.max_ranks = 4, .max_actions = 30, .loses_events = seed % 3 == 0};
		random_program(&numbers, shape, &program.trace);
		analyse(&program, seed % 2 == 0, NULL, 0);
		measure(&program, &plain);
		settle(&program, &plain);
		for (uint32_t m = 0; m < program.logical.n_members; m++)
		{
			uint32_t last = program.logical.member_last[m];
			const PhPhasePattern *p = &program.phases[program.logical.phase[last]];
			assert_int_equal(program.members[m].ideal, plain.leaves[last]);
			n_late += program.members[m].ideal < program.model.exit[last] - p->begin;
		}
		check_deviations(&program, &plain);
		end(&program);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_late > met_in_rounds(100));
}

/* ---- random programs: every phase has one name, for which there is a reason ---- */

static uint32_t
plain_repeats(const Program *program, uint32_t member)
{
	const PhLogicalModel *model = &program->model;
	uint32_t n = 0;
	static uint64_t token[4 * MAX_EVENTS];
	for (uint32_t e = program->logical.member_first[member];
		 e <= program->logical.member_last[member]; e++)
	{
		bool waits =
			strncmp(program->trace.model.regions[model->region[e]].name, "MPI_Wait", 8) == 0;
		uint32_t ends = model->first_end[e + 1] - model->first_end[e];
		if (model->kind[e] == PH_COMM_COLLECTIVE)
			token[n++] = UINT64_MAX;
		for (uint32_t k = model->first_end[e]; k < model->first_end[e + 1]; k++)
		{
			uint32_t m = model->message_of_end[k];
			uint32_t other =
				model->kind[e] == PH_COMM_SEND ? model->receive_event[m] : model->send_event[m];
			uint64_t partner = other == PH_NONE ? PH_NONE : model->timeline[other];
			token[n++] = partner * 8 + (model->kind[e] == PH_COMM_SEND ? 0
										: ends > 1					   ? 1
										: waits						   ? 2
																	   : 3);
		}
	}
	for (uint32_t period = 1; period < n; period++)
	{
		bool fits = n % period == 0;
		for (uint32_t i = period; i < n && fits; i++)
			fits = token[i] == token[i - period];
		if (fits)
			return n / period;
	}
	return n == 0 ? 0 : 1;
}

/* What phases are stored with (logical/pattern.h) agrees with their names:
 * docs/design/logical-time.md 4.7. */
static bool
are_of_one_kind(uint32_t stored, uint32_t form)
{
	bool has_form = form == PH_FORM_PAIRWISE || form == PH_FORM_ROOT ||
					form == PH_FORM_ALL_TO_ALL || form == PH_FORM_TREE;
	switch (stored)
	{
		case PH_PATTERN_SRSR:
			return has_form || form == PH_FORM_SRSR;
		case PH_PATTERN_SSRR:
			return has_form || form == PH_FORM_SSRR || form == PH_FORM_SSWW;
		case PH_PATTERN_SSWA:
			return has_form || form == PH_FORM_SSWA;
		case PH_PATTERN_UNKNOWN:
			return form == PH_FORM_TREE || form == PH_FORM_ROOT;
		default:
			return form != PH_FORM_ALL_TO_ALL && !(form >= PH_FORM_SSWA && form <= PH_FORM_SSRR);
	}
}

static void
check_kinds(const Program *program)
{
	static uint8_t stored[4 * MAX_EVENTS];
	assert_int_equal(ph_logical_patterns(&env, &program->logical, false, stored), PH_OK);
	for (uint32_t p = 0; p < program->logical.n_phases; p++)
		if (!are_of_one_kind(stored[p], program->phases[p].form))
			fail_msg("a phase is stored as %u, and named %s", stored[p],
					 ph_phase_form_name(program->phases[p].form));
}

static void
names_have_reasons(void **state)
{
	static Program program;
	static uint32_t met[PH_FORMS];
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		RandomNumbers numbers = {seed * UINT64_C(104729)};
		ProgramShape shape = {.max_ranks = 5, .max_actions = 40, .loses_events = seed % 4 == 0};
		random_program(&numbers, shape, &program.trace);
		analyse(&program, seed % 2 == 0, NULL, 0);
		check_kinds(&program);
		for (uint32_t p = 0; p < program.logical.n_phases; p++)
		{
			const PhPhasePattern *got = &program.phases[p];
			uint32_t first = program.logical.first_member[p], n_following = 0, divisor = 0;
			uint32_t end_member = program.logical.first_member[p + 1];
			for (uint32_t m = first; m < end_member; m++)
			{
				uint32_t repeats = plain_repeats(&program, m);
				n_following += program.members[m].follows;
				for (uint32_t d = divisor; d != 0 || repeats != 0;)
				{
					divisor = repeats == 0 ? d : repeats; /* Euclid */
					if (repeats == 0 || d == 0)
						break;
					uint32_t rest = d % repeats;
					d = repeats;
					repeats = rest;
				}
			}
			assert_int_equal(n_following, got->n_following);
			assert_int_equal(got->repeats, divisor == 0 ? 1 : divisor);
			assert_true(got->form < PH_FORM_OF_USERS && got->n_members == end_member - first);
			met[got->form]++;
		}
		end(&program);
	}
	assert_true(
		met[PH_FORM_NONE] > met_in_rounds(20) && met[PH_FORM_COLLECTIVE] > met_in_rounds(20) &&
		met[PH_FORM_MIXED] > met_in_rounds(20) && met[PH_FORM_PAIRWISE] > met_in_rounds(20));
}

static PhStatus
find_again(PhEnv *faulty, void *arguments)
{
	const Program *program = arguments;
	static PhPhasePattern phases[MAX_EVENTS];
	PhArena arena;
	PhRegex *user;
	char *sequence;
	ph_arena_init(&arena, faulty);
	PhStatus status = ph_pattern_compile(&arena, "(SR)+", 5, &user);
	if (status == PH_OK)
		status =
			ph_phase_patterns(faulty, &program->logical, program->calls, &user, 1, phases, NULL);
	if (status == PH_OK)
		status = ph_member_sequence(&arena, &program->logical, program->calls, 0, &sequence);
	ph_arena_drop(&arena);
	return status;
}

static void
failing_allocations_are_told(void **state)
{
	static Program program;
	(void) state;
	RandomNumbers numbers = {11};
	random_program(&numbers, (ProgramShape){.max_ranks = 4, .max_actions = 40}, &program.trace);
	analyse(&program, true, NULL, 0);
	assert_string_equal(fault_env_try_allocations(find_again, &program, 0), "");
	end(&program);
}

int
main(void)
{
	ph_env_init_malloc(&env);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(patterns_have_their_names),
		cmocka_unit_test(names_of_users_come_first),
		cmocka_unit_test(mistakes_are_told),
		cmocka_unit_test(who_is_late_deviates),
		cmocka_unit_test(schedules_are_those_of_plain_searches),
		cmocka_unit_test(names_have_reasons),
		cmocka_unit_test(failing_allocations_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
