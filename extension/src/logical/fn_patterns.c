/*
 * fn_patterns.c - how phases exchange messages, by a grammar, against their ideal schedules.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "catalog/pg_type.h"

#include "logical/again.h"
#include "logical/patterns/phase_patterns.h"
#include "logical/phase.h"
#include "server/args.h"
#include "server/compat.h"
#include "server/query_rows.h"
#include "server/rowio.h"

#define MOST_LETTERS 1000 /* of a sequence that is told */

/* Those of the run's application come first. */
static const char users_sql[] =
	"SELECT p.name, p.expression FROM perfhouse.exchange_pattern p JOIN perfhouse.run r"
	" ON r.run_id = $1 WHERE p.application IS NULL OR p.application = r.application"
	" ORDER BY p.application IS NULL, p.name COLLATE \"C\"";

/* Patterns of users, compiled. */
typedef struct Users
{
	PhScratch *scratch;
	uint32 n, capacity;
	char **names;
	PhRegex **expressions;
} Users;

typedef struct Patterns
{
	PhLogicalRun *run;
	PhMpiCall *calls;
	Users users;
	PhPhasePattern *phases;
	PhMemberPattern *members;
} Patterns;

static void
receive_user(void *to, TupleTableSlot *slot)
{
	Users *users = to;
	PhEnv *env = &users->scratch->env;
	PhArena *arena = &users->scratch->arena;
	char *expression = ph_slot_text(slot, 1, CurrentMemoryContext);
	if (users->n == users->capacity)
	{
		uint32 capacity = users->capacity;
		PH_CHECK(env, PH_GROW(arena, &users->names, users->n, &users->capacity));
		PH_CHECK(env, PH_GROW(arena, &users->expressions, users->n, &capacity));
	}
	users->names[users->n] = ph_slot_text(slot, 0, users->scratch->context);
	PH_CHECK(env, ph_pattern_compile(arena, expression, strlen(expression),
									 &users->expressions[users->n]));
	users->n++;
}

/* What is stored of the run, found again with the patterns that users have defined by now. */
static void
find_patterns(int64 run_id, Patterns *out)
{
	uint32 any;
	*out = (Patterns){.run = ph_logical_again(run_id)};
	PhScratch *scratch = out->run->trace->scratch;
	const PhLogical *logical = &out->run->logical;
	out->users.scratch = scratch;
	ph_query_rows(users_sql, ph_query_parameters(run_id, InvalidOid, (Datum) 0), receive_user,
				  &out->users);
	PH_CHECK(&scratch->env,
			 ph_mpi_calls(&scratch->env, &out->run->trace->model, &out->calls, &any));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, logical->n_phases, &out->phases));
	PH_CHECK(&scratch->env, PH_NEW(&scratch->arena, logical->n_members, &out->members));
	PH_CHECK(&scratch->env,
			 ph_phase_patterns(&scratch->env, logical, out->calls, out->users.expressions,
							   out->users.n, out->phases, out->members));
}

static void
put_deviation(PhRows *rows, int64 ns, int64 ideal, int64 deviation)
{
	bool is_known = ideal != PH_NO_TIME;
	ph_rows_bigint(rows, "ns", ns);
	ph_rows_bigint_unless(rows, "ideal_ns", ideal, PH_NO_TIME);
	ph_rows_bigint_unless(rows, "deviation_ns", is_known ? deviation : PH_NO_TIME, PH_NO_TIME);
	if (is_known && ns > 0)
		ph_rows_number(rows, "deviation", (double) deviation / (double) ns);
	else
		ph_rows_null(rows, "deviation");
}

static void
put_worst(PhRows *rows, const PhLogical *logical, uint32 member)
{
	const PhLogicalModel *model = logical->model;
	if (member == PH_NONE)
	{
		ph_rows_null(rows, "worst_location");
		ph_rows_null(rows, "worst_rank");
		return;
	}
	uint32 timeline = model->timeline[logical->member_first[member]];
	ph_rows_int(rows, "worst_location", (int32) model->timeline_location[timeline]);
	ph_rows_known(rows, "worst_rank", model->timeline_rank[timeline]);
}

static void
put_phase(PhRows *rows, const Patterns *patterns, uint32 phase)
{
	const PhLogical *logical = &patterns->run->logical;
	const PhPhasePattern *p = &patterns->phases[phase];
	ph_rows_int(rows, "phase", (int32) phase);
	ph_rows_text(rows, "pattern",
				 p->form == PH_FORM_OF_USERS ? patterns->users.names[p->of_user]
											 : ph_phase_form_name(p->form));
	ph_rows_int(rows, "n_ranks", (int32) p->n_members);
	ph_rows_int(rows, "first_step", logical->first_step[phase]);
	ph_rows_int(rows, "last_step", logical->last_step_of[phase]);
}

static void
put_schedule(PhRows *rows, const Patterns *patterns, uint32 phase)
{
	const PhPhasePattern *p = &patterns->phases[phase];
	ph_rows_number(rows, "following", (double) p->n_following / p->n_members);
	ph_rows_index(rows, "degree", p->form == PH_FORM_TREE ? p->degree : PH_NONE);
	ph_rows_int(rows, "repeats", (int32) p->repeats);
	put_deviation(rows, p->span, p->ideal, Max(p->span - p->ideal, 0));
	put_worst(rows, &patterns->run->logical, p->worst);
	ph_rows_bigint(rows, "recorded", p->recorded);
	ph_rows_bigint(rows, "inferred", p->inferred);
	ph_rows_bigint(rows, "merged", p->merged);
}

static Datum
pattern_rows(PG_FUNCTION_ARGS, bool has_schedule)
{
	PhRows rows;
	Patterns patterns;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0))
		return (Datum) 0;
	find_patterns(PG_GETARG_INT64(0), &patterns);
	for (uint32 phase = 0; phase < patterns.run->logical.n_phases; phase++)
	{
		put_phase(&rows, &patterns, phase);
		if (has_schedule)
			put_schedule(&rows, &patterns, phase);
		ph_rows_put(&rows);
	}
	ph_trace_end(patterns.run->trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_run_patterns)
{
	return pattern_rows(fcinfo, true);
}

/* The columns of 0.1.0. */
PH_FUNCTION(ph_exchange_patterns)
{
	return pattern_rows(fcinfo, false);
}

static void
put_member(PhRows *rows, const Patterns *patterns, uint32 phase, uint32 member)
{
	PhScratch *scratch = patterns->run->trace->scratch;
	const PhLogical *logical = &patterns->run->logical;
	const PhLogicalModel *model = logical->model;
	const PhMemberPattern *m = &patterns->members[member];
	uint32 timeline = model->timeline[logical->member_first[member]];
	int64 left = model->exit[logical->member_last[member]] - patterns->phases[phase].begin;
	char *sequence;
	PH_CHECK(&scratch->env,
			 ph_member_sequence(&scratch->arena, logical, patterns->calls, member, &sequence));
	if (strlen(sequence) > MOST_LETTERS)
		sequence[MOST_LETTERS] = '\0';
	ph_rows_int(rows, "location", (int32) model->timeline_location[timeline]);
	ph_rows_known(rows, "rank", model->timeline_rank[timeline]);
	ph_rows_text(rows, "sequence", sequence);
	ph_rows_bool(rows, "follows", m->follows);
	bool has_ideal = m->ideal != PH_NO_TIME;
	put_deviation(
		rows, left, m->ideal,
		has_ideal ? ph_member_deviation(logical, &patterns->phases[phase], member, m->ideal) : 0);
	ph_rows_put(rows);
}

PH_FUNCTION(ph_pattern_members)
{
	PhRows rows;
	Patterns patterns;
	ph_rows_begin(&rows, fcinfo);
	if (PG_ARGISNULL(0) || PG_ARGISNULL(1))
		return (Datum) 0;
	find_patterns(PG_GETARG_INT64(0), &patterns);
	const PhLogical *logical = &patterns.run->logical;
	int64 phase = PG_GETARG_INT32(1);
	if (phase < 0 || phase >= logical->n_phases)
		ereport(ERROR,
				(errcode(PH_ERRCODE_NOT_FOUND),
				 errmsg("run " INT64_FORMAT " has no phase %d", PG_GETARG_INT64(0), (int) phase),
				 errhint("It has %u phases, numbered from 0.", logical->n_phases)));
	for (uint32 m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		put_member(&rows, &patterns, (uint32) phase, m);
	ph_trace_end(patterns.run->trace);
	return (Datum) 0;
}

PH_FUNCTION(ph_pattern_matches)
{
	PhScratch *scratch = ph_scratch_begin();
	const char *expression = ph_arg_text(fcinfo, 0), *sequence = ph_arg_text(fcinfo, 1);
	PhRegex *compiled;
	bool found;
	PH_CHECK(&scratch->env,
			 ph_pattern_compile(&scratch->arena, expression, strlen(expression), &compiled));
	PH_CHECK(&scratch->env, ph_regex_search(compiled, sequence, strlen(sequence), &found));
	ph_scratch_end(scratch);
	PG_RETURN_BOOL(found);
}
