/*
 * outbox.c - putting loads aside, and delivering them by `perfhouse load` itself.
 *
 * Each load is delivered by a process of its own, started in its folder with the variables of the
 * job that put it there and without those of this one: a load is what it would have been.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/outbox.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "pipeline/store/run_record.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "system/process.h"

#define FAILED_FOLDER "failed"
#define MOST_ATTEMPTS 3 /* of a load that a deadlock or a crash ended */

bool
ph_outbox_should_wait(PhExit code)
{
	switch (code)
	{
		case PH_EXIT_UNREACHABLE:
		case PH_EXIT_AUTH:
		case PH_EXIT_PERMISSION:
		case PH_EXIT_SCHEMA:
		case PH_EXIT_EXTENSION:
		case PH_EXIT_DISK_FULL:
		case PH_EXIT_MEMORY:
		case PH_EXIT_SERVER:
		case PH_EXIT_INTERRUPTED:
			return true;
		default:
			return false;
	}
}

static PhExit
cannot(const char *what, const char *path)
{
	int error = errno;

	ph_log_error("%s: %s: %s", path, what, strerror(error));
	return ph_exit_from_errno(error);
}

/* ---- putting ------------------------------------------------------------------------------- */

static bool
write_word(FILE *stream, const char *word)
{
	return fwrite(word, 1, strlen(word) + 1, stream) == strlen(word) + 1;
}

static FILE *
create(const char *folder, const char *name)
{
	char *path = ph_format("%s/%s", folder, name);
	FILE *stream = fopen(path, "w");

	free(path);
	return stream;
}

static bool
write_environment(const char *folder)
{
	FILE *stream = create(folder, "environment");
	bool ok = stream != NULL;

	for (const char *const *names = ph_run_record_variables(); ok && *names != NULL; names++)
		if (getenv(*names) != NULL)
		{
			char *word = ph_format("%s=%s", *names, getenv(*names));

			ok = write_word(stream, word);
			free(word);
		}
	return stream != NULL && fclose(stream) == 0 && ok;
}

static bool
copy_to(const char *from, const char *to)
{
	char *cp = ph_path_find_program("cp");
	const char *argv[] = {cp != NULL ? cp : "/bin/cp", "-rL", "--", from, to, NULL};
	bool ok = ph_process_run(NULL, NULL, argv) == 0;

	free(cp);
	return ok;
}

/*
 * Copies what a word names to FOLDER/PLACE, what links name rather than the links, with the
 * metadata beside it (NAME.meta.json). *out: the word for the copy; NULL: it failed.
 */
static void
copy_file(const PhOutboxWord *word, const char *folder, size_t place, char **out)
{
	char *path = realpath(word->text, NULL); /* has a name, unlike "." */
	char *name = path != NULL ? strrchr(path, '/') : NULL;
	char *to = ph_format("%s/%zu/", folder, place);
	char *sidecar = ph_format("%s.meta.json", word->text);
	bool ok = name != NULL && mkdir(to, 0700) == 0;

	*out = NULL;
	if (ok && word->needs_folder)
	{
		*name = '\0';
		*out = ph_format("%zu/%s/%s", place,
						 strrchr(path, '/') != NULL ? strrchr(path, '/') + 1 : "", name + 1);
		ok = copy_to(*path != '\0' ? path : "/", to);
	}
	else if (ok)
	{
		*out = ph_format("%zu/%s", place, name + 1);
		ok = copy_to(path, to) && (!ph_path_exists(sidecar) || copy_to(sidecar, to));
	}
	if (!ok)
	{
		ph_log_error("%s could not be copied to %s", word->text, folder);
		free(*out);
		*out = NULL;
	}
	free(sidecar);
	free(to);
	free(path);
}

static PhExit
fill_folder(const char *folder, const PhOutboxWord *words, size_t n)
{
	FILE *stream = create(folder, "words");
	PhExit code = PH_EXIT_OK;

	if (stream == NULL)
		return cannot("cannot be written", folder);
	for (size_t i = 0; i < n && code == PH_EXIT_OK; i++)
	{
		char *copied = NULL;

		if (words[i].is_file)
			copy_file(&words[i], folder, i, &copied);
		if (words[i].is_file && copied == NULL)
			code = PH_EXIT_UNREADABLE;
		else if (!write_word(stream, copied != NULL ? copied : words[i].text))
			code = cannot("cannot be written", folder);
		free(copied);
	}
	if (fclose(stream) != 0 && code == PH_EXIT_OK)
		code = cannot("cannot be written", folder);
	if (code == PH_EXIT_OK && !write_environment(folder))
		code = cannot("cannot be written", folder);
	return code;
}

/* Names in the order of time, unlike those of other machines and processes. */
static char *
new_name(void)
{
	char host[128] = "unknown";
	struct timespec now;

	gethostname(host, sizeof(host) - 1);
	clock_gettime(CLOCK_REALTIME, &now);
	return ph_format("%011lld.%09ld-%s-%ld", (long long) now.tv_sec, now.tv_nsec, host,
					 (long) getpid());
}

PhExit
ph_outbox_put(const char *outbox, const PhOutboxWord *words, size_t n)
{
	char *name = new_name();
	char *hidden = ph_format("%s/.%s", outbox, name);
	char *shown = ph_format("%s/%s", outbox, name);
	PhExit code = PH_EXIT_OK;

	if (!ph_path_make_folders(outbox, 0700) || mkdir(hidden, 0700) != 0)
		code = cannot("cannot be made", hidden);
	if (code == PH_EXIT_OK)
		code = fill_folder(hidden, words, n);
	if (code == PH_EXIT_OK && rename(hidden, shown) != 0)
		code = cannot("cannot be renamed", hidden);
	if (code != PH_EXIT_OK)
		ph_path_remove_folder(hidden);
	free(shown);
	free(hidden);
	free(name);
	return code;
}

/* ---- delivering ---------------------------------------------------------------------------- */

typedef struct Words
{
	const char **items;
	size_t n;
	char **made; /* items that are strings of their own */
	size_t n_made;
} Words;

static void
add_word(Words *words, const char *word)
{
	words->items = ph_must_resize(words->items, words->n + 2, sizeof(*words->items));
	words->items[words->n++] = word;
	words->items[words->n] = NULL;
}

static void
add_made(Words *words, char *word)
{
	words->made = ph_must_resize(words->made, words->n_made + 1, sizeof(*words->made));
	words->made[words->n_made++] = word;
	add_word(words, word);
}

static void
free_words(Words *words)
{
	for (size_t i = 0; i < words->n_made; i++)
		free(words->made[i]);
	free(words->made);
	free(words->items);
}

/* The words of a file of NUL-ended words; false: it is not there or not of this form. */
static bool
add_file(Words *words, const char *folder, const char *name)
{
	char *path = ph_format("%s/%s", folder, name);
	FILE *stream = fopen(path, "r");
	char *text = NULL;
	size_t room = 0;
	ssize_t length;
	bool ok = stream != NULL;

	free(path);
	if (!ok)
		return false;
	while (ok && (length = getdelim(&text, &room, '\0', stream)) > 0)
	{
		ok = text[length - 1] == '\0';
		if (ok)
			add_made(words, ph_strdup(text));
	}
	free(text);
	fclose(stream);
	return ok;
}

static int
compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *) a, *(char *const *) b);
}

/* Names in the folder that do not begin with a dot, sorted; *out is the caller's. */
static bool
list_names(const char *path, char ***out, size_t *n)
{
	DIR *folder = opendir(path);
	const struct dirent *entry;

	*out = NULL;
	*n = 0;
	while (folder != NULL && (entry = readdir(folder)) != NULL)
		if (entry->d_name[0] != '.')
		{
			*out = ph_must_resize(*out, *n + 1, sizeof(**out));
			(*out)[(*n)++] = ph_strdup(entry->d_name);
		}
	if (folder == NULL)
		return false;
	closedir(folder);
	if (*n > 0)
		qsort(*out, *n, sizeof(**out), compare_names);
	return true;
}

static void
free_names(char **names, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

/* env -C FOLDER -u ... NAME=VALUE... perfhouse load WORDS */
static bool
make_command(Words *words, const char *folder, const char *db)
{
	char *bin = ph_path_executable_folder();
	char *env = ph_path_find_program("env");

	add_made(words, env != NULL ? env : ph_strdup("/usr/bin/env"));
	add_word(words, "-C");
	add_word(words, folder);
	for (const char *const *names = ph_run_record_variables(); *names != NULL; names++)
	{
		add_word(words, "-u");
		add_word(words, *names);
	}
	if (!add_file(words, folder, "environment"))
	{
		free(bin);
		return false;
	}
	add_made(words, ph_format("%s/perfhouse", bin != NULL ? bin : "/usr/bin"));
	free(bin);
	add_word(words, "load");
	if (db != NULL)
	{
		add_word(words, "--db");
		add_word(words, db);
	}
	return add_file(words, folder, "words");
}

/* Did the load not end by itself? It was not started (125 to 127), or somebody or the machine,
 * which had no memory left, ended it. */
static bool
was_ended(int status)
{
	return (status >= 125 && status <= 127) || status == 128 + SIGKILL || status == 128 + SIGTERM ||
		   status == 128 + SIGHUP;
}

/* A deadlock with another load, or a crash: it may go well, but need not. */
static bool
is_worth_another(int status)
{
	return status == PH_EXIT_CONFLICT || (status > 128 && status != PH_EXIT_INTERRUPTED);
}

static PhExit
deliver(const char *folder, const char *db)
{
	Words words = {0};
	char *log = ph_format("%s/log", folder);
	int status = PH_EXIT_INPUT;

	unlink(log);
	if (make_command(&words, folder, db))
		for (int attempt = 1; attempt <= MOST_ATTEMPTS; attempt++)
		{
			status = ph_process_run(NULL, log, words.items);
			if (was_ended(status) || !is_worth_another(status) || ph_interrupted())
				break;
		}
	free_words(&words);
	free(log);
	if (!was_ended(status))
		return (PhExit) status;
	ph_log_error("%s: perfhouse load could not be started, or was killed (%d)", folder, status);
	return PH_EXIT_INTERRUPTED;
}

/* Out of sight at once, as what is there is delivered, and then away. */
static PhExit
remove_delivered(const char *outbox, const char *name)
{
	char *from = ph_format("%s/%s", outbox, name);
	char *hidden = ph_format("%s/.%s", outbox, name);
	PhExit code = PH_EXIT_OK;

	if (rename(from, hidden) != 0)
		code = cannot("is delivered, but cannot be removed", from);
	else
		ph_path_remove_folder(hidden);
	if (code == PH_EXIT_OK && ph_path_exists(hidden))
		ph_log_warning("%s: is delivered, but cannot be removed", hidden);
	free(hidden);
	free(from);
	return code;
}

static PhExit
set_aside(const char *outbox, const char *name)
{
	char *failed = ph_format("%s/" FAILED_FOLDER, outbox);
	char *from = ph_format("%s/%s", outbox, name);
	char *to = ph_format("%s/%s", failed, name);
	PhExit code = PH_EXIT_OK;

	if ((mkdir(failed, 0700) != 0 && errno != EEXIST) || rename(from, to) != 0)
		code = cannot("cannot be moved", from);
	else
		printf("failed: see %s/log\n", to);
	free(to);
	free(from);
	free(failed);
	return code;
}

/* Only what this user put there: others' words would be said in his name. */
static bool
is_own(const char *folder)
{
	struct stat info;

	return lstat(folder, &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == geteuid();
}

static PhExit
deliver_one(const char *outbox, const char *name, const char *db, PhOutboxCounts *counts)
{
	char *folder = ph_format("%s/%s", outbox, name);
	PhExit code = deliver(folder, db);

	free(folder);
	if (code == PH_EXIT_OK)
	{
		printf("delivered: %s\n", name);
		counts->delivered++;
		return remove_delivered(outbox, name);
	}
	if (!ph_outbox_should_wait(code) && !ph_interrupted())
	{
		counts->failed++;
		return set_aside(outbox, name);
	}
	counts->waiting++;
	return code;
}

/* What wants more memory than there is or is allowed, or was killed, tells nothing of others. */
static bool
ends_all(PhExit code)
{
	return code != PH_EXIT_OK && code != PH_EXIT_MEMORY &&
		   (code != PH_EXIT_INTERRUPTED || ph_interrupted());
}

/* Until the database takes no more. */
static PhExit
deliver_each(const char *outbox, char **names, size_t n, const char *db, PhOutboxCounts *counts)
{
	PhExit code = PH_EXIT_OK;

	for (size_t i = 0; i < n; i++)
	{
		PhExit result = deliver_one(outbox, names[i], db, counts);

		code = code == PH_EXIT_OK ? result : code;
		if (ends_all(result) || ph_interrupted())
		{
			counts->waiting += n - i - 1;
			return code == PH_EXIT_OK && i + 1 < n ? PH_EXIT_INTERRUPTED : code;
		}
	}
	return code;
}

static PhExit
deliver_all(const char *outbox, const char *db, PhOutboxCounts *counts)
{
	char **names;
	size_t n, n_own = 0;
	PhExit code;

	if (!list_names(outbox, &names, &n))
		return cannot("cannot be listed", outbox);
	for (size_t i = 0; i < n; i++)
	{
		char *folder = ph_format("%s/%s", outbox, names[i]);
		bool is_load = strcmp(names[i], FAILED_FOLDER) != 0 && is_own(folder);
		char *name = names[i];

		free(folder);
		names[i] = names[n_own];
		names[n_own] = name;
		n_own += is_load;
	}
	code = deliver_each(outbox, names, n_own, db, counts);
	free_names(names, n);
	return code;
}

PhExit
ph_outbox_flush(const char *outbox, const char *db, PhOutboxCounts *counts)
{
	char *whole = realpath(outbox, NULL);
	char *path = ph_format("%s/.lock", outbox);
	int lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	PhExit code;

	if (whole == NULL || lock < 0)
		code = cannot("cannot be opened", outbox);
	else if (flock(lock, LOCK_EX | LOCK_NB) != 0)
		code = PH_EXIT_OK;
	else
		code = deliver_all(whole, db, counts);
	if (lock >= 0)
		close(lock);
	free(path);
	free(whole);
	return code;
}

/* ---- looking ------------------------------------------------------------------------------- */

static unsigned long long bytes; /* of the walk under way: ftw() hands nothing on */

static int
add_size(const char *path, const struct stat *info, int type)
{
	(void) path;
	if (type == FTW_F)
		bytes += (unsigned long long) info->st_size;
	return 0;
}

static PhExit
list_folder(const char *folder, const char *remark)
{
	char **names;
	size_t n;

	if (!list_names(folder, &names, &n))
		return cannot("cannot be listed", folder);
	for (size_t i = 0; i < n; i++)
	{
		char *path = ph_format("%s/%s", folder, names[i]);

		bytes = 0;
		if (strcmp(names[i], FAILED_FOLDER) != 0 && ftw(path, add_size, 16) == 0)
			printf("%s  %llu bytes%s\n", names[i], bytes, remark);
		free(path);
	}
	free_names(names, n);
	return PH_EXIT_OK;
}

PhExit
ph_outbox_list(const char *outbox)
{
	char *failed = ph_format("%s/" FAILED_FOLDER, outbox);
	PhExit code = list_folder(outbox, "");

	if (code == PH_EXIT_OK && ph_path_is_folder(failed))
		code = list_folder(failed, "  failed");
	free(failed);
	return code;
}
