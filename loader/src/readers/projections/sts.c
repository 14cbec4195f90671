/*
 * sts.c - the definitions: lines of a keyword and its fields, END last.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/completeness.h"
#include "readers/projections/projections.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define MOST_NUMBERS (1 << 20) /* of chare types, entry methods, processors */

/* The line that is read. */
typedef struct Line
{
	PhEnv *env;
	PhProjections *projections;
	PhRunInput *run;
	const PhInput *input;
	size_t offset; /* of the line */
	const char *at, *end;
} Line;

static PhStatus
bad_line(const Line *line, const char *what)
{
	return ph_input_fail(line->env, line->input, PH_ERR_FORMAT, line->offset, "%s", what);
}

/* ---- fields ---- */

static void
skip_blanks(Line *line)
{
	while (line->at < line->end && (*line->at == ' ' || *line->at == '\t'))
		line->at++;
}

/* What is left, without blanks around it. */
static void
rest(Line *line, const char **text, size_t *size)
{
	skip_blanks(line);
	while (line->end > line->at && (line->end[-1] == ' ' || line->end[-1] == '\t'))
		line->end--;
	*text = line->at;
	*size = (size_t) (line->end - line->at);
}

static bool
take_word(Line *line, const char **word, size_t *size)
{
	skip_blanks(line);
	*word = line->at;
	while (line->at < line->end && *line->at != ' ' && *line->at != '\t')
		line->at++;
	*size = (size_t) (line->at - *word);
	return *size > 0;
}

static PhStatus
take_number(Line *line, const char *what, int64_t least, int64_t most, int64_t *out)
{
	const char *word;
	size_t size;

	if (!take_word(line, &word, &size) || !ph_parse_int64(word, size, out) || *out < least ||
		*out > most)
		return ph_input_fail(line->env, line->input, PH_ERR_FORMAT,
							 (size_t) (line->at - (const char *) line->input->data),
							 "%s is not a number from %lld to %lld", what, (long long) least,
							 (long long) most);
	return PH_OK;
}

/* The last word of the line as a number; it is cut off. */
static PhStatus
take_last_number(Line *line, const char *what, int64_t least, int64_t most, int64_t *out)
{
	const char *text;
	size_t size;
	const char *word;

	rest(line, &text, &size);
	word = line->end;
	while (word > line->at && word[-1] != ' ' && word[-1] != '\t')
		word--;
	if (!ph_parse_int64(word, (size_t) (line->end - word), out) || *out < least || *out > most)
		return ph_input_fail(line->env, line->input, PH_ERR_FORMAT, line->offset,
							 "%s, the last field, is not a number from %lld to %lld", what,
							 (long long) least, (long long) most);
	line->end = word;
	return PH_OK;
}

/* Valid text in the source's memory; quotes around it are not part of it. */
static PhStatus
keep_text(Line *line, const char *text, size_t size, const char **out)
{
	char *copy;

	if (size >= 2 && text[0] == '"' && text[size - 1] == '"')
	{
		text++;
		size -= 2;
	}
	if (!ph_utf8_valid(text, size))
		return bad_line(line, "the name is not valid UTF-8");
	PH_TRY(ph_arena_strndup(&line->projections->tasks.arena, text, size, &copy));
	*out = copy;
	return PH_OK;
}

static PhStatus
take_rest(Line *line, const char **out)
{
	const char *text;
	size_t size;

	rest(line, &text, &size);
	return keep_text(line, text, size, out);
}

/* ---- keywords ---- */

static PhStatus
read_version(Line *line)
{
	const char *word;
	size_t size;
	double version;

	if (!take_word(line, &word, &size) || !ph_parse_number(word, size, &version) || version < 0 ||
		version > 1000)
		return bad_line(line, "VERSION is not a number");
	line->projections->version = (uint32_t) lround(version * 10);
	if (line->projections->version < PH_PROJECTIONS_OLDEST ||
		line->projections->version > PH_PROJECTIONS_NEWEST)
	{
		(void) ph_input_fail(line->env, line->input, PH_ERR_UNSUPPORTED, line->offset,
							 "logs of version %.1f, but 7.0 to 11.0 can be read", version);
		snprintf(line->env->error.hint, sizeof(line->env->error.hint),
				 "Trace the program with Charm++ 6.0 to 8.0.");
		return PH_ERR_UNSUPPORTED;
	}
	return PH_OK;
}

static PhStatus
read_processors(Line *line)
{
	int64_t n;

	PH_TRY(take_number(line, "PROCESSORS", 1, MOST_NUMBERS, &n));
	line->projections->n_processors = (uint32_t) n;
	return PH_OK;
}

static PhStatus
read_smp(Line *line)
{
	int64_t size;
	int64_t n;

	PH_TRY(take_number(line, "the size of a node", 0, MOST_NUMBERS, &size));
	PH_TRY(take_number(line, "the number of nodes", 0, MOST_NUMBERS, &n));
	line->projections->node_size = (uint32_t) size;
	line->projections->n_smp_nodes = (uint32_t) n;
	return PH_OK;
}

/* Room for a definition of this number: whether it is there, and what it says. */
static PhStatus
make_room(PhArena *arena, bool **is_there, void **definitions, size_t size, uint32_t *room,
		  uint32_t number)
{
	while (number >= *room)
	{
		uint32_t before = *room;

		PH_TRY(ph_grow_in_arena(arena, (void **) is_there, before, room, sizeof(bool)));
		*room = before;
		PH_TRY(ph_grow_in_arena(arena, definitions, before, room, size));
	}
	return PH_OK;
}

static PhStatus
read_chare(Line *line)
{
	PhProjections *projections = line->projections;
	PhTaskSource *tasks = &projections->tasks;
	PhTaskType *type;
	int64_t number;
	int64_t dimensions = 0;

	PH_TRY(take_number(line, "the chare's number", 0, MOST_NUMBERS, &number));
	if (projections->version >= 90)
		PH_TRY(take_last_number(line, "the number of dimensions", -1, PH_CHARE_DIMENSIONS,
								&dimensions));
	PH_TRY(make_room(&tasks->arena, &projections->is_type, (void **) &tasks->types,
					 sizeof(*tasks->types), &projections->type_room, (uint32_t) number));
	if (projections->is_type[number])
		return bad_line(line, "a chare of this number was there before");
	type = &tasks->types[number];
	PH_TRY(take_rest(line, &type->name));
	type->dimensions = dimensions == 0 && projections->version >= 90 ? -1 : (int32_t) dimensions;
	type->has_no_dimensions = projections->version < 90;
	type->is_runtime = ph_projections_is_runtime(type->name);
	projections->is_type[number] = true;
	if (number >= tasks->n_types)
		tasks->n_types = (uint32_t) number + 1;
	return PH_OK;
}

static PhStatus
read_entry(Line *line)
{
	PhProjections *projections = line->projections;
	PhTaskSource *tasks = &projections->tasks;
	const char *word;
	size_t size;
	int64_t number;
	int64_t chare;
	int64_t message;

	if (!take_word(line, &word, &size))
		return bad_line(line, "an ENTRY without fields");
	PH_TRY(take_number(line, "the entry method's number", 0, MOST_NUMBERS, &number));
	PH_TRY(take_last_number(line, "its message", -1, INT32_MAX, &message));
	PH_TRY(take_last_number(line, "its chare", 0, MOST_NUMBERS, &chare));
	if (chare >= tasks->n_types || !projections->is_type[chare])
		return bad_line(line, "the entry method is of a chare that is not defined");
	PH_TRY(make_room(&tasks->arena, &projections->is_entry, (void **) &tasks->entries,
					 sizeof(*tasks->entries), &projections->entry_room, (uint32_t) number));
	if (projections->is_entry[number])
		return bad_line(line, "an entry method of this number was there before");
	PH_TRY(take_rest(line, &tasks->entries[number].name));
	tasks->entries[number].type = (uint32_t) chare;
	projections->is_entry[number] = true;
	if (number >= tasks->n_entries)
		tasks->n_entries = (uint32_t) number + 1;
	return PH_OK;
}

/* A number and a name to the end of the line. */
static PhStatus
read_named(Line *line, PhMap *map, const char ***names, uint32_t *n, uint32_t *room)
{
	PhArena *arena = &line->projections->tasks.arena;
	int64_t number;
	uint32_t *index;

	PH_TRY(take_number(line, "the number", 0, INT32_MAX, &number));
	PH_TRY(ph_map_enter(map, (uint64_t) number, *n, &index));
	if (*index != *n)
		return bad_line(line, "one of this number was there before");
	PH_TRY(PH_GROW(arena, names, *n, room));
	PH_TRY(take_rest(line, &(*names)[*n]));
	(*n)++;
	return PH_OK;
}

static PhStatus
read_event(Line *line)
{
	PhProjections *projections = line->projections;

	return read_named(line, &projections->events, &projections->events_by_index,
					  &projections->n_events, &projections->event_room);
}

static PhStatus
read_stat(Line *line)
{
	PhProjections *projections = line->projections;

	return read_named(line, &projections->stats, &projections->stats_by_index,
					  &projections->n_stats, &projections->stat_room);
}

static PhStatus
read_n_counters(Line *line)
{
	PhProjections *projections = line->projections;
	int64_t n;

	PH_TRY(take_number(line, "TOTAL_PAPI_EVENTS", 0, PH_PROJECTIONS_COUNTERS, &n));
	projections->n_counters = (uint32_t) n;
	PH_TRY(PH_NEW(&projections->tasks.arena, (size_t) n, &projections->counters));
	for (uint32_t i = 0; i < projections->n_counters; i++)
		projections->counters[i] = "";
	return PH_OK;
}

static PhStatus
read_counter(Line *line)
{
	int64_t number;

	if (line->projections->n_counters == 0)
		return bad_line(line, "a PAPI_EVENT before TOTAL_PAPI_EVENTS");
	PH_TRY(
		take_number(line, "the counter's number", 0, line->projections->n_counters - 1, &number));
	return take_rest(line, &line->projections->counters[number]);
}

/* What describes the run. */
static PhStatus
read_fact(Line *line, const char *key)
{
	const char *text;

	PH_TRY(take_rest(line, &text));
	return text[0] == '\0' ? PH_OK : ph_meta_set(line->env, &line->run->meta, key, text, false);
}

static PhStatus
read_machine(Line *line)
{
	return read_fact(line, "charm.machine");
}

static PhStatus
read_user(Line *line)
{
	return read_fact(line, "user");
}

static PhStatus
read_host(Line *line)
{
	return read_fact(line, "host");
}

static PhStatus
read_command(Line *line)
{
	return read_fact(line, "cmdline");
}

static PhStatus
read_start(Line *line)
{
	return read_fact(line, "started_at");
}

static PhStatus
read_charm(Line *line)
{
	return read_fact(line, "charm.version");
}

/* ---- lines ---- */

static const struct
{
	const char *word;
	PhStatus (*read)(Line *line);
	bool needs_version; /* its fields depend on it */
} keywords[] = {
	{"VERSION", read_version, false},	  {"PROCESSORS", read_processors, false},
	{"SMPMODE", read_smp, false},		  {"CHARE", read_chare, true},
	{"ENTRY", read_entry, true},		  {"EVENT", read_event, false},
	{"STAT", read_stat, false},			  {"TOTAL_PAPI_EVENTS", read_n_counters, false},
	{"PAPI_EVENT", read_counter, false},  {"MACHINE", read_machine, false},
	{"USERNAME", read_user, false},		  {"HOSTNAME", read_host, false},
	{"COMMANDLINE", read_command, false}, {"TIMESTAMP", read_start, false},
	{"CHARMVERSION", read_charm, false},
};

/* Keywords that are not known are passed over. */
static PhStatus
read_line(Line *line, bool *at_end)
{
	const char *word;
	size_t size;

	if (!take_word(line, &word, &size))
		return PH_OK;
	*at_end = size == 3 && memcmp(word, "END", 3) == 0;
	for (size_t i = 0; i < sizeof(keywords) / sizeof(keywords[0]); i++)
	{
		if (strlen(keywords[i].word) != size || memcmp(keywords[i].word, word, size) != 0)
			continue;
		if (keywords[i].needs_version && line->projections->version == 0)
			return bad_line(line, "there is no VERSION before it");
		return keywords[i].read(line);
	}
	return PH_OK;
}

static PhStatus
read_lines(Line *line)
{
	const PhInput *input = line->input;
	size_t at = 0;
	bool at_end = false;

	while (at < input->size && !at_end)
	{
		const uint8_t *newline = memchr(input->data + at, '\n', input->size - at);
		size_t end = newline == NULL ? input->size : (size_t) (newline - input->data);

		PH_TRY(ph_env_poll(line->env));
		line->offset = at;
		line->at = (const char *) input->data + at;
		line->end = (const char *) input->data + end;
		if (line->end > line->at && line->end[-1] == '\r')
			line->end--;
		PH_TRY(read_line(line, &at_end));
		at = end + 1;
	}
	line->offset = input->size;
	if (!at_end)
		return bad_line(line, "the definitions were cut off: there is no END");
	if (input->data[input->size - 1] != '\n' && at > input->size)
		return ph_run_missing(line->env, line->run, "its definitions end within their last line");
	return PH_OK;
}

static PhStatus
check(const Line *line)
{
	const PhProjections *projections = line->projections;

	if (projections->version == 0)
		return bad_line(line, "there is no VERSION");
	if (projections->n_processors == 0)
		return bad_line(line, "there is no PROCESSORS");
	if (projections->tasks.n_entries == 0)
		return bad_line(line, "there is no ENTRY");
	return PH_OK;
}

static void
projections_free(PhEnv *env, PhTaskSource *tasks)
{
	ph_env_free(env, tasks, 1, sizeof(PhProjections));
}

PhStatus
ph_projections_read_sts(PhEnv *env, PhInput *input, PhRunInput *run, PhProjections **out)
{
	void *memory;
	PhProjections *projections;
	Line line = {.env = env, .run = run, .input = input};
	PhStatus status;

	PH_TRY(ph_env_alloc(env, 1, sizeof(*projections), &memory));
	projections = memory;
	ph_task_source_init(&projections->tasks, env);
	projections->sts = input->path;
	projections->tasks.free_format = projections_free;
	ph_map_init(&projections->events, &projections->tasks.arena);
	ph_map_init(&projections->stats, &projections->tasks.arena);
	line.projections = projections;
	status = read_lines(&line);
	if (status == PH_OK)
		status = check(&line);
	if (status != PH_OK)
	{
		projections->tasks.source.free(env, &projections->tasks.source);
		return status;
	}
	*out = projections;
	return PH_OK;
}
