/*
 * samples.c - second pass over a pprof profile: stacks, values, and labels that tell rank and
 * thread.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/pprof/pprof.h"

#define MAX_DEPTH 100000 /* locations of a stack */

static PhStatus
fail(PhPprof *pprof, const PhProtoField *field, const char *message)
{
	return ph_proto_fail(&pprof->in.stream, field, PH_ERR_FORMAT, "%s", message);
}

static PhStatus
take_locations(PhPprof *pprof, const PhProtoField *sample, PhProtoField *part)
{
	uint64_t id;
	bool bad = false;
	while (ph_proto_take_number(part, &id, &bad))
	{
		uint32_t *known;
		PH_TRY(ph_map_enter(&pprof->location_ids, id, PH_NONE, &known));
		if (*known == PH_NONE)
			return ph_proto_fail(&pprof->in.stream, sample, PH_ERR_FORMAT,
								 "location %llu of a sample is not there", (unsigned long long) id);
		if (pprof->stack.count == MAX_DEPTH)
			return ph_proto_fail(&pprof->in.stream, sample, PH_ERR_LIMIT,
								 "a stack of more than %d locations", MAX_DEPTH);
		PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->stack));
		pprof->stack.items[pprof->stack.count++] = *known;
	}
	return bad ? fail(pprof, sample, "the locations of a sample are damaged") : PH_OK;
}

static PhStatus
take_values(PhPprof *pprof, const PhProtoField *sample, PhProtoField *part)
{
	uint64_t value;
	bool bad = false;
	while (ph_proto_take_number(part, &value, &bad))
	{
		if (pprof->values.count == pprof->n_types)
			return fail(pprof, sample, "a sample has more values than there are types");
		PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->values));
		pprof->values.items[pprof->values.count++] = (int64_t) value;
	}
	return bad ? fail(pprof, sample, "the values of a sample are damaged") : PH_OK;
}

/* ---- labels ---- */

typedef struct Label
{
	const char *key;
	const char *text; /* NULL: it is a number */
	int64_t number;
} Label;

static PhStatus
read_label(PhPprof *pprof, const PhProtoField *sample, const PhProtoField *part, Label *out)
{
	PhProto message = ph_proto_inside(part);
	PhProtoField field;
	int64_t key = 0, text = 0;
	*out = (Label){0};
	while (ph_proto_next(&message, &field))
	{
		if (field.number == 1)
			key = (int64_t) field.value;
		if (field.number == 2)
			text = (int64_t) field.value;
		if (field.number == 3)
			out->number = (int64_t) field.value;
	}
	out->key = ph_pprof_string(pprof, key);
	out->text = ph_pprof_string(pprof, text);
	if (message.bad || out->key == NULL || out->text == NULL)
		return fail(pprof, sample, "a label of a sample is damaged");
	out->text = text == 0 ? NULL : out->text;
	return PH_OK;
}

static bool
is_one_of(const char *key, const char *const *names)
{
	while (*names != NULL && strcmp(key, *names) != 0)
		names++;
	return *names != NULL;
}

bool
ph_pprof_is_rank(const char *key)
{
	static const char *const names[] = {"rank", "mpi_rank", "mpi.rank", NULL};
	return is_one_of(key, names);
}

/* The label's number, if it is one that a rank or a thread may have. */
static bool
label_number(const Label *label, int32_t *out)
{
	int64_t number = label->number;
	if (label->text != NULL && !ph_parse_int64(label->text, strlen(label->text), &number))
		return false;
	if (number < 0 || number > INT32_MAX)
		return false;
	*out = (int32_t) number;
	return true;
}

/* Threads may have names, or ids that are too large for a number of a thread. */
static PhStatus
take_label(PhPprof *pprof, const PhProtoField *sample, const PhProtoField *part,
		   PhColumnSpec *column)
{
	static const char *const threads[] = {"thread", "thread_id", "thread id", NULL};
	Label label;
	PH_TRY(read_label(pprof, sample, part, &label));
	if (ph_pprof_is_rank(label.key) && !label_number(&label, &column->rank))
		return fail(pprof, sample, "the rank of a sample is no number");
	if (is_one_of(label.key, threads) && !label_number(&label, &column->thread))
	{
		if (label.text == NULL)
			return fail(pprof, sample, "the thread of a sample is out of range");
		column->name = label.text;
	}
	return PH_OK;
}

/* ---- samples ---- */

PhStatus
ph_pprof_enter_stack(PhPprof *pprof, uint32_t *node)
{
	PhRegionSpec unknown = {.kind = PH_KIND_FUNCTION, .name = "[unknown]", .line = PH_NO_NUMBER};
	uint32_t region;
	*node = PH_NONE;
	for (uint32_t i = pprof->stack.count; i-- > 0;)
	{
		uint32_t index = pprof->stack.items[i];
		const PhPprofLocation *location = &pprof->locations.items[index];
		if (location->n == 0)
			PH_TRY(ph_builder_child(pprof->in.builder, *node, pprof->unnamed[index], node));
		for (uint32_t k = location->first + location->n; k-- > location->first;)
			PH_TRY(ph_builder_child(pprof->in.builder, *node, pprof->regions[k], node));
	}
	if (*node != PH_NONE)
		return PH_OK;
	PH_TRY(ph_builder_add_region(pprof->in.builder, &unknown, &region));
	return ph_builder_child(pprof->in.builder, PH_NONE, region, node);
}

static PhStatus
add_values(PhPprof *pprof, const PhProtoField *sample, uint32_t node, uint32_t column)
{
	if (pprof->values.count != pprof->n_types)
		return fail(pprof, sample, "a sample has fewer values than there are types");
	for (uint32_t i = 0; i < pprof->n_types; i++)
	{
		if (pprof->values.items[i] < 0)
			return ph_proto_fail(&pprof->in.stream, sample, PH_ERR_VALUE,
								 "a value is negative: the difference of two profiles is no run");
		PH_TRY(ph_builder_add_value(pprof->in.builder, pprof->types[i].metric, node, column,
									PH_COST_EXCLUSIVE, (double) pprof->values.items[i]));
	}
	return PH_OK;
}

static PhStatus
read_sample(PhPprof *pprof, const PhProtoField *sample)
{
	PhColumnSpec spec = {.kind = PH_COLUMN_UNIT,
						 .iteration = PH_NO_ITERATION,
						 .rank = PH_NO_NUMBER,
						 .thread = PH_NO_NUMBER};
	PhProto message = ph_proto_inside(sample);
	PhProtoField part;
	uint32_t node, column;
	pprof->stack.count = pprof->values.count = 0;
	while (ph_proto_next(&message, &part))
	{
		if (part.number == 1)
			PH_TRY(take_locations(pprof, sample, &part));
		if (part.number == 2)
			PH_TRY(take_values(pprof, sample, &part));
		if (part.number == 3)
			PH_TRY(take_label(pprof, sample, &part, &spec));
	}
	if (message.bad)
		return fail(pprof, sample, "a sample is damaged");
	PH_TRY(ph_pprof_enter_stack(pprof, &node));
	PH_TRY(ph_builder_add_column(pprof->in.builder, &spec, &column));
	return add_values(pprof, sample, node, column);
}

PhStatus
ph_pprof_read_samples(PhPprof *pprof)
{
	PhProtoField field;
	bool more;
	for (;;)
	{
		PH_TRY(ph_proto_stream_next(&pprof->in.stream, &field, &more));
		if (!more)
			return PH_OK;
		PH_TRY(ph_env_poll(pprof->in.env));
		if (field.number == PH_PPROF_SAMPLE)
			PH_TRY(read_sample(pprof, &field));
	}
}
