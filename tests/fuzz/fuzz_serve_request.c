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
#include "serve/request.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
check_values(const PhTarget *target)
{
	for (const PhApiQuery *query = ph_api_queries; query->name != NULL; query++)
	{
		PhApiValues values;
		const char *parameter = NULL;
		char *message = NULL;
		char *hint = NULL;

		if (ph_api_values(query, target, &values, &parameter, &message, &hint) != (message == NULL))
			abort();
		free(message);
		free(hint);
		ph_api_values_free(&values);
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
		check_values(&target);
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
