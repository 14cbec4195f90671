/*
 * pattern.c - exchange patterns of phases.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/pattern.h"

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

/* ------------------------------------------------------------------------------ ways to exchange
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

/* Only sends, then only receives, some of several messages? */
static bool
sends_then_waits(const Finder *finder, uint32_t phase, bool *several)
{
	const PhLogical *logical = finder->logical;
	const PhLogicalModel *model = finder->model;
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
	{
		bool received = false;
		for (uint32_t e = logical->member_first[i]; e <= logical->member_last[i]; e++)
		{
			bool sends = model->kind[e] == PH_COMM_SEND;
			if (sends && received)
				return false;
			received = received || !sends;
			*several = *several || (!sends && model->first_end[e + 1] - model->first_end[e] > 1);
		}
	}
	return true;
}

/*
 * The exchange pattern of a phase (docs/design/logical-time.md 4.5): none unless it has no
 * collective and all members send to exactly those that they receive from; then SSWA by its own
 * test, else what the members vote for.
 */
static PhStatus
classify(Finder *finder, uint32_t phase, bool compat, uint8_t *out)
{
	const PhLogical *logical = finder->logical;
	uint32_t counts[PH_PATTERNS] = {0}, n_collectives = 0;
	bool mutual = true, several = false;
	finder->n_partners = 0;
	for (uint32_t i = logical->first_member[phase]; i < logical->first_member[phase + 1]; i++)
	{
		uint32_t first = logical->member_first[i], last = logical->member_last[i];
		unsigned fits = scan_member(finder, first, last);
		for (uint32_t e = first; e <= last; e++)
		{
			PH_TRY(ph_env_poll(finder->env));
			n_collectives += finder->model->kind[e] == PH_COMM_COLLECTIVE;
		}
		mutual = mutual && is_mutual(finder, first, last);
		for (uint32_t pattern = 0; pattern < PH_PATTERNS; pattern++)
			counts[pattern] += fits >> pattern & 1u;
	}
	if (n_collectives > 0)
		*out = !compat && n_collectives == logical->n_events_of[phase] ? PH_PATTERN_COLLECTIVE
																	   : PH_PATTERN_NONE;
	else if (!mutual || finder->n_partners == 0)
		*out = PH_PATTERN_NONE;
	else if (!compat && sends_then_waits(finder, phase, &several) && several)
		*out = PH_PATTERN_SSWA;
	else
		*out = (uint8_t) vote(counts);
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
