/*
 * gate_print.c - what the gate found, as text, Markdown, HTML, JSON and JUnit's XML.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/gate_print.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/min_max.h"
#include "cli/markup_out.h"
#include "cli/text_table.h"
#include "reports/gate_chart.h"
#include "reports/html_page.h"
#include "reports/report_print.h"
#include "system/memory.h"

#define REGIONS_SHOWN 8

/* ---- in common ---- */

PhGateVerdict
ph_gate_report_verdict(const PhGateReport *report)
{
	PhGateVerdict worst = PH_GATE_SAME;
	bool any = false;

	for (size_t i = 0; i < report->n_groups; i++)
	{
		const PhGateGroup *group = &report->groups[i];
		PhGateVerdict verdict = group->is_judged ? group->gate.verdict : PH_GATE_UNKNOWN;

		if (!any || verdict > worst)
			worst = verdict;
		any = true;
	}
	return any ? worst : PH_GATE_UNKNOWN;
}

static const char *
group_verdict(const PhGateGroup *group)
{
	return group->is_judged ? ph_gate_verdict_name(group->gate.verdict) : "not comparable";
}

/* "time", "PAPI_TOT_INS (outside MPI)". */
static char *
metric_title(const PhGateMetric *metric)
{
	return ph_format("%s%s", metric->name, metric->without_mpi ? " (outside MPI)" : "");
}

/* A change of work may be of 0.05 %. */
static const char *
show_relative(double share)
{
	return fabs(share) < 0.01 ? ph_show_small_change(share) : ph_show_change(share);
}

/* "+4.1 % to +6.5 %", to be freed. */
static char *
interval_text(const PhRepeatTest *test)
{
	if (isnan(test->low) || test->mean_a == 0)
		return ph_strdup("-");
	return ph_format("%s to %s", show_relative(test->low / test->mean_a),
					 show_relative(test->high / test->mean_a));
}

/* What a verdict on one or two runs rests on, as a sentence to be freed; NULL: on these runs. */
static char *
why_known(const PhGateMetric *metric)
{
	if (metric->n_known == 0)
		return NULL;
	return ph_format("the latest %lld runs of the experiment scatter by %s",
					 (long long) metric->n_known, ph_show_share(metric->known_spread));
}

/* Why a metric has no verdict, as a sentence to be freed; NULL: it has one. */
static char *
why_unknown(const PhGateMetric *metric)
{
	const PhRepeatTest *test = &metric->test;

	if (test->verdict != PH_VERDICT_UNKNOWN)
		return NULL;
	if (isnan(test->low) || (test->n_a < 2 && metric->n_known == 0))
		return ph_format("%zu and %zu runs are too few to tell a change from noise: %d on each "
						 "side, or %d of the baseline and one, are the least",
						 test->n_a, test->n_b, PH_MIN_REPEATS, PH_MIN_KNOWN_DEGREES + 1);
	if (test->repeats_needed != SIZE_MAX)
		return ph_format("%s scatters too much; with such noise about %zu runs on each side would "
						 "settle it",
						 metric->name, test->repeats_needed);
	return ph_format("%s scatters too much; more runs alone will hardly settle it", metric->name);
}

/* ---- text ---- */

static void
print_metrics(FILE *out, const PhGate *gate, double confidence)
{
	PhTextTable *table = ph_table_new();
	char *interval_title = ph_format("%.4g %% interval", confidence * 100);

	ph_table_column(table, "metric", PH_ALIGN_LEFT, 40);
	ph_table_column(table, "A", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "B", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "change", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, interval_title, PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "verdict", PH_ALIGN_LEFT, 0);
	for (uint32_t i = 0; i < gate->n_metrics; i++)
	{
		const PhGateMetric *metric = &gate->metrics[i];
		char *interval = interval_text(&metric->test);
		char *title = metric_title(metric);

		ph_table_cell(table, title);
		ph_table_cell(table, ph_show_value(metric->test.mean_a, metric->unit));
		ph_table_cell(table, ph_show_value(metric->test.mean_b, metric->unit));
		ph_table_cell(table, show_relative(metric->test.relative));
		ph_table_cell(table, interval);
		ph_table_cell(table, ph_gate_metric_verdict(metric));
		free(interval);
		free(title);
	}
	ph_table_print(table, out, 2);
	ph_table_free(table);
	free(interval_title);
}

static void
print_reasons(FILE *out, const PhGate *gate)
{
	for (uint32_t i = 0; i < gate->n_metrics; i++)
	{
		char *why = why_unknown(&gate->metrics[i]);
		char *known = why_known(&gate->metrics[i]);

		if (why != NULL)
			fprintf(out, "  %s\n", why);
		if (known != NULL)
			fprintf(out, "  %s\n", known);
		free(known);
		free(why);
	}
}

static void
print_regions(FILE *out, const PhGateMetric *metric)
{
	uint32_t n = PH_MIN(metric->n_regions, REGIONS_SHOWN);
	PhTextTable *table;

	if (n == 0)
		return;
	fprintf(out, "\nFunctions whose own %s changed for certain\n", metric->name);
	table = ph_table_new();
	ph_table_column(table, "of the whole", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "A", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "B", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "function", PH_ALIGN_LEFT, 60);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhGateRegion *region = &metric->regions[i];

		ph_table_cell(table, show_relative(region->of_total));
		ph_table_cell(table, ph_show_value(region->before, metric->unit));
		ph_table_cell(table, ph_show_value(region->after, metric->unit));
		ph_table_cell(table, region->name);
	}
	ph_table_print(table, out, 2);
	ph_table_free(table);
	if (metric->n_regions > n)
		fprintf(out, "  and %u more\n", metric->n_regions - n);
}

static void
print_group(FILE *out, const PhGateGroup *group, const PhGateRules *rules)
{
	fprintf(out, "gate: %s: %s\n", group_verdict(group), group->experiment);
	fprintf(out, "  A  %s (%zu run%s)\n", group->label_a, group->n_a, group->n_a == 1 ? "" : "s");
	fprintf(out, "  B  %s (%zu run%s)\n", group->label_b, group->n_b, group->n_b == 1 ? "" : "s");
	if (!group->is_judged)
	{
		fprintf(out, "  the baseline has no run of this experiment\n");
		return;
	}
	fputc('\n', out);
	print_metrics(out, &group->gate, rules->confidence);
	print_reasons(out, &group->gate);
	for (uint32_t i = 0; i < group->gate.n_metrics; i++)
		print_regions(out, &group->gate.metrics[i]);
	fprintf(out, "\nEnvironment\n");
	ph_environment_print(out, &group->environment);
}

void
ph_gate_print_text(FILE *out, const PhGateReport *report)
{
	for (size_t i = 0; i < report->n_groups; i++)
	{
		if (i > 0)
			fputc('\n', out);
		print_group(out, &report->groups[i], &report->rules);
	}
	fprintf(out, "\nbelow %s of the time and %s of the work changes count as the same\n",
			ph_show_share(report->rules.margin), ph_show_share(report->rules.work_margin));
	fprintf(out, "verdict: %s\n", ph_gate_verdict_name(ph_gate_report_verdict(report)));
}

/* ---- Markdown ---- */

static void
put_cells(FILE *out, const char *const *cells, size_t n)
{
	for (size_t i = 0; i < n; i++)
	{
		fputs("| ", out);
		ph_markdown_put_text(out, cells[i]);
		fputc(' ', out);
	}
	fputs("|\n", out);
}

/* An item of a list; NULL: none. */
static void
put_item(FILE *out, const char *text)
{
	if (text == NULL)
		return;
	fputs("* ", out);
	ph_markdown_put_text(out, text);
	fputs("\n", out);
}

static void
mark_metrics(FILE *out, const PhGate *gate)
{
	fputs("| metric | A | B | change | interval | verdict |\n|:--|--:|--:|--:|--:|:--|\n", out);
	for (uint32_t i = 0; i < gate->n_metrics; i++)
	{
		const PhGateMetric *metric = &gate->metrics[i];
		char *interval = interval_text(&metric->test);
		char *title = metric_title(metric);
		const char *cells[] = {title,
							   ph_show_value(metric->test.mean_a, metric->unit),
							   ph_show_value(metric->test.mean_b, metric->unit),
							   show_relative(metric->test.relative),
							   interval,
							   ph_gate_metric_verdict(metric)};

		put_cells(out, cells, 6);
		free(interval);
		free(title);
	}
	fputc('\n', out);
	for (uint32_t i = 0; i < gate->n_metrics; i++)
	{
		char *why = why_unknown(&gate->metrics[i]);

		char *known = why_known(&gate->metrics[i]);

		put_item(out, why);
		put_item(out, known);
		free(known);
		free(why);
	}
}

static void
mark_regions(FILE *out, const PhGateMetric *metric)
{
	if (metric->n_regions == 0)
		return;
	fputs("\nFunctions whose own ", out);
	ph_markdown_put_text(out, metric->name);
	fputs(" changed for certain:\n\n| of the whole | A | B | function |\n|--:|--:|--:|:--|\n", out);
	for (uint32_t i = 0; i < PH_MIN(metric->n_regions, REGIONS_SHOWN); i++)
	{
		const PhGateRegion *region = &metric->regions[i];
		const char *cells[] = {show_relative(region->of_total),
							   ph_show_value(region->before, metric->unit),
							   ph_show_value(region->after, metric->unit), region->name};

		put_cells(out, cells, 4);
	}
}

static void
mark_environment(FILE *out, const PhEnvironment *environment)
{
	if (environment->n_changes == 0)
	{
		fputs(environment->n_same > 0 ? "\nThe environment is the same.\n"
									  : "\nThe environment is not recorded.\n",
			  out);
		return;
	}
	fputs("\nThe environment differs:\n\n| what | key | A | B |\n|:--|:--|:--|:--|\n", out);
	for (size_t i = 0; i < environment->n_changes; i++)
	{
		const PhEnvironmentChange *change = &environment->changes[i];
		const char *cells[] = {change->kind, change->key,
							   change->before != NULL ? change->before : "(not recorded)",
							   change->after != NULL ? change->after : "(not recorded)"};

		put_cells(out, cells, 4);
	}
}

static void
mark_group(FILE *out, const PhGateGroup *group)
{
	fprintf(out, "\n### %s: ", group_verdict(group));
	ph_markdown_put_text(out, group->experiment);
	fputs("\n\nA: ", out);
	ph_markdown_put_text(out, group->label_a);
	fprintf(out, " (%zu run%s), B: ", group->n_a, group->n_a == 1 ? "" : "s");
	ph_markdown_put_text(out, group->label_b);
	fprintf(out, " (%zu run%s)\n\n", group->n_b, group->n_b == 1 ? "" : "s");
	if (!group->is_judged)
	{
		fputs("The baseline has no run of this experiment.\n", out);
		return;
	}
	mark_metrics(out, &group->gate);
	for (uint32_t i = 0; i < group->gate.n_metrics; i++)
		mark_regions(out, &group->gate.metrics[i]);
	mark_environment(out, &group->environment);
}

void
ph_gate_print_markdown(FILE *out, const PhGateReport *report)
{
	fprintf(out, "## Performance: %s\n", ph_gate_verdict_name(ph_gate_report_verdict(report)));
	for (size_t i = 0; i < report->n_groups; i++)
		mark_group(out, &report->groups[i]);
	fprintf(out, "\nChanges below %s of the time and %s of the work count as the same.\n",
			ph_show_share(report->rules.margin), ph_show_share(report->rules.work_margin));
}

/* ---- HTML ---- */

static void
put_metrics_table(FILE *out, const PhGate *gate, double confidence)
{
	char *interval_title = ph_format("%.4g %% interval", confidence * 100);
	const PhHtmlColumn columns[] = {
		{"metric", false},		{"A", true},	   {"B", true}, {"change", true},
		{interval_title, true}, {"verdict", false}};

	ph_html_table_begin(out, "Means over runs, and their change", columns, 6);
	for (uint32_t i = 0; i < gate->n_metrics; i++)
	{
		const PhGateMetric *metric = &gate->metrics[i];
		char *interval = interval_text(&metric->test);
		char *title = metric_title(metric);
		const char *cells[] = {title,
							   ph_show_value(metric->test.mean_a, metric->unit),
							   ph_show_value(metric->test.mean_b, metric->unit),
							   show_relative(metric->test.relative),
							   interval,
							   ph_gate_metric_verdict(metric)};

		ph_html_table_row(out, columns, cells, 6);
		free(interval);
		free(title);
	}
	ph_html_table_end(out);
	free(interval_title);
}

static void
put_reason(FILE *out, char *why)
{
	if (why != NULL)
		ph_html_element(out, "p", NULL, why);
	free(why);
}

static void
put_regions_table(FILE *out, const PhGateMetric *metric)
{
	static const PhHtmlColumn columns[] = {
		{"of the whole", true}, {"A", true}, {"B", true}, {"function", false}};
	uint32_t n = PH_MIN(metric->n_regions, REGIONS_SHOWN);
	char *caption;

	if (n == 0)
		return;
	caption = ph_format("Functions whose own %s changed for certain%s", metric->name,
						n < metric->n_regions ? ", the largest changes" : "");
	ph_gate_chart_regions(out, metric, n);
	ph_html_table_begin(out, caption, columns, 4);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhGateRegion *region = &metric->regions[i];
		const char *cells[] = {show_relative(region->of_total),
							   ph_show_value(region->before, metric->unit),
							   ph_show_value(region->after, metric->unit), region->name};

		ph_html_table_row(out, columns, cells, 4);
	}
	ph_html_table_end(out);
	free(caption);
}

static void
put_environment(FILE *out, const PhEnvironment *environment)
{
	static const PhHtmlColumn columns[] = {
		{"what", false}, {"key", false}, {"A", false}, {"B", false}};

	ph_html_element(out, "h3", NULL, "Environment");
	if (environment->n_changes == 0)
	{
		ph_html_element(out, "p", NULL,
						environment->n_same > 0 ? "It is the same." : "It is not recorded.");
		return;
	}
	ph_html_table_begin(out, "In what the sides differ", columns, 4);
	for (size_t i = 0; i < environment->n_changes; i++)
	{
		const PhEnvironmentChange *change = &environment->changes[i];
		const char *cells[] = {change->kind, change->key,
							   change->before != NULL ? change->before : "(not recorded)",
							   change->after != NULL ? change->after : "(not recorded)"};

		ph_html_table_row(out, columns, cells, 4);
	}
	ph_html_table_end(out);
}

static const char *
verdict_class(PhGateVerdict verdict)
{
	return verdict == PH_GATE_SLOWER || verdict == PH_GATE_MORE_WORK ? "bad"
		   : verdict == PH_GATE_FASTER								 ? "good"
																	 : NULL;
}

static void
put_side(FILE *out, const char *side, const char *label, size_t n)
{
	char *text = ph_format("%s: %s (%zu run%s)", side, label, n, n == 1 ? "" : "s");

	ph_html_element(out, "p", "soft", text);
	free(text);
}

static void
put_judged(FILE *out, const PhGateGroup *group, const PhGateRules *rules)
{
	const PhGate *gate = &group->gate;

	put_metrics_table(out, gate, rules->confidence);
	for (uint32_t i = 0; i < gate->n_metrics; i++)
	{
		put_reason(out, why_unknown(&gate->metrics[i]));
		put_reason(out, why_known(&gate->metrics[i]));
	}
	for (uint32_t i = 0; i < gate->n_metrics; i++)
	{
		char *title = metric_title(&gate->metrics[i]);

		ph_html_element(out, "h3", NULL, title);
		ph_gate_chart_runs(out, &gate->metrics[i], group->n_a, group->n_b);
		put_regions_table(out, &gate->metrics[i]);
		free(title);
	}
	put_environment(out, &group->environment);
}

void
ph_gate_print_html(FILE *out, const PhGateReport *report)
{
	PhGateVerdict verdict = ph_gate_report_verdict(report);
	char *title = ph_format("Performance: %s", ph_gate_verdict_name(verdict));
	char *margins =
		ph_format("Changes below %s of the time and %s of the work count as the same.",
				  ph_show_share(report->rules.margin), ph_show_share(report->rules.work_margin));

	ph_html_begin(out, "gate", title);
	for (size_t i = 0; i < report->n_groups; i++)
	{
		const PhGateGroup *group = &report->groups[i];

		fputs("<section>\n", out);
		ph_html_element(out, "h2", NULL, group->experiment);
		ph_html_element(out, "p", group->is_judged ? verdict_class(group->gate.verdict) : NULL,
						group_verdict(group));
		put_side(out, "A", group->label_a, group->n_a);
		put_side(out, "B", group->label_b, group->n_b);
		if (group->is_judged)
			put_judged(out, group, &report->rules);
		else
			ph_html_element(out, "p", NULL, "The baseline has no run of this experiment.");
		fputs("</section>\n", out);
	}
	ph_html_element(out, "p", "soft", margins);
	ph_html_end(out);
	free(margins);
	free(title);
}

/* ---- JSON ---- */

static void
write_metric(PhJsonOut *json, const PhGateMetric *metric)
{
	const PhRepeatTest *test = &metric->test;

	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "metric", metric->name);
	ph_json_put_text(json, "unit", metric->unit);
	ph_json_put_bool(json, "is_work", metric->is_work);
	ph_json_put_bool(json, "without_mpi", metric->without_mpi);
	ph_json_put_text(json, "verdict", ph_gate_metric_verdict(metric));
	ph_json_put_number(json, "mean_a", test->mean_a);
	ph_json_put_number(json, "mean_b", test->mean_b);
	ph_json_put_number(json, "relative", test->relative);
	ph_json_put_number(json, "low", test->low);
	ph_json_put_number(json, "high", test->high);
	if (test->repeats_needed > 0 && test->repeats_needed != SIZE_MAX)
		ph_json_put_integer(json, "repeats_needed", (int64_t) test->repeats_needed);
	else
		ph_json_put_null(json, "repeats_needed");
	ph_json_open_array(json, "functions");
	for (uint32_t i = 0; i < metric->n_regions; i++)
	{
		const PhGateRegion *region = &metric->regions[i];

		ph_json_open_object(json, NULL);
		ph_json_put_text(json, "name", region->name);
		ph_json_put_number(json, "before", region->before);
		ph_json_put_number(json, "after", region->after);
		ph_json_put_number(json, "of_total", region->of_total);
		ph_json_put_number(json, "q_value", region->q);
		ph_json_put_bool(json, "is_mpi", region->is_mpi);
		ph_json_close(json);
	}
	ph_json_close(json);
	ph_json_close(json);
}

static void
write_group(PhJsonOut *json, const PhGateGroup *group)
{
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "experiment", group->experiment);
	ph_json_put_text(json, "verdict", group_verdict(group));
	ph_json_put_text(json, "a", group->label_a);
	ph_json_put_text(json, "b", group->label_b);
	ph_json_put_integer(json, "n_a", (int64_t) group->n_a);
	ph_json_put_integer(json, "n_b", (int64_t) group->n_b);
	ph_json_open_array(json, "metrics");
	for (uint32_t i = 0; group->is_judged && i < group->gate.n_metrics; i++)
		write_metric(json, &group->gate.metrics[i]);
	ph_json_close(json);
	ph_environment_write(json, &group->environment);
	ph_json_close(json);
}

void
ph_gate_print_json(FILE *out, const PhGateReport *report)
{
	PhJsonOut writer, *json = &writer;

	ph_json_begin(json, out);
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "verdict", ph_gate_verdict_name(ph_gate_report_verdict(report)));
	ph_json_put_number(json, "margin", report->rules.margin);
	ph_json_put_number(json, "work_margin", report->rules.work_margin);
	ph_json_put_number(json, "confidence", report->rules.confidence);
	ph_json_open_array(json, "experiments");
	for (size_t i = 0; i < report->n_groups; i++)
		write_group(json, &report->groups[i]);
	ph_json_close(json);
	ph_json_close(json);
	(void) ph_json_done_line(json);
}

/* ---- JUnit ---- */

static void
open_case(FILE *out, const PhGateGroup *group, const char *name)
{
	fputs("    <testcase classname=\"", out);
	ph_markup_put_text(out, group->experiment);
	fputs("\" name=\"", out);
	ph_markup_put_text(out, name);
	fputs("\">", out);
}

/* <failure> or <skipped> with a message; text, which services show below it, may be NULL. */
static void
put_outcome(FILE *out, bool is_failure, const char *message, const char *text)
{
	const char *tag = is_failure ? "failure" : "skipped";

	fprintf(out, "<%s message=\"", tag);
	ph_markup_put_text(out, message);
	fputs("\">", out);
	if (text != NULL)
		ph_markup_put_text(out, text);
	fprintf(out, "</%s>", tag);
}

/* In what the sides differ, as on the terminal; NULL: in nothing. The caller frees it. */
static char *
environment_text(const PhEnvironment *environment)
{
	char *text = NULL;
	size_t size = 0;
	FILE *out;

	if (environment->n_changes == 0)
		return NULL;
	out = open_memstream(&text, &size);
	if (out == NULL)
		return NULL;
	fputs("Environment\n", out);
	ph_environment_print(out, environment);
	fclose(out);
	return text;
}

/* Does the group fail for this metric? Of functions that are slower, the time is to blame. */
static bool
metric_fails(const PhGateGroup *group, const PhGateMetric *metric)
{
	PhGateVerdict verdict = group->gate.verdict;

	if (metric->is_work)
		return verdict == PH_GATE_MORE_WORK && metric->test.verdict == PH_VERDICT_SLOWER;
	return verdict == PH_GATE_SLOWER;
}

static void
put_metric_case(FILE *out, const PhGateGroup *group, const PhGateMetric *metric, bool on_unknown)
{
	char *why = why_unknown(metric);
	bool fails = metric_fails(group, metric);
	char *title = metric_title(metric);
	char *environment = environment_text(&group->environment);
	char *message;

	open_case(out, group, title);
	message = ph_format("%s by %s%s%s", ph_gate_metric_verdict(metric),
						show_relative(metric->test.relative),
						metric->n_regions > 0 ? ", most of it in " : "",
						metric->n_regions > 0 ? metric->regions[0].name : "");
	if (fails)
		put_outcome(out, true, message, environment);
	else if (why != NULL)
		put_outcome(out, on_unknown && !metric->is_work, why, NULL);
	fputs("</testcase>\n", out);
	free(environment);
	free(message);
	free(title);
	free(why);
}

static void
count_cases(const PhGateReport *report, size_t *n, size_t *failed, size_t *skipped)
{
	*n = *failed = *skipped = 0;
	for (size_t i = 0; i < report->n_groups; i++)
	{
		const PhGateGroup *group = &report->groups[i];

		if (!group->is_judged)
		{
			*n += 1;
			*(report->fails_on_unknown ? failed : skipped) += 1;
		}
		for (uint32_t m = 0; group->is_judged && m < group->gate.n_metrics; m++)
		{
			const PhGateMetric *metric = &group->gate.metrics[m];
			bool is_unknown = metric->test.verdict == PH_VERDICT_UNKNOWN;

			*n += 1;
			if (metric_fails(group, metric))
				*failed += 1;
			else if (is_unknown)
				*(report->fails_on_unknown && !metric->is_work ? failed : skipped) += 1;
		}
	}
}

void
ph_gate_print_junit(FILE *out, const PhGateReport *report)
{
	size_t n, failed, skipped;

	count_cases(report, &n, &failed, &skipped);
	fprintf(out,
			"<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite "
			"name=\"perfhouse gate\" tests=\"%zu\" failures=\"%zu\" errors=\"0\" "
			"skipped=\"%zu\">\n",
			n, failed, skipped);
	for (size_t i = 0; i < report->n_groups; i++)
	{
		const PhGateGroup *group = &report->groups[i];

		if (!group->is_judged)
		{
			open_case(out, group, "baseline");
			put_outcome(out, report->fails_on_unknown, "the baseline has no run of this experiment",
						NULL);
			fputs("</testcase>\n", out);
		}
		for (uint32_t m = 0; group->is_judged && m < group->gate.n_metrics; m++)
			put_metric_case(out, group, &group->gate.metrics[m], report->fails_on_unknown);
	}
	fputs("  </testsuite>\n</testsuites>\n", out);
}
