/*
 * known_noise.c - see known_noise.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/known_noise.h"

#include <stdlib.h>

#include "queries.h"
#include "system/memory.h"

bool
ph_known_noise_fetch(PhConnection *connection, int64_t run, const char *metric, PhKnownNoise *out)
{
	PhParam params[2] = {ph_param_int(run), ph_param_text(metric)};
	PhResult *rows = ph_pq_query(connection, ph_sql_compare_noise, params, 2);

	*out = (PhKnownNoise){0};
	if (rows == NULL)
		return false;
	if (ph_result_count(rows) > 0)
		*out = (PhKnownNoise){ph_strdup(ph_result_text(rows, 0, 3)),
							  strtod(ph_result_text(rows, 0, 0), NULL),
							  strtod(ph_result_text(rows, 0, 1), NULL), ph_result_int(rows, 0, 2)};
	ph_result_free(rows);
	return true;
}

void
ph_known_noise_free(PhKnownNoise *noise)
{
	free(noise->metric);
	*noise = (PhKnownNoise){0};
}
