/*
 * tables.c - first pass over a pprof profile: strings, mappings, functions, locations, types.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/pprof/pprof.h"

static PhStatus
fail(PhPprof *pprof, const PhProtoField *field, const char *message)
{
	return ph_proto_fail(&pprof->in.stream, field, PH_ERR_FORMAT, "%s", message);
}

/* Ids are of the writer's choice; each stands once. */
static PhStatus
enter_id(PhPprof *pprof, const PhProtoField *field, PhMap *ids, uint64_t id, uint32_t index)
{
	uint32_t *known;
	if (pprof->fields->id == 0 && index == 0)
		return PH_OK;
	if (id == 0)
		return fail(pprof, field, "an id is 0 or missing");
	PH_TRY(ph_map_enter(ids, id, index, &known));
	return *known == index ? PH_OK
						   : ph_proto_fail(&pprof->in.stream, field, PH_ERR_FORMAT,
										   "id %llu stands twice", (unsigned long long) id);
}

/* What an entry is known by unless it says so itself. */
static uint64_t
own_id(const PhPprof *pprof, uint32_t index)
{
	return pprof->fields->id == 0 ? index : 0;
}

static PhStatus
read_string(PhPprof *pprof, const PhProtoField *field)
{
	char *copy;
	if (field->wire != PH_PROTO_BYTES)
		return fail(pprof, field, "a string is a number");
	if (!ph_utf8_valid((const char *) field->bytes, field->size))
		return fail(pprof, field, "a string is not valid UTF-8");
	if (pprof->strings.count == 0 && field->size > 0)
		return fail(pprof, field, "the first string is not empty");
	PH_TRY(ph_arena_strndup(&pprof->in.arena, (const char *) field->bytes, field->size, &copy));
	PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->strings));
	pprof->strings.items[pprof->strings.count++] = copy;
	return PH_OK;
}

PhStatus
ph_pprof_read_type(PhPprof *pprof, const PhProtoField *field, PhPprofType *out)
{
	PhProto message = ph_proto_inside(field);
	PhProtoField part;
	*out = (PhPprofType){.metric = PH_NONE, .place = ph_proto_place(&pprof->in.stream, field)};
	while (ph_proto_next(&message, &part))
	{
		if (part.number == 1)
			out->type = (int64_t) part.value;
		if (part.number == 2)
			out->unit = (int64_t) part.value;
	}
	return message.bad ? fail(pprof, field, "a type is damaged") : PH_OK;
}

static PhStatus
read_sample_type(PhPprof *pprof, const PhProtoField *field)
{
	if (pprof->n_types == PH_PPROF_TYPES)
		return ph_proto_fail(&pprof->in.stream, field, PH_ERR_LIMIT,
							 "more than %d types of samples", PH_PPROF_TYPES);
	return ph_pprof_read_type(pprof, field, &pprof->types[pprof->n_types++]);
}

static PhStatus
read_mapping(PhPprof *pprof, const PhProtoField *field)
{
	PhProto message = ph_proto_inside(field);
	PhProtoField part;
	const PhPprofFields *fields = pprof->fields;
	uint64_t id = own_id(pprof, pprof->mapping_files.count);
	PhPprofText file = {.place = ph_proto_place(&pprof->in.stream, field)};
	while (ph_proto_next(&message, &part))
	{
		if (part.number == fields->id)
			id = part.value;
		if (part.number == fields->mapping_file)
			file.string = (int64_t) part.value;
	}
	if (message.bad)
		return fail(pprof, field, "a mapping is damaged");
	PH_TRY(enter_id(pprof, field, &pprof->mapping_ids, id, pprof->mapping_files.count));
	PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->mapping_files));
	pprof->mapping_files.items[pprof->mapping_files.count++] = file;
	return PH_OK;
}

static PhStatus
read_function(PhPprof *pprof, const PhProtoField *field)
{
	PhProto message = ph_proto_inside(field);
	PhPprofFunction function = {.place = ph_proto_place(&pprof->in.stream, field)};
	PhProtoField part;
	const PhPprofFields *fields = pprof->fields;
	uint64_t id = own_id(pprof, pprof->functions.count);
	while (ph_proto_next(&message, &part))
	{
		int64_t value = (int64_t) part.value;
		if (part.number == fields->id)
			id = part.value;
		else if (part.number == fields->function_name)
			function.name = value;
		else if (part.number == fields->function_system_name)
			function.system_name = value;
		else if (part.number == fields->function_file)
			function.file = value;
		else if (part.number == fields->function_line)
			function.line = value;
	}
	if (message.bad)
		return fail(pprof, field, "a function is damaged");
	PH_TRY(enter_id(pprof, field, &pprof->function_ids, id, pprof->functions.count));
	PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->functions));
	pprof->functions.items[pprof->functions.count++] = function;
	return PH_OK;
}

/* A line of a location: the function that it is in. */
static PhStatus
read_line(PhPprof *pprof, const PhProtoField *field, const PhProtoField *line)
{
	PhProto message = ph_proto_inside(line);
	PhProtoField part;
	uint64_t function = 0;
	while (ph_proto_next(&message, &part))
		if (part.number == 1)
			function = part.value;
	if (message.bad)
		return fail(pprof, field, "a line of a location is damaged");
	PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->line_functions));
	pprof->line_functions.items[pprof->line_functions.count++] = function;
	return PH_OK;
}

static PhStatus
read_location(PhPprof *pprof, const PhProtoField *field)
{
	PhProto message = ph_proto_inside(field);
	PhPprofLocation location = {.place = ph_proto_place(&pprof->in.stream, field),
								.first = pprof->line_functions.count};
	PhProtoField part;
	const PhPprofFields *fields = pprof->fields;
	uint64_t id = own_id(pprof, pprof->locations.count);
	while (ph_proto_next(&message, &part))
	{
		if (part.number == fields->id)
			id = part.value;
		else if (part.number == fields->location_mapping)
			location.mapping = part.value;
		else if (part.number == fields->location_line)
			PH_TRY(read_line(pprof, field, &part));
	}
	if (message.bad)
		return fail(pprof, field, "a location is damaged");
	location.n = pprof->line_functions.count - location.first;
	PH_TRY(enter_id(pprof, field, &pprof->location_ids, id, pprof->locations.count));
	PH_TRY(PH_ROOM(&pprof->in.arena, &pprof->locations));
	pprof->locations.items[pprof->locations.count++] = location;
	return PH_OK;
}

static PhStatus
read_comments(PhPprof *pprof, PhProtoField *field)
{
	uint64_t place = ph_proto_place(&pprof->in.stream, field), comment;
	bool bad = false;
	while (ph_proto_take_number(field, &comment, &bad))
		if (pprof->n_comments < PH_PPROF_COMMENTS)
			pprof->comments[pprof->n_comments++] = (PhPprofText){(int64_t) comment, place};
	return bad ? fail(pprof, field, "a comment is damaged") : PH_OK;
}

PhStatus
ph_pprof_read_field(PhPprof *pprof, PhProtoField *field)
{
	switch (field->number)
	{
		case PH_PPROF_SAMPLE_TYPE:
			return read_sample_type(pprof, field);
		case PH_PPROF_MAPPING:
			return read_mapping(pprof, field);
		case PH_PPROF_LOCATION:
			return read_location(pprof, field);
		case PH_PPROF_FUNCTION:
			return read_function(pprof, field);
		case PH_PPROF_STRING:
			return read_string(pprof, field);
		case PH_PPROF_PERIOD_TYPE:
			return ph_pprof_read_type(pprof, field, &pprof->period_type);
		case PH_PPROF_COMMENT:
			return read_comments(pprof, field);
		case PH_PPROF_TIME:
			pprof->time = (int64_t) field->value;
			break;
		case PH_PPROF_DURATION:
			pprof->duration = (int64_t) field->value;
			break;
		case PH_PPROF_PERIOD:
			pprof->period = (int64_t) field->value;
			break;
		case PH_PPROF_DEFAULT_TYPE:
			pprof->default_type = (int64_t) field->value;
			break;
		default:
			break;
	}
	return PH_OK;
}

void
ph_pprof_begin_tables(PhPprof *pprof)
{
	ph_map_init(&pprof->mapping_ids, &pprof->in.arena);
	ph_map_init(&pprof->location_ids, &pprof->in.arena);
	ph_map_init(&pprof->function_ids, &pprof->in.arena);
}

PhStatus
ph_pprof_read_tables(PhPprof *pprof)
{
	PhProtoField field;
	bool more;
	ph_pprof_begin_tables(pprof);
	for (;;)
	{
		PH_TRY(ph_proto_stream_next(&pprof->in.stream, &field, &more));
		if (!more)
			return PH_OK;
		PH_TRY(ph_env_poll(pprof->in.env));
		PH_TRY(ph_pprof_read_field(pprof, &field));
	}
}
