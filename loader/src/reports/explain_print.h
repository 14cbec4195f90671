/*
 * explain_print.h - the sentences of an explanation as text, Markdown, HTML, JSON and JUnit's XML.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_EXPLAIN_PRINT_H
#define PH_REPORTS_EXPLAIN_PRINT_H

#include <stdio.h>

#include "cli/json_out.h"
#include "database/pq.h"

/* Rows of the queries explain/run and explain/runs, and what they are about. */
typedef struct PhExplainPage
{
	const char *title; /* "run 7", "commit 46c2a1d (3 runs) and then commit 3e01c40 (3 runs)" */
	const PhResult *rows;
} PhExplainPage;

void ph_explain_print_text(FILE *out, const PhExplainPage *page);
void ph_explain_print_markdown(FILE *out, const PhExplainPage *page);
void ph_explain_print_json(FILE *out, const PhExplainPage *page);

/* One file with the pictures that perfhouse-render draws of the database (NULL: the usual one). */
void ph_explain_print_html(FILE *out, const PhExplainPage *page, const char *db);

/* Within pages of other commands. findings: sections of what changed and why, also when nothing
 * did; summary: a section of the sentences alone. */
void ph_explain_print_findings(FILE *out, const PhExplainPage *page);
void ph_explain_print_summary(FILE *out, const PhExplainPage *page);

/* The sentences as an array. NULL rows: an empty one. */
void ph_explain_write(PhJsonOut *json, const char *key, const PhExplainPage *page);

/* A test case a finding that makes runs slower, which fails; one that passes when there is none. */
void ph_explain_print_junit(FILE *out, const PhExplainPage *page);

#endif
