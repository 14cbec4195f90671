/*
 * report.c - perfhouse report: one page about a run.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "cli/json_out.h"
#include "cli/text_table.h"
#include "commands/commands.h"
#include "commands/part.h"
#include "commands/shared_options.h"
#include "database/warehouse.h"
#include "queries.h"
#include "reports/explain_print.h"
#include "reports/profile_fetch.h"
#include "reports/report_print.h"
#include "reports/run_report.h"
#include "runs/named_run.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

static const PhParameter report_options[] = {
	PH_OPTION_METRIC("of this metric (default: the primary one)"),
	PH_OPTIONS_PART,
	{.name = "json", .help = "print one JSON object"},
	{.name = NULL}};

#define HOT_ROWS 14

/* Everything that a page prints. */
typedef struct Page
{
	const PhRunReport *report;
	const PhResult *run;	   /* one row of report-run.sql */
	double n_units;			   /* ranks and threads that the means stand for */
	bool is_aggregated;		   /* one column for many ranks */
	PhExplainPage explanation; /* no rows: of a part, or of another metric, nobody knows */
} Page;

static const char *
field(const Page *page, const char *name)
{
	const char *text = ph_result_text(page->run, 0, ph_result_field(page->run, name));

	return text == NULL ? "" : text;
}

static double
core_hours(const PhRunReport *report, double cost)
{
	return cost * report->seconds / 3600;
}

#define FEW_CORE_HOURS 0.1

/* Cost of all ranks as core-hours, or core-seconds where there are few, when it is a time. most:
 * the largest of those that stand together. */
static const char *
show_cost(const PhRunReport *report, double cost, double most)
{
	if (report->seconds <= 0)
		return ph_show_value(cost, report->unit);
	if (core_hours(report, most) < FEW_CORE_HOURS)
		return ph_show_value(cost * report->seconds, "core-s");
	return ph_show_value(core_hours(report, cost), "core-h");
}

static double
most_lost(const PhRunReport *report)
{
	double most = 0;

	for (uint32_t i = 0; i < report->n_imbalance; i++)
		most = fmax(most, report->imbalance[i].lost);
	return most;
}

static double
share_of(const PhRunReport *report, double value)
{
	return report->total != 0 ? value / report->total : 0;
}

static const char *
column_label(const PhProfile *profile, uint32_t column, char *buffer, size_t size)
{
	ph_column_label(profile, column, buffer, size);
	return buffer;
}

/* ---- text ---- */

/* n_ranks "": the file does not say. The caller frees the text. */
static char *
ranks_text(const char *n_ranks)
{
	if (n_ranks[0] == '\0')
		return ph_strdup("");
	return ph_format(", %s rank%s", n_ranks, strcmp(n_ranks, "1") == 0 ? "" : "s");
}

static void
print_head(const Page *page)
{
	const PhRunReport *report = page->report;
	const PhProfile *profile = report->profile;
	const char *commit = field(page, "commit_id");
	const char *application = field(page, "application");
	char *ranks = ranks_text(field(page, "n_ranks"));
	double total = report->total * page->n_units;

	printf("run %s: %s\n", field(page, "run_id"), field(page, "title"));
	printf("  %s%s%.9s%s, %u column%s, %u call path%s%s%s\n",
		   application[0] != '\0' ? application : "unknown application",
		   commit[0] != '\0' ? ", commit " : "", commit, ranks, profile->n_columns,
		   profile->n_columns == 1 ? "" : "s", profile->n_nodes, profile->n_nodes == 1 ? "" : "s",
		   field(page, "started")[0] != '\0' ? ", started " : "", field(page, "started"));
	free(ranks);
	printf("  %s: %s mean over %.0f %s%s, %s in all\n",
		   ph_profile_string(profile, profile->metrics[report->metric].name),
		   ph_show_value(report->total, report->unit), page->n_units,
		   page->n_units == ph_result_int(page->run, 0, ph_result_field(page->run, "n_ranks"))
			   ? "rank"
			   : "unit",
		   page->n_units > 1 ? "s" : "", show_cost(report, total, total));
}

static void
print_hot_step(const PhRunReport *report, PhTextTable *table, uint32_t step)
{
	const PhProfile *profile = report->profile;
	uint32_t node = report->hot_path[step];
	double inclusive = ph_profile_mean(profile, report->metric, node, PH_COST_INCLUSIVE);
	double own = ph_profile_mean(profile, report->metric, node, PH_COST_EXCLUSIVE);

	ph_table_cell(table, ph_show_share(share_of(report, inclusive)));
	ph_table_cell(table, ph_show_value(inclusive, report->unit));
	ph_table_cell(table, ph_show_value(own, report->unit));
	ph_table_cellf(table, "%*s%s", (int) PH_MIN(step, 20), "", ph_profile_node_name(profile, node));
}

/* A long path keeps its ends. */
static void
print_hot_path(const PhRunReport *report)
{
	PhTextTable *table = ph_table_new();

	ph_show_section(stdout, "Hot path (inclusive, mean over ranks)");
	ph_table_column(table, "share", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "inclusive", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "own", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "call", PH_ALIGN_LEFT, 60);
	for (uint32_t i = 0; i < report->n_hot_path; i++)
	{
		uint32_t left_out = report->n_hot_path > HOT_ROWS ? report->n_hot_path - HOT_ROWS : 0;

		print_hot_step(report, table, i);
		if (left_out == 0 || i != HOT_ROWS / 2 - 1)
			continue;
		for (int cell = 0; cell < 3; cell++)
			ph_table_cell(table, "");
		ph_table_cellf(table, "%*s(%u more)", (int) i, "", left_out);
		i += left_out;
	}
	ph_table_print(table, stdout, 2);
	ph_table_free(table);
}

static void
print_imbalance(const PhRunReport *report)
{
	const PhProfile *profile = report->profile;
	PhTextTable *table = ph_table_new();
	double most = most_lost(report);
	char label[128];

	ph_show_section(stdout, "Imbalance of own cost outside MPI (lost = (max - mean) x ranks)");
	ph_table_column(table, "lost", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "imbalance_ratio", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "mean", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "max", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "worst", PH_ALIGN_LEFT, 24);
	ph_table_column(table, "call path", PH_ALIGN_LEFT, 60);
	for (uint32_t i = 0; i < report->n_imbalance; i++)
	{
		const PhImbalanceRow *row = &report->imbalance[i];

		ph_table_cell(table, show_cost(report, row->lost, most));
		ph_table_cellf(table, "%.2f", row->imbalance_ratio);
		ph_table_cell(table, ph_show_value(row->mean, report->unit));
		ph_table_cell(table, ph_show_value(row->max, report->unit));
		ph_table_cell(table, row->worst == PH_NONE
								 ? "-"
								 : column_label(profile, row->worst, label, sizeof(label)));
		ph_table_cell(table, ph_show_path(profile, row->node, 58));
	}
	if (report->n_imbalance > 0)
		ph_table_print(table, stdout, 2);
	else
		printf(ph_profile_is_rolled_up(profile)
				   ? "  unknown: the run was rolled up; see run_distribution in SQL\n"
				   : "  none: one column, or all alike\n");
	if (report->imbalance_of_file)
		printf("  from the file's own maxima and averages over ranks; which rank is not in it\n");
	ph_table_free(table);
}

static void
print_mpi(const PhRunReport *report)
{
	ph_show_section(stdout, "MPI");
	if (!report->has_mpi)
	{
		printf("  no MPI function in this profile\n");
		return;
	}
	printf("  %s of the total (%s in the mean)", ph_show_share(share_of(report, report->mpi)),
		   ph_show_value(report->mpi, report->unit));
	if (report->dearest_mpi != PH_NONE)
		printf("; most in %s (%s)", ph_profile_node_name(report->profile, report->dearest_mpi),
			   ph_show_share(share_of(report, report->dearest_mpi_cost)));
	putchar('\n');
}

static void
print_work(const PhRunReport *report, const char *title, const PhWorkRow *rows, uint32_t n,
		   bool hosts)
{
	const PhProfile *profile = report->profile;
	PhTextTable *table;
	char label[128];

	if (n == 0)
		return;
	table = ph_table_new();
	ph_show_section(stdout, title);
	ph_table_column(table, hosts ? "host" : "rank", PH_ALIGN_LEFT, 32);
	ph_table_column(table, report->has_mpi ? "outside MPI" : "total", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "against mean", PH_ALIGN_RIGHT, 0);
	if (hosts || profile->columns[rows[0].column].host != 0)
		ph_table_column(table, hosts ? "ranks" : "host", PH_ALIGN_LEFT, 32);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhColumn *column = &profile->columns[rows[i].column];
		const char *host = ph_profile_string(profile, column->host);

		ph_table_cell(table,
					  hosts ? host : column_label(profile, rows[i].column, label, sizeof(label)));
		ph_table_cell(table, ph_show_value(rows[i].outside_mpi, report->unit));
		ph_table_cell(table, ph_show_change(rows[i].above_mean));
		if (hosts)
			ph_table_cellf(table, "%u", rows[i].n_columns);
		else if (profile->columns[rows[0].column].host != 0)
			ph_table_cell(table, host);
	}
	ph_table_print(table, stdout, 2);
	ph_table_free(table);
}

/* Which other runs this one can be compared with. */
static void
print_siblings(const Page *page)
{
	int64_t n_comparable = ph_result_int(page->run, 0, ph_result_field(page->run, "n_comparable"));
	int64_t n_repeats = ph_result_int(page->run, 0, ph_result_field(page->run, "n_repeats"));

	if (field(page, "application")[0] == '\0')
		printf("  of unknown application: it can be compared with no other run\n");
	else if (ph_result_bool(page->run, 0, ph_result_field(page->run, "is_alone")))
		printf("  it lacks a key that was set for the application: it can be compared with no "
			   "other run\n");
	else
		printf("  %lld other run%s of this experiment (%s), %lld of them of this commit: %s\n",
			   (long long) n_comparable, n_comparable == 1 ? "" : "s",
			   field(page, "experiment")[0] != '\0' ? field(page, "experiment") : "no keys",
			   (long long) n_repeats,
			   n_repeats == 0 ? "one run says nothing about noise"
							  : "compare by commit uses them all");
}

static void
print_trust(const Page *page)
{
	const PhProvenance *provenance = &page->report->profile->provenance;

	ph_show_section(stdout, "How far to trust it");
	printf("  %u column%s, %s rank%s missing in the files\n", page->report->profile->n_columns,
		   page->report->profile->n_columns == 1 ? "" : "s", field(page, "missing_columns"),
		   strcmp(field(page, "missing_columns"), "1") == 0 ? "" : "s");
	if (ph_profile_is_rolled_up(page->report->profile))
		printf(
			"  the run was rolled up: means, sums and extremes are exact, single ranks are gone\n");
	else if (page->is_aggregated)
		printf("  the file holds sums over ranks: %s\n",
			   page->report->imbalance_of_file ? "imbalance between ranks is what it says of them"
											   : "imbalance between ranks cannot be seen");
	printf("  %s cells whose inclusive and exclusive disagreed in the source%s\n",
		   field(page, "residual_cells"),
		   field(page, "residual_cells")[0] == '0' ? "" : " (the inclusive is trusted)");
	if (page->report->residual != 0)
		printf("  residual %s (%s of the total): with it own costs add up to the total\n",
			   ph_show_value(page->report->residual, page->report->unit),
			   ph_show_share(share_of(page->report, page->report->residual)));
	print_siblings(page);
	if (field(page, "excluded_reason")[0] != '\0')
		printf("  excluded: %s\n", field(page, "excluded_reason"));
	for (uint32_t i = 0; i < provenance->n_notes; i++)
		printf("  %s\n", ph_profile_string(page->report->profile, provenance->notes[i]));
}

static void
print_page(const Page *page)
{
	const PhRunReport *report = page->report;

	print_head(page);
	if (page->explanation.rows != NULL)
		ph_explain_print_summary(stdout, &page->explanation);
	print_hot_path(report);
	print_imbalance(report);
	print_mpi(report);
	print_work(report,
			   report->has_mpi ? "Ranks that work most (the others wait for them)"
							   : "Ranks with the most",
			   report->ranks, report->n_ranks, false);
	print_work(report, "Hosts that work most", report->hosts, report->n_hosts, true);
	print_trust(page);
}

/* ---- JSON ---- */

static void
write_hot_path(PhJsonOut *json, const PhRunReport *report)
{
	ph_json_open_array(json, "hot_path");
	for (uint32_t i = 0; i < report->n_hot_path; i++)
	{
		uint32_t node = report->hot_path[i];
		double inclusive =
			ph_profile_mean(report->profile, report->metric, node, PH_COST_INCLUSIVE);

		ph_json_open_object(json, NULL);
		ph_json_put_integer(json, "node", node);
		ph_json_put_text(json, "name", ph_profile_node_name(report->profile, node));
		ph_json_put_number(json, "inclusive", inclusive);
		ph_json_put_number(json, "share", share_of(report, inclusive));
		ph_json_close(json);
	}
	ph_json_close(json);
}

static void
write_imbalance(PhJsonOut *json, const PhRunReport *report)
{
	ph_json_open_array(json, "imbalance");
	for (uint32_t i = 0; i < report->n_imbalance; i++)
	{
		const PhImbalanceRow *row = &report->imbalance[i];

		ph_json_open_object(json, NULL);
		ph_json_put_integer(json, "node", row->node);
		ph_json_put_text(json, "path", ph_show_path(report->profile, row->node, 1000));
		ph_json_put_number(json, "mean", row->mean);
		ph_json_put_number(json, "max", row->max);
		ph_json_put_number(json, "imbalance_ratio", row->imbalance_ratio);
		ph_json_put_number(json, "lost", row->lost);
		if (report->seconds > 0)
			ph_json_put_number(json, "lost_core_hours", core_hours(report, row->lost));
		if (row->worst != PH_NONE)
			ph_json_put_integer(json, "worst_rank", report->profile->columns[row->worst].rank);
		ph_json_close(json);
	}
	ph_json_close(json);
	if (report->imbalance_of_file)
		ph_json_put_text(json, "imbalance_basis", "file");
}

static void
write_work(PhJsonOut *json, const char *key, const PhRunReport *report, const PhWorkRow *rows,
		   uint32_t n)
{
	ph_json_open_array(json, key);
	for (uint32_t i = 0; i < n; i++)
	{
		const PhColumn *column = &report->profile->columns[rows[i].column];

		ph_json_open_object(json, NULL);
		ph_json_put_integer(json, "rank", column->rank);
		ph_json_put_text(json, "host", ph_profile_string(report->profile, column->host));
		ph_json_put_integer(json, "n_columns", rows[i].n_columns);
		ph_json_put_number(json, "outside_mpi", rows[i].outside_mpi);
		ph_json_put_number(json, "against_mean", rows[i].above_mean);
		ph_json_close(json);
	}
	ph_json_close(json);
}

static void
print_json(const Page *page)
{
	const PhRunReport *report = page->report;
	const PhProfile *profile = report->profile;
	PhJsonOut writer, *json = &writer;

	ph_json_begin(json, stdout);
	ph_json_open_object(json, NULL);
	ph_json_put_raw(json, "run_id", field(page, "run_id"));
	ph_json_put_text(json, "title", field(page, "title"));
	ph_json_put_text(json, "metric",
					 ph_profile_string(profile, profile->metrics[report->metric].name));
	ph_json_put_text(json, "unit", report->unit);
	ph_json_put_number(json, "total", report->total);
	ph_json_put_integer(json, "n_columns", profile->n_columns);
	write_hot_path(json, report);
	write_imbalance(json, report);
	ph_json_put_bool(json, "has_mpi", report->has_mpi);
	ph_json_put_number(json, "mpi", report->mpi);
	ph_json_put_number(json, "mpi_share", share_of(report, report->mpi));
	write_work(json, "ranks", report, report->ranks, report->n_ranks);
	write_work(json, "hosts", report, report->hosts, report->n_hosts);
	ph_json_put_number(json, "residual", report->residual);
	ph_json_put_number(json, "residual_share", share_of(report, report->residual));
	ph_json_put_raw(json, "residual_cells", field(page, "residual_cells"));
	ph_json_put_raw(json, "missing_columns", field(page, "missing_columns"));
	ph_json_put_raw(json, "n_repeats", field(page, "n_repeats"));
	ph_json_put_raw(json, "n_comparable", field(page, "n_comparable"));
	ph_json_put_text(json, "experiment", field(page, "experiment"));
	ph_explain_write(json, "explanation", &page->explanation);
	ph_json_close(json);
	(void) ph_json_done_line(json);
}

/* ---- the command ---- */

static PhExit
make_page(PhEnv *env, const PhProfile *profile, const PhResult *run, const PhResult *explanation,
		  bool json)
{
	int64_t n_ranks = ph_result_int(run, 0, ph_result_field(run, "n_ranks"));
	PhRunReport report;
	Page page = {.report = &report,
				 .run = run,
				 .explanation = {NULL, explanation},
				 .n_units = profile->n_columns,
				 .is_aggregated = profile->n_columns == 1 && n_ranks > 1 &&
								  profile->columns[0].rank == PH_NO_NUMBER};
	PhArena arena;
	PhStatus status;

	if (page.is_aggregated)
		page.n_units = (double) n_ranks;
	ph_arena_init(&arena, env);
	status = ph_run_report(&arena, profile, 0, &report);
	if (status != PH_OK)
		ph_log_core_error("report", &env->error);
	else if (json)
		print_json(&page);
	else
		print_page(&page);
	ph_arena_drop(&arena);
	return status == PH_OK ? PH_EXIT_OK : ph_exit_from_status(status);
}

/* Shares of a whole, which a page is made of, need one. */
static PhExit
check_adds_up(const PhProfile *profile)
{
	const PhMetric *metric = &profile->metrics[0];

	if (metric->kind != PH_METRIC_RATIO)
		return PH_EXIT_OK;
	ph_log_error("report: metric \"%s\" does not add up over a call tree, so it has no report",
				 ph_profile_string(profile, metric->name));
	ph_log_hint("Choose a metric that adds up; render cct, histogram and box show this one.");
	return ph_exit_from_status(PH_ERR_VALUE);
}

/* Of the whole run by its own metric. */
static PhExit
fetch_explanation(PhConnection *connection, int64_t run_id, const PhChosenPart *chosen,
				  PhResult **out)
{
	PhParam param = ph_param_int(run_id);

	if (!chosen->is_whole || chosen->part.metric != NULL)
		return PH_EXIT_OK;
	*out = ph_pq_query(connection, ph_sql_report_explain, &param, 1);
	return *out != NULL ? PH_EXIT_OK : ph_pq_log_error(connection, "report");
}

static PhExit
report_profile(PhEnv *env, PhConnection *connection, int64_t run_id, const PhChosenPart *chosen,
			   const PhProfile *profile, bool json)
{
	PhParam param = ph_param_int(run_id);
	PhResult *run = ph_pq_query(connection, ph_sql_report_run, &param, 1);
	PhResult *explanation = NULL;
	PhExit code = PH_EXIT_OK;

	if (run == NULL)
		code = ph_pq_log_error(connection, "report");
	else if (ph_result_count(run) == 0)
	{
		ph_log_error("run %lld was removed meanwhile", (long long) run_id);
		code = PH_EXIT_NOT_FOUND;
	}
	if (code == PH_EXIT_OK)
		code = check_adds_up(profile);
	if (code == PH_EXIT_OK)
		code = fetch_explanation(connection, run_id, chosen, &explanation);
	if (code == PH_EXIT_OK)
		code = make_page(env, profile, run, explanation, json);
	ph_result_free(explanation);
	ph_result_free(run);
	return code;
}

static PhExit
report_run(PhConnection *connection, int64_t run_id, const PhChosenPart *chosen, bool json)
{
	PhProfile *profile = NULL;
	PhEnv env;
	PhExit code;

	ph_env_init_malloc(&env);
	env.interrupt = ph_interrupt_poll;
	code = ph_profile_fetch(&env, connection, run_id, &chosen->part, &profile);
	if (code == PH_EXIT_OK)
		code = report_profile(&env, connection, run_id, chosen, profile, json);
	ph_profile_free(&env, profile);
	return code;
}

static PhExit
cmd_report(PhArguments *arguments)
{
	PhConnection *connection;
	PhChosenPart chosen;
	int64_t run_id;
	PhExit code;

	code = ph_open_run(arguments, &connection, &run_id);
	if (code != PH_EXIT_OK)
		return code;
	ph_option_part(arguments, &chosen);
	code = report_run(connection, run_id, &chosen, ph_cli_flag(arguments, "json"));
	ph_option_part_free(&chosen);
	ph_pq_close(connection);
	return code;
}

static const PhParameter report_arguments[] = {
	{.name = "run", .type = PH_PARAMETER_RUN, .choices = ph_named_runs, .offer = PH_OFFER_RUNS},
	{.name = NULL}};

const PhCommand ph_command_report = {
	.name = "report",
	.help = "one page about a run: hot path, imbalance, MPI, trust",
	.usage = "RUN [OPTION]...",
	.details = ph_help_report,
	.options = report_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.uses_database = true,
	.arguments = report_arguments,
	.run = cmd_report,
};
