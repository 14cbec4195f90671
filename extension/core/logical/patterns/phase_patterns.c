/*
 * phase_patterns.c - see phase_patterns.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "logical/patterns/phase_patterns.h"

#include <string.h>

#include "base/hash.h"
#include "base/min_max.h"
#include "base/sort.h"
#include "logical/patterns/schedule.h"

typedef struct Namer
{
	PhEnv *env;
	const PhLogical *logical;
	const PhLogicalModel *model;
	const PhMpiCall *calls;
	PhRegex *const *users;
	uint32_t n_users;
	PhSchedule *schedule; /* NULL: of tasks */
	int64_t *ideal;		  /* by member of a phase */

	/* of a member: a letter a message, and the same with the partner */
	char *letters;
	uint64_t *tokens;
	uint32_t *borders; /* by token: the longest end that is a beginning, too */

	/* of a phase */
	uint64_t *pair; /* lesser timeline, greater, direction */
	uint32_t *order, *buffer;
	uint32_t *in, *out, *degree; /* by timeline: partners; zero between phases */
	uint32_t *follow;			 /* by expression of users */
} Namer;

/* A phase, as its messages and members show it. */
typedef struct Look
{
	uint32_t n_members, n_collectives, n_messages, n_pairs, n_both_ways;
	uint32_t most_in, most_out, most_degree;
	uint32_t n_of[PH_FORMS]; /* members by their own sequence; PH_FORM_NONE: fits every exchange */
	uint32_t n_eager;		 /* members that send before they receive, and do both */
	uint32_t n_patient;		 /* members that receive before they send, and do both */
	uint32_t repeats;
	bool is_plain; /* all send first and receive last */
} Look;

const char *
ph_phase_form_name(uint32_t form)
{
	static const char *const names[PH_FORM_OF_USERS] = {
		"none", "collective", "mixed", "pairwise", "gather", "scatter",
		"root", "all-to-all", "shift", "pipeline", "tree",	 "wavefront",
		"SSWA", "SRSR",		  "SSWW",  "SSRR",	   "one way"};
	return form < PH_FORM_OF_USERS ? names[form] : NULL;
}

/* ---- sequences of members ---- */

static char
letter_of(const Namer *namer, uint32_t event)
{
	const PhLogicalModel *model = namer->model;
	uint32_t region = model->region[event];
	if (model->kind[event] == PH_COMM_COLLECTIVE)
		return 'C';
	if (model->kind[event] == PH_COMM_SEND)
		return 'S';
	if (model->first_end[event + 1] - model->first_end[event] > 1)
		return 'A';
	bool waits = namer->calls != NULL && region != PH_NONE &&
				 (namer->calls[region].does & PH_MPI_COMPLETES) != 0;
	return waits ? 'W' : 'R';
}

static uint32_t
partner_of(const PhLogicalModel *model, uint32_t event, uint32_t message)
{
	uint32_t other = model->kind[event] == PH_COMM_SEND ? model->receive_event[message]
														: model->send_event[message];
	return other == PH_NONE ? PH_NONE : model->timeline[other];
}

/* The member's letters and tokens; how many. */
static uint32_t
spell(Namer *namer, uint32_t first, uint32_t last)
{
	const PhLogicalModel *model = namer->model;
	uint32_t n = 0;
	for (uint32_t e = first; e <= last; e++)
	{
		char letter = letter_of(namer, e);
		if (letter == 'C')
		{
			namer->letters[n] = letter;
			namer->tokens[n++] = 0;
		}
		for (uint32_t k = model->first_end[e]; k < model->first_end[e + 1]; k++)
		{
			uint32_t partner = partner_of(model, e, model->message_of_end[k]);
			namer->letters[n] = letter;
			namer->tokens[n++] = (uint64_t) partner << 8 | (uint8_t) letter;
		}
	}
	return n;
}

/* How often the shortest sequence is repeated that gives the whole (Knuth, Morris, Pratt 1977). */
static uint32_t
count_repeats(Namer *namer, uint32_t n)
{
	const uint64_t *tokens = namer->tokens;
	uint32_t *border = namer->borders, length = 0;
	if (n == 0)
		return 0;
	border[0] = 0;
	for (uint32_t i = 1; i < n; i++)
	{
		while (length > 0 && tokens[i] != tokens[length])
			length = border[length - 1];
		length += tokens[i] == tokens[length];
		border[i] = length;
	}
	uint32_t period = n - border[n - 1];
	return n % period == 0 ? n / period : 1;
}

/* What a member's own sequence is, cut into runs of sends and of receives. */
static PhPhaseForm
form_of_letters(const char *letters, uint32_t n)
{
	uint32_t n_single = 0, n_waits = 0, n_received = 0;
	bool at_once = false;
	for (uint32_t i = 0, next; i < n; i = next)
	{
		bool sends = letters[i] == 'S';
		for (next = i; next < n && (letters[next] == 'S') == sends; next++)
		{
			at_once = at_once || letters[next] == 'A';
			n_waits += letters[next] == 'W';
			n_received += !sends;
		}
		n_single += next - i == 1;
	}
	if (at_once)
		return PH_FORM_SSWA;
	if (n <= 2)
		return PH_FORM_NONE;
	if (2 * n_single >= n)
		return PH_FORM_SRSR;
	return 2 * n_waits > n_received ? PH_FORM_SSWW : PH_FORM_SSRR;
}

/* Sends and receives, and sends before anything has come. */
static bool
is_eager(const char *letters, uint32_t n)
{
	bool receives = false;
	for (uint32_t i = 1; i < n && !receives; i++)
		receives = letters[i] == 'R' || letters[i] == 'W' || letters[i] == 'A';
	return receives && letters[0] == 'S';
}

static bool
is_exchange(uint32_t form)
{
	return form >= PH_FORM_SSWA && form <= PH_FORM_SSRR;
}

/* Waits for what comes in before it sends: no part of a shift. */
static bool
hears_first(const char *letters, uint32_t n)
{
	return n > 0 && letters[0] != 'S' && memchr(letters, 'S', n) != NULL;
}

static bool
is_flow(uint32_t form)
{
	return form == PH_FORM_PIPELINE || form == PH_FORM_WAVEFRONT;
}

static uint32_t
common_divisor(uint32_t x, uint32_t y)
{
	while (y != 0)
	{
		uint32_t rest = x % y;
		x = y;
		y = rest;
	}
	return x;
}

static PhStatus
look_at_member(Namer *namer, uint32_t member, Look *look)
{
	uint32_t first = namer->logical->member_first[member], n;
	n = spell(namer, first, namer->logical->member_last[member]);
	const char *letters = namer->letters;
	for (uint32_t i = 0; i < n; i++)
		look->n_collectives += letters[i] == 'C';
	look->n_of[form_of_letters(letters, n)]++;
	look->n_eager += is_eager(letters, n);
	look->n_patient += hears_first(letters, n);
	look->is_plain = look->is_plain && n > 0 && letters[0] == 'S' && letters[n - 1] != 'S';
	look->repeats = common_divisor(look->repeats, count_repeats(namer, n));
	for (uint32_t u = 0; u < namer->n_users; u++)
	{
		bool found;
		PH_TRY(ph_regex_search(namer->users[u], letters, n, &found));
		namer->follow[u] += found;
	}
	return PH_OK;
}

/* ---- who sends to whom ---- */

static int
compare_pairs(const void *context, uint32_t x, uint32_t y)
{
	const uint64_t *pairs = context;
	return (pairs[x] > pairs[y]) - (pairs[x] < pairs[y]);
}

static void
list_pairs(Namer *namer, uint32_t member, uint32_t *n)
{
	const PhLogicalModel *model = namer->model;
	uint32_t last = namer->logical->member_last[member];
	for (uint32_t e = namer->logical->member_first[member]; e <= last; e++)
		for (uint32_t k = model->first_end[e];
			 model->kind[e] == PH_COMM_SEND && k < model->first_end[e + 1]; k++)
		{
			uint64_t x = model->timeline[e], y = partner_of(model, e, model->message_of_end[k]);
			if (y == PH_NONE || x == y)
				continue;
			namer->order[*n] = *n;
			namer->pair[(*n)++] = x < y ? x << 32 | y << 1 : y << 32 | x << 1 | 1;
		}
}

static void
count_partners(Namer *namer, uint32_t n, Look *look)
{
	for (uint32_t i = 0, next; i < n; i = next)
	{
		uint64_t both = namer->pair[namer->order[i]] >> 1, last = 0;
		uint32_t lesser = (uint32_t) (both >> 31), greater = (uint32_t) (both & INT32_MAX);
		bool up = false, down = false;
		for (next = i; next < n && namer->pair[namer->order[next]] >> 1 == both; next++)
		{
			last = namer->pair[namer->order[next]] & 1;
			up = up || last == 0;
			down = down || last == 1;
		}
		look->n_pairs++;
		look->n_both_ways += up && down;
		namer->degree[lesser]++;
		namer->degree[greater]++;
		namer->out[lesser] += up;
		namer->in[greater] += up;
		namer->out[greater] += down;
		namer->in[lesser] += down;
	}
}

static PhStatus
look_at_phase(Namer *namer, uint32_t phase, Look *look)
{
	const PhLogical *logical = namer->logical;
	uint32_t first = logical->first_member[phase], end = logical->first_member[phase + 1];
	*look = (Look){.n_members = end - first, .is_plain = true};
	memset(namer->follow, 0, namer->n_users * sizeof(*namer->follow));
	for (uint32_t m = first; m < end; m++)
	{
		PH_TRY(ph_env_poll(namer->env));
		PH_TRY(look_at_member(namer, m, look));
		list_pairs(namer, m, &look->n_messages);
	}
	PH_TRY(ph_sort(namer->env, namer->order, look->n_messages, namer->buffer, compare_pairs,
				   namer->pair));
	count_partners(namer, look->n_messages, look);
	for (uint32_t m = first; m < end; m++)
	{
		uint32_t t = namer->model->timeline[logical->member_first[m]];
		look->most_in = PH_MAX(namer->in[t], look->most_in);
		look->most_out = PH_MAX(namer->out[t], look->most_out);
		look->most_degree = PH_MAX(namer->degree[t], look->most_degree);
		namer->in[t] = namer->out[t] = namer->degree[t] = 0;
	}
	return PH_OK;
}

/* ---- names ---- */

/* One with all others. */
static PhPhaseForm
form_of_star(const Look *look)
{
	if (look->n_both_ways > 0)
		return PH_FORM_ROOT;
	if (look->most_in == look->n_members - 1 && look->most_out == 1)
		return PH_FORM_GATHER;
	return look->most_out == look->n_members - 1 && look->most_in == 1 ? PH_FORM_SCATTER
																	   : PH_FORM_ROOT;
}

/* What comes in goes out later, but at one process, where it may begin. */
static PhPhaseForm
form_of_flow(const Look *look)
{
	if (look->most_in <= 1 && look->most_out <= 1)
		return PH_FORM_PIPELINE;
	return look->n_pairs < look->n_members && (look->most_in == 1 || look->most_out == 1)
			   ? PH_FORM_TREE
			   : PH_FORM_WAVEFRONT;
}

static PhPhaseForm
form_of_exchange(const Look *look)
{
	static const PhPhaseForm forms[] = {PH_FORM_SSWA, PH_FORM_SRSR, PH_FORM_SSWW, PH_FORM_SSRR};
	PhPhaseForm best = PH_FORM_SRSR;
	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (look->n_of[forms[i]] > look->n_of[best] ||
			(forms[i] == PH_FORM_SSWA && look->n_of[forms[i]] > 0 &&
			 look->n_of[forms[i]] == look->n_of[best]))
			best = forms[i];
	return best;
}

static PhPhaseForm
form_of(const Look *look)
{
	uint64_t n = look->n_members;
	if (look->n_collectives > 0)
		return look->n_messages == 0 ? PH_FORM_COLLECTIVE : PH_FORM_MIXED;
	if (look->n_pairs == 0)
		return PH_FORM_NONE;
	if (look->most_degree == 1)
		return PH_FORM_PAIRWISE;
	if (look->n_pairs == n - 1 && look->most_degree == n - 1)
		return form_of_star(look);
	if (look->n_pairs == n * (n - 1) / 2 && look->n_both_ways == look->n_pairs)
		return PH_FORM_ALL_TO_ALL;
	if (look->n_both_ways == 0 && look->n_eager <= 1)
		return form_of_flow(look);
	if (look->n_both_ways == 0 && look->most_in <= 1 && look->most_out <= 1)
		return PH_FORM_SHIFT;
	if (look->n_pairs < n && look->most_degree > 2 && !look->is_plain)
		return PH_FORM_TREE;
	return look->n_both_ways == look->n_pairs ? form_of_exchange(look) : PH_FORM_ONE_WAY;
}

static void
name_phase(const Namer *namer, const Look *look, PhPhasePattern *out)
{
	out->of_user = PH_NONE;
	out->form = form_of(look);
	out->n_members = out->n_following = look->n_members;
	out->repeats = PH_MAX(look->repeats, 1);
	if (is_exchange(out->form))
		out->n_following = look->n_of[out->form] + look->n_of[PH_FORM_NONE];
	if (is_flow(out->form))
		out->n_following -= look->n_eager;
	if (out->form == PH_FORM_SHIFT)
		out->n_following -= look->n_patient;
	if (out->form == PH_FORM_TREE)
		out->degree =
			look->n_both_ways == 0 ? PH_MAX(look->most_in, look->most_out) : look->most_degree - 1;
	for (uint32_t u = 0; u < namer->n_users; u++)
		if (2 * (uint64_t) namer->follow[u] >= look->n_members)
		{
			out->form = PH_FORM_OF_USERS;
			out->of_user = u;
			out->n_following = namer->follow[u];
			out->degree = 0;
			return;
		}
}

/* ---- the ideal schedule, and how events were joined ---- */

static void
measure_span(const Namer *namer, uint32_t phase, PhPhasePattern *out)
{
	const PhLogical *logical = namer->logical;
	int64_t last = INT64_MIN;
	out->begin = INT64_MAX;
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
		{
			out->begin = PH_MIN(namer->model->enter[e], out->begin);
			last = PH_MAX(namer->model->exit[e], last);
		}
	out->span = last - out->begin;
}

/* How late a member leaves the phase for good, compared with the ideal schedule. */
int64_t
ph_member_deviation(const PhLogical *logical, const PhPhasePattern *phase, uint32_t member,
					int64_t ideal)
{
	int64_t left = logical->model->exit[logical->member_last[member]] - phase->begin;
	return PH_MAX(left - ideal, 0);
}

static PhStatus
compare_with_ideal(const Namer *namer, uint32_t phase, PhPhasePattern *out)
{
	const PhLogical *logical = namer->logical;
	uint32_t first = logical->first_member[phase], end = logical->first_member[phase + 1];
	out->worst = PH_NONE;
	out->ideal = PH_NO_TIME;
	if (namer->schedule == NULL)
		return PH_OK;
	PH_TRY(ph_schedule_phase(namer->schedule, phase, namer->ideal));
	for (uint32_t m = first; m < end; m++)
	{
		int64_t ideal = namer->ideal[m - first];
		int64_t deviation = ph_member_deviation(logical, out, m, ideal);
		out->ideal = PH_MAX(out->ideal, ideal);
		if (out->worst == PH_NONE || deviation > out->worst_deviation)
		{
			out->worst = m;
			out->worst_deviation = deviation;
		}
	}
	return PH_OK;
}

static void
count_edges(const Namer *namer, uint32_t phase, PhPhasePattern *out)
{
	const PhLogical *logical = namer->logical;
	const PhLogicalModel *model = namer->model;
	for (uint32_t m = logical->first_member[phase]; m < logical->first_member[phase + 1]; m++)
	{
		out->merged += logical->member_last[m] - logical->member_first[m];
		for (uint32_t e = logical->member_first[m]; e <= logical->member_last[m]; e++)
		{
			bool inferred = (model->flags[e] & PH_COMM_INFERRED) != 0;
			out->inferred += inferred;
			out->recorded += model->kind[e] == PH_COMM_COLLECTIVE && !inferred;
			for (uint32_t k = model->first_end[e];
				 model->kind[e] == PH_COMM_SEND && k < model->first_end[e + 1]; k++)
				out->recorded += model->receive_event[model->message_of_end[k]] != PH_NONE;
		}
	}
}

/* ---- phases ---- */

static PhStatus
make_room(PhArena *arena, Namer *namer)
{
	const PhLogicalModel *model = namer->model;
	uint32_t most = 1;
	for (uint32_t m = 0; m < namer->logical->n_members; m++)
	{
		uint32_t first = namer->logical->member_first[m], last = namer->logical->member_last[m];
		uint32_t ends = model->first_end[last + 1] - model->first_end[first];
		most = PH_MAX(ends + (last - first + 1), most);
	}
	PH_TRY(PH_NEW(arena, most, &namer->letters));
	PH_TRY(PH_NEW(arena, most, &namer->tokens));
	PH_TRY(PH_NEW(arena, most, &namer->borders));
	PH_TRY(PH_NEW(arena, namer->logical->n_members, &namer->ideal));
	PH_TRY(PH_NEW(arena, model->n_messages, &namer->pair));
	PH_TRY(PH_NEW(arena, model->n_messages, &namer->order));
	PH_TRY(PH_NEW(arena, model->n_messages, &namer->buffer));
	PH_TRY(PH_NEW(arena, model->n_timelines, &namer->in));
	PH_TRY(PH_NEW(arena, model->n_timelines, &namer->out));
	PH_TRY(PH_NEW(arena, model->n_timelines, &namer->degree));
	return PH_NEW(arena, namer->n_users, &namer->follow);
}

/* What each member of the phase is, once the phase has its name. */
static PhStatus
tell_members(Namer *namer, uint32_t phase, const PhPhasePattern *pattern, PhMemberPattern *members)
{
	const PhLogical *logical = namer->logical;
	uint32_t first = logical->first_member[phase];
	for (uint32_t m = first; m < logical->first_member[phase + 1]; m++)
	{
		bool follows = true;
		uint32_t n = spell(namer, logical->member_first[m], logical->member_last[m]);
		if (pattern->form == PH_FORM_OF_USERS)
			PH_TRY(ph_regex_search(namer->users[pattern->of_user], namer->letters, n, &follows));
		else if (is_exchange(pattern->form))
		{
			PhPhaseForm own = form_of_letters(namer->letters, n);
			follows = own == pattern->form || own == PH_FORM_NONE;
		}
		else if (is_flow(pattern->form))
			follows = !is_eager(namer->letters, n);
		else if (pattern->form == PH_FORM_SHIFT)
			follows = !hears_first(namer->letters, n);
		members[m] = (PhMemberPattern){follows, namer->schedule == NULL ? PH_NO_TIME
																		: namer->ideal[m - first]};
	}
	return PH_OK;
}

static PhStatus
find_pattern(Namer *namer, uint32_t phase, PhPhasePattern *out, PhMemberPattern *members)
{
	Look look;
	*out = (PhPhasePattern){.worst = PH_NONE};
	PH_TRY(look_at_phase(namer, phase, &look));
	name_phase(namer, &look, out);
	measure_span(namer, phase, out);
	PH_TRY(compare_with_ideal(namer, phase, out));
	count_edges(namer, phase, out);
	return members == NULL ? PH_OK : tell_members(namer, phase, out, members);
}

static PhStatus
find_patterns(PhArena *arena, Namer *namer, PhPhasePattern *out, PhMemberPattern *members)
{
	PH_TRY(make_room(arena, namer));
	if (namer->logical->stride == PH_STEP_STRIDE)
		PH_TRY(ph_schedule_new(namer->env, namer->logical, &namer->schedule));
	for (uint32_t p = 0; p < namer->logical->n_phases; p++)
		PH_TRY(find_pattern(namer, p, &out[p], members));
	return PH_OK;
}

PhStatus
ph_phase_patterns(PhEnv *env, const PhLogical *logical, const PhMpiCall *calls,
				  PhRegex *const *users, uint32_t n_users, PhPhasePattern *out,
				  PhMemberPattern *members)
{
	PhArena arena;
	Namer namer = {.env = env,
				   .logical = logical,
				   .model = logical->model,
				   .calls = calls,
				   .users = users,
				   .n_users = n_users};
	ph_arena_init(&arena, env);
	PhStatus status = find_patterns(&arena, &namer, out, members);
	ph_schedule_free(namer.schedule);
	ph_arena_drop(&arena);
	return status;
}

PhStatus
ph_member_sequence(PhArena *arena, const PhLogical *logical, const PhMpiCall *calls,
				   uint32_t member, char **out)
{
	Namer namer = {.env = arena->env, .logical = logical, .model = logical->model, .calls = calls};
	PhArena temporary;
	ph_arena_init(&temporary, arena->env);
	PhStatus status = make_room(&temporary, &namer);
	if (status == PH_OK)
	{
		uint32_t n = spell(&namer, logical->member_first[member], logical->member_last[member]);
		status = ph_arena_strndup(arena, namer.letters, n, out);
	}
	ph_arena_drop(&temporary);
	return status;
}
