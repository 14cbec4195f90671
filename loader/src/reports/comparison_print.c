/*
 * comparison_print.c - a comparison as a page for people and as JSON.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/comparison_print.h"

#include <math.h>
#include <string.h>

#include "cli/json_out.h"
#include "cli/text_table.h"
#include "reports/report_print.h"

/* ---- text ---- */

static void
print_side(FILE *out, const char *name, const PhSide *side, double mean, double sd,
		   const PhComparison *comparison)
{
	fprintf(out, "  %s  %s: %s", name, side->label, ph_show_value(mean, comparison->unit));
	if (!isnan(sd))
		fprintf(out, " +- %s", ph_show_value(sd, comparison->unit));
	fputc('\n', out);
}

static void
print_why_unknown(FILE *out, const PhComparison *comparison, const PhSide *a, const PhSide *b)
{
	const PhRepeatTest *test = &comparison->test;
	const PhSide *sides[2] = {a, b};

	if (isnan(test->low) || test->repeats_needed == PH_MIN_REPEATS)
		fprintf(out,
				"  %zu and %zu runs are too few to tell a change from noise: %d on each side "
				"are the least\n",
				test->n_a, test->n_b, PH_MIN_REPEATS);
	else if (test->repeats_needed != SIZE_MAX)
		fprintf(out,
				"  the runs scatter too much; with such noise about %zu on each side would "
				"settle it\n",
				test->repeats_needed);
	else
		fprintf(out, "  the runs scatter too much; more repeats alone will hardly settle it\n");
	for (int i = 0; i < 2; i++)
	{
		if (!sides[i]->is_commit && sides[i]->n_repeats > 0 && sides[i]->commit != NULL)
			fprintf(out, "  %s has %zu more run%s under the same conditions: compare commit %.9s\n",
					sides[i]->label, sides[i]->n_repeats, sides[i]->n_repeats == 1 ? "" : "s",
					sides[i]->commit);
	}
}

static void
print_verdict(FILE *out, const PhComparison *comparison, const PhComparable *comparable,
			  const PhSide *a, const PhSide *b, double margin)
{
	const PhRepeatTest *test = &comparison->test;

	fprintf(out, "verdict: %s%s\n", comparison->verdict,
			comparable->n_obstacles > 0 ? " (forced: these runs cannot be compared)" : "");
	ph_comparable_print(out, comparable);
	fprintf(out, "  change %s (%s)", ph_show_value(test->difference, comparison->unit),
			ph_show_change(test->relative));
	if (!isnan(test->low))
		fprintf(out, ", 95 %% interval %s to %s", ph_show_change(test->low / test->mean_a),
				ph_show_change(test->high / test->mean_a));
	fprintf(out, "; below %s counts as the same\n", ph_show_share(margin));
	if (test->verdict == PH_VERDICT_UNKNOWN)
		print_why_unknown(out, comparison, a, b);
}

/* Of sides that are too small to say it themselves. */
static void
print_known_noise(FILE *out, const PhComparison *comparison, const PhComparedRuns *runs)
{
	const PhRepeatTest *test = &comparison->test;

	if (runs->n_known > 0 && (test->n_a < PH_MIN_REPEATS || test->n_b < PH_MIN_REPEATS))
		fprintf(out, "  the latest %lld runs of the experiment scatter by %s\n",
				(long long) runs->n_known, ph_show_share(runs->rule->known_spread));
}

static void
print_functions(FILE *out, const PhComparison *comparison)
{
	PhTextTable *table = ph_table_new();

	ph_show_section(out, "Functions whose own cost changed most");
	ph_table_column(table, "A", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "B", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "change", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "relative", PH_ALIGN_RIGHT, 0);
	ph_table_column(table, "function", PH_ALIGN_LEFT, 60);
	for (uint32_t i = 0; i < comparison->n_functions; i++)
	{
		const PhFunctionChange *row = &comparison->functions[i];
		double change = row->after - row->before;

		ph_table_cell(table, ph_show_value(row->before, comparison->unit));
		ph_table_cell(table, ph_show_value(row->after, comparison->unit));
		ph_table_cell(table, ph_show_value(change, comparison->unit));
		ph_table_cell(table, ph_show_change(row->before > 0 ? change / row->before : NAN));
		ph_table_cell(table, row->name);
	}
	ph_table_print(table, out, 2);
	ph_table_free(table);
}

/* What profiles went through that renamed regions is a note of each. */
static void
print_aliases(FILE *out, const PhProfile *difference)
{
	static const char start[] = "aliases: ";

	for (uint32_t i = 0; i < difference->provenance.n_notes; i++)
	{
		const char *note = ph_profile_string(difference, difference->provenance.notes[i]);

		if (strncmp(note, start, strlen(start)) == 0)
			fprintf(out, "  %s\n", note);
	}
}

static void
print_mpi(FILE *out, const PhComparison *comparison)
{
	ph_show_section(out, "MPI");
	if (isnan(comparison->mpi_before) && isnan(comparison->mpi_after))
		fprintf(out, "  no MPI function in these profiles\n");
	else
		fprintf(out, "  %s of the total in A, %s in B\n", ph_show_share(comparison->mpi_before),
				ph_show_share(comparison->mpi_after));
}

static void
print_trust(FILE *out, const PhComparison *comparison, const PhComparable *comparable,
			const PhSide *a, const PhSide *b)
{
	const char *not_recorded = ph_comparable_not_recorded(comparable);
	const PhProvenance *before = &comparison->difference->before->provenance;
	const PhProvenance *after = &comparison->difference->after->provenance;

	ph_show_section(out, "How far to trust it");
	fprintf(out, "  repeats: %zu and %zu\n", a->n_runs, b->n_runs);
	if (comparable->n_obstacles > 0)
		fprintf(out, "  the runs are of different experiments: the numbers differ for that, too\n");
	if (not_recorded[0] != '\0')
		fprintf(out, "  not recorded, so not known to be the same: %s\n", not_recorded);
	fprintf(out, "  call paths in A only: %u, in B only: %u\n", comparison->n_only_before,
			comparison->n_only_after);
	print_aliases(out, comparison->difference);
	fprintf(out, "  cells whose inclusive and exclusive disagreed: %llu and %llu\n",
			(unsigned long long) before->residual_cells,
			(unsigned long long) after->residual_cells);
	fprintf(out, "  ranks missing in the files: %u and %u\n", before->missing_columns,
			after->missing_columns);
	fprintf(
		out,
		comparison->adds_up
			? "  the verdict is on the total; findings are what changed more clearly than noise\n"
			: "  only the total is tested; it does not add up over call paths\n");
}

void
ph_comparison_print(FILE *out, const PhComparison *comparison, const PhComparedRuns *runs)
{
	double margin = runs->rule->margin;
	const PhComparable *comparable = runs->comparable;
	const PhSide *a = runs->a, *b = runs->b;

	fprintf(out, "%s, mean over ranks\n", comparison->metric);
	print_side(out, "A", a, comparison->test.mean_a, comparison->test.sd_a, comparison);
	print_side(out, "B", b, comparison->test.mean_b, comparison->test.sd_b, comparison);
	print_verdict(out, comparison, comparable, a, b, margin);
	print_known_noise(out, comparison, runs);
	if (comparison->adds_up)
	{
		ph_explain_print_findings(out, &runs->explanation);
		print_functions(out, comparison);
		print_mpi(out, comparison);
	}
	ph_show_section(out, "Environment");
	ph_environment_print(out, runs->environment);
	print_trust(out, comparison, comparable, a, b);
}

void
ph_incomparable_print(FILE *out, const PhComparable *comparable, const PhSide *a, const PhSide *b)
{
	fprintf(out, "  A  %s\n  B  %s\n", a->label, b->label);
	fprintf(out, "verdict: none, these runs cannot be compared\n");
	ph_comparable_print(out, comparable);
}

/* ---- JSON ---- */

static void
write_side(PhJsonOut *json, const char *key, const PhSide *side, const double *totals, double mean,
		   double sd)
{
	ph_json_open_object(json, key);
	ph_json_put_text(json, "label", side->label);
	ph_json_open_array(json, "runs");
	for (size_t i = 0; i < side->n_runs; i++)
	{
		ph_json_open_object(json, NULL);
		ph_json_put_integer(json, "run_id", side->runs[i]);
		ph_json_put_number(json, "total", totals[i]);
		ph_json_close(json);
	}
	ph_json_close(json);
	ph_json_put_number(json, "mean", mean);
	ph_json_put_number(json, "sd", sd);
	ph_json_close(json);
}

static void
write_functions(PhJsonOut *json, const PhComparison *comparison)
{
	ph_json_open_array(json, "functions");
	for (uint32_t i = 0; i < comparison->n_functions; i++)
	{
		const PhFunctionChange *row = &comparison->functions[i];

		ph_json_open_object(json, NULL);
		ph_json_put_text(json, "name", row->name);
		ph_json_put_number(json, "before", row->before);
		ph_json_put_number(json, "after", row->after);
		ph_json_close(json);
	}
	ph_json_close(json);
}

void
ph_comparison_print_json(FILE *out, const PhComparison *comparison, const PhComparedRuns *runs)
{
	double margin = runs->rule->margin;
	const PhRepeatTest *test = &comparison->test;
	const PhComparable *comparable = runs->comparable;
	PhJsonOut line, *json = &line;

	ph_json_begin(json, out);
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "metric", comparison->metric);
	ph_json_put_text(json, "unit", comparison->unit);
	write_side(json, "a", runs->a, comparison->totals_a, test->mean_a, test->sd_a);
	write_side(json, "b", runs->b, comparison->totals_b, test->mean_b, test->sd_b);
	ph_json_put_text(json, "verdict", comparison->verdict);
	ph_json_put_bool(json, "forced", comparable->n_obstacles > 0);
	ph_comparable_write(json, comparable);
	ph_json_put_number(json, "change", test->difference);
	ph_json_put_number(json, "relative", test->relative);
	ph_json_put_number(json, "low", test->low);
	ph_json_put_number(json, "high", test->high);
	ph_json_put_number(json, "margin", margin);
	ph_json_open_object(json, "noise");
	ph_json_put_integer(json, "n_runs", runs->n_known);
	ph_json_put_number(json, "spread", runs->n_known > 0 ? runs->rule->known_spread : NAN);
	ph_json_close(json);
	if (test->repeats_needed > 0 && test->repeats_needed != SIZE_MAX)
		ph_json_put_integer(json, "repeats_needed", (int64_t) test->repeats_needed);
	else
		ph_json_put_null(json, "repeats_needed");
	ph_json_put_number(json, "mpi_share_before", comparison->mpi_before);
	ph_json_put_number(json, "mpi_share_after", comparison->mpi_after);
	ph_explain_write(json, "explanation", &runs->explanation);
	write_functions(json, comparison);
	ph_json_put_integer(json, "only_before", comparison->n_only_before);
	ph_json_put_integer(json, "only_after", comparison->n_only_after);
	ph_environment_write(json, runs->environment);
	ph_json_close(json);
	(void) ph_json_done_line(json);
}

static void
write_runs(PhJsonOut *json, const char *key, const PhSide *side)
{
	ph_json_open_object(json, key);
	ph_json_put_text(json, "label", side->label);
	ph_json_open_array(json, "runs");
	for (size_t i = 0; i < side->n_runs; i++)
	{
		ph_json_open_object(json, NULL);
		ph_json_put_integer(json, "run_id", side->runs[i]);
		ph_json_close(json);
	}
	ph_json_close(json);
	ph_json_close(json);
}

void
ph_incomparable_print_json(FILE *out, const PhComparable *comparable, const PhSide *a,
						   const PhSide *b)
{
	PhJsonOut line, *json = &line;

	ph_json_begin(json, out);
	ph_json_open_object(json, NULL);
	write_runs(json, "a", a);
	write_runs(json, "b", b);
	ph_json_put_null(json, "verdict");
	ph_comparable_write(json, comparable);
	ph_json_close(json);
	(void) ph_json_done_line(json);
}
