/*
 * fuzz_serve_request.c - requests from anybody: targets, hosts, parameters of every query.
 *
 * The input is a target, a newline, and a Host header.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "serve/api.h"
#include "serve/guard.h"
#include "serve/picture.h"
#include "serve/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* The runs that an answer depends on alone: an array of integers, or nothing. */
static void
must_be_runs(const char *runs)
{
	size_t length = strnlen(runs, PH_RUNS_SIZE);

	if (length == PH_RUNS_SIZE || (length > 0 && (runs[0] != '{' || runs[length - 1] != '}' ||
												  strspn(runs + 1, "0123456789,-") != length - 2)))
		abort();
}

/* A refusal comes with a message, and what was taken can be sent: bound, and shown as SQL. */
static void
check_values(const PhTarget *target)
{
	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
	{
		PhProblem problem = {.message = ""};
		PhAnswer answer = {.kind = PH_ANSWER_DATA};
		PhApiValues values;
		char runs[PH_RUNS_SIZE];

		if (ph_api_values(query, target, &values, &problem) != (problem.message[0] == '\0'))
			abort();
		if (problem.message[0] != '\0')
			continue;
		ph_api_runs(&values, runs);
		must_be_runs(runs);
		ph_api_sql(&values, &answer);
		ph_answer_free(&answer);
	}
}

/* The same of the views, whose answer says what is wrong. */
static void
check_views(const PhTarget *target)
{
	for (const PhView *const *view = ph_views; *view != NULL; view++)
	{
		PhAnswer answer = {.kind = PH_ANSWER_DATA};
		char runs[PH_RUNS_SIZE] = "";
		bool is_good = ph_picture_check(*view, target, &answer, runs);

		if (is_good != (answer.status == 0))
			abort();
		if (is_good)
			must_be_runs(runs);
		ph_answer_free(&answer);
		if (!is_good || (*view)->query == NULL)
			continue;
		answer = (PhAnswer){.kind = PH_ANSWER_DATA};
		ph_picture_sql(*view, target, &answer);
		if (answer.status == 0)
			abort();
		ph_answer_free(&answer);
	}
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	char *newline;
	const char *why = NULL;
	char *rest;
	PhTarget target;

	if (text == NULL)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	newline = strchr(text, '\n');
	if (newline != NULL)
	{
		*newline = '\0';
		(void) ph_guard_host(newline + 1, NULL, 0);
	}
	if (ph_target_parse(text, &target, &why) == PH_TARGET_OK)
	{
		check_values(&target);
		check_views(&target);
	}
	else if (why == NULL)
		abort();
	rest = ph_target_without(text, "token");
	if (strlen(rest) > strlen(text))
		abort();
	free(rest);
	ph_target_free(&target);
	free(text);
	return 0;
}
