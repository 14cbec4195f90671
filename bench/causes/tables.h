/*
 * tables.h - cases as text that any tool reads, and the answers to them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef BENCH_CAUSES_TABLES_H
#define BENCH_CAUSES_TABLES_H

#include <stdio.h>

#include "cases.h"

/* A new file of a folder, which is made. Ends the program where that fails. */
FILE *table_open(const char *folder, const char *name);

/* NAME.csv (by run, call path and rank) and NAME-iterations.csv. */
void table_write(const char *folder, const char *name, const Case *made);

void answer_header(FILE *file);
void answer_write(FILE *file, const char *name, const Case *made);

#endif
