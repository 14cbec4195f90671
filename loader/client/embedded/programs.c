/*
 * programs.c - where PostgreSQL's programs are, and which version serves the data.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "embedded/internal.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"

#define DEBIAN_SERVERS "/usr/lib/postgresql"
#define APT_COMMAND "apt-get install postgresql-15"

static char *
program_in(const char *folder, const char *program)
{
	char *path = ph_format("%s/%s", folder, program);
	bool found = access(path, X_OK) == 0;
	free(path);
	return found ? ph_strdup(folder) : NULL;
}

/* /usr/lib/postgresql/VERSION/bin: the newest version, or the one asked for. */
static char *
debian_bindir(const char *program, int version)
{
	DIR *servers = opendir(DEBIAN_SERVERS);
	char *best = NULL;
	long best_version = 0;
	const struct dirent *entry;
	while (servers != NULL && (entry = readdir(servers)) != NULL)
	{
		long found = strtol(entry->d_name, NULL, 10);
		if (found <= best_version || (version != 0 && found != version))
			continue;
		char *folder = ph_format(DEBIAN_SERVERS "/%s/bin", entry->d_name);
		char *bindir = program_in(folder, program);
		free(folder);
		if (bindir == NULL)
			continue;
		free(best);
		best = bindir;
		best_version = found;
	}
	if (servers != NULL)
		closedir(servers);
	return best;
}

static char *
configured_bindir(const char *program)
{
	char *config = ph_path_find_program("pg_config");
	if (config == NULL)
		return NULL;
	const char *argv[] = {config, "--bindir", NULL};
	char *folder = ph_process_line(argv);
	char *bindir = folder != NULL ? program_in(folder, program) : NULL;
	free(folder);
	free(config);
	return bindir;
}

char *
ph_embedded_bindir(const char *program)
{
	char *bindir = configured_bindir(program);
	if (bindir == NULL)
		bindir = debian_bindir(program, 0);
	if (bindir != NULL)
		return bindir;
	char *path = ph_path_find_program(program);
	if (path != NULL)
		*strrchr(path, '/') = '\0';
	return path;
}

static int
data_version(const PhEmbedded *embedded)
{
	char *path = ph_format("%s/PG_VERSION", embedded->data);
	char *text = ph_path_read_text(path);
	long version = text != NULL ? strtol(text, NULL, 10) : 0;
	free(path);
	free(text);
	return (int) version;
}

static int
server_version(const char *bindir)
{
	char *program = ph_format("%s/postgres", bindir);
	const char *argv[] = {program, "--version", NULL};
	char *line = ph_process_line(argv);
	const char *digits = line != NULL ? strpbrk(line, "0123456789") : NULL;
	long version = digits != NULL ? strtol(digits, NULL, 10) : 0;
	free(line);
	free(program);
	return (int) version;
}

static PhExit
other_version(const PhEmbedded *embedded, int data, int server)
{
	ph_log_error("%s was made by PostgreSQL %d, but the server here is version %d", embedded->data,
				 data, server);
	ph_log_detail("PostgreSQL does not read the data of another major version.");
	ph_log_hint(
		"Install postgresql-%d beside it and start again; to move to %d: with version %d running, "
		"perfhouse psql -- -c '\\conninfo' and pg_dump -Fc perfhouse > perfhouse.dump, then "
		"perfhouse "
		"down, move %s away, perfhouse init, and pg_restore -d perfhouse perfhouse.dump "
		"(docs/OPERATIONS.md has it step by step).",
		data, server, data, embedded->data);
	return PH_EXIT_SERVER;
}

PhExit
ph_cluster_choose_server(PhEmbedded *embedded)
{
	int wanted = data_version(embedded);
	embedded->bindir = ph_embedded_bindir("initdb");
	if (embedded->bindir == NULL)
	{
		ph_log_error("PostgreSQL's server programs (initdb, postgres) were not found");
		ph_log_hint("Install them: " APT_COMMAND ". Or use a server elsewhere: --db CONNINFO.");
		return PH_EXIT_SERVER;
	}
	int have = server_version(embedded->bindir);
	if (wanted == 0 || have == wanted)
		return PH_EXIT_OK;
	char *matching = debian_bindir("initdb", wanted);
	if (matching == NULL)
		return other_version(embedded, wanted, have);
	free(embedded->bindir);
	embedded->bindir = matching;
	return PH_EXIT_OK;
}
