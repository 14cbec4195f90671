/*
 * otlp_tables.c - first pass over profiles of OpenTelemetry: the dictionary, and of the profiles
 * their types, times and which layout their samples have.
 *
 * The dictionary is read into pprof's tables, ids of which are its places; place 0 is none.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/pprof/otlp.h"

PhStatus
ph_otlp_fail(PhOtlp *otlp, const char *message)
{
	return ph_proto_fail(&otlp->pprof.in.stream, &otlp->field, PH_ERR_FORMAT, "%s", message);
}

PhStatus
ph_otlp_each(PhOtlp *otlp, const PhProtoField *message, uint32_t number, PhOtlpTake take)
{
	PhProto inside = ph_proto_inside(message);
	PhProtoField field;
	while (ph_proto_next(&inside, &field))
	{
		PH_TRY(ph_env_poll(otlp->pprof.in.env));
		if (field.number != number)
			continue;
		otlp->field = field;
		PH_TRY(take(otlp, &field));
	}
	otlp->field = *message;
	return inside.bad ? ph_otlp_fail(otlp, "a message is damaged") : PH_OK;
}

/* ---- attributes ---- */

static PhStatus
copy_text(PhOtlp *otlp, const PhProtoField *field, const char **out)
{
	char *copy;
	if (field->wire != PH_PROTO_BYTES || !ph_utf8_valid((const char *) field->bytes, field->size))
		return ph_otlp_fail(otlp, "a text of an attribute is not valid UTF-8");
	PH_TRY(
		ph_arena_strndup(&otlp->pprof.in.arena, (const char *) field->bytes, field->size, &copy));
	*out = copy;
	return PH_OK;
}

/* string_value 1, bool_value 2, int_value 3, string_value_strindex 8 */
static PhStatus
read_value(PhOtlp *otlp, const PhProtoField *field, PhOtlpAttribute *out)
{
	PhProto message = ph_proto_inside(field);
	PhProtoField part;
	while (ph_proto_next(&message, &part))
	{
		if (part.number == 1)
			PH_TRY(copy_text(otlp, &part, &out->text));
		out->is_number |= part.number == 3;
		if (part.number == 3)
			out->number = (int64_t) part.value;
		if (part.number == 8)
			out->text = ph_pprof_string(&otlp->pprof, (int64_t) part.value);
	}
	return message.bad ? ph_otlp_fail(otlp, "the value of an attribute is damaged") : PH_OK;
}

PhStatus
ph_otlp_read_attribute(PhOtlp *otlp, const PhProtoField *field, PhOtlpAttribute *out)
{
	PhProto message = ph_proto_inside(field);
	PhProtoField part;
	*out = (PhOtlpAttribute){.key = ""};
	while (ph_proto_next(&message, &part))
	{
		if (part.number == 1 && part.wire == PH_PROTO_BYTES)
			PH_TRY(copy_text(otlp, &part, &out->key));
		else if (part.number == 1 || (part.number == 3 && out->key[0] == '\0'))
			out->key = ph_pprof_string(&otlp->pprof, (int64_t) part.value);
		if (part.number == 2)
			PH_TRY(read_value(otlp, &part, out));
		if (out->key == NULL)
			return ph_otlp_fail(otlp, "the name of an attribute is not there");
	}
	return message.bad ? ph_otlp_fail(otlp, "an attribute is damaged") : PH_OK;
}

/* ---- the dictionary ---- */

static PhStatus
read_attribute(PhOtlp *otlp, PhProtoField *field)
{
	PhOtlpAttribute attribute;
	PH_TRY(ph_otlp_read_attribute(otlp, field, &attribute));
	PH_TRY(PH_ROOM(&otlp->pprof.in.arena, &otlp->attributes));
	otlp->attributes.items[otlp->attributes.count++] = attribute;
	return PH_OK;
}

static PhStatus
read_stack(PhOtlp *otlp, PhProtoField *field)
{
	PhProto message = ph_proto_inside(field);
	PhOtlpStack stack = {.first = otlp->stack_locations.count};
	PhArena *arena = &otlp->pprof.in.arena;
	PhProtoField part;
	uint64_t location;
	bool bad = false;
	while (ph_proto_next(&message, &part))
		while (part.number == 1 && ph_proto_take_number(&part, &location, &bad))
		{
			PH_TRY(PH_ROOM(arena, &otlp->stack_locations));
			otlp->stack_locations.items[otlp->stack_locations.count++] = location;
		}
	if (message.bad || bad)
		return ph_otlp_fail(otlp, "a stack is damaged");
	stack.n = otlp->stack_locations.count - stack.first;
	PH_TRY(PH_ROOM(arena, &otlp->stacks));
	otlp->stacks.items[otlp->stacks.count++] = stack;
	return PH_OK;
}

/* Tables that pprof has, too, under its numbers. */
static PhStatus
read_table(PhOtlp *otlp, PhProtoField *field)
{
	static const uint32_t numbers[] = {[1] = PH_PPROF_MAPPING,
									   [2] = PH_PPROF_LOCATION,
									   [3] = PH_PPROF_FUNCTION,
									   [5] = PH_PPROF_STRING};
	if (field->number >= sizeof(numbers) / sizeof(numbers[0]) || numbers[field->number] == 0)
		return PH_OK;
	field->number = numbers[field->number];
	return ph_pprof_read_field(&otlp->pprof, field);
}

/* Attributes name strings, which may follow them. */
static PhStatus
read_dictionary(PhOtlp *otlp, const PhProtoField *field)
{
	PhProto message = ph_proto_inside(field);
	PhProtoField part;
	otlp->field = *field;
	if (otlp->pprof.strings.count > 0)
		return ph_otlp_fail(otlp, "there are two dictionaries");
	while (ph_proto_next(&message, &part))
	{
		PH_TRY(ph_env_poll(otlp->pprof.in.env));
		PH_TRY(read_table(otlp, &part));
	}
	if (message.bad)
		return ph_otlp_fail(otlp, "the dictionary is damaged");
	PH_TRY(ph_otlp_each(otlp, field, 6, read_attribute));
	return ph_otlp_each(otlp, field, 7, read_stack);
}

/* ---- profiles ---- */

/* Packed numbers stand for lists, a number alone for the link. */
static PhStatus
survey_sample(PhOtlp *otlp, PhProtoField *sample)
{
	PhProto message = ph_proto_inside(sample);
	PhProtoField part;
	PhOtlpLayout layout = PH_OTLP_UNKNOWN;
	bool has_second = false, has_times = false;
	while (ph_proto_next(&message, &part))
	{
		has_second |= part.number == 2;
		has_times |= part.number == 5;
		if (part.number == 3 && part.wire == PH_PROTO_BYTES)
			layout = PH_OTLP_1_8;
		if (part.number == 4 && part.wire == PH_PROTO_BYTES)
			layout = PH_OTLP_1_10;
	}
	if (layout == PH_OTLP_UNKNOWN && has_second && !has_times)
		layout = PH_OTLP_1_8;
	if (layout == PH_OTLP_UNKNOWN)
		return PH_OK;
	if (otlp->layout != PH_OTLP_UNKNOWN && otlp->layout != layout)
		return ph_otlp_fail(otlp, "its samples are of two releases of the schema");
	otlp->layout = layout;
	return PH_OK;
}

static PhStatus
add_type(PhOtlp *otlp, const PhProtoField *field)
{
	PhPprof *pprof = &otlp->pprof;
	PhPprofType type;
	PH_TRY(ph_pprof_read_type(pprof, field, &type));
	for (uint32_t i = 0; i < pprof->n_types; i++)
		if (pprof->types[i].type == type.type && pprof->types[i].unit == type.unit)
			return PH_OK;
	if (pprof->n_types == PH_PPROF_TYPES)
		return ph_otlp_fail(otlp, "more than 64 types of samples");
	pprof->types[pprof->n_types++] = type;
	return PH_OK;
}

static void
note_times(PhOtlp *otlp, int64_t begin, int64_t duration)
{
	int64_t end;
	if (begin <= 0 || duration < 0 || __builtin_add_overflow(begin, duration, &end))
		return;
	if (otlp->pprof.time == 0 || begin < otlp->pprof.time)
		otlp->pprof.time = begin;
	if (end > otlp->end)
		otlp->end = end;
	otlp->pprof.duration = otlp->end - otlp->pprof.time;
}

static PhStatus
survey_profile(PhOtlp *otlp, PhProtoField *profile)
{
	PhProto message = ph_proto_inside(profile);
	PhProtoField part;
	int64_t begin = 0, duration = 0;
	while (ph_proto_next(&message, &part))
	{
		if (part.number == PH_OTLP_SAMPLE_TYPE)
			PH_TRY(add_type(otlp, &part));
		if (part.number == 3)
			begin = (int64_t) part.value;
		if (part.number == 4)
			duration = (int64_t) part.value;
		if (part.number == 5)
			PH_TRY(ph_pprof_read_type(&otlp->pprof, &part, &otlp->pprof.period_type));
		if (part.number == 6)
			otlp->pprof.period = (int64_t) part.value;
	}
	note_times(otlp, begin, duration);
	return ph_otlp_each(otlp, profile, PH_OTLP_SAMPLES, survey_sample);
}

static PhStatus
survey_scope(PhOtlp *otlp, PhProtoField *scope)
{
	return ph_otlp_each(otlp, scope, PH_OTLP_PROFILES, survey_profile);
}

PhStatus
ph_otlp_read_tables(PhPprof *pprof)
{
	PhOtlp *otlp = (PhOtlp *) pprof;
	PhProtoField field;
	bool more;
	ph_pprof_begin_tables(pprof);
	for (;;)
	{
		PH_TRY(ph_proto_stream_next(&pprof->in.stream, &field, &more));
		otlp->field = (PhProtoField){.number = 0}; /* what it told of is gone */
		if (!more)
			break;
		if (field.number == PH_OTLP_DICTIONARY)
			PH_TRY(read_dictionary(otlp, &field));
		if (field.number == PH_OTLP_RESOURCE_PROFILES)
			PH_TRY(ph_otlp_each(otlp, &field, PH_OTLP_SCOPE_PROFILES, survey_scope));
	}
	return pprof->strings.count > 0 ? PH_OK : ph_otlp_fail(otlp, "it has no dictionary");
}
