/*
 * metrics.c - /metrics: the warehouse and the server in figures.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/metrics.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TYPE "application/openmetrics-text; version=1.0.0; charset=utf-8"
#define END "# EOF\n"

const PhApiQuery ph_metrics_query = {.name = "metrics",
									 .query = &ph_query_serve_metrics,
									 .parameters = "",
									 .is_quick = true,
									 .is_bytes = true};

void
ph_metrics_finish(const char *own, PhAnswer *answer)
{
	bool is_up = answer->status == 200;
	size_t size = is_up ? answer->size : 0;
	PhAnswer whole = {.kind = answer->kind};
	char *body = malloc(strlen(own) + size + 256);
	int n;

	if (body == NULL)
	{
		ph_answer_memory(answer);
		return;
	}
	n = snprintf(body, strlen(own) + 256,
				 "# HELP perfhouse_database_up Whether the database answered.\n"
				 "# TYPE perfhouse_database_up gauge\nperfhouse_database_up %d\n%s",
				 is_up, own);
	if (size > 0)
		memcpy(body + n, answer->body, size);
	memcpy(body + n + size, END, strlen(END));
	ph_answer_free(answer);
	ph_answer_take(&whole, 200, TYPE, body, (size_t) n + size + strlen(END));
	*answer = whole;
}
