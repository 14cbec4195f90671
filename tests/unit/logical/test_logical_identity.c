/*
 * test_logical_identity.c - phases are the same where a plain comparison of their roles says so.
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

#include "logical/identity.h"
#include "logical/pattern.h"
#include "support/fault_env.h"
#include "support/logical.h"
#include "support/rounds.h"

#define MAX_EVENTS 400
#define ROUNDS rounds(2000)
#define WORD 160 /* bytes of an event's text */

static PhEnv env;

#define must(expression) assert_string_equal(ph_status_name(expression), "PH_OK")

typedef struct Program
{
	TestTrace trace;
	PhLogicalModel model;
	PhLogical logical;
	uint8_t patterns[MAX_EVENTS];
	uint64_t identities[MAX_EVENTS];
} Program;

static void
begin(uint64_t seed, Program *out)
{
	RandomNumbers numbers = {seed * UINT64_C(104729)};
	ProgramShape shape = {.max_ranks = 5, .max_actions = 60, .loses_events = seed % 3 == 0};
	PhLogicalOptions options;
	random_program(&numbers, shape, &out->trace);
	ph_logical_options_default(&options);
	options.call_tree_merge = seed % 2 == 0;
	must(make_model(&env, &out->trace, &options, NULL, &out->model));
	assert_true(out->model.n_events <= MAX_EVENTS);
	must(ph_logical_build(&env, &out->model, &options, &out->logical));
	must(ph_logical_patterns(&env, &out->logical, false, out->patterns));
	must(ph_phase_identities(&env, &out->logical, out->patterns, out->identities));
}

static void
end(Program *program)
{
	ph_logical_free(&program->logical);
	ph_logical_model_free(&program->model);
	test_trace_free(&program->trace);
}

/* ---- the plain comparison ---- */

/* Texts of a location's events. */
typedef struct Words
{
	char word[MAX_EVENTS][WORD];
	uint32_t n;
} Words;

static void
describe(const Program *program, uint32_t event, char *out)
{
	const PhLogicalModel *model = &program->model;
	const PhTraceRegion *regions = program->trace.model.regions;
	bool is_receive = model->kind[event] == PH_COMM_RECEIVE;
	uint32_t region = model->region[event];
	size_t used = (size_t) snprintf(out, WORD, "%s %s", ph_comm_kind_name(model->kind[event]),
									is_receive || region == PH_NONE ? "" : regions[region].name);
	for (uint32_t c = model->caller[event]; c != PH_NONE; c = model->call_parent[c])
		used +=
			(size_t) snprintf(out + used, WORD - used, "<%s", regions[model->call_region[c]].name);
	assert_true(used < WORD);
}

static bool
repeats(const Words *words, uint32_t length)
{
	for (uint32_t i = 1; i <= length; i++)
		if (strcmp(words->word[words->n - i], words->word[words->n - i - length]) != 0)
			return false;
	return true;
}

static void
role_of(const Program *program, uint32_t member, Words *out)
{
	const PhLogical *logical = &program->logical;
	out->n = 0;
	for (uint32_t e = logical->member_first[member]; e <= logical->member_last[member]; e++)
	{
		describe(program, e, out->word[out->n++]);
		for (uint32_t length = 1; length <= 8 && 2 * length <= out->n; length++)
			if (repeats(out, length))
			{
				out->n -= length;
				break;
			}
	}
}

static bool
same_words(const Words *a, const Words *b)
{
	for (uint32_t i = 0; a->n == b->n && i < a->n; i++)
		if (strcmp(a->word[i], b->word[i]) != 0)
			return false;
	return a->n == b->n;
}

/* Has every member of a's phase p one of the same role in b's phase q? */
static bool
has_roles_of(const Program *a, uint32_t p, const Program *b, uint32_t q)
{
	static Words role, other;
	for (uint32_t i = a->logical.first_member[p]; i < a->logical.first_member[p + 1]; i++)
	{
		bool found = false;
		role_of(a, i, &role);
		for (uint32_t k = b->logical.first_member[q]; k < b->logical.first_member[q + 1] && !found;
			 k++)
		{
			role_of(b, k, &other);
			found = same_words(&role, &other);
		}
		if (!found)
			return false;
	}
	return true;
}

static void
phases_are_the_same_by_pattern_and_roles(void **state)
{
	static Program a, b;
	uint32_t n_same = 0, n_others = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		begin(seed, &a);
		begin(seed + seed % 2, &b); /* itself, or another one */
		for (uint32_t p = 0; p < a.logical.n_phases; p++)
			for (uint32_t q = 0; q < b.logical.n_phases; q++)
			{
				bool same = a.patterns[p] == b.patterns[q] && has_roles_of(&a, p, &b, q) &&
							has_roles_of(&b, q, &a, p);
				assert_int_equal(a.identities[p] == b.identities[q], same);
				n_same += same;
				n_others += !same;
			}
		end(&a);
		end(&b);
		assert_int_equal(env.bytes, 0);
	}
	assert_true(n_same > met_in_rounds(1000) && n_others > met_in_rounds(1000));
}

/* Phases of tasks are the same where the same methods are run, in whatever order. */
static void
tasks_are_the_same_by_their_methods(void **state)
{
	static Program program;
	uint32_t n_same = 0, n_others = 0;
	(void) state;
	for (uint64_t seed = 1; seed <= ROUNDS; seed++)
	{
		bool has[2][TEST_REGIONS];
		begin(seed, &program);
		program.logical.stride = 1;
		must(ph_phase_identities(&env, &program.logical, program.patterns, program.identities));
		for (uint32_t p = 0; p < program.logical.n_phases; p++)
			for (uint32_t q = p; q < program.logical.n_phases; q++)
			{
				memset(has, 0, sizeof(has));
				for (uint32_t e = 0; e < program.model.n_events; e++)
				{
					has[0][program.model.region[e]] |= program.logical.phase[e] == p;
					has[1][program.model.region[e]] |= program.logical.phase[e] == q;
				}
				bool same = memcmp(has[0], has[1], sizeof(has[0])) == 0;
				assert_int_equal(program.identities[p] == program.identities[q], same);
				n_same += same && p != q;
				n_others += !same;
			}
		end(&program);
	}
	assert_true(n_same > met_in_rounds(50) && n_others > met_in_rounds(100));
}

static void
tools_spell_one_function_alike(void **state)
{
	(void) state;
	assert_true(ph_logical_region_key("MPI_Send()") == ph_logical_region_key("MPI_Send"));
	assert_true(ph_logical_region_key("step [{/a/b.c} {124,0}]") == ph_logical_region_key("step"));
	assert_true(ph_logical_region_key("step") != ph_logical_region_key("stop"));
	assert_true(ph_logical_region_key("()") != 0 && ph_logical_region_key("") != 0);
	assert_true(ph_logical_region_key(".TAU application") == 0);
}

static PhStatus
find_again(PhEnv *faulty, void *arguments)
{
	const Program *program = arguments;
	uint64_t identities[MAX_EVENTS];
	return ph_phase_identities(faulty, &program->logical, program->patterns, identities);
}

static void
failing_allocations_are_told(void **state)
{
	static Program program;
	(void) state;
	begin(4, &program);
	assert_string_equal(fault_env_try_allocations(find_again, &program, 0), "");
	program.logical.stride = 1;
	assert_string_equal(fault_env_try_allocations(find_again, &program, 0), "");
	end(&program);
}

int
main(void)
{
	ph_env_init_malloc(&env);
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(phases_are_the_same_by_pattern_and_roles),
		cmocka_unit_test(tasks_are_the_same_by_their_methods),
		cmocka_unit_test(tools_spell_one_function_alike),
		cmocka_unit_test(failing_allocations_are_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
