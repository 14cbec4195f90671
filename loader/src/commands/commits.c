/*
 * commits.c - perfhouse commits: read the commit graph of a git repository.
 *
 * One transaction: readers see the old graph or the new one. Only commits that the branches and
 * tags of last time do not contain are read.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "commands/commands.h"
#include "commands/git_log.h"
#include "database/warehouse.h"
#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "texts.h"

#define BATCH 1000
#define MOST_KNOWN 10000 /* arguments of git; with more branches everything is read */

static const PhParameter commits_options[] = {
	{.name = "repository",
	 .letter = 'r',
	 .type = PH_PARAMETER_TEXT,
	 .value = "NAME",
	 .help = "name in the warehouse (default: the folder's name)"},
	{.name = "main",
	 .type = PH_PARAMETER_TEXT,
	 .value = "BRANCH",
	 .help = "the main line (default: HEAD)"},
	{.name = NULL}};

/* Columns of rows that wait for their INSERT. */
typedef struct Batch
{
	PhConnection *connection;
	const char *repository;
	size_t n_fields;
	size_t n;
	size_t capacity;
	char **values[PH_COMMIT_N_FIELDS];
	size_t n_sent;
	PhExit code;
} Batch;

static void
batch_add(Batch *batch, char *const *fields)
{
	if (batch->n == batch->capacity)
	{
		batch->capacity = batch->capacity == 0 ? BATCH : batch->capacity * 2;
		for (size_t f = 0; f < batch->n_fields; f++)
			batch->values[f] =
				ph_must_resize(batch->values[f], batch->capacity, sizeof(*batch->values[f]));
	}
	for (size_t f = 0; f < batch->n_fields; f++)
		batch->values[f][batch->n] = ph_strdup(fields[f]);
	batch->n++;
}

static void
batch_clear(Batch *batch)
{
	for (size_t f = 0; f < batch->n_fields; f++)
		for (size_t i = 0; i < batch->n; i++)
			free(batch->values[f][i]);
	batch->n = 0;
}

static void
batch_free(Batch *batch)
{
	batch_clear(batch);
	for (size_t f = 0; f < batch->n_fields; f++)
		free(batch->values[f]);
}

/* Send what waits: $1 the repository, then an array a field. */
static bool
batch_send(Batch *batch, const char *sql)
{
	PhParam params[1 + PH_COMMIT_N_FIELDS] = {ph_param_text(batch->repository)};
	char *arrays[PH_COMMIT_N_FIELDS];
	for (size_t f = 0; f < batch->n_fields; f++)
	{
		arrays[f] = ph_array_text((const char *const *) batch->values[f], batch->n);
		params[1 + f] = ph_param_text(arrays[f]);
	}
	bool sent = ph_pq_execute(batch->connection, sql, params, 1 + (int) batch->n_fields);
	for (size_t f = 0; f < batch->n_fields; f++)
		free(arrays[f]);
	if (!sent)
		batch->code = ph_pq_log_error(batch->connection, "commits");
	batch->n_sent += sent ? batch->n : 0;
	batch_clear(batch);
	return sent;
}

static bool
take_commit(void *user, char *const fields[PH_COMMIT_N_FIELDS])
{
	Batch *batch = user;
	batch_add(batch, fields);
	if (ph_interrupted())
	{
		batch->code = PH_EXIT_INTERRUPTED;
		return false;
	}
	return batch->n < BATCH || batch_send(batch, ph_sql_commits_insert);
}

static bool
take_ref(void *user, char *const fields[PH_REF_N_FIELDS])
{
	batch_add(user, fields);
	return true;
}

/* The commits that were at the ends of branches and tags last time. */
static PhResult *
known_ends(PhConnection *connection, const char *repository, const char ***out, size_t *n)
{
	PhParam param = ph_param_text(repository);
	PhResult *rows = ph_pq_query(connection, ph_sql_commits_begin, &param, 1);
	if (rows == NULL)
		return NULL;
	*n = ph_result_count(rows) > MOST_KNOWN ? 0 : ph_result_count(rows);
	*out = ph_must_alloc(*n + 1, sizeof(**out));
	for (size_t i = 0; i < *n; i++)
		(*out)[i] = ph_result_text(rows, i, 0);
	return rows;
}

static PhExit
read_commits(PhConnection *connection, const PhGitRepository *git, const char *repository,
			 size_t *n_new)
{
	Batch batch = {
		.connection = connection, .repository = repository, .n_fields = PH_COMMIT_N_FIELDS};
	const char **known;
	size_t n_known;
	PhResult *rows = known_ends(connection, repository, &known, &n_known);
	if (rows == NULL)
		return ph_pq_log_error(connection, "commits");
	PhExit code = ph_git_commits(git, known, n_known, take_commit, &batch);
	if (code == PH_EXIT_OK && batch.n > 0)
		batch_send(&batch, ph_sql_commits_insert);
	*n_new = batch.n_sent;
	batch_free(&batch);
	free(known);
	ph_result_free(rows);
	return batch.code != PH_EXIT_OK ? batch.code : code;
}

static PhExit
read_refs(PhConnection *connection, const PhGitRepository *git, const char *repository,
		  const char *head)
{
	static char name[] = "HEAD", kind[] = "head";
	Batch batch = {.connection = connection, .repository = repository, .n_fields = PH_REF_N_FIELDS};
	char *hash = ph_strdup(head);
	char *const main_line[PH_REF_N_FIELDS] = {name, kind, hash};
	batch_add(&batch, main_line);
	free(hash);
	PhExit code = ph_git_refs(git, take_ref, &batch);
	if (code == PH_EXIT_OK)
		batch_send(&batch, ph_sql_commits_refs);
	batch_free(&batch);
	return batch.code != PH_EXIT_OK ? batch.code : code;
}

static PhExit
number_main_line(PhConnection *connection, const char *repository, const char *head)
{
	PhParam params[] = {ph_param_text(repository), ph_param_text(head)};
	return ph_pq_execute(connection, ph_sql_commits_main_line, params, 2)
			   ? PH_EXIT_OK
			   : ph_pq_log_error(connection, "commits");
}

static PhExit
read_all(PhConnection *connection, const PhGitRepository *git, const char *repository,
		 const char *head, size_t *n_new)
{
	if (!ph_pq_begin(connection))
		return ph_pq_log_error(connection, "commits");
	PhExit code = read_commits(connection, git, repository, n_new);
	if (code == PH_EXIT_OK)
		code = read_refs(connection, git, repository, head);
	if (code == PH_EXIT_OK)
		code = number_main_line(connection, repository, head);
	if (code == PH_EXIT_OK && !ph_pq_commit(connection))
		code = ph_pq_log_error(connection, "commits");
	if (code != PH_EXIT_OK)
		ph_pq_rollback(connection);
	return code;
}

static PhExit
print_counts(PhConnection *connection, const char *repository, size_t n_new)
{
	PhParam param = ph_param_text(repository);
	PhResult *row = ph_pq_query(connection, ph_sql_commits_count, &param, 1);
	if (row == NULL)
		return ph_pq_log_error(connection, "commits");
	printf("%s: %s commits (%zu new), %s on the main line, %s branches, %s tags; %s runs\n",
		   repository, ph_result_text(row, 0, 0), n_new, ph_result_text(row, 0, 1),
		   ph_result_text(row, 0, 2), ph_result_text(row, 0, 3), ph_result_text(row, 0, 4));
	ph_result_free(row);
	return PH_EXIT_OK;
}

/* The last component of the resolved path, without .git. */
static char *
folder_name(const char *path)
{
	char *full = realpath(path, NULL);
	const char *slash = full == NULL ? NULL : strrchr(full, '/');
	char *name = ph_strdup(slash == NULL || slash[1] == '\0' ? path : slash + 1);
	size_t length = strlen(name);
	if (length > 4 && strcmp(name + length - 4, ".git") == 0)
		name[length - 4] = '\0';
	free(full);
	return name;
}

static PhExit
commits(PhArguments *arguments, const PhGitRepository *git, const char *repository)
{
	const char *main_line = ph_cli_text(arguments, "main", "HEAD");
	char *head = ph_git_resolve(git, main_line);
	PhConnection *connection;
	size_t n_new = 0;
	if (head == NULL)
	{
		ph_log_error("%s: no commit \"%s\"", git->path, main_line);
		return PH_EXIT_NOT_FOUND;
	}
	PhExit code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code == PH_EXIT_OK)
	{
		code = read_all(connection, git, repository, head, &n_new);
		if (code == PH_EXIT_OK)
			code = print_counts(connection, repository, n_new);
		ph_pq_close(connection);
	}
	free(head);
	return code;
}

static PhExit
cmd_commits(PhArguments *arguments)
{
	const char *path = ph_cli_argument(arguments, 0);
	PhGitRepository git;
	PhExit code = ph_git_open(path, &git);
	char *name = folder_name(path);
	if (code == PH_EXIT_OK)
		code = commits(arguments, &git, ph_cli_text(arguments, "repository", name));
	free(name);
	ph_git_close(&git);
	return code;
}

static const PhParameter commits_arguments[] = {
	{.name = "repository", .type = PH_PARAMETER_TEXT, .offer = PH_OFFER_FOLDERS}, {.name = NULL}};

const PhCommand ph_command_commits = {
	.name = "commits",
	.help = "read the commit graph of a git repository",
	.usage = "REPOSITORY [OPTION]...",
	.details = ph_help_commits,
	.options = commits_options,
	.min_arguments = 1,
	.max_arguments = 1,
	.uses_database = true,
	.arguments = commits_arguments,
	.run = cmd_commits,
};
