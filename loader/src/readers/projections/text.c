/*
 * text.c - records as text: a line each, its type first, then numbers.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/projections/projections.h"

#include <stdlib.h>
#include <string.h>

#define MOST_DIGITS 18 /* more do not fit */

/* The rest of a line. */
typedef struct Tokens
{
	const char *at, *end;
	bool is_bad; /* a number was missing or is none */
} Tokens;

static inline void
skip_blanks(Tokens *tokens)
{
	while (tokens->at < tokens->end && *tokens->at == ' ')
		tokens->at++;
}

static inline bool
has_more(Tokens *tokens)
{
	skip_blanks(tokens);
	return tokens->at < tokens->end;
}

static inline int64_t
next_number(Tokens *tokens)
{
	bool is_negative = false;
	const char *digits;
	uint64_t value = 0;

	skip_blanks(tokens);
	if (tokens->at < tokens->end && *tokens->at == '-')
	{
		is_negative = true;
		tokens->at++;
	}
	digits = tokens->at;
	while (tokens->at < tokens->end && (unsigned char) (*tokens->at - '0') < 10)
		value = value * 10 + (unsigned char) (*tokens->at++ - '0');
	if (tokens->at == digits || tokens->at - digits > MOST_DIGITS ||
		(tokens->at < tokens->end && *tokens->at != ' '))
	{
		tokens->is_bad = true;
		return 0;
	}
	return is_negative ? -(int64_t) value : (int64_t) value;
}

/* A number with a fraction, as printf writes doubles. */
static double
next_double(Tokens *tokens)
{
	char text[64];
	size_t size = 0;
	char *end;
	double value;

	skip_blanks(tokens);
	while (tokens->at < tokens->end && *tokens->at != ' ' && size + 1 < sizeof(text))
		text[size++] = *tokens->at++;
	text[size] = '\0';
	value = strtod(text, &end);
	if (size == 0 || *end != '\0' || (tokens->at < tokens->end && *tokens->at != ' '))
		tokens->is_bad = true;
	return value;
}

static void
skip_number(Tokens *tokens)
{
	(void) next_number(tokens);
}

/* Builds that say which array a chare is of put it last. */
static void
take_array(Tokens *tokens, PhProjectionsFields *out)
{
	if (!tokens->is_bad && has_more(tokens))
		out->array = next_number(tokens);
}

static void
read_creation(Tokens *tokens, PhProjectionsFields *out)
{
	out->message_type = next_number(tokens);
	out->entry = next_number(tokens);
	out->time = next_number(tokens);
	out->event = next_number(tokens);
	out->pe = next_number(tokens);
	out->bytes = next_number(tokens);
	skip_number(tokens); /* how long handing it over took */
}

/* The processors that a multicast goes to; some writers give their number twice. */
static void
read_targets(Tokens *tokens)
{
	int64_t n = next_number(tokens);
	uint64_t n_left = 0;
	Tokens left = *tokens;

	while (!left.is_bad && has_more(&left))
	{
		skip_number(&left);
		n_left++;
	}
	if (n < 0 || n_left < (uint64_t) n)
		tokens->is_bad = true;
	else if (n_left > (uint64_t) n)
		skip_number(tokens);
	for (int64_t i = 0; i < n && !tokens->is_bad; i++)
		skip_number(tokens);
}

static void
read_counters(Tokens *tokens, uint32_t n, PhProjectionsFields *out)
{
	for (uint32_t i = 0; i < n; i++)
		out->counters[i] = next_number(tokens);
}

static PhStatus
read_begin(PhProjectionsLog *log, Tokens *tokens, PhProjectionsFields *out)
{
	const PhProjections *projections = log->projections;

	out->message_type = next_number(tokens);
	out->entry = next_number(tokens);
	out->time = next_number(tokens);
	out->event = next_number(tokens);
	out->pe = next_number(tokens);
	out->bytes = next_number(tokens);
	skip_number(tokens); /* when it was received: never filled in */
	if (tokens->is_bad)
		return PH_OK;
	if (!ph_projections_has_entry(projections, out->entry))
		return ph_projections_fail(log, 2, "entry method %lld is not defined",
								   (long long) out->entry);
	out->n_index = ph_projections_n_ids(projections, (uint32_t) out->entry);
	for (uint32_t i = 0; i < out->n_index; i++)
		out->index[i] = next_number(tokens);
	skip_number(tokens); /* CPU time of the process, which all its threads share */
	read_counters(tokens, projections->n_counters, out);
	take_array(tokens, out);
	return PH_OK;
}

static void
read_end(PhProjectionsLog *log, Tokens *tokens, PhProjectionsFields *out)
{
	out->message_type = next_number(tokens);
	out->entry = next_number(tokens);
	out->time = next_number(tokens);
	out->event = next_number(tokens);
	out->pe = next_number(tokens);
	out->bytes = next_number(tokens);
	skip_number(tokens);
	read_counters(tokens, log->projections->n_counters, out);
	take_array(tokens, out);
}

/* id, time, event, processor and, where it is written, the number of nesting. */
static void
read_user_event(Tokens *tokens, PhProjectionsFields *out)
{
	out->id = next_number(tokens);
	out->time = next_number(tokens);
	out->event = next_number(tokens);
	out->pe = next_number(tokens);
	if (!tokens->is_bad && has_more(tokens))
		out->entry = next_number(tokens);
}

static void
read_time_and_processor(Tokens *tokens, PhProjectionsFields *out)
{
	out->time = next_number(tokens);
	out->pe = next_number(tokens);
}

static void
read_stat(Tokens *tokens, PhProjectionsFields *out)
{
	out->time = next_number(tokens);
	(void) next_double(tokens); /* the program's own time */
	out->value = next_double(tokens);
	out->pe = next_number(tokens);
	out->id = next_number(tokens);
}

/* True when the whole line was read; others hold text or numbers that are not kept. */
static PhStatus
read_fields(PhProjectionsLog *log, Tokens *tokens, PhProjectionsFields *out, bool *is_whole)
{
	*is_whole = true;
	switch (out->type)
	{
		case 1:
			read_creation(tokens, out);
			take_array(tokens, out);
			return PH_OK;
		case 20:
			read_creation(tokens, out);
			skip_number(tokens); /* of processors */
			take_array(tokens, out);
			return PH_OK;
		case 21:
			read_creation(tokens, out);
			read_targets(tokens);
			take_array(tokens, out);
			return PH_OK;
		case 2:
			return read_begin(log, tokens, out);
		case 3:
			read_end(log, tokens, out);
			return PH_OK;
		case 6:
		case 7:
		case 11:
		case 12:
			out->time = next_number(tokens);
			return PH_OK;
		case 13:
		case 98:
		case 99:
		case 100:
			read_user_event(tokens, out);
			return PH_OK;
		case 14:
		case 15:
		case 16:
		case 17:
		case 18:
		case 19:
			read_time_and_processor(tokens, out);
			return PH_OK;
		case 26:
			out->id = next_number(tokens);
			out->time = has_more(tokens) ? next_number(tokens) : INT64_MIN;
			return PH_OK;
		case 27:
		case 30:
			out->id = next_number(tokens);
			out->time = next_number(tokens);
			return PH_OK;
		case 32:
			read_stat(tokens, out);
			return PH_OK;
		default:
			*is_whole = false;
			return PH_OK;
	}
}

static PhStatus
read_line(PhProjectionsLog *log, const char *line, size_t size, PhProjectionsFields *out)
{
	Tokens tokens = {line, line + size, false};
	int64_t type;
	bool is_whole;

	while (tokens.end > tokens.at && (tokens.end[-1] == '\r' || tokens.end[-1] == ' '))
		tokens.end--;
	if (tokens.at == tokens.end)
		return PH_OK;
	type = next_number(&tokens);
	if (tokens.is_bad || type <= 0 || type > UINT16_MAX)
		return ph_projections_fail(log, 0, "the line does not begin with the type of a record");
	out->type = (uint32_t) type;
	PH_TRY(read_fields(log, &tokens, out, &is_whole));
	if (tokens.is_bad)
		return ph_projections_fail(log, out->type,
								   "a field is missing or is not a number, at column %zu",
								   (size_t) (tokens.at - line) + 1);
	if (is_whole && has_more(&tokens))
		return ph_projections_fail(log, out->type, "there are too many fields, from column %zu",
								   (size_t) (tokens.at - line) + 1);
	return PH_OK;
}

/* A last line without end was being written when the program stopped. */
PhStatus
ph_projections_text_record(PhProjectionsLog *log, PhProjectionsFields *out, bool *more)
{
	const char *line;
	size_t size;
	bool is_whole;

	*out = (PhProjectionsFields){0};
	PH_TRY(ph_log_line(&log->stream, &line, &size, &is_whole, more));
	log->log.number = log->stream.line;
	if (!*more || !is_whole)
	{
		*more = false;
		return PH_OK;
	}
	if (log->stream.line == 1)
		return PH_OK;
	return read_line(log, line, size, out);
}
