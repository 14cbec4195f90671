/*
 * load.c - perfhouse load: files into runs.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/kept_load.h"
#include "commands/redact.h"
#include "commands/shared_options.h"
#include "database/warehouse.h"
#include "pipeline/formats.h"
#include "pipeline/load.h"
#include "pipeline/report.h"
#include "pipeline/search.h"
#include "pipeline/watch.h"
#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "texts.h"

#define DEFAULT_SETTLE 2 /* seconds */

static const char *const if_exists_choices[] = {"skip", "replace", "append", NULL};
static const char *const offsets_choices[] = {"auto", "on", "off", NULL};
static const char *const pyramid_choices[] = {"auto", "always", "never", NULL};

static const PhParameter load_options[] = {
	{.name = "format",
	 .letter = 'f',
	 .type = PH_PARAMETER_TEXT,
	 .value = "FORMAT",
	 .help = "the files' format, instead of detecting it"},
	{.name = "formats",
	 .help = "print the formats that are read, and how each is told; load nothing"},
	PH_OPTION_SET,
	{.name = "set-from-name",
	 .type = PH_PARAMETER_TEXT,
	 .value = "PATTERN",
	 .environment = "PERFHOUSE_SET_FROM_NAME",
	 .help = "metadata in the files' names: 'lulesh-{commit}-n{ranks}-{repeat}.cali'"},
	{.name = "manifest",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILE",
	 .environment = "PERFHOUSE_MANIFEST",
	 .offer = PH_OFFER_FILES,
	 .help = "CSV of metadata of many files: a column file, and a column a key"},
	PH_OPTION_COMMIT,
	{.name = "branch",
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .environment = "PERFHOUSE_BRANCH",
	 .help = "branch that was measured"},
	PH_OPTION_TAG,
	{.name = "module-map",
	 .letter = 'm',
	 .type = PH_PARAMETER_TEXT,
	 .value = "FILE",
	 .environment = "PERFHOUSE_MODULE_MAP",
	 .offer = PH_OFFER_FILES,
	 .help = "lines `pattern = module`: names regions, files or libraries"},
	{.name = "source-root",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FOLDER",
	 .environment = "PERFHOUSE_SOURCE_ROOT",
	 .offer = PH_OFFER_FOLDERS,
	 .help = "cut this from file paths (default: their longest common folder)"},
	{.name = "clock-offsets",
	 .type = PH_PARAMETER_TEXT,
	 .value = "WHAT",
	 .environment = "PERFHOUSE_CLOCK_OFFSETS",
	 .choices = offsets_choices,
	 .help = "clock offsets that a trace holds: on, off, or auto (default: unless they make more "
			 "messages arrive before they are sent)"},
	{.name = "logical-clock",
	 .environment = "PERFHOUSE_LOGICAL_CLOCK",
	 .help = "move the times of traces forwards where a message would arrive before it was sent"},
	{.name = "if-exists",
	 .type = PH_PARAMETER_TEXT,
	 .value = "WHAT",
	 .choices = if_exists_choices,
	 .help = "content that is loaded already: skip (default), replace, or append as a repeat"},
	{.name = "jobs",
	 .letter = 'j',
	 .type = PH_PARAMETER_INTEGER,
	 .value = "N",
	 .environment = "PERFHOUSE_JOBS",
	 .help = "parallel readers and connections (default: processors, 2 to 4)"},
	{.name = "no-logical-steps",
	 .environment = "PERFHOUSE_NO_LOGICAL_STEPS",
	 .help =
		 "do not find the phases and logical steps of traces (assign_logical_steps does it later)"},
	{.name = "pyramid",
	 .type = PH_PARAMETER_TEXT,
	 .value = "WHAT",
	 .environment = "PERFHOUSE_PYRAMID",
	 .choices = pyramid_choices,
	 .help = "summaries of traces at every zoom: auto (default: of 20 million events and more), "
			 "always, or never (store_tiles makes them later)"},
	{.name = "no-blame",
	 .environment = "PERFHOUSE_NO_BLAME",
	 .help = "do not find who waited in traces, who caused it and efficiencies (assign_blame and "
			 "assign_efficiency do it later)"},
	{.name = "no-regressions",
	 .environment = "PERFHOUSE_NO_REGRESSIONS",
	 .help = "do not search the applications' histories afterwards (perfhouse regressions does it "
			 "later)"},
	PH_OPTION_REDACT("PERFHOUSE_REDACT"),
	PH_OPTION_SALT,
	{.name = "watch",
	 .letter = 'w',
	 .help = "PATHs are spool folders: load what appears in them, until interrupted"},
	{.name = "settle",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "SECONDS",
	 .help = "with --watch: what has not changed for so long is read (default 2)"},
	{.name = "give-up",
	 .type = PH_PARAMETER_INTEGER,
	 .value = "SECONDS",
	 .help = "with --watch: what is incomplete or malformed has failed when it has not changed for "
			 "so long (default: 5 times --settle)"},
	{.name = "done",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FOLDER",
	 .offer = PH_OFFER_FOLDERS,
	 .help = "with --watch: move there what is loaded"},
	{.name = "failed",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FOLDER",
	 .offer = PH_OFFER_FOLDERS,
	 .help = "with --watch: move there what cannot be loaded"},
	{.name = "spool",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FOLDER",
	 .offer = PH_OFFER_FOLDERS,
	 .help = "never fail a job: keep copies in this folder while the database is away (perfhouse "
			 "spool flush delivers them), and end with 0 whatever happens"},
	{.name = "defer", .help = "with --spool: do not try now, so that nothing is waited for"},
	{.name = "or-fail",
	 .help = "with --spool: fail after all where something is not loaded and no copy is kept"},
	{.name = "no-environment",
	 .environment = "PERFHOUSE_NO_ENVIRONMENT",
	 .help = "take no metadata from SLURM and CI variables"},
	{.name = "dry-run", .letter = 'n', .help = "read and report; touch no database"},
	{.name = "stop-on-error", .help = "stop at the first file that fails"},
	{.name = "allow-incomplete",
	 .help = "load what is there of files that were cut off, or of runs that lack files: marked, "
			 "and left out of histories and comparisons"},
	{.name = "each-file",
	 .help = "each file is a run, also where files of several ranks are of one job"},
	{.name = "one-run",
	 .help = "files of a folder that are a rank's each are one run, also where they seem to be of "
			 "several jobs or "
			 "times"},
	{.name = "ignore-unknown",
	 .help = "files below a named folder that no reader reads are no failure"},
	{.name = "json", .help = "print one JSON object a run, and one a file that was not loaded"},
	{.name = "progress",
	 .help = "for programs: print what of the input has been read as lines {\"done\": BYTES, "
			 "\"total\": BYTES}, ten a second"},
	{.name = NULL}};

typedef struct LoadCommand
{
	PhArguments *arguments;
	PhEnv env;
	PhArena arena;	/* the module map */
	PhRunInput set; /* its meta: --set, --commit, --branch */
	PhModuleMap *module_map;
	PhNamePattern *names;
	PhManifest *manifest;
	char *tags;
	PhHiding hiding;
	PhConnection *connection;
	PhProgress progress;
	PhLoad load;
	size_t n_bad_paths;
	PhExit bad_path_code;
	bool defers; /* the plan is made, nothing is loaded */
} LoadCommand;

static PhExit
core_failed(LoadCommand *command, const char *what, PhStatus status)
{
	ph_log_core_error(what, &command->env.error);
	return ph_exit_from_status(status);
}

static PhExit
set_meta(LoadCommand *command, const char *key, const char *value, bool may_be_number)
{
	PhStatus status = ph_meta_set(&command->env, &command->set.meta, key, value,
								  may_be_number && ph_is_json_number(value));

	return status == PH_OK ? PH_EXIT_OK : core_failed(command, NULL, status);
}

/* Output of a git command in the working directory without its newline; "": it failed. */
static void
ask_git(const char *command_line, char *out, size_t size)
{
	FILE *pipe = popen(command_line, "r");

	out[0] = '\0';
	if (pipe == NULL)
		return;
	if (fgets(out, (int) size, pipe) == NULL)
		out[0] = '\0';
	if (pclose(pipe) != 0)
		out[0] = '\0';
	out[strcspn(out, "\n")] = '\0';
}

static PhExit
set_commit(LoadCommand *command)
{
	const char *commit = ph_cli_text(command->arguments, "commit", NULL);
	const char *branch = ph_cli_text(command->arguments, "branch", NULL);
	char git_commit[128];
	char git_branch[256] = "";
	PhExit code = PH_EXIT_OK;

	if (commit != NULL && strcmp(commit, "auto") == 0)
	{
		ask_git("git rev-parse HEAD 2>/dev/null", git_commit, sizeof(git_commit));
		if (git_commit[0] == '\0')
		{
			ph_log_error("--commit auto: the working directory is not in a git repository");
			ph_log_hint("Give the commit's hash.");
			return PH_EXIT_USAGE;
		}
		ask_git("git symbolic-ref --short -q HEAD 2>/dev/null", git_branch, sizeof(git_branch));
		commit = git_commit;
		if (branch == NULL && git_branch[0] != '\0')
			branch = git_branch;
	}
	if (commit != NULL)
		code = set_meta(command, "commit", commit, false);
	if (code == PH_EXIT_OK && branch != NULL)
		code = set_meta(command, "branch", branch, false);
	return code;
}

static PhExit
set_metadata(LoadCommand *command)
{
	const char *const *pairs;
	size_t n = ph_cli_list(command->arguments, "set", &pairs);

	for (size_t i = 0; i < n; i++)
	{
		const char *equals = strchr(pairs[i], '=');
		char *key;
		PhExit code;

		if (equals == NULL || equals == pairs[i])
			return ph_cli_usage_error(command->arguments, "--set %s: not of the form key=value",
									  pairs[i]);
		key = ph_strndup(pairs[i], (size_t) (equals - pairs[i]));
		code = set_meta(command, key, equals + 1, true);
		free(key);
		if (code != PH_EXIT_OK)
			return code;
	}
	return set_commit(command);
}

static PhExit
read_module_map(LoadCommand *command)
{
	const char *path = ph_cli_text(command->arguments, "module-map", NULL);
	char *text = path == NULL ? NULL : ph_path_read_text(path);
	PhStatus status;

	if (path == NULL)
		return PH_EXIT_OK;
	if (text == NULL)
	{
		int error = errno;
		ph_log_error("%s: cannot read the module map: %s", path, strerror(error));
		if (error != EFBIG)
			ph_log_hint("Check the path and that this user may read it.");
		return PH_EXIT_UNREADABLE;
	}
	status = ph_module_map_parse(&command->arena, text, &command->module_map);
	free(text);
	return status == PH_OK ? PH_EXIT_OK : core_failed(command, path, status);
}

/* Metadata in names and in a list. */
static PhExit
read_given(LoadCommand *command)
{
	const char *names = ph_cli_text(command->arguments, "set-from-name", NULL);
	const char *manifest = ph_cli_text(command->arguments, "manifest", NULL);
	PhStatus status = PH_OK;

	if (names != NULL && ph_name_pattern_make(&command->env, names, &command->names) != PH_OK)
	{
		ph_log_core_error("--set-from-name", &command->env.error);
		return PH_EXIT_USAGE;
	}
	if (manifest != NULL)
		status = ph_manifest_read(&command->env, manifest, &command->manifest);
	return status == PH_OK ? PH_EXIT_OK : core_failed(command, NULL, status);
}

/* Lines of the manifest that no file has are a slip of the pen, or files that are missing. */
static void
warn_of_unused(const LoadCommand *command)
{
	size_t n = command->load.n_jobs;
	const char **paths;
	const char *example;
	size_t n_unused;

	if (command->manifest == NULL)
		return;
	paths = ph_must_alloc(n + 1, sizeof(*paths));
	for (size_t i = 0; i < n; i++)
		paths[i] = command->load.jobs[i].experiment->path;
	n_unused = ph_manifest_count_unused(command->manifest, paths, n, &example);
	if (n_unused > 0)
		ph_log_warning("the manifest names %zu file%s that %s not loaded, such as %s", n_unused,
					   n_unused == 1 ? "" : "s", n_unused == 1 ? "is" : "are", example);
	free(paths);
}

static PhIfExists
if_exists(const PhArguments *arguments)
{
	const char *choice = ph_cli_text(arguments, "if-exists", "skip");

	return strcmp(choice, "replace") == 0  ? PH_IF_EXISTS_REPLACE
		   : strcmp(choice, "append") == 0 ? PH_IF_EXISTS_APPEND
										   : PH_IF_EXISTS_SKIP;
}

static PhPyramidWish
pyramid_wish(const PhArguments *arguments)
{
	const char *choice = ph_cli_text(arguments, "pyramid", "auto");

	return strcmp(choice, "always") == 0  ? PH_PYRAMID_ALWAYS
		   : strcmp(choice, "never") == 0 ? PH_PYRAMID_NEVER
										  : PH_PYRAMID_OF_LARGE;
}

static PhClockOffsets
clock_offsets(const PhArguments *arguments)
{
	const char *choice = ph_cli_text(arguments, "clock-offsets", "auto");

	return strcmp(choice, "on") == 0	? PH_OFFSETS_ON
		   : strcmp(choice, "off") == 0 ? PH_OFFSETS_OFF
										: PH_OFFSETS_AUTO;
}

static uint32_t
default_jobs(void)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);

	return processors < 2 ? 2 : processors > 4 ? 4 : (uint32_t) processors;
}

static const char *
environment(const char *name)
{
	return getenv(name);
}

static PhConnection *
open_for_worker(void *user, PhPqError *error)
{
	LoadCommand *command = user;
	PhConnection *connection;

	if (ph_pq_connect_again(&connection, command->connection) &&
		ph_pq_execute(connection, ph_sql_load_mark, NULL, 0))
		return connection;
	if (connection != NULL)
		*error = connection->error;
	else
		ph_pq_error_memory(error);
	ph_pq_close(connection);
	return NULL;
}

static void
show_progress(void *user, uint64_t done, uint64_t total, const char *doing)
{
	LoadCommand *command = user;

	if (total == 0)
		return; /* the files are still being looked at */
	command->progress.total = total;
	command->progress.doing = doing;
	if (!ph_cli_flag(command->arguments, "progress"))
	{
		ph_progress_update(&command->progress, done);
		return;
	}
	printf("{\"done\": %llu, \"total\": %llu}\n", (unsigned long long) done,
		   (unsigned long long) total);
	fflush(stdout);
}

static PhExit
make_options(LoadCommand *command, PhLoadOptions *options)
{
	const PhArguments *arguments = command->arguments;
	int64_t jobs = ph_cli_integer(arguments, "jobs", default_jobs());
	const char *const *tags;
	size_t n_tags = ph_cli_list(arguments, "tag", &tags);
	PhExit code = set_metadata(command);

	if (code == PH_EXIT_OK)
		code = read_module_map(command);
	if (code == PH_EXIT_OK)
		code = read_given(command);
	if (code == PH_EXIT_OK)
		code = ph_redact_parse(command->arguments, &command->hiding);
	if (code != PH_EXIT_OK)
		return code;
	if (jobs < 1 || jobs > 64)
		return ph_cli_usage_error(arguments, "--jobs must be between 1 and 64");
	if (ph_cli_flag(arguments, "each-file") && ph_cli_flag(arguments, "one-run"))
		return ph_cli_usage_error(arguments, "--each-file and --one-run exclude each other");
	command->tags = ph_array_text(tags, n_tags);
	*options = (PhLoadOptions){
		.format = ph_cli_text(arguments, "format", NULL),
		.source_root = ph_cli_text(arguments, "source-root", NULL),
		.module_map = command->module_map,
		.clock_offsets = clock_offsets(arguments),
		.logical_clock = ph_cli_flag(arguments, "logical-clock"),
		.given = {command->names, command->manifest, &command->set.meta},
		.environment = ph_cli_flag(arguments, "no-environment") ? NULL : environment,
		.tags = command->tags,
		.hiding = command->hiding,
		.if_exists = if_exists(arguments),
		.n_workers = (uint32_t) jobs,
		.dry_run = ph_cli_flag(arguments, "dry-run"),
		.stop_on_error = ph_cli_flag(arguments, "stop-on-error"),
		.allow_incomplete = ph_cli_flag(arguments, "allow-incomplete"),
		.each_file = ph_cli_flag(arguments, "each-file"),
		.one_run = ph_cli_flag(arguments, "one-run"),
		.logical_steps = !ph_cli_flag(arguments, "no-logical-steps"),
		.pyramid = pyramid_wish(arguments),
		.blame = !ph_cli_flag(arguments, "no-blame"),
		.open = open_for_worker,
		.user = command,
		.interrupted = ph_interrupted,
		.progress = show_progress,
	};
	return PH_EXIT_OK;
}

/* A path that cannot be expanded is one failure among others. */
static PhExit
plan_paths(LoadCommand *command)
{
	for (size_t i = 0; i < ph_cli_n_arguments(command->arguments); i++)
	{
		PhStatus status = ph_load_add_path(&command->load, ph_cli_argument(command->arguments, i));
		PhExit code = ph_exit_from_status(status);

		if (status == PH_OK)
			continue;
		ph_load_report_bad_path(ph_cli_argument(command->arguments, i), &command->env.error,
								ph_cli_flag(command->arguments, "json"));
		command->bad_path_code =
			command->n_bad_paths == 0 || command->bad_path_code == code ? code : PH_EXIT_ERROR;
		command->n_bad_paths++;
		if (command->load.options.stop_on_error || status == PH_ERR_INTERRUPTED)
			return code;
	}
	return PH_EXIT_OK;
}

static PhExit
load_into_database(LoadCommand *command)
{
	PhStatus status;
	PhExit code = PH_EXIT_OK;

	if (!command->load.options.dry_run)
		code =
			ph_warehouse_open(ph_cli_db(command->arguments), PH_OPEN_READY, &command->connection);
	if (code != PH_EXIT_OK)
		return code;
	if (!command->load.options.dry_run &&
		!ph_pq_execute(command->connection, ph_sql_load_mark, NULL, 0))
		return ph_pq_log_error(command->connection, "load");
	status = ph_load_fingerprint(&command->load, &command->env);
	if (status != PH_OK)
		return core_failed(command, "load", status);
	if (!command->load.options.dry_run)
	{
		status = ph_load_decide(&command->load, &command->env, command->connection);
		if (status != PH_OK && command->connection->error.code != PH_EXIT_OK)
			return ph_pq_log_error(command->connection, "load");
		if (status != PH_OK)
			return core_failed(command, "load", status);
	}
	ph_load_run(&command->load);
	if (!command->load.options.dry_run && !ph_interrupted())
		ph_load_finish(&command->load, command->connection);
	return PH_EXIT_OK;
}

static PhExit
watch(LoadCommand *command, const PhLoadOptions *options)
{
	const PhArguments *arguments = command->arguments;
	size_t n = ph_cli_n_arguments(arguments);
	int64_t settle = ph_cli_integer(arguments, "settle", DEFAULT_SETTLE);
	const char **folders = ph_must_alloc(n + 1, sizeof(*folders));
	PhWatch watch = {
		.folders = folders,
		.n_folders = n,
		.settle_ns = settle * INT64_C(1000000000),
		.patience_ns = ph_cli_integer(arguments, "give-up", 5 * settle) * INT64_C(1000000000),
		.done = ph_cli_text(arguments, "done", NULL),
		.failed = ph_cli_text(arguments, "failed", NULL),
		.json = ph_cli_flag(arguments, "json"),
		.ignore_unknown = ph_cli_flag(arguments, "ignore-unknown"),
		.search = !ph_cli_flag(arguments, "no-regressions"),
		.db = ph_cli_db(arguments),
		.connection = &command->connection,
		.options = options,
	};
	PhExit code;

	for (size_t i = 0; i < n; i++)
		folders[i] = ph_cli_argument(arguments, i);
	code = ph_load_watch(&command->env, &watch);
	free(folders);
	return code;
}

/* Which options go together. */
static PhExit
check_options(const PhArguments *arguments)
{
	static const char *const watching[] = {"settle", "give-up", "done", "failed", NULL};
	static const char *const keeping[] = {"defer", "or-fail", NULL};
	int64_t settle = ph_cli_integer(arguments, "settle", DEFAULT_SETTLE);
	int64_t give_up = ph_cli_integer(arguments, "give-up", 5 * settle);

	if (ph_cli_flag(arguments, "watch") && ph_cli_flag(arguments, "dry-run"))
		return ph_cli_usage_error(arguments, "--watch and --dry-run do not go together");
	for (size_t i = 0; watching[i] != NULL && !ph_cli_flag(arguments, "watch"); i++)
		if (ph_cli_given(arguments, watching[i]))
			return ph_cli_usage_error(arguments, "--%s goes with --watch", watching[i]);
	for (size_t i = 0; keeping[i] != NULL && !ph_cli_given(arguments, "spool"); i++)
		if (ph_cli_given(arguments, keeping[i]))
			return ph_cli_usage_error(arguments, "--%s goes with --spool", keeping[i]);
	if (ph_cli_given(arguments, "spool") &&
		(ph_cli_flag(arguments, "watch") || ph_cli_flag(arguments, "dry-run")))
		return ph_cli_usage_error(arguments, "--spool goes neither with --watch nor --dry-run");
	if (settle < 0 || settle > 86400)
		return ph_cli_usage_error(arguments, "--settle must be between 0 and 86400");
	if (give_up < 0 || give_up > INT32_MAX)
		return ph_cli_usage_error(arguments, "--give-up must be between 0 and %d", INT32_MAX);
	return PH_EXIT_OK;
}

static void
search_regressions(LoadCommand *command)
{
	PhNewRuns runs = {0};

	if (command->connection == NULL || ph_interrupted() ||
		ph_cli_flag(command->arguments, "no-regressions"))
		return;
	ph_new_runs_add(&runs, &command->load);
	ph_new_runs_search(&runs, command->connection, ph_cli_flag(command->arguments, "json"));
	ph_new_runs_free(&runs);
}

static PhExit
run_load(LoadCommand *command)
{
	int64_t started = ph_now_ns();
	PhLoadOptions options;
	PhLoadSummary summary;
	PhExit code = check_options(command->arguments);

	if (code == PH_EXIT_OK)
		code = make_options(command, &options);
	if (code != PH_EXIT_OK)
		return code;
	if (ph_cli_flag(command->arguments, "watch"))
		return watch(command, &options);
	ph_load_init(&command->load, &command->env, &options);
	code = plan_paths(command);
	if (code != PH_EXIT_OK)
		return code;
	warn_of_unused(command);
	if (command->defers)
		return PH_EXIT_OK;
	ph_progress_start(&command->progress, "loading", 0);
	if (command->load.n_jobs > 0)
		code = load_into_database(command);
	ph_progress_end(&command->progress);
	if (code != PH_EXIT_OK)
		return code;
	summary = (PhLoadSummary){
		.json = ph_cli_flag(command->arguments, "json"),
		.quiet = ph_cli_flag(command->arguments, "quiet"),
		.ignore_unknown = ph_cli_flag(command->arguments, "ignore-unknown"),
		.n_bad_paths = command->n_bad_paths,
		.bad_path_code = command->bad_path_code,
		.seconds = (double) (ph_now_ns() - started) * 1e-9,
	};
	code = ph_load_report(&command->load, &summary);
	search_regressions(command);
	return code;
}

/* ---- the spool ------------------------------------------------------------------------------ */

/*
 * What was not loaded though the database may take it another time is copied into the spool. A job
 * that loads at its end does not fail because of that, unless it wants to know (--or-fail).
 */
static PhExit
load_or_keep(LoadCommand *command)
{
	bool defers = ph_cli_flag(command->arguments, "defer");
	bool may_fail = ph_cli_flag(command->arguments, "or-fail");
	PhExit code;

	command->defers = defers;
	(void) setenv("PGCONNECT_TIMEOUT", "3", 0);
	code = run_load(command);
	if (code == PH_EXIT_USAGE)
		return code;
	if (!defers && !ph_kept_load_is_due(&command->load, code))
		return may_fail ? code : PH_EXIT_OK;
	code = ph_kept_load_put(command->arguments, &command->load, &command->set.meta);
	if (code != PH_EXIT_OK)
		ph_log_error("what was not loaded is not kept in the spool either");
	else if (!defers)
		ph_log_hint("Copies wait in %s: perfhouse spool flush delivers them.",
					ph_cli_text(command->arguments, "spool", ""));
	return may_fail ? code : PH_EXIT_OK;
}

static PhExit
cmd_load(PhArguments *arguments)
{
	LoadCommand command = {.arguments = arguments};
	PhExit code;

	if (ph_cli_flag(arguments, "formats"))
	{
		ph_print_formats(ph_cli_flag(arguments, "json"));
		return PH_EXIT_OK;
	}
	if (ph_cli_n_arguments(arguments) == 0)
		return ph_cli_usage_error(arguments, "load needs an argument");
	(void) setvbuf(stdout, NULL, _IOLBF, 0); /* in one log with warnings, lines stay whole */
	ph_memory_keep();
	ph_env_init_malloc(&command.env);
	command.env.interrupt = ph_interrupt_poll;
	ph_arena_init(&command.arena, &command.env);
	if (ph_cli_given(arguments, "spool"))
		code = load_or_keep(&command);
	else
		code = run_load(&command);
	if (ph_interrupted() && !ph_cli_flag(arguments, "watch") && !ph_cli_given(arguments, "spool"))
		code = PH_EXIT_INTERRUPTED;
	ph_load_free(&command.load);
	ph_pq_close(command.connection);
	free(command.tags);
	ph_redact_free(&command.hiding);
	ph_name_pattern_free(command.names);
	ph_manifest_free(command.manifest);
	ph_run_input_free(&command.env, &command.set);
	ph_arena_drop(&command.arena);
	return code;
}

static const PhParameter load_arguments[] = {
	{.name = "path", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_FILES, .repeats = true},
	{.name = NULL}};

const PhCommand ph_command_load = {
	.name = "load",
	.help = "load profiles and traces of any supported format",
	.usage = "PATH... [OPTION]... | --formats",
	.details = ph_help_load,
	.options = load_options,
	.min_arguments = 0,
	.max_arguments = -1,
	.uses_database = true,
	.arguments = load_arguments,
	.run = cmd_load,
};
