/*
 * file.c - the lines of one TAU profile: header, functions, aggregates, user events.
 *
 *   23 templated_functions_MULTI_TIME
 *   # Name Calls Subrs Excl Incl ProfileCalls # <metadata>...</metadata>
 *   "main [{main.c} {12,0}]" 1 14 221 408460 0 GROUP="TAU_DEFAULT"
 *   0 aggregates
 *   3 userevents
 *   # eventname numevents max min mean sumsqr
 *   "Message size for reduce" 1 8 8 8 64
 *
 * Names are not escaped and may hold quotes, so lines are taken apart from their ends.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <string.h>

#include "readers/tau/tau.h"

static const char cut_hint[] = "The file was cut off or is still being written.";
static const char negative_hint[] = "TAU_COMPENSATE can make costs negative: measure without it.";

typedef struct Scan
{
	PhEnv *env;
	PhInput *input;
	const PhTauVisitor *visitor;
	size_t at;	 /* of the next line */
	size_t line; /* of the current one */
	PhTauText text;
} Scan;

/* The next line without its end; false at the file's end. */
static bool
next_line(Scan *scan)
{
	PhInput *input = scan->input;
	ph_input_passed(input, scan->at, NULL);
	if (scan->at >= input->size)
		return false;
	const char *start = (const char *) input->data + scan->at;
	size_t left = input->size - scan->at;
	const char *stop = memchr(start, '\n', left);
	scan->line = scan->at;
	scan->text = (PhTauText){start, stop != NULL ? (size_t) (stop - start) : left};
	scan->at += scan->text.size + (stop != NULL);
	if (scan->text.size > 0 && start[scan->text.size - 1] == '\r')
		scan->text.size--;
	return true;
}

static PhStatus
bad_line(const Scan *scan, PhStatus status, const char *message)
{
	return ph_input_fail(scan->env, scan->input, status, scan->line, "%s", message);
}

static PhStatus
negative(const Scan *scan)
{
	PhStatus status = bad_line(scan, PH_ERR_VALUE, "a count or cost is negative");
	snprintf(scan->env->error.hint, sizeof(scan->env->error.hint), "%s", negative_hint);
	return status;
}

static PhStatus
cut_off(const Scan *scan, const char *what, uint64_t got, uint64_t wanted)
{
	PhStatus status = ph_input_fail(scan->env, scan->input, PH_ERR_FORMAT, scan->at,
									"the file ends after %llu of %llu %s", (unsigned long long) got,
									(unsigned long long) wanted, what);
	snprintf(scan->env->error.hint, sizeof(scan->env->error.hint), "%s", cut_hint);
	return status;
}

/* "COUNT word..."; *rest is what follows the word. */
static bool
parse_count(PhTauText text, const char *word, uint64_t *count, PhTauText *rest)
{
	size_t digits = 0;
	int64_t number;
	size_t length = strlen(word);
	while (digits < text.size && text.text[digits] >= '0' && text.text[digits] <= '9')
		digits++;
	if (digits == 0 || digits + 1 + length > text.size || text.text[digits] != ' ' ||
		memcmp(text.text + digits + 1, word, length) != 0 ||
		!ph_parse_int64(text.text, digits, &number))
		return false;
	*count = (uint64_t) number;
	*rest = (PhTauText){text.text + digits + 1 + length, text.size - digits - 1 - length};
	return true;
}

bool
ph_tau_detect(const uint8_t *head, size_t size)
{
	uint64_t count;
	PhTauText rest;
	return parse_count((PhTauText){(const char *) head, size < 200 ? size : 200},
					   "templated_functions", &count, &rest);
}

/* Cut n numbers off the end of text; blanks separate them. */
static bool
take_numbers(PhTauText *text, double *numbers, int n)
{
	for (int i = n; i > 0; i--)
	{
		*text = ph_tau_trim(*text);
		size_t start = text->size;
		while (start > 0 && text->text[start - 1] != ' ' && text->text[start - 1] != '"')
			start--;
		if (!ph_parse_number(text->text + start, text->size - start, &numbers[i - 1]))
			return false;
		text->size = start;
	}
	*text = ph_tau_trim(*text);
	return true;
}

/* What stands between the first and the last quote. */
static bool
take_name(PhTauText *text)
{
	if (text->size < 3 || text->text[0] != '"' || text->text[text->size - 1] != '"')
		return false;
	text->text++;
	text->size -= 2;
	return ph_utf8_valid(text->text, text->size);
}

/* Cut GROUP="..." off the end. */
static void
take_groups(PhTauText *text, PhTauText *groups)
{
	static const char key[] = " GROUP=\"";
	size_t length = sizeof(key) - 1;
	*text = ph_tau_trim(*text);
	*groups = (PhTauText){text->text, 0};
	if (text->size <= length || text->text[text->size - 1] != '"')
		return;
	for (size_t i = text->size - length; i > 0; i--)
		if (memcmp(text->text + i - 1, key, length) == 0)
		{
			size_t start = i - 1 + length;
			if (start >= text->size)
				continue;
			*groups = (PhTauText){text->text + start, text->size - 1 - start};
			text->size = i - 1;
			return;
		}
}

static PhStatus
read_function(Scan *scan)
{
	double numbers[5];
	PhTauRow row = {.offset = scan->line};
	PhTauText text = scan->text;
	take_groups(&text, &row.groups);
	if (!take_numbers(&text, numbers, 5))
		return bad_line(scan, PH_ERR_FORMAT,
						"expected \"name\" calls subrs exclusive inclusive profilecalls GROUP=");
	if (!take_name(&text))
		return bad_line(scan, PH_ERR_FORMAT, "the name is not quoted, empty or not UTF-8");
	for (int i = 0; i < 5; i++)
		if (numbers[i] < 0)
			return negative(scan);
	if (numbers[4] != 0)
		return bad_line(scan, PH_ERR_UNSUPPORTED, "profiles of single calls are not supported");
	row.name = text;
	row.calls = numbers[0];
	row.children = numbers[1];
	row.exclusive = numbers[2];
	row.inclusive = numbers[3];
	return scan->visitor->row(scan->visitor->user, &row);
}

static PhStatus
read_event(Scan *scan)
{
	double numbers[5];
	PhTauText text = scan->text;
	if (!take_numbers(&text, numbers, 5))
		return bad_line(scan, PH_ERR_FORMAT, "expected \"name\" count max min mean sumsqr");
	if (!take_name(&text))
		return bad_line(scan, PH_ERR_FORMAT, "the name is not quoted, empty or not UTF-8");
	if (numbers[0] < 0)
		return bad_line(scan, PH_ERR_VALUE, "a count is negative");
	PhTauEvent event = {.count = numbers[0],
						.max = numbers[1],
						.min = numbers[2],
						.mean = numbers[3],
						.offset = scan->line};
	const char *colon = memmem(text.text, text.size, " : ", 3);
	size_t length = colon != NULL ? (size_t) (colon - text.text) : text.size;
	event.name = ph_tau_trim((PhTauText){text.text, length});
	if (colon != NULL)
		event.path = ph_tau_trim((PhTauText){colon + 3, text.size - length - 3});
	if (event.name.size == 0)
		return bad_line(scan, PH_ERR_FORMAT, "a user event has no name");
	return scan->visitor->event(scan->visitor->user, &event);
}

/* The line with the columns' names, and the metadata behind its second "#". */
static PhStatus
read_header(Scan *scan, uint64_t *n_functions)
{
	PhTauText metric;
	PhTauText metadata = {"", 0};
	if (!next_line(scan) || !parse_count(scan->text, "templated_functions", n_functions, &metric))
		return bad_line(scan, PH_ERR_FORMAT, "expected \"COUNT templated_functions\"");
	if (metric.size > 7 && memcmp(metric.text, "_MULTI_", 7) == 0)
		metric = ph_tau_trim((PhTauText){metric.text + 7, metric.size - 7});
	else
		metric.size = 0;
	if (metric.size > 200 || !ph_utf8_valid(metric.text, metric.size))
		return bad_line(scan, PH_ERR_FORMAT, "the metric's name is too long or not UTF-8");
	if (!next_line(scan) || scan->text.size == 0 || scan->text.text[0] != '#')
		return bad_line(scan, PH_ERR_FORMAT, "expected the line \"# Name Calls Subrs ...\"");
	const char *mark = memmem(scan->text.text + 1, scan->text.size - 1, "<metadata", 9);
	if (mark != NULL)
		metadata = (PhTauText){mark, scan->text.size - (size_t) (mark - scan->text.text)};
	return scan->visitor->begin(scan->visitor->user, metric, metadata);
}

static PhStatus
read_aggregates(Scan *scan)
{
	uint64_t n;
	PhTauText rest;
	if (!next_line(scan))
		return cut_off(scan, "sections", 1, 2);
	if (!parse_count(scan->text, "aggregates", &n, &rest))
		return bad_line(scan, PH_ERR_FORMAT,
						"expected \"COUNT aggregates\": more rows than the file declares");
	for (uint64_t i = 0; i < n; i++)
		if (!next_line(scan))
			return cut_off(scan, "aggregates", i, n);
	return PH_OK;
}

static PhStatus
read_events(Scan *scan)
{
	uint64_t n;
	PhTauText rest;
	do
		if (!next_line(scan))
			return PH_OK; /* there are none */
	while (ph_tau_trim(scan->text).size == 0);
	if (!parse_count(scan->text, "userevents", &n, &rest))
		return bad_line(scan, PH_ERR_FORMAT, "expected \"COUNT userevents\"");
	for (uint64_t i = 0; i < n; i++)
	{
		PH_TRY(ph_env_poll(scan->env));
		if (!next_line(scan))
			return cut_off(scan, "user events", i, n);
		if (i == 0 && scan->text.size > 0 && scan->text.text[0] == '#' && !next_line(scan))
			return cut_off(scan, "user events", i, n);
		if (scan->input->data[scan->at - 1] != '\n')
			return cut_off(scan, "user events", i, n);
		PH_TRY(read_event(scan));
	}
	return PH_OK;
}

PhStatus
ph_tau_scan(PhEnv *env, PhInput *input, const PhTauVisitor *visitor)
{
	uint64_t n_functions;
	Scan scan = {.env = env, .input = input, .visitor = visitor};
	input->dropped = 0;
	PH_TRY(read_header(&scan, &n_functions));
	for (uint64_t i = 0; i < n_functions; i++)
	{
		PH_TRY(ph_env_poll(env));
		if (!next_line(&scan))
			return cut_off(&scan, "functions", i, n_functions);
		PH_TRY(read_function(&scan));
	}
	PH_TRY(read_aggregates(&scan));
	PH_TRY(read_events(&scan));
	while (next_line(&scan))
		if (scan.text.size > 0 && scan.text.text[0] == '"')
			return bad_line(&scan, PH_ERR_FORMAT, "more user events than the file declares");
	return PH_OK;
}

/* A number below 2^31 from *at up to stop; *at moves behind stop. */
static bool
parse_part(const char **at, char stop, int32_t *out)
{
	int64_t number;
	size_t digits = strspn(*at, "0123456789");
	if (digits == 0 || digits > 10 || (*at)[digits] != stop ||
		!ph_parse_int64(*at, digits, &number) || number > INT32_MAX)
		return false;
	*out = (int32_t) number;
	*at += digits + (stop != '\0');
	return true;
}

bool
ph_tau_parse_path(const char *path, int32_t *node, int32_t *context, int32_t *thread)
{
	const char *at = ph_path_base(path);
	if (strncmp(at, "profile.", 8) != 0)
		return false;
	at += 8;
	return parse_part(&at, '.', node) && parse_part(&at, '.', context) &&
		   parse_part(&at, '\0', thread);
}
