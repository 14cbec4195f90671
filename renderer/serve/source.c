/*
 * source.c - see source.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/row_json.h"
#include "serve/source_blame.h"
#include "serve/source_match.h"
#include "system/log.h"
#include "system/paths.h"
#include "system/process.h"

#define MOST_BYTES ((size_t) 4 << 20)
#define MOST_LINES 500 /* that changed */

/* ---- git ------------------------------------------------------------------------------------- */

/* A folder behind the name of those before, which is freed. */
static char *
name_with(char *before, const char *folder)
{
	char *both = ph_format("%s%s\xff", before != NULL ? before : "", folder);

	free(before);
	return both;
}

/* malloc'ed; NULL: no repository that git reads. */
static char *
git_folder(const PhSources *sources, const char *repository)
{
	const char *argv[] = {sources->git, "-C", repository, "rev-parse", "--absolute-git-dir", NULL};

	return sources->git != NULL ? ph_process_line_within(argv, sources->seconds) : NULL;
}

/* NULL, or the first that is no repository. */
static const char *
find_repositories(PhSources *sources, const char *const *repositories, size_t n, unsigned seconds)
{
	*sources = (PhSources){.repositories = repositories, .n = n, .seconds = seconds};
	if (n > 0)
		sources->git = ph_path_find_program("git");
	for (size_t i = 0; i < n; i++)
	{
		char *folder = git_folder(sources, repositories[i]);

		if (folder == NULL)
			return repositories[i];
		sources->name = name_with(sources->name, folder);
		free(folder);
	}
	return NULL;
}

PhExit
ph_sources_open(PhSources *sources, const char *const *repositories, size_t n, unsigned seconds)
{
	const char *bad = find_repositories(sources, repositories, n, seconds);

	if (bad == NULL)
		return PH_EXIT_OK;
	ph_log_error("%s: not a git repository, or git refuses to read it", bad);
	ph_log_hint("git -C %s status says why.", bad);
	return PH_EXIT_NOT_FOUND;
}

void
ph_sources_close(PhSources *sources)
{
	free(sources->git);
	free(sources->name);
}

/* Does the repository have the commit? */
static bool
has_commit(const PhSources *sources, const char *repository, const char *commit)
{
	char revision[PH_OBJECT_SIZE + 16];
	char *hash;

	snprintf(revision, sizeof(revision), "%s^{commit}", commit);
	const char *argv[] = {sources->git,		  "-C",		repository, "rev-parse", "--verify",
						  "--end-of-options", revision, NULL};
	hash = ph_process_line_within(argv, sources->seconds);
	free(hash);
	return hash != NULL;
}

/* False: git failed. */
static bool
find_file(const PhSources *sources, const char *repository, const char *commit,
		  PhSourceMatch *match)
{
	const char *argv[] = {sources->git, "-C",		   repository, "ls-tree", "-r",
						  "-z",			"--full-tree", commit,	   NULL};
	char *entry = NULL;
	size_t room = 0;
	pid_t child;
	FILE *stream = ph_process_open_within(argv, sources->seconds, &child);

	while (stream != NULL && getdelim(&entry, &room, '\0', stream) > 0)
		ph_source_match_add(match, entry);
	free(entry);
	return stream != NULL && ph_process_close(stream, child) == 0 && !match->has_failed;
}

/* malloc'ed; NULL: git failed. *size is over MOST_BYTES when there is more. */
static char *
read_object(const PhSources *sources, const char *repository, const char *object, size_t *size)
{
	const char *argv[] = {sources->git, "-C", repository, "cat-file", "blob", object, NULL};
	char *text = malloc(MOST_BYTES + 2);
	pid_t child;
	FILE *stream = text != NULL ? ph_process_open_within(argv, sources->seconds, &child) : NULL;

	if (stream == NULL)
	{
		free(text);
		return NULL;
	}
	*size = fread(text, 1, MOST_BYTES + 1, stream);
	text[*size] = '\0';
	if (ph_process_close(stream, child) == 0)
		return text;
	free(text);
	return NULL;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void
send_text(const char *file, const char *commit, const char *path, const char *text,
		  PhAnswer *answer)
{
	PhTextStream stream;
	PhJsonOut json;

	if (!ph_text_stream_open(&stream))
	{
		ph_answer_memory(answer);
		return;
	}
	ph_json_begin(&json, stream.file);
	json.hides_markup = true;
	ph_json_open_object(&json, NULL);
	ph_json_open_array(&json, "rows");
	ph_json_open_object(&json, NULL);
	ph_json_put_text(&json, "file", file);
	ph_json_put_text(&json, "path", path);
	ph_json_put_text(&json, "commit", commit);
	ph_json_put_text(&json, "text", text);
	ph_json_close(&json);
	ph_json_close(&json);
	ph_json_close(&json);
	ph_answer_stream(answer, "application/json", &stream, ph_json_done_line(&json));
	ph_text_stream_drop(&stream);
}

/* Finds the one file that is meant; false: the answer says why there is none. */
static bool
find_one(const PhSources *sources, const char *repository, const char *commit, PhSourceMatch *match,
		 PhAnswer *answer)
{
	if (!find_file(sources, repository, commit, match))
		ph_answer_error(answer, 500, "git cannot list the files of the commit", NULL, NULL);
	else if (match->path == NULL)
		ph_answer_error(answer, 404, "the commit has no such file",
						"It may be a file of the compiler, of a library or made by the build.",
						NULL);
	else if (match->is_doubtful)
		ph_answer_error(answer, 404, "several files of the commit have this name",
						"Build with whole paths of the sources (-g notes them).", NULL);
	else
		return true;
	return false;
}

static void
send_file(const PhSources *sources, const char *repository, const char *file, const char *commit,
		  PhAnswer *answer)
{
	PhSourceMatch match;
	char *text = NULL;
	size_t size = 0;

	ph_source_match_begin(&match, file);
	if (!find_one(sources, repository, commit, &match, answer))
		;
	else if ((text = read_object(sources, repository, match.object, &size)) == NULL)
		ph_answer_error(answer, 500, "git cannot read the file", NULL, NULL);
	else if (size > MOST_BYTES || memchr(text, '\0', size) != NULL)
		ph_answer_error(answer, 413, "the file is no text of at most 4 MB", NULL, NULL);
	else
		send_text(file, commit, match.path, text, answer);
	free(text);
	ph_source_match_free(&match);
}

/* NULL: no repository has them, as the answer says. before NULL: of one commit. */
static const char *
repository_of(const PhSources *sources, const char *commit, const char *before, PhAnswer *answer)
{
	if (commit == NULL || !ph_is_commit_hash(commit) ||
		(before != NULL && !ph_is_commit_hash(before)))
	{
		ph_answer_error(answer, 404, "the commit that the run measured is not known",
						"Say it: perfhouse set RUN commit=HASH, or perfhouse load --commit.", NULL);
		return NULL;
	}
	for (size_t i = 0; i < sources->n; i++)
		if (has_commit(sources, sources->repositories[i], commit) &&
			(before == NULL || has_commit(sources, sources->repositories[i], before)))
			return sources->repositories[i];
	ph_answer_error(answer, 404, "no repository of this server has the run's commit",
					"Fetch it there: git fetch.", NULL);
	return NULL;
}

/* ---- lines that changed ---------------------------------------------------------------------- */

static void
put_line(PhJsonOut *json, const PhSourceBlame *blame, const char *text)
{
	ph_json_new_line(json);
	ph_json_open_object(json, NULL);
	ph_json_put_integer(json, "line", blame->line);
	ph_json_put_text(json, "commit", blame->commit);
	ph_json_put_text(json, "author", blame->author);
	ph_json_put_integer(json, "time", blame->time);
	ph_json_put_text(json, "subject", blame->subject);
	ph_json_put_text(json, "text", text);
	ph_json_close(json);
}

/* Rows of the lines that commits behind `before` changed; how many there are. */
static size_t
put_lines(FILE *stream, PhJsonOut *json)
{
	PhSourceBlame blame = {.line = 0};
	char *said = NULL;
	size_t room = 0, n = 0;

	while (getline(&said, &room, stream) > 0)
	{
		const char *text;

		said[strcspn(said, "\r\n")] = '\0';
		text = ph_blame_read(&blame, said);
		if (text != NULL && !blame.is_old && n++ < MOST_LINES)
			put_line(json, &blame, text);
	}
	free(said);
	return n;
}

/* git's blame of the file, said of range. It is asked in git's own folder, where no work tree is,
 * and told which .mailmap holds: the one of the commit, so that an answer that is kept stays true.
 */
static FILE *
open_blame(const PhSources *sources, const char *folder, const char *range, const char *path,
		   pid_t *child)
{
	char mailmap[PH_OBJECT_SIZE + 32];

	snprintf(mailmap, sizeof(mailmap), "mailmap.blob=%s:.mailmap", strstr(range, "..") + 2);
	const char *argv[] = {sources->git,
						  "-C",
						  folder,
						  "--git-dir=.",
						  "-c",
						  "mailmap.file=",
						  "-c",
						  mailmap,
						  "blame",
						  "--line-porcelain",
						  "--encoding=UTF-8",
						  "--no-textconv",
						  range,
						  "--",
						  path,
						  NULL};

	return ph_process_open_within(argv, sources->seconds, child);
}

/* False: git failed. The words before the path are the server's own, the commits hashes. */
static bool
blame_file(const PhSources *sources, const char *repository, const char *range, const char *path,
		   PhJsonOut *json)
{
	char *folder = git_folder(sources, repository);
	pid_t child;
	FILE *stream = folder == NULL ? NULL : open_blame(sources, folder, range, path, &child);
	size_t n;

	free(folder);
	if (stream == NULL)
		return false;
	ph_json_open_array(json, "rows");
	n = put_lines(stream, json);
	ph_json_close(json);
	ph_json_open_array(json, "file");
	ph_json_open_object(json, NULL);
	ph_json_put_text(json, "path", path);
	ph_json_put_integer(json, "lines", (int64_t) n);
	ph_json_close(json);
	ph_json_close(json);
	return ph_process_close(stream, child) == 0;
}

static void
send_lines(const PhSources *sources, const char *repository, const char *range, const char *path,
		   PhAnswer *answer)
{
	PhTextStream stream;
	PhJsonOut json;

	if (!ph_text_stream_open(&stream))
	{
		ph_answer_memory(answer);
		return;
	}
	ph_json_begin(&json, stream.file);
	json.hides_markup = true;
	ph_json_open_object(&json, NULL);
	if (blame_file(sources, repository, range, path, &json))
	{
		ph_json_close(&json);
		ph_answer_stream(answer, "application/json", &stream, ph_json_done_line(&json));
	}
	else
		ph_answer_error(answer, 500, "git cannot tell who changed the file", NULL, NULL);
	ph_text_stream_drop(&stream);
}

static void
send_changes(const PhSources *sources, const char *file, const char *before, const char *commit,
			 PhAnswer *answer)
{
	const char *repository = repository_of(sources, commit, before != NULL ? before : "", answer);
	char range[2 * PH_OBJECT_SIZE + 4];
	PhSourceMatch match;

	if (repository == NULL)
		return;
	snprintf(range, sizeof(range), "%s..%s", before, commit);
	ph_source_match_begin(&match, file);
	if (find_one(sources, repository, commit, &match, answer))
		send_lines(sources, repository, range, match.path, answer);
	ph_source_match_free(&match);
}

/* ---------------------------------------------------------------------------------------------- */

static void
send_source(const PhSources *sources, const char *file, const char *commit, PhAnswer *answer)
{
	const char *repository = repository_of(sources, commit, NULL, answer);

	if (repository != NULL)
		send_file(sources, repository, file, commit, answer);
}

void
ph_source_answer(PhSession *session, const PhSources *sources, const PhApiValues *values,
				 PhAnswer *answer)
{
	PhResult *found = ph_api_ask(session, values);

	if (found == NULL)
		ph_api_error(&session->connection->error, answer);
	else if (ph_result_count(found) == 0)
		ph_answer_error(answer, 404, values->query->missing, NULL, NULL);
	else if (strcmp(values->query->name, "changed_lines") == 0)
		send_changes(sources, ph_result_text(found, 0, 0), ph_result_text(found, 0, 1),
					 ph_result_text(found, 0, 2), answer);
	else
		send_source(sources, ph_result_text(found, 0, 0), ph_result_text(found, 0, 1), answer);
	ph_result_free(found);
}
