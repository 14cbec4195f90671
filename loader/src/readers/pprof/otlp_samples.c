/*
 * otlp_samples.c - second pass over profiles of OpenTelemetry: whose they are, and their samples.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>

#include "readers/pprof/otlp.h"

#define MAX_KEY 200 /* bytes of an attribute's name that becomes metadata */

/* ---- whose it is ---- */

static bool
number_of(const PhOtlpAttribute *attribute, int32_t *out)
{
	int64_t number = attribute->number;
	if (!attribute->is_number &&
		(attribute->text == NULL ||
		 !ph_parse_int64(attribute->text, strlen(attribute->text), &number)))
		return false;
	if (number < 0 || number > INT32_MAX)
		return false;
	*out = (int32_t) number;
	return true;
}

/* What an attribute says of the place where samples were taken. */
static void
place(const PhOtlpAttribute *attribute, PhColumnSpec *column)
{
	if (ph_pprof_is_rank(attribute->key))
		(void) number_of(attribute, &column->rank);
	else if (strcmp(attribute->key, "thread.id") == 0)
		(void) number_of(attribute, &column->thread);
	else if (strcmp(attribute->key, "thread.name") == 0 && attribute->text != NULL)
		column->name = attribute->text;
	else if (strcmp(attribute->key, "host.name") == 0 && attribute->text != NULL)
		column->host = attribute->text;
}

/* Of the first resource; others say it of their own processes. */
static PhStatus
note(PhOtlp *otlp, const PhOtlpAttribute *attribute)
{
	PhReading *in = &otlp->pprof.in;
	char key[MAX_KEY + 16], number[32];
	const char *text = attribute->text;
	if (attribute->key[0] == '\0' || strlen(attribute->key) > MAX_KEY ||
		(text == NULL && !attribute->is_number))
		return PH_OK;
	if (text == NULL)
	{
		snprintf(number, sizeof(number), "%lld", (long long) attribute->number);
		text = number;
	}
	if (strcmp(attribute->key, "service.name") == 0)
		PH_TRY(ph_meta_set(in->env, &in->run->meta, "application", text, false));
	snprintf(key, sizeof(key), "otlp.%s", attribute->key);
	return ph_meta_set(in->env, &in->run->meta, key, text, attribute->text == NULL);
}

/* Processes without ranks are told apart by their numbers. */
static PhStatus
name_process(PhOtlp *otlp, const PhOtlpAttribute *attribute)
{
	char name[64], *copy;
	int32_t pid;
	if (strcmp(attribute->key, "process.pid") != 0 || !number_of(attribute, &pid))
		return PH_OK;
	int n = snprintf(name, sizeof(name), "process %d", pid);
	PH_TRY(ph_arena_strndup(&otlp->pprof.in.arena, name, (size_t) n, &copy));
	otlp->resource.name = copy;
	return PH_OK;
}

static PhStatus
read_resource_attribute(PhOtlp *otlp, PhProtoField *field)
{
	PhOtlpAttribute attribute;
	PH_TRY(ph_otlp_read_attribute(otlp, field, &attribute));
	place(&attribute, &otlp->resource);
	PH_TRY(name_process(otlp, &attribute));
	return otlp->n_resources == 1 ? note(otlp, &attribute) : PH_OK;
}

static PhStatus
read_resource(PhOtlp *otlp, PhProtoField *resource)
{
	return ph_otlp_each(otlp, resource, 1, read_resource_attribute);
}

static PhStatus
use_attributes(PhOtlp *otlp, PhProtoField *field, PhColumnSpec *column)
{
	uint64_t index;
	bool bad = false;
	while (ph_proto_take_number(field, &index, &bad))
	{
		if (index >= otlp->attributes.count)
			return ph_otlp_fail(otlp, "an attribute of a sample is not there");
		place(&otlp->attributes.items[index], column);
	}
	return bad ? ph_otlp_fail(otlp, "the attributes of a sample are damaged") : PH_OK;
}

/* ---- samples ---- */

typedef struct Sample
{
	uint64_t stack;
	PhColumnSpec column;
	double sum; /* of its values */
	uint64_t n_values, n_times;
} Sample;

static PhStatus
take_values(PhOtlp *otlp, PhProtoField *field, Sample *sample)
{
	uint64_t value;
	bool bad = false;
	while (ph_proto_take_number(field, &value, &bad))
	{
		if ((int64_t) value < 0)
			return ph_proto_fail(&otlp->pprof.in.stream, &otlp->field, PH_ERR_VALUE,
								 "a value is negative: the difference of two profiles is no run");
		sample->sum += (double) value;
		sample->n_values++;
	}
	return bad ? ph_otlp_fail(otlp, "the values of a sample are damaged") : PH_OK;
}

static PhStatus
take_part(PhOtlp *otlp, PhProtoField *part, Sample *sample)
{
	bool is_old = otlp->layout == PH_OTLP_1_8;
	if (part->number == 1)
		sample->stack = part->value;
	else if (part->number == (is_old ? 3 : 2))
		return use_attributes(otlp, part, &sample->column);
	else if (part->number == (is_old ? 2 : 4))
		return take_values(otlp, part, sample);
	else if (part->number == 5)
		sample->n_times += part->wire == PH_PROTO_BYTES ? part->size / 8 : 1;
	return PH_OK;
}

static PhStatus
enter_stack(PhOtlp *otlp, uint64_t index, uint32_t *node)
{
	PhPprof *pprof = &otlp->pprof;
	const PhOtlpStack *stack;
	pprof->stack.count = 0;
	if (index >= otlp->stacks.count)
		return ph_otlp_fail(otlp, "the stack of a sample is not there");
	stack = &otlp->stacks.items[index];
	for (uint32_t i = stack->first; i < stack->first + stack->n; i++)
	{
		uint64_t id = otlp->stack_locations.items[i];
		const uint32_t *location = ph_map_find(&pprof->location_ids, id);
		if (location == NULL)
			return ph_otlp_fail(otlp, "a location of a stack is not there");
		PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->stack));
		pprof->stack.items[pprof->stack.count++] = *location;
	}
	return ph_pprof_enter_stack(pprof, node);
}

/* Times without values count themselves. */
static PhStatus
read_sample(PhOtlp *otlp, PhProtoField *field)
{
	PhProto message = ph_proto_inside(field);
	Sample sample = {.column = otlp->column};
	PhProtoField part;
	uint32_t node, column;
	while (ph_proto_next(&message, &part))
		PH_TRY(take_part(otlp, &part, &sample));
	if (message.bad)
		return ph_otlp_fail(otlp, "a sample is damaged");
	if (sample.n_values == 0)
		sample.sum = (double) sample.n_times;
	PH_TRY(enter_stack(otlp, sample.stack, &node));
	PH_TRY(ph_builder_add_column(otlp->pprof.in.builder, &sample.column, &column));
	return ph_builder_add_value(otlp->pprof.in.builder, otlp->metric, node, column,
								PH_COST_EXCLUSIVE, sample.sum);
}

static PhStatus
find_metric(PhOtlp *otlp, PhProtoField *field)
{
	PhPprof *pprof = &otlp->pprof;
	PhPprofType type;
	PH_TRY(ph_pprof_read_type(pprof, field, &type));
	for (uint32_t i = 0; i < pprof->n_types; i++)
		if (pprof->types[i].type == type.type && pprof->types[i].unit == type.unit)
			otlp->metric = pprof->types[i].metric;
	return PH_OK;
}

static PhStatus
use_profile_attributes(PhOtlp *otlp, PhProtoField *field)
{
	return use_attributes(otlp, field, &otlp->column);
}

static PhStatus
read_profile(PhOtlp *otlp, PhProtoField *profile)
{
	otlp->column = otlp->resource;
	otlp->metric = PH_NONE;
	PH_TRY(ph_otlp_each(otlp, profile, PH_OTLP_SAMPLE_TYPE, find_metric));
	if (otlp->metric == PH_NONE)
		return ph_otlp_fail(otlp, "a profile does not say what its samples are");
	PH_TRY(
		ph_otlp_each(otlp, profile, otlp->layout == PH_OTLP_1_8 ? 12 : 11, use_profile_attributes));
	return ph_otlp_each(otlp, profile, PH_OTLP_SAMPLES, read_sample);
}

static PhStatus
read_scope(PhOtlp *otlp, PhProtoField *scope)
{
	return ph_otlp_each(otlp, scope, PH_OTLP_PROFILES, read_profile);
}

static PhStatus
read_resource_profiles(PhOtlp *otlp, PhProtoField *field)
{
	otlp->n_resources++;
	otlp->resource = (PhColumnSpec){.kind = PH_COLUMN_UNIT,
									.iteration = PH_NO_ITERATION,
									.rank = PH_NO_NUMBER,
									.thread = PH_NO_NUMBER};
	PH_TRY(ph_otlp_each(otlp, field, PH_OTLP_RESOURCE, read_resource));
	return ph_otlp_each(otlp, field, PH_OTLP_SCOPE_PROFILES, read_scope);
}

PhStatus
ph_otlp_read_samples(PhPprof *pprof)
{
	PhOtlp *otlp = (PhOtlp *) pprof;
	PhProtoField field;
	bool more;
	for (;;)
	{
		PH_TRY(ph_proto_stream_next(&pprof->in.stream, &field, &more));
		if (!more)
			return PH_OK;
		if (field.number == PH_OTLP_RESOURCE_PROFILES)
			PH_TRY(read_resource_profiles(otlp, &field));
	}
}
