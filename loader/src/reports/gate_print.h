/*
 * gate_print.h - what the gate found, as text, Markdown, HTML, JSON and JUnit's XML.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_GATE_PRINT_H
#define PH_REPORTS_GATE_PRINT_H

#include <stdio.h>

#include "reports/environment.h"
#include "reports/gate.h"

/* The runs of one experiment. */
typedef struct PhGateGroup
{
	char *experiment; /* for people */
	char *label_a, *label_b;
	size_t n_a, n_b;
	bool is_judged; /* false: the baseline has no run that these can be compared with */
	PhGate gate;
	PhEnvironment environment;
} PhGateGroup;

typedef struct PhGateReport
{
	PhGateGroup *groups;
	size_t n_groups;
	PhGateRules rules;
	bool fails_on_unknown; /* how JUnit shows what is unknown */
} PhGateReport;

/* The worst of all groups; unknown where none was judged. */
PhGateVerdict ph_gate_report_verdict(const PhGateReport *report);

void ph_gate_print_text(FILE *out, const PhGateReport *report);
void ph_gate_print_markdown(FILE *out, const PhGateReport *report);
void ph_gate_print_html(FILE *out, const PhGateReport *report); /* one file with pictures */
void ph_gate_print_json(FILE *out, const PhGateReport *report);
void ph_gate_print_junit(FILE *out, const PhGateReport *report);

#endif
