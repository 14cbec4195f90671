/*
 * run.c - perfhouse run: measure a program with what it was built with, and load what comes of it.
 *
 * The program's exit status, output and signals are its own: whatever measuring or loading does,
 * the job sees none of it but lines on standard error.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "commands/commands.h"
#include "commands/shared_options.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "system/process.h"
#include "texts.h"

typedef enum Tool
{
	TOOL_CALIPER,
	TOOL_SCOREP,
	TOOL_TAU,
	TOOL_PERF,
	TOOL_NONE
} Tool;

/* By number, and as --with has them. */
static const char *const tools[] = {"caliper", "scorep", "tau", "perf", "none", NULL};
/* The library by which a program shows that it was built with the tool. */
static const char *const libraries[] = {"libcaliper.", "libscorep_", "libTAU"};

static const PhParameter run_options[] = {
	{.name = "with",
	 .type = PH_PARAMETER_TEXT,
	 .value = "TOOL",
	 .choices = tools,
	 .help = "measure so (default: what the program is linked with, else perf)"},
	PH_OPTION_SET,
	PH_OPTION_TAG,
	PH_OPTION_COMMIT,
	{.name = "spool",
	 .type = PH_PARAMETER_TEXT,
	 .value = "FOLDER",
	 .environment = "PERFHOUSE_SPOOL",
	 .offer = PH_OFFER_FOLDERS,
	 .help = "put what was measured there, for perfhouse spool flush; nothing is waited for"},
	{.name = "keep", .help = "keep the files that were measured"},
	{.name = NULL}};

typedef struct Measurement
{
	const PhArguments *arguments;
	Tool tool;
	const char *program; /* the measured one among the words; NULL: not found */
	char *folder;
	char *samples; /* where perf writes; NULL: another tool measures */
	char *input;   /* what is loaded: the folder, or perf's samples as text */
	const char **words;
} Measurement;

/* ---- which tool ---------------------------------------------------------------------------- */

/* Does the program's file name the library? */
static bool
mentions(const char *path, const char *library)
{
	int file = open(path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	bool found = false;

	if (file >= 0 && fstat(file, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 4)
	{
		char *bytes = mmap(NULL, (size_t) info.st_size, PROT_READ, MAP_PRIVATE, file, 0);

		if (bytes != MAP_FAILED)
		{
			found = memcmp(bytes, "\177ELF", 4) == 0 &&
					memmem(bytes, (size_t) info.st_size, library, strlen(library)) != NULL;
			munmap(bytes, (size_t) info.st_size);
		}
	}
	if (file >= 0)
		close(file);
	return found;
}

static bool
is_program(const char *path)
{
	return strchr(path, '/') != NULL && access(path, X_OK) == 0 && !ph_path_is_folder(path);
}

/* The program is among the words of a launcher, such as srun -n 8 ./app: the first that is linked
 * with a tool, else the first word. */
static void
find_tool(Measurement *measurement)
{
	size_t n = ph_cli_n_rest(measurement->arguments);

	measurement->tool = TOOL_PERF;
	measurement->program = ph_cli_rest(measurement->arguments, 0);
	for (size_t i = 0; i < n; i++)
	{
		const char *word = ph_cli_rest(measurement->arguments, i);
		char *path = is_program(word) ? ph_strdup(word)
					 : i == 0		  ? ph_path_find_program(word)
									  : NULL;

		for (int tool = 0; path != NULL && tool < TOOL_PERF; tool++)
			if (mentions(path, libraries[tool]))
			{
				measurement->tool = (Tool) tool;
				measurement->program = word;
				i = n;
				break;
			}
		free(path);
	}
}

static void
choose_tool(Measurement *measurement)
{
	const char *wish = ph_cli_text(measurement->arguments, "with", NULL);
	char *perf = ph_path_find_program("perf");

	find_tool(measurement);
	for (int tool = 0; wish != NULL && tools[tool] != NULL; tool++)
		if (strcmp(tools[tool], wish) == 0)
			measurement->tool = (Tool) tool;
	if (measurement->tool == TOOL_PERF && perf == NULL)
	{
		ph_log_warning("the program is linked with no tool that perfhouse sets up, and there is no "
					   "perf: nothing is measured");
		measurement->tool = TOOL_NONE;
	}
	free(perf);
}

/* ---- set up -------------------------------------------------------------------------------- */

/* Beside the job's other files, where all its nodes can write. */
static void
make_folder(Measurement *measurement)
{
	char here[] = "perfhouse-run-XXXXXX";
	char *there = ph_format("%s/perfhouse-run-XXXXXX", ph_path_temporary());
	const char *made = mkdtemp(here);

	if (made == NULL)
		made = mkdtemp(there);
	measurement->folder = made != NULL ? realpath(made, NULL) : NULL;
	free(there);
	if (measurement->folder == NULL)
	{
		ph_log_warning("no folder can be made for what is measured: %s", strerror(errno));
		measurement->tool = TOOL_NONE;
	}
}

static void
set_to(const char *variable, const char *folder, const char *name)
{
	char *value = ph_format("%s%s", folder, name);

	(void) setenv(variable, value, 0); /* what the job set stays */
	free(value);
}

static void
set_up(const Measurement *measurement)
{
	char *caliper;

	switch (measurement->tool)
	{
		case TOOL_CALIPER:
			caliper = ph_format("spot(output=%s/profile.cali)", measurement->folder);
			(void) setenv("CALI_CONFIG", caliper, 0);
			free(caliper);
			break;
		case TOOL_SCOREP:
			set_to("SCOREP_EXPERIMENT_DIRECTORY", measurement->folder, "/scorep");
			break;
		case TOOL_TAU:
			set_to("PROFILEDIR", measurement->folder, "");
			set_to("TRACEDIR", measurement->folder, "");
			break;
		default:
			break;
	}
}

/* The words to be run: the job's, below perf where that measures. */
static void
make_words(Measurement *measurement)
{
	size_t n_rest = ph_cli_n_rest(measurement->arguments);
	size_t n = 0;

	measurement->words = ph_must_alloc(n_rest + 8, sizeof(*measurement->words));
	if (measurement->tool == TOOL_PERF)
	{
		static const char *const perf[] = {"perf", "record", "-q", "-g", "-o"};

		for (size_t i = 0; i < sizeof(perf) / sizeof(perf[0]); i++)
			measurement->words[n++] = perf[i];
		measurement->samples = ph_format("%s/perf.data", measurement->folder);
		measurement->words[n++] = measurement->samples;
		measurement->words[n++] = "--";
	}
	for (size_t i = 0; i < n_rest; i++)
		measurement->words[n++] = ph_cli_rest(measurement->arguments, i);
}

/* ---- the program --------------------------------------------------------------------------- */

static volatile sig_atomic_t child_pid;

static void
hand_on(int number)
{
	if (child_pid > 0)
		kill((pid_t) child_pid, number);
}

/* Signals are the program's; those of the keyboard reach it by itself. */
static void
watch_signals(void)
{
	static const int handed[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT};
	struct sigaction action = {.sa_handler = hand_on, .sa_flags = SA_RESTART};

	for (size_t i = 0; i < sizeof(handed) / sizeof(handed[0]); i++)
		(void) sigaction(handed[i], &action, NULL);
	(void) signal(SIGINT, SIG_IGN);
	(void) signal(SIGQUIT, SIG_IGN);
}

static void
reset_signals(void)
{
	static const int used[] = {SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, SIGCONT, SIGINT, SIGQUIT};

	for (size_t i = 0; i < sizeof(used) / sizeof(used[0]); i++)
		(void) signal(used[i], SIG_DFL);
}

/* The program's wait status; -1: it could not be started. */
static int
run_program(const Measurement *measurement)
{
	int status = 0;
	pid_t child = fork();

	if (child == 0)
	{
		reset_signals();
		execvp(measurement->words[0], (char *const *) (uintptr_t) measurement->words);
		int error = errno;
		fprintf(stderr, "perfhouse: error: %s: %s\n", measurement->words[0], strerror(error));
		_exit(error == ENOENT ? 127 : 126);
	}
	child_pid = child;
	watch_signals();
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	child_pid = 0;
	return child > 0 ? status : -1;
}

/* ---- afterwards ---------------------------------------------------------------------------- */

static bool
copy_stream(FILE *in, FILE *out)
{
	char block[65536];
	size_t n;

	while ((n = fread(block, 1, sizeof(block), in)) > 0)
		if (fwrite(block, 1, n, out) != n)
			return false;
	return !ferror(in);
}

/* perf's samples as text, which is what is read. Half a text would be taken for a shorter run:
 * there is all of it, or false with a warning, and the samples stay. */
static bool
convert_perf(const Measurement *measurement)
{
	char *perf = ph_path_find_program("perf");
	const char *argv[] = {perf, "script", "-i", measurement->samples, NULL};
	pid_t child;
	FILE *in = ph_process_open(argv, &child);
	FILE *out = in != NULL ? fopen(measurement->input, "w") : NULL;
	bool is_whole = out != NULL && copy_stream(in, out);

	if (out != NULL && fclose(out) != 0)
		is_whole = false;
	if (in != NULL && ph_process_close(in, child) != 0)
		is_whole = false;
	if (!is_whole)
	{
		ph_log_warning("perf script could not make a text of %s", measurement->samples);
		(void) unlink(measurement->input);
	}
	free(perf);
	return is_whole;
}

static bool
is_empty(const char *path)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;
	bool empty = true;

	while (folder != NULL && (entry = readdir(folder)) != NULL)
		empty = empty && entry->d_name[0] == '.';
	if (folder != NULL)
		closedir(folder);
	return empty;
}

typedef struct Words
{
	const char **items;
	size_t n;
} Words;

static void
add_word(Words *words, const char *word)
{
	words->items = ph_must_resize(words->items, words->n + 2, sizeof(*words->items));
	words->items[words->n++] = word;
	words->items[words->n] = NULL;
}

static void
add_option(Words *words, const char *option, const char *value)
{
	if (value == NULL)
		return;
	add_word(words, option);
	add_word(words, value);
}

static void
add_each(Words *words, const PhArguments *arguments, const char *name, const char *option)
{
	const char *const *values;
	size_t n = ph_cli_list(arguments, name, &values);

	for (size_t i = 0; i < n; i++)
		add_option(words, option, values[i]);
}

/* Does the job say what the application is? Of tools that do not know it themselves. */
static bool
needs_application(const Measurement *measurement)
{
	const char *const *values;
	size_t n = ph_cli_list(measurement->arguments, "set", &values);

	for (size_t i = 0; i < n; i++)
		if (strncmp(values[i], "application=", strlen("application=")) == 0)
			return false;
	return measurement->tool != TOOL_CALIPER && getenv("SLURM_JOB_NAME") == NULL;
}

/* The command's lines go to standard error: output is the program's. */
static bool
run_load(const Words *words)
{
	pid_t child;
	FILE *lines = ph_process_open(words->items, &child);
	char line[4096];

	while (lines != NULL && fgets(line, sizeof(line), lines) != NULL)
		fputs(line, stderr);
	return lines != NULL && ph_process_close(lines, child) == 0;
}

static bool
load(const Measurement *measurement, int status)
{
	const PhArguments *arguments = measurement->arguments;
	const char *spool = ph_cli_text(arguments, "spool", NULL);
	const char *slash = strrchr(measurement->program, '/');
	char *bin = ph_path_executable_folder();
	char *self = ph_format("%s/perfhouse", bin != NULL ? bin : "/usr/bin");
	char *application =
		ph_format("application=%s", slash != NULL ? slash + 1 : measurement->program);
	char *ended = ph_format(WIFSIGNALED(status) ? "exit_signal=%d" : "exit_code=%d",
							WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
	Words words = {0};
	bool loaded;

	add_option(&words, self, "load");
	add_option(&words, "--set", ended);
	add_option(&words, "--set", needs_application(measurement) ? application : NULL);
	add_each(&words, arguments, "set", "--set");
	add_each(&words, arguments, "tag", "--tag");
	add_option(&words, "--commit", ph_cli_text(arguments, "commit", NULL));
	add_option(&words, "--spool", spool);
	add_word(&words, "--ignore-unknown");
	if (spool != NULL)
	{
		add_word(&words, "--defer");
		add_word(&words, "--or-fail"); /* then what was measured stays */
	}
	add_option(&words, "--db", ph_cli_db(arguments));
	add_option(&words, "--", measurement->input);
	loaded = run_load(&words);
	free(words.items);
	free(ended);
	free(application);
	free(self);
	free(bin);
	return loaded;
}

static void
collect(Measurement *measurement, int status)
{
	bool is_perf = measurement->tool == TOOL_PERF;
	bool loaded = false;

	if (measurement->folder == NULL)
		return;
	measurement->input = is_perf ? ph_format("%s/samples.perf", measurement->folder)
								 : ph_strdup(measurement->folder);
	if (measurement->tool != TOOL_NONE && is_empty(measurement->folder))
		ph_log_warning("%s left nothing in %s", tools[measurement->tool], measurement->folder);
	else if (measurement->tool != TOOL_NONE && (!is_perf || convert_perf(measurement)))
		loaded = load(measurement, status);
	if (ph_cli_flag(measurement->arguments, "keep") || (!loaded && !is_empty(measurement->folder)))
		ph_log_info("what was measured stays in %s", measurement->folder);
	else
		ph_path_remove_folder(measurement->folder);
}

/* Ends as the program ended, by a signal, too. */
static PhExit
end_as(int status)
{
	if (status >= 0 && WIFSIGNALED(status))
	{
		(void) signal(WTERMSIG(status), SIG_DFL);
		(void) raise(WTERMSIG(status));
		return (PhExit) (128 + WTERMSIG(status));
	}
	return (PhExit) (status >= 0 ? WEXITSTATUS(status) : 126);
}

static PhExit
cmd_run(PhArguments *arguments)
{
	Measurement measurement = {.arguments = arguments};
	int status;

	if (ph_cli_n_rest(arguments) == 0)
		return ph_cli_usage_error(arguments, "the program to be run stands behind --");
	choose_tool(&measurement);
	if (measurement.tool != TOOL_NONE)
		make_folder(&measurement);
	set_up(&measurement);
	make_words(&measurement);
	status = run_program(&measurement);
	if (status >= 0)
		collect(&measurement, status);
	free(measurement.samples);
	free(measurement.input);
	free(measurement.words);
	free(measurement.folder);
	return end_as(status);
}

const PhCommand ph_command_run = {
	.name = "run",
	.help = "measure a program with what it was built with, or perf, and load that",
	.usage = "[OPTION]... -- PROGRAM [ARGUMENT]...",
	.details = ph_help_run,
	.options = run_options,
	.max_arguments = 0,
	.uses_database = true,
	.passes_rest = true,
	.run = cmd_run,
};
