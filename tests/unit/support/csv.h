/*
 * csv.h - tables of comma-separated values and call paths as text, for oracle tests.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SUPPORT_CSV_H
#define PH_SUPPORT_CSV_H

#include "readers/source.h"

typedef struct Csv
{
	char *text;
	size_t n_columns, n_rows; /* rows without the header */
	char **cells;			  /* header first, row by row */
} Csv;

/* Read a whole table; cells are NULL when the file does not exist. */
Csv csv_read(const char *path);
void csv_free(Csv *csv);

/* Column by name, or SIZE_MAX. */
size_t csv_column(const Csv *csv, const char *name);
const char *csv_cell(const Csv *csv, size_t row, size_t column);

/* Whole file, inflated where it is compressed, as a string; NULL when it does not exist. */
char *read_text(const char *path, size_t *size);

/* ["a", "b"] of a node, as the oracles write it; caller frees. */
char *path_text(const PhProfile *profile, uint32_t node);

/* Copy of such a path without "line:" before the names, as HPCToolkit's oracles have it. */
char *path_without_lines(const char *path);

/* Read one file or directory with the reader that detects it; fails the test on an error. */
PhStatus read_path(PhEnv *env, const char *path, PhRunInput *run);

#endif
