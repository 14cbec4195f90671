/*
 * gate.c - perfhouse gate: is what was measured slower than the baseline? For pull requests.
 *
 * Both sides may be files, so that no server is needed, or runs of a warehouse. Runs are judged
 * experiment by experiment; the worst verdict decides the exit code.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/min_max.h"
#include "commands/commands.h"
#include "commands/gate_runs.h"
#include "commands/report_output.h"
#include "commands/shared_options.h"
#include "database/warehouse.h"
#include "queries.h"
#include "reports/gate_print.h"
#include "reports/known_noise.h"
#include "runs/named_run.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "system/process.h"
#include "texts.h"

#define MOST_BASELINE_RUNS 10

static const char *const fail_choices[] = {"slower", "unknown", "none", NULL};
static const char *const format_choices[] = {"text", "markdown", "html", "json", "junit", NULL};

static const PhParameter gate_options[] = {
	{.name = "baseline",
	 .letter = 'b',
	 .type = PH_PARAMETER_TEXT,
	 .value = "WHAT",
	 .offer = PH_OFFER_FILES,
	 .help = "what to judge by: a folder, file or bundle (.zip, .tar.gz) of profiles, or the "
			 "warehouse's runs of a branch, tag, commit or named baseline"},
	{.name = "fail-on",
	 .type = PH_PARAMETER_TEXT,
	 .value = "WHAT",
	 .choices = fail_choices,
	 .help = "slower (default): exit with 17 when it is slower or does more work; unknown: also "
			 "with 19 when the runs do not tell; none: with 0"},
	PH_OPTION_METRIC("what is judged as time (default: the first metric that is a time)"),
	PH_OPTION_MARGIN,
	{.name = "work-margin",
	 .type = PH_PARAMETER_NUMBER,
	 .value = "PERCENT",
	 .least = 0,
	 .most = 99,
	 .help = "changes of instructions, operations and visits below this are the same (default "
			 "0.1)"},
	{.name = "confidence",
	 .type = PH_PARAMETER_NUMBER,
	 .value = "PERCENT",
	 .least = 50,
	 .most = 99.99,
	 .help = "of the intervals (default 99)"},
	{.name = "runs",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .least = 1,
	 .most = 1000,
	 .help = "of a baseline in the warehouse, the newest N runs of each experiment (default 10)"},
	{.name = "set",
	 .letter = 's',
	 .type = PH_PARAMETER_TEXT,
	 .value = "KEY=VALUE",
	 .repeats = true,
	 .help = "metadata of the files that are judged, such as application=lulesh"},
	PH_OPTION_APPLICATION,
	PH_OPTION_N_RANKS,
	PH_OPTION_RUN_FILTER,
	PH_OPTION_FORMAT(format_choices,
					 "text (default), markdown, html (one page with pictures), json or junit"),
	PH_OPTION_OUTPUT,
	{.name = NULL}};

typedef struct GateCommand
{
	PhArguments *arguments;
	PhEnv env;
	PhArena arena;
	PhConnection *connection; /* NULL until something of the warehouse is asked for */
	PhRunInput set;			  /* its meta: --set */
	PhGateRuns baseline, candidates;
	char *candidates_label;
	PhGateReport report;
} GateCommand;

/* ---- the two sides ---- */

static PhExit
open_warehouse(GateCommand *command)
{
	if (command->connection != NULL)
		return PH_EXIT_OK;
	return ph_warehouse_open(ph_cli_db(command->arguments), PH_OPEN_READY, &command->connection);
}

static PhExit
read_set(GateCommand *command)
{
	const char *const *pairs;
	size_t n = ph_cli_list(command->arguments, "set", &pairs);

	for (size_t i = 0; i < n; i++)
	{
		const char *equals = strchr(pairs[i], '=');
		char *key;
		PhStatus status;

		if (equals == NULL || equals == pairs[i])
			return ph_cli_usage_error(command->arguments, "--set %s: not of the form key=value",
									  pairs[i]);
		key = ph_strndup(pairs[i], (size_t) (equals - pairs[i]));
		status = ph_meta_set(&command->env, &command->set.meta, key, equals + 1,
							 ph_is_json_number(equals + 1));
		free(key);
		if (status != PH_OK)
			return ph_exit_from_status(status);
	}
	return PH_EXIT_OK;
}

/* The ids in the first column, to be freed. */
static int64_t *
take_ids(const PhResult *rows)
{
	int64_t *ids = ph_must_alloc(ph_result_count(rows) + 1, sizeof(*ids));

	for (size_t i = 0; i < ph_result_count(rows); i++)
		ids[i] = ph_result_int(rows, i, 0);
	return ids;
}

/* Are the arguments numbers of runs, and not the beginning of a commit? */
static bool
are_runs(const PhArguments *arguments)
{
	size_t n = ph_cli_n_arguments(arguments);

	for (size_t i = 0; i < n; i++)
	{
		const char *word = ph_cli_argument(arguments, i);

		if (!ph_names_runs(word) || (n == 1 && strlen(word) >= 7 && strchr(word, ',') == NULL))
			return false;
	}
	return n > 0;
}

/* The numbers of runs that the arguments are, as an array literal; NULL: one is none (logged). */
static char *
run_list(const PhArguments *arguments)
{
	int64_t *all = NULL;
	size_t n_all = 0;
	char *list;

	for (size_t i = 0; i < ph_cli_n_arguments(arguments); i++)
	{
		size_t n;
		int64_t *numbers = ph_run_numbers(ph_cli_argument(arguments, i), &n);

		if (numbers == NULL)
		{
			free(all);
			return NULL;
		}
		all = ph_must_resize(all, n_all + n, sizeof(*all));
		memcpy(all + n_all, numbers, n * sizeof(*all));
		n_all += n;
		free(numbers);
	}
	list = ph_array_int(all, n_all);
	free(all);
	return list;
}

/* Runs may name the same commit by more or fewer digits. */
static PhExit
refuse_several(const PhResult *rows, const char *commit)
{
	for (size_t i = 1; i < ph_result_count(rows); i++)
	{
		const char *a = ph_result_text(rows, 0, 1), *b = ph_result_text(rows, i, 1);
		size_t n = PH_MIN(strlen(a), strlen(b));

		if (strncmp(a, b, n) == 0)
			continue;
		ph_log_error("%s begins more than one commit: %s, %s", commit, a, b);
		return PH_EXIT_USAGE;
	}
	return PH_EXIT_OK;
}

/* Of what commit the runs are judged when none are named: of the one that is checked out. */
static char *
commit_of_folder(void)
{
	char *git = ph_path_find_program("git");
	const char *argv[] = {git, "rev-parse", "HEAD", NULL};
	char *commit = git != NULL ? ph_process_line(argv) : NULL;

	free(git);
	return commit;
}

static PhExit
fetch_rows(GateCommand *command, const PhResult *rows, const char *what, PhGateRuns *runs)
{
	int64_t *ids;
	PhExit code;

	if (ph_result_count(rows) == 0)
	{
		ph_log_error("%s: no runs", what);
		ph_log_hint(
			"perfhouse runs lists them. Measurements need not be loaded: name their files.");
		return PH_EXIT_NOT_FOUND;
	}
	ids = take_ids(rows);
	code = ph_gate_runs_fetch(&command->env, command->connection, ids, ph_result_count(rows), runs);
	free(ids);
	return code;
}

/* Runs that are named by number, or those of a commit. */
static PhExit
fetch_candidates(GateCommand *command, const char *runs, const char *commit)
{
	const PhArguments *arguments = command->arguments;
	int64_t n_ranks = ph_cli_integer(arguments, "n-ranks", 0);
	PhParam params[5] = {ph_param_text(runs), ph_param_text(commit),
						 ph_param_text(ph_cli_text(arguments, "application", NULL)),
						 n_ranks > 0 ? ph_param_int(n_ranks) : ph_param_null(),
						 ph_param_text(ph_cli_text(arguments, "filter", NULL))};
	PhResult *rows = ph_pq_query(command->connection, ph_sql_gate_candidates, params, 5);
	PhExit code;

	if (rows == NULL)
		return ph_pq_log_error(command->connection, "gate");
	command->candidates_label = /* without the braces of the array */
		runs != NULL ? ph_format("runs %.*s", (int) strlen(runs) - 2, runs + 1)
					 : ph_format("commit %.9s", commit);
	code = runs == NULL ? refuse_several(rows, commit) : PH_EXIT_OK;
	if (code == PH_EXIT_OK)
		code = fetch_rows(command, rows, command->candidates_label, &command->candidates);
	ph_result_free(rows);
	return code;
}

static PhExit
find_stored_candidates(GateCommand *command)
{
	size_t n = ph_cli_n_arguments(command->arguments);
	bool by_number = are_runs(command->arguments);
	char *runs = by_number ? run_list(command->arguments) : NULL;
	char *commit = n == 0	   ? commit_of_folder()
				   : by_number ? NULL
							   : ph_strdup(ph_cli_argument(command->arguments, 0));
	PhExit code = by_number && runs == NULL ? PH_EXIT_USAGE : PH_EXIT_OK;

	if (n == 0 && commit == NULL)
		code = ph_cli_usage_error(command->arguments,
								  "name files, runs or a commit to judge: the working directory is "
								  "in no git repository");
	else if (!by_number && n > 1)
		code = ph_cli_usage_error(command->arguments, "%s is no file and no run",
								  ph_cli_argument(command->arguments, n - 1));
	if (code == PH_EXIT_OK)
		code = open_warehouse(command);
	if (code == PH_EXIT_OK)
		code = fetch_candidates(command, runs, commit);
	free(runs);
	free(commit);
	return code;
}

/* Passed over is what the baseline has, when that was read first. */
static PhExit
find_candidates(GateCommand *command)
{
	size_t n = ph_cli_n_arguments(command->arguments);
	PhExit code = PH_EXIT_OK;

	if (n == 0 || !ph_path_exists(ph_cli_argument(command->arguments, 0)))
		return find_stored_candidates(command);
	for (size_t i = 0; i < n && code == PH_EXIT_OK; i++)
		code = ph_gate_runs_read(&command->env, ph_cli_argument(command->arguments, i),
								 &command->set.meta, &command->baseline, &command->candidates);
	command->candidates_label =
		n == 1 ? ph_strdup(ph_cli_argument(command->arguments, 0))
			   : ph_format("%s and %zu more", ph_cli_argument(command->arguments, 0), n - 1);
	return code;
}

/* The candidates' commits, which are no baseline for themselves, as an array literal. */
static char *
candidate_commits(const GateCommand *command)
{
	size_t n = command->candidates.n;
	const char **commits = ph_must_alloc(n + 1, sizeof(*commits));
	size_t n_known = 0;
	char *list;

	for (size_t i = 0; i < n; i++)
	{
		commits[n_known] = ph_facts_get(&command->candidates.items[i].facts, "commit_id");
		n_known += commits[n_known] != NULL;
	}
	list = ph_array_text(commits, n_known);
	free(commits);
	return list;
}

static PhExit
fetch_baseline(GateCommand *command, const char *name, const char *application)
{
	char *commits = candidate_commits(command);
	PhParam params[4] = {
		ph_param_text(name), ph_param_text(application), ph_param_text(commits),
		ph_param_int(ph_cli_integer(command->arguments, "runs", MOST_BASELINE_RUNS))};
	PhResult *rows = ph_pq_query(command->connection, ph_sql_gate_baseline, params, 4);
	char *what = ph_format("baseline %s of %s", name, application);
	PhExit code;

	if (rows == NULL)
		code = ph_pq_log_error(command->connection, "gate");
	else
		code = fetch_rows(command, rows, what, &command->baseline);
	ph_result_free(rows);
	free(commits);
	free(what);
	return code;
}

/* Of every application that is judged. */
static PhExit
find_stored_baseline(GateCommand *command, const char *name)
{
	const PhGateRuns *runs = &command->candidates;
	PhExit code = open_warehouse(command);

	for (size_t i = 0; i < runs->n && code == PH_EXIT_OK; i++)
	{
		const char *application = ph_facts_get(&runs->items[i].facts, "application");
		bool is_known = application == NULL;

		for (size_t k = 0; k < i && !is_known; k++)
		{
			const char *earlier = ph_facts_get(&runs->items[k].facts, "application");

			is_known = earlier != NULL && strcmp(earlier, application) == 0;
		}
		if (application == NULL)
		{
			ph_log_error("what is judged does not say of which application it is");
			ph_log_hint("Give it: --set application=NAME.");
			code = PH_EXIT_INCOMPARABLE;
		}
		else if (!is_known)
			code = fetch_baseline(command, name, application);
	}
	return code;
}

static PhExit
find_baseline(GateCommand *command)
{
	const char *name = ph_cli_text(command->arguments, "baseline", NULL);

	if (ph_path_exists(name))
		return ph_gate_runs_read(&command->env, name, &command->set.meta, &command->candidates,
								 &command->baseline);
	return find_stored_baseline(command, name);
}

/* Is the baseline a file or folder below one that is judged? */
static bool
is_within_candidates(const PhArguments *arguments)
{
	char *baseline = realpath(ph_cli_text(arguments, "baseline", ""), NULL);
	bool is_within = false;

	for (size_t i = 0; baseline != NULL && i < ph_cli_n_arguments(arguments); i++)
	{
		char *folder = realpath(ph_cli_argument(arguments, i), NULL);
		size_t length = folder != NULL ? strlen(folder) : 0;

		is_within |=
			folder != NULL && strncmp(baseline, folder, length) == 0 && baseline[length] == '/';
		free(folder);
	}
	free(baseline);
	return is_within;
}

/* A file is of one side: of that which names the smaller folder. */
static PhExit
find_sides(GateCommand *command)
{
	bool begins_with_baseline = is_within_candidates(command->arguments);
	PhExit code = begins_with_baseline ? find_baseline(command) : find_candidates(command);

	if (code == PH_EXIT_OK)
		code = begins_with_baseline ? find_candidates(command) : find_baseline(command);
	if (code == PH_EXIT_OK && (command->baseline.n == 0 || command->candidates.n == 0))
	{
		ph_log_error("the baseline and what is judged are the same files");
		code = PH_EXIT_NOT_FOUND;
	}
	return code;
}

/* ---- judging ---- */

/* The profiles and facts of some runs, side by side; freed by the caller. */
typedef struct SideArrays
{
	PhProfile **profiles;
	PhFacts *facts;
} SideArrays;

static SideArrays
side_arrays(const PhGateRun *runs, size_t n)
{
	SideArrays arrays = {ph_must_alloc(n + 1, sizeof(PhProfile *)),
						 ph_must_alloc(n + 1, sizeof(PhFacts))};

	for (size_t i = 0; i < n; i++)
	{
		arrays.profiles[i] = runs[i].profile;
		arrays.facts[i] = runs[i].facts;
	}
	return arrays;
}

static void
free_arrays(SideArrays *arrays)
{
	free(arrays->profiles);
	free(arrays->facts);
}

static PhStatus
judge_group(GateCommand *command, const PhGateRun *a, const PhGateRun *b, const PhKnownNoise *known,
			PhGateGroup *group)
{
	PhGateRules rules = command->report.rules;
	SideArrays before = side_arrays(a, group->n_a);
	SideArrays after = side_arrays(b, group->n_b);
	PhStatus status;

	rules.known_metric = known->metric;
	rules.known_spread = known->spread;
	rules.known_degrees = known->degrees;
	rules.n_known = known->n_runs;
	status = ph_gate_judge(&command->arena, before.profiles, (uint32_t) group->n_a, after.profiles,
						   (uint32_t) group->n_b, &rules, &group->gate);
	if (status == PH_OK)
	{
		ph_environment_compare(before.facts, group->n_a, after.facts, group->n_b,
							   &group->environment);
		group->is_judged = true;
	}
	free_arrays(&before);
	free_arrays(&after);
	return status;
}

/* How far runs of a baseline in the warehouse scatter, as everything else judges by. */
static PhExit
fetch_noise(const GateCommand *command, const PhGateRun *baseline, PhKnownNoise *out)
{
	*out = (PhKnownNoise){0};
	if (baseline->path != NULL)
		return PH_EXIT_OK;
	if (!ph_known_noise_fetch(command->connection, baseline->run_id,
							  ph_cli_text(command->arguments, "metric", NULL), out))
		return ph_pq_log_error(command->connection, "gate");
	return PH_EXIT_OK;
}

/* Runs first to end of the candidates, which are of one experiment. */
static PhExit
add_group(GateCommand *command, size_t first, size_t end)
{
	const PhGateRun *b = &command->candidates.items[first];
	const PhGateRuns *baseline = &command->baseline;
	PhGateReport *report = &command->report;
	PhGateGroup *group;
	PhKnownNoise known;
	PhStatus status;
	PhExit code;
	size_t start = 0;

	report->groups = ph_must_resize(report->groups, report->n_groups + 1, sizeof(*report->groups));
	group = &report->groups[report->n_groups++];
	*group = (PhGateGroup){
		.experiment = ph_strdup(b->experiment),
		.label_a = ph_strdup(ph_cli_text(command->arguments, "baseline", NULL)),
		.label_b = ph_strdup(command->candidates_label),
		.n_b = end - first,
	};
	while (start < baseline->n && strcmp(baseline->items[start].experiment, b->experiment) != 0)
		start++;
	if (start == baseline->n)
		return PH_EXIT_OK;
	group->n_a = ph_gate_runs_end(baseline, start) - start;
	code = fetch_noise(command, &baseline->items[start], &known);
	status = code == PH_EXIT_OK ? judge_group(command, &baseline->items[start], b, &known, group)
								: PH_OK;
	ph_known_noise_free(&known);
	if (status == PH_OK)
		return code;
	ph_log_core_error("gate", &command->env.error);
	return ph_exit_from_status(status);
}

static PhExit
judge_all(GateCommand *command)
{
	const PhArguments *arguments = command->arguments;
	PhGateRuns *candidates = &command->candidates;
	PhExit code = PH_EXIT_OK;

	command->report.rules = (PhGateRules){
		.margin = ph_cli_number(arguments, "margin", 100 * PH_GATE_MARGIN) / 100,
		.work_margin = ph_cli_number(arguments, "work-margin", 100 * PH_GATE_WORK_MARGIN) / 100,
		.confidence = ph_cli_number(arguments, "confidence", 100 * PH_GATE_CONFIDENCE) / 100,
		.metric = ph_cli_text(arguments, "metric", NULL),
	};
	command->report.fails_on_unknown =
		strcmp(ph_cli_text(arguments, "fail-on", "slower"), "unknown") == 0;
	ph_gate_runs_sort(candidates, &command->baseline);
	ph_gate_runs_sort(&command->baseline, candidates);
	for (size_t first = 0; first < candidates->n && code == PH_EXIT_OK;)
	{
		size_t end = ph_gate_runs_end(candidates, first);

		code = add_group(command, first, end);
		first = end;
	}
	return code;
}

/* ---- the answer ---- */

static void
print_report(FILE *out, const void *report, const char *format)
{
	if (strcmp(format, "markdown") == 0)
		ph_gate_print_markdown(out, report);
	else if (strcmp(format, "html") == 0)
		ph_gate_print_html(out, report);
	else if (strcmp(format, "json") == 0)
		ph_gate_print_json(out, report);
	else if (strcmp(format, "junit") == 0)
		ph_gate_print_junit(out, report);
	else
		ph_gate_print_text(out, report);
}

static bool
is_any_judged(const PhGateReport *report)
{
	for (size_t i = 0; i < report->n_groups; i++)
		if (report->groups[i].is_judged)
			return true;
	return false;
}

/* With which experiments the baseline could be compared. */
static void
log_incomparable(const GateCommand *command)
{
	const PhGateRuns *baseline = &command->baseline;

	ph_log_error("the baseline has no run that can be compared with what is judged");
	for (size_t i = 0; i < baseline->n; i = ph_gate_runs_end(baseline, i))
		ph_log_detail("It has runs of %s.", baseline->items[i].experiment);
	ph_log_hint("What makes runs of an application one experiment is said by perfhouse application "
				"set; --set KEY=VALUE says what files do not.");
}

static PhExit
answer_of(const GateCommand *command)
{
	const char *fail_on = ph_cli_text(command->arguments, "fail-on", "slower");
	PhGateVerdict verdict = ph_gate_report_verdict(&command->report);

	if (!is_any_judged(&command->report))
	{
		log_incomparable(command);
		return PH_EXIT_INCOMPARABLE;
	}
	if (strcmp(fail_on, "none") == 0)
		return PH_EXIT_OK;
	if (verdict == PH_GATE_SLOWER || verdict == PH_GATE_MORE_WORK)
		return PH_EXIT_REGRESSION;
	return verdict == PH_GATE_UNKNOWN && strcmp(fail_on, "unknown") == 0 ? PH_EXIT_UNKNOWN
																		 : PH_EXIT_OK;
}

static void
free_report(PhGateReport *report)
{
	for (size_t i = 0; i < report->n_groups; i++)
	{
		free(report->groups[i].experiment);
		free(report->groups[i].label_a);
		free(report->groups[i].label_b);
		ph_environment_free(&report->groups[i].environment);
	}
	free(report->groups);
}

static PhExit
cmd_gate(PhArguments *arguments)
{
	GateCommand command = {.arguments = arguments};
	PhExit code;

	if (ph_cli_text(arguments, "baseline", "")[0] == '\0')
		return ph_cli_usage_error(arguments, "--baseline is needed: what to judge by");
	for (size_t i = 0; i < ph_cli_n_arguments(arguments); i++)
		if (ph_cli_argument(arguments, i)[0] == '\0') /* as a variable that is not set */
			return ph_cli_usage_error(arguments,
									  "an argument is empty: name files, runs or a commit");
	ph_env_init_malloc(&command.env);
	command.env.interrupt = ph_interrupt_poll;
	ph_arena_init(&command.arena, &command.env);
	code = read_set(&command);
	if (code == PH_EXIT_OK)
		code = find_sides(&command);
	if (code == PH_EXIT_OK)
		code = judge_all(&command);
	if (code == PH_EXIT_OK)
		code = ph_report_output(arguments, print_report, &command.report);
	if (code == PH_EXIT_OK)
		code = answer_of(&command);
	free_report(&command.report);
	ph_gate_runs_free(&command.env, &command.candidates);
	ph_gate_runs_free(&command.env, &command.baseline);
	ph_run_input_free(&command.env, &command.set);
	ph_arena_drop(&command.arena);
	free(command.candidates_label);
	ph_pq_close(command.connection);
	return code;
}

static const PhParameter gate_arguments[] = {
	{.name = "what", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_FILES, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_gate = {
	.name = "gate",
	.help = "is it slower than the baseline? For pull requests",
	.usage = "[FILE... | RUN... | COMMIT] --baseline WHAT [OPTION]...",
	.details = ph_help_gate,
	.options = gate_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = gate_arguments,
	.run = cmd_gate,
};
