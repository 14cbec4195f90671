/*
 * print_rows.h - rows of a query as a table for people or as JSON lines.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMMANDS_PRINT_ROWS_H
#define PH_COMMANDS_PRINT_ROWS_H

#include <stdbool.h>

#include "database/pq.h"

/* Prints these fields, ids and counts (id, n_...) aligned right; json: what the column json has, a
 * line a row. */
void ph_print_rows(const PhResult *rows, const char *const *fields, size_t n_fields, bool json);

#endif
