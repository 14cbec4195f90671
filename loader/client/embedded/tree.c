/*
 * tree.c - a private tree of the server's files, for servers that cannot be told where
 * else an extension is.
 *
 * PostgreSQL finds its share and library folders relative to its own program. So the tree repeats
 * the installation's folders below cluster/server with links to every file, to which the staged
 * extension's files are added; only the program itself is a copy, because links are resolved.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "embedded/internal.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"

/* Links TO/NAME -> FROM/NAME for every NAME but except; what is there already stays. */
static bool
link_entries(const char *from, const char *to, const char *except)
{
	DIR *folder = opendir(from);
	const struct dirent *entry;
	bool ok = folder != NULL;
	while (ok && (entry = readdir(folder)) != NULL)
	{
		if (entry->d_name[0] == '.' || (except != NULL && strcmp(entry->d_name, except) == 0))
			continue;
		char *source = ph_format("%s/%s", from, entry->d_name);
		char *target = ph_format("%s/%s", to, entry->d_name);
		ok = symlink(source, target) == 0 || errno == EEXIST;
		free(target);
		free(source);
	}
	if (folder != NULL)
		closedir(folder);
	return ok;
}

/* Folder of the tree with the staged files first, then the installation's. */
static bool
make_folder(const PhEmbedded *embedded, const char *tree, const char *installed, const char *except)
{
	char *folder = ph_format("%s%s", tree, installed);
	char *staged = ph_format("%s%s", embedded->extension, installed);
	bool ok = ph_path_make_folders(folder, 0755) &&
			  (!ph_path_is_folder(staged) || link_entries(staged, folder, except)) &&
			  link_entries(installed, folder, except);
	free(staged);
	free(folder);
	return ok;
}

static bool
copy_program(const PhEmbedded *embedded, const char *tree)
{
	char *from = ph_format("%s/postgres", embedded->bindir);
	char *folder = ph_format("%s%s", tree, embedded->bindir);
	char *to = ph_format("%s/postgres", folder);
	const char *argv[] = {"/bin/cp", from, to, NULL};
	bool ok = ph_path_make_folders(folder, 0755) && ph_process_run(NULL, NULL, argv) == 0;
	free(to);
	free(folder);
	free(from);
	return ok;
}

static void
give_away(const PhEmbedded *embedded, const char *tree)
{
	char *owner = ph_format("%u:%u", (unsigned) embedded->user.uid, (unsigned) embedded->user.gid);
	const char *chown_argv[] = {"/bin/chown", "-Rh", owner, tree, NULL};
	ph_process_run(NULL, NULL, chown_argv);
	free(owner);
}

PhExit
ph_cluster_tree(PhEmbedded *embedded, const char *share, const char *library)
{
	char *tree = ph_format("%s/server", embedded->cluster);
	char *extensions = ph_format("%s/extension", share);
	const char *rm_argv[] = {"/bin/rm", "-rf", tree, NULL};
	PhExit code = PH_EXIT_OK;
	ph_process_run(NULL, NULL, rm_argv);
	if (copy_program(embedded, tree) && make_folder(embedded, tree, extensions, NULL) &&
		make_folder(embedded, tree, share, "extension") &&
		make_folder(embedded, tree, library, NULL))
	{
		if (embedded->user.switches)
			give_away(embedded, tree);
		free(embedded->program);
		embedded->program = ph_format("%s%s/postgres", tree, embedded->bindir);
	}
	else
	{
		ph_log_error("%s: the server's private tree could not be made: %s", tree, strerror(errno));
		ph_log_hint("Install the extension instead: make install PG_CONFIG=%s/pg_config.",
					embedded->bindir);
		code = PH_EXIT_SERVER;
	}
	free(extensions);
	free(tree);
	return code;
}
