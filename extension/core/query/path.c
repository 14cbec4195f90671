/*
 * path.c - which nodes lie on a path that a pattern matches.
 *
 * The steps are written out as a row of states, each of which takes one node: it may be skipped
 * (optional) and may take more nodes (loop). Two passes over the tree:
 *   forward, parents first:  above[n] = states in which n can be taken by a path that begins
 *                            somewhere above or at n;
 *   backward, children first: below[n] = states in which n can be taken by a path that ends
 *                            somewhere below or at n.
 * What is above n and what is below it do not depend on each other, so n is on a matching path
 * exactly when above[n] and below[n] share a state. O(nodes * states), no recursion.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "query/internal.h"

typedef struct State
{
	uint32_t step;
	bool optional;
	bool loop;
} State;

typedef struct Machine
{
	uint32_t n_states;
	uint32_t n_words;
	State *states;
	uint64_t *takes; /* per node: states whose step accepts it; then what has been reached */
	uint64_t *below; /* per node: what any child can be taken in, on the way to the end */
	bool *accepted;	 /* per step, of one node */
} Machine;

static bool
has(const uint64_t *set, uint32_t state)
{
	return (set[state >> 6] >> (state & 63) & 1) != 0;
}

static void
put(uint64_t *set, uint32_t state, bool value)
{
	uint64_t bit = (uint64_t) 1 << (state & 63);
	set[state >> 6] = value ? set[state >> 6] | bit : set[state >> 6] & ~bit;
}

static uint32_t
count_states(const PhQuery *path)
{
	uint32_t count = 0;
	for (const PhQueryStep *step = path->steps; step != NULL; step = step->next)
		count += step->most != PH_QUERY_MANY ? step->most : step->least > 0 ? step->least : 1;
	return count;
}

static void
write_out(const PhQuery *path, State *states)
{
	uint32_t at = 0, number = 0;
	for (const PhQueryStep *step = path->steps; step != NULL; step = step->next, number++)
	{
		bool many = step->most == PH_QUERY_MANY;
		uint32_t count = !many ? step->most : step->least > 0 ? step->least : 1;
		for (uint32_t i = 0; i < count; i++)
			states[at++] = (State){number, i >= step->least, many && i + 1 == count};
	}
}

static PhStatus
new_machine(PhArena *arena, const PhQuery *path, uint32_t n_nodes, Machine *out)
{
	Machine machine = {.n_states = count_states(path)};
	machine.n_words = (machine.n_states + 63) / 64;
	PH_TRY(PH_NEW(arena, machine.n_states, &machine.states));
	PH_TRY(PH_NEW(arena, (size_t) n_nodes * machine.n_words, &machine.takes));
	PH_TRY(PH_NEW(arena, (size_t) n_nodes * machine.n_words, &machine.below));
	PH_TRY(PH_NEW(arena, path->n_steps, &machine.accepted));
	write_out(path, machine.states);
	*out = machine;
	return PH_OK;
}

static PhStatus
accept_node(PhQueryEval *eval, const PhQuery *path, Machine *machine, uint32_t node)
{
	uint32_t number = 0;
	for (const PhQueryStep *step = path->steps; step != NULL; step = step->next)
		PH_TRY(ph_query_eval(eval, step->condition, node, &machine->accepted[number++]));
	uint64_t *takes = machine->takes + (size_t) node * machine->n_words;
	for (uint32_t state = 0; state < machine->n_states; state++)
		put(takes, state, machine->accepted[machine->states[state].step]);
	return PH_OK;
}

/* Keep those of takes in which the node follows its parent or begins a path. */
static void
restrict_to_above(const Machine *machine, const uint64_t *parent, uint64_t *takes)
{
	bool enter = true; /* a path may begin here */
	for (uint32_t state = 0; state < machine->n_states; state++)
	{
		bool before = parent != NULL && has(parent, state);
		bool reached = enter || (machine->states[state].loop && before);
		put(takes, state, reached && has(takes, state));
		enter = before || (machine->states[state].optional && enter);
	}
}

/* The states of takes from which the end can be reached, given what the children can do. */
static void
find_below(const Machine *machine, const uint64_t *children, const uint64_t *takes,
		   uint64_t *result)
{
	bool leave = true; /* a path may end here */
	for (uint32_t state = machine->n_states; state-- > 0;)
	{
		bool after = has(children, state);
		bool good = leave || (machine->states[state].loop && after);
		leave = after || (machine->states[state].optional && leave);
		put(result, state, good && has(takes, state));
	}
}

static PhStatus
go_down(PhQueryEval *eval, const PhQuery *path, Machine *machine)
{
	const PhProfile *profile = eval->profile;
	for (uint32_t node = 0; node < profile->n_nodes; node++)
	{
		PH_TRY(ph_env_poll(eval->arena->env));
		PH_TRY(accept_node(eval, path, machine, node));
		uint32_t parent = profile->parent[node];
		restrict_to_above(
			machine, parent == PH_NONE ? NULL : machine->takes + (size_t) parent * machine->n_words,
			machine->takes + (size_t) node * machine->n_words);
	}
	return PH_OK;
}

/*
 * Going up with what go_down left in takes is enough: a state that is not reached from above needs
 * no way down, and all states of a path below a reached one are reached themselves.
 */
static PhStatus
go_up(PhQueryEval *eval, Machine *machine, bool *matches)
{
	const PhProfile *profile = eval->profile;
	for (uint32_t node = profile->n_nodes; node-- > 0;)
	{
		PH_TRY(ph_env_poll(eval->arena->env));
		uint64_t *below = machine->below + (size_t) node * machine->n_words;
		find_below(machine, below, machine->takes + (size_t) node * machine->n_words, below);
		uint64_t any = 0;
		uint32_t parent = profile->parent[node];
		for (uint32_t word = 0; word < machine->n_words; word++)
		{
			any |= below[word];
			if (parent != PH_NONE)
				machine->below[(size_t) parent * machine->n_words + word] |= below[word];
		}
		matches[node] = any != 0;
	}
	return PH_OK;
}

static PhStatus
match(PhArena *scratch, PhQueryEval *eval, const PhQuery *path, bool *matches)
{
	Machine machine;
	PH_TRY(new_machine(scratch, path, eval->profile->n_nodes, &machine));
	PH_TRY(go_down(eval, path, &machine));
	return go_up(eval, &machine, matches);
}

PhStatus
ph_query_match_path(PhQueryEval *eval, const PhQuery *path, bool *matches)
{
	PhArena scratch;
	ph_arena_init(&scratch, eval->arena->env);
	PhStatus status = match(&scratch, eval, path, matches);
	ph_arena_drop(&scratch);
	return status;
}
