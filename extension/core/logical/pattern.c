/*
 * pattern.c - exchange patterns of phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/pattern.h"

#include "base/min_max.h"

typedef struct Finder
{
	PhEnv *env;
	const PhLogical *logical;
	const PhLogicalModel *model;
	uint32_t *sent_to; /* by timeline: stamp of the member that sent there */
	uint32_t *heard;   /* by timeline: stamp of the member that received from there */
	uint32_t stamp;
	uint32_t n_partners; /* of all members of the phase at hand */
} Finder;

/* A phase, as its members see it. */
typedef struct Exchange
{
	uint32_t n_members, n_collectives, most_partners;
	uint32_t n_of[PH_PATTERNS]; /* members that fit each */
	bool is_mutual;
	bool is_plain; /* all members send first and receive last */
} Exchange;

/* ------------------------------------------------------------------------------------- exchanges
 */

/* Does a member send to exactly those that it receives from? */
static bool
is_mutual(Finder *finder, uint32_t first, uint32_t last)
{
	const PhLogicalModel *model = finder->model;
	uint32_t n_sent = 0, n_both = 0;
	finder->stamp++;
	for (uint32_t i = model->first_end[first]; i < model->first_end[last + 1]; i++)
	{
		uint32_t m = model->message_of_end[i];
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		if (from == PH_NONE || to == PH_NONE || from < first || from > last)
			continue;
		uint32_t t = model->timeline[to];
		n_sent += finder->sent_to[t] != finder->stamp;
		finder->sent_to[t] = finder->stamp;
	}
	for (uint32_t i = model->first_end[first]; i < model->first_end[last + 1]; i++)
	{
		uint32_t m = model->message_of_end[i];
		uint32_t from = model->send_event[m], to = model->receive_event[m];
		if (from == PH_NONE || to == PH_NONE || to < first || to > last)
			continue;
		uint32_t t = model->timeline[from];
		if (finder->sent_to[t] != finder->stamp)
			return false;
		n_both += finder->heard[t] != finder->stamp;
		finder->heard[t] = finder->stamp;
	}
	finder->n_partners += n_sent;
	return n_sent == n_both;
}

/* -------------------------------------------------------------------------------- Ravel's vote
 */

/* What a member's events still allow, as they are passed one by one (Ravel's automaton). */
typedef struct Scan
{
	bool ssrr, srsr, sswa;
	bool sent_last, odd;
	uint32_t n_near, n_far; /* messages received right after they were sent, or later */
} Scan;

static void
pass_receive(Scan *scan, uint32_t n_messages)
{
	if (!scan->sent_last && !scan->odd)
		scan->srsr = false;
	else if (scan->sent_last && n_messages > 1)
		scan->ssrr = false;
	scan->sent_last = false;
}

static void
pass_send(const Finder *finder, Scan *scan, uint32_t event)
{
	const PhLogicalModel *model = finder->model;
	if (!scan->sent_last)
		scan->ssrr = scan->sswa = false;
	else if (!scan->odd)
		scan->srsr = false;
	scan->sent_last = true;
	if (model->first_end[event] == model->first_end[event + 1])
		return;
	uint32_t to = model->receive_event[model->message_of_end[model->first_end[event]]];
	if (to == PH_NONE)
		return;
	bool near = finder->logical->step[to] - finder->logical->step[event] == finder->logical->stride;
	scan->n_near += near;
	scan->n_far += !near;
}

/* The patterns that a member's events fit, as bits; 0: none. */
static unsigned
scan_member(const Finder *finder, uint32_t first, uint32_t last)
{
	const PhLogicalModel *model = finder->model;
	bool sends = model->kind[first] == PH_COMM_SEND;
	Scan scan = {sends, true, sends, sends, false, 0, 0};
	for (uint32_t e = first + 1; e <= last && (scan.ssrr || scan.srsr || scan.sswa); e++)
	{
		if (model->kind[e] == PH_COMM_SEND)
			pass_send(finder, &scan, e);
		else
			pass_receive(&scan, model->first_end[e + 1] - model->first_end[e]);
		scan.odd = !scan.odd;
	}
	unsigned any = scan.ssrr || scan.srsr || scan.sswa;
	if (scan.srsr && scan.n_far > scan.n_near)
		scan.srsr = false;
	unsigned fits = (scan.srsr ? 1u << PH_PATTERN_SRSR : 0) |
					(scan.ssrr ? 1u << PH_PATTERN_SSRR : 0) |
					(scan.sswa ? 1u << PH_PATTERN_SSWA : 0);
	/* Ravel counts a member that stopped fitting anything twice: where it stops and at the end */
	return fits != 0 ? fits : 1u << PH_PATTERN_UNKNOWN | (any ? 0 : 1u << PH_PATTERN_NONE);
}

static PhPattern
vote(const uint32_t *counts)
{
	uint32_t srsr = counts[PH_PATTERN_SRSR], ssrr = counts[PH_PATTERN_SSRR];
	uint32_t sswa = counts[PH_PATTERN_SSWA];
	uint32_t unknown = counts[PH_PATTERN_UNKNOWN] + counts[PH_PATTERN_NONE];
	if (srsr > 0 && (ssrr > 0 || sswa > 0))
		return PH_PATTERN_UNKNOWN;
	if (unknown > srsr && unknown > ssrr && unknown > sswa)
		return PH_PATTERN_UNKNOWN;
	if (srsr > 0)
		return PH_PATTERN_SRSR;
	return sswa > ssrr ? PH_PATTERN_SSWA : PH_PATTERN_SSRR;
}

/* ------------------------------------------------------------------------------ rank by rank
 */

/* What a member's events are, as runs of sends and of receives. */
typedef struct Runs
{
	uint32_t n_messages; /* sent and received */
	uint32_t n_single;	 /* messages in runs of one message */
	bool at_once;		 /* some receive is of several messages */
	bool sends_first, receives_last;
} Runs;

static Runs
runs_of(const Finder *finder, uint32_t first, uint32_t last)
{
	const PhLogicalModel *model = finder->model;
	Runs runs = {.sends_first = model->kind[first] == PH_COMM_SEND,
				 .receives_last = model->kind[last] != PH_COMM_SEND};
	for (uint32_t e = first; e <= last;)
	{
		uint8_t kind = model->kind[e];
		uint32_t n = 0;
		for (; e <= last && model->kind[e] == kind; e++)
		{
			uint32_t here = model->first_end[e + 1] - model->first_end[e];
			runs.at_once = runs.at_once || (kind != PH_COMM_SEND && here > 1);
			n += here;
		}
		runs.n_messages += n;
		runs.n_single += n == 1;
	}
	return runs;
}

/* The pattern that a member's own sequence is of; PH_PATTERN_NONE: one message each way fits all.
 */
static PhPattern
pattern_of(const Runs *runs)
{
	if (runs->at_once)
		return PH_PATTERN_SSWA;
	if (runs->n_messages <= 2)
		return PH_PATTERN_NONE;
	return 2 * runs->n_single >= runs->n_messages ? PH_PATTERN_SRSR : PH_PATTERN_SSRR;
}

/* Is the graph of who exchanges with whom a tree (or several) with a branch? */
static bool
is_branching_tree(const Finder *finder, const Exchange *exchange)
{
	return exchange->most_partners > 2 && finder->n_partners < 2 * exchange->n_members;
}

/*
 * The exchange as most of its members do it, each judged by its own sequence. Where some member
 * does not send first and receive last, and partners form a tree with branches, it is a gathering
 * or a farm of tasks rather than an exchange of neighbours.
 */
static PhPattern
judge(const Finder *finder, const Exchange *exchange)
{
	const uint32_t *n = exchange->n_of;
	if (!exchange->is_plain && is_branching_tree(finder, exchange))
		return PH_PATTERN_UNKNOWN;
	if (n[PH_PATTERN_SSWA] > 0 && n[PH_PATTERN_SSWA] >= n[PH_PATTERN_SSRR] &&
		n[PH_PATTERN_SSWA] >= n[PH_PATTERN_SRSR])
		return PH_PATTERN_SSWA;
	return n[PH_PATTERN_SSRR] > n[PH_PATTERN_SRSR] ? PH_PATTERN_SSRR : PH_PATTERN_SRSR;
}

/* -------------------------------------------------------------------------------------- phases
 */

/* What the members of a phase are found to do. */
static PhStatus
look_at_members(Finder *finder, uint32_t phase, bool compat, Exchange *out)
{
	const PhLogical *logical = finder->logical;
	finder->n_partners = 0;
	*out = (Exchange){.is_mutual = true, .is_plain = true};
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
	{
		uint32_t first = logical->member_first[i], last = logical->member_last[i];
		uint32_t before = finder->n_partners;
		unsigned fits = 0;
		for (uint32_t e = first; e <= last; e++)
		{
			PH_TRY(ph_env_poll_at(finder->env, e));
			out->n_collectives += finder->model->kind[e] == PH_COMM_COLLECTIVE;
		}
		out->is_mutual = out->is_mutual && is_mutual(finder, first, last);
		out->n_members++;
		out->most_partners = PH_MAX(out->most_partners, finder->n_partners - before);
		if (compat)
			fits = scan_member(finder, first, last);
		else
		{
			Runs runs = runs_of(finder, first, last);
			out->is_plain = out->is_plain && runs.sends_first && runs.receives_last;
			fits = 1u << pattern_of(&runs);
		}
		for (; fits != 0; fits &= fits - 1)
			out->n_of[__builtin_ctz(fits)]++;
	}
	return PH_OK;
}

/*
 * The exchange pattern of a phase (docs/design/logical-time.md 4.5): none unless it has no
 * collective and all members send to exactly those that they receive from.
 */
static PhStatus
classify(Finder *finder, uint32_t phase, bool compat, uint8_t *out)
{
	Exchange exchange;
	PH_TRY(look_at_members(finder, phase, compat, &exchange));
	if (exchange.n_collectives > 0)
		*out = !compat && exchange.n_collectives == finder->logical->n_events_of[phase]
				   ? PH_PATTERN_COLLECTIVE
				   : PH_PATTERN_NONE;
	else if (!exchange.is_mutual || finder->n_partners == 0)
		*out = PH_PATTERN_NONE;
	else
		*out = (uint8_t) (compat ? vote(exchange.n_of) : judge(finder, &exchange));
	return PH_OK;
}

static PhStatus
find_patterns(PhArena *arena, Finder *finder, bool compat, uint8_t *out)
{
	PH_TRY(PH_NEW(arena, finder->model->n_timelines, &finder->sent_to));
	PH_TRY(PH_NEW(arena, finder->model->n_timelines, &finder->heard));
	for (uint32_t p = 0; p < finder->logical->n_phases; p++)
		PH_TRY(classify(finder, p, compat, &out[p]));
	return PH_OK;
}

PhStatus
ph_logical_patterns(PhEnv *env, const PhLogical *logical, bool compat, uint8_t *out)
{
	PhArena arena;
	Finder finder = {.env = env, .logical = logical, .model = logical->model};
	ph_arena_init(&arena, env);
	PhStatus status = find_patterns(&arena, &finder, compat, out);
	ph_arena_drop(&arena);
	return status;
}
