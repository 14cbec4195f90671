/*
 * comparable.c - whether two sets of runs are of one experiment. The database decides.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/comparable.h"

#include <stdlib.h>
#include <string.h>

#include "cli/text_table.h"
#include "queries.h"
#include "system/memory.h"

enum
{
	F_KEY,
	F_STATUS,
	F_A,
	F_B,
	F_IS_OBSTACLE,
	F_JSON
};

#define VALUES_SHOWN 48

PhExit
ph_comparable_fetch(PhConnection *connection, const PhSide *a, const PhSide *b, PhComparable *out)
{
	char *runs_a = ph_array_int(a->runs, a->n_runs);
	char *runs_b = ph_array_int(b->runs, b->n_runs);
	PhParam params[2] = {ph_param_text(runs_a), ph_param_text(runs_b)};

	*out = (PhComparable){.rows = ph_pq_query(connection, ph_sql_compare_experiment, params, 2)};
	free(runs_a);
	free(runs_b);
	if (out->rows == NULL)
		return ph_pq_log_error(connection, "compare");
	for (size_t row = 0; row < ph_result_count(out->rows); row++)
		out->n_obstacles += ph_result_bool(out->rows, row, F_IS_OBSTACLE);
	return PH_EXIT_OK;
}

void
ph_comparable_free(PhComparable *comparable)
{
	ph_result_free(comparable->rows);
	comparable->rows = NULL;
}

void
ph_comparable_print(FILE *out, const PhComparable *comparable)
{
	PhTextTable *table;

	if (comparable->n_obstacles == 0)
		return;
	table = ph_table_new();
	ph_table_column(table, "key", PH_ALIGN_LEFT, 0);
	ph_table_column(table, "A", PH_ALIGN_LEFT, VALUES_SHOWN);
	ph_table_column(table, "B", PH_ALIGN_LEFT, VALUES_SHOWN);
	for (size_t row = 0; row < ph_result_count(comparable->rows); row++)
	{
		if (!ph_result_bool(comparable->rows, row, F_IS_OBSTACLE))
			continue;
		ph_table_cell(table, ph_result_text(comparable->rows, row, F_KEY));
		ph_table_cell(table, ph_result_text(comparable->rows, row, F_A));
		ph_table_cell(table, ph_result_text(comparable->rows, row, F_B));
	}
	ph_table_print(table, out, 2);
	ph_table_free(table);
}

const char *
ph_comparable_not_recorded(const PhComparable *comparable)
{
	static char keys[256];
	size_t length = 0;

	keys[0] = '\0';
	for (size_t row = 0; row < ph_result_count(comparable->rows); row++)
	{
		const char *key = ph_result_text(comparable->rows, row, F_KEY);

		if (strcmp(ph_result_text(comparable->rows, row, F_STATUS), "not recorded") != 0 ||
			length + strlen(key) + 3 > sizeof(keys))
			continue;
		length += (size_t) snprintf(keys + length, sizeof(keys) - length, "%s%s",
									length > 0 ? ", " : "", key);
	}
	return keys;
}

void
ph_comparable_write(PhJsonOut *json, const PhComparable *comparable)
{
	ph_json_put_bool(json, "comparable", comparable->n_obstacles == 0);
	ph_json_open_array(json, "experiment");
	for (size_t row = 0; row < ph_result_count(comparable->rows); row++)
		ph_json_put_raw(json, NULL, ph_result_text(comparable->rows, row, F_JSON));
	ph_json_close(json);
}
