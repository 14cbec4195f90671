/*
 * cluster.c - the embedded server's folders, data and configuration.
 *
 * A cluster is made under a temporary name and renamed when it is whole, so that a killed start
 * leaves nothing half-made. When the server's user cannot reach the home folder (root's home is
 * private), HOME/cluster is a symbolic link to a folder below /var/lib/perfhouse.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include "embedded/internal.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"

#define SHARED_HOMES "/var/lib/perfhouse"

static PhExit
cannot(const char *what, const char *path)
{
	int error = errno;
	ph_log_error("%s: %s: %s", path, what, strerror(error));
	if (error == ENOSPC)
		ph_log_hint("Free some space, or set PERFHOUSE_HOME to a folder on another disk.");
	else
		ph_log_hint("Set PERFHOUSE_HOME to a folder that you may write to.");
	return ph_exit_from_errno(error);
}

static PhExit
not_a_folder_of(const PhEmbedded *embedded, const char *path)
{
	ph_log_error("%s exists but is not a folder of %s", path, embedded->user.name);
	ph_log_hint("Remove it, or set PERFHOUSE_HOME to another folder.");
	return PH_EXIT_SERVER;
}

static PhExit
give_folder(const PhEmbedded *embedded, int folder, const char *path)
{
	struct stat info;
	if (fstat(folder, &info) != 0)
		return cannot("cannot be looked at", path);
	if (info.st_uid != embedded->user.uid && info.st_uid != geteuid())
		return not_a_folder_of(embedded, path);
	if (embedded->user.switches && fchown(folder, embedded->user.uid, embedded->user.gid) != 0)
		return cannot("cannot be given to the server's user", path);
	if (fchmod(folder, 0700) != 0)
		return cannot("cannot be made private", path);
	return PH_EXIT_OK;
}

/*
 * A folder of the server's user that nobody else may enter (root may). It is opened once, so that
 * nobody puts another one in its place between the look and the gift.
 */
static PhExit
make_private_folder(const PhEmbedded *embedded, const char *path)
{
	if (mkdir(path, 0700) != 0 && errno != EEXIST)
		return cannot("cannot be created", path);
	int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0 && (errno == ENOTDIR || errno == ELOOP))
		return not_a_folder_of(embedded, path);
	if (folder < 0)
		return cannot("cannot be looked at", path);
	PhExit code = give_folder(embedded, folder, path);
	close(folder);
	return code;
}

/* FNV-1a: a short stable name for a path; not for security, the folder's owner is checked. */
static uint64_t
path_number(const char *path)
{
	uint64_t number = 14695981039346656037U;
	for (; *path != '\0'; path++)
		number = (number ^ (unsigned char) *path) * 1099511628211U;
	return number;
}

/* HOME/cluster as a link to a folder that the server's user can reach. */
static PhExit
make_linked_cluster(PhEmbedded *embedded, const char *link)
{
	if (mkdir(SHARED_HOMES, 0755) != 0 && errno != EEXIST)
		return cannot("cannot be created", SHARED_HOMES);
	/* a new name: what a deleted home left behind is not this home's data */
	char *target = ph_strdup(SHARED_HOMES "/XXXXXX");
	if (mkdtemp(target) == NULL)
	{
		PhExit failed = cannot("cannot be created", SHARED_HOMES);
		free(target);
		return failed;
	}
	char *origin = ph_format("%s.home", target);
	PhExit code = make_private_folder(embedded, target);
	if (code == PH_EXIT_OK && !ph_path_write_text(origin, embedded->home, 0644))
		code = cannot("cannot be written", origin);
	if (code == PH_EXIT_OK && symlink(target, link) != 0)
		code = cannot("cannot be created", link);
	free(origin);
	free(embedded->cluster);
	embedded->cluster = target;
	return code;
}

static PhExit
make_folders(PhEmbedded *embedded)
{
	if (!ph_path_make_folders(embedded->home, 0755))
		return cannot("cannot be created", embedded->home);
	/* also a folder that is there: its maker may have been killed before giving it away */
	if (ph_path_is_folder(embedded->cluster) ||
		ph_server_user_reaches(&embedded->user, embedded->home))
		return make_private_folder(embedded, embedded->cluster);
	char *link = ph_format("%s/cluster", embedded->home);
	PhExit code = make_linked_cluster(embedded, link);
	free(link);
	return code;
}

static void
set_path(char **path, const PhEmbedded *embedded, const char *name)
{
	free(*path);
	*path = ph_format("%s/%s", embedded->cluster, name);
}

char *
ph_cluster_log_tail(const PhEmbedded *embedded)
{
	FILE *stream = fopen(embedded->log, "r");
	if (stream == NULL)
		return NULL;
	char line[1024];
	char *found = NULL;
	while (fgets(line, sizeof(line), stream) != NULL)
	{
		line[strcspn(line, "\n")] = '\0';
		const char *level = strstr(line, "FATAL:");
		level = level != NULL ? level : strstr(line, "PANIC:");
		level = level != NULL ? level : strstr(line, "error:");
		if (level == NULL)
			continue;
		free(found);
		found = ph_strdup(level);
	}
	fclose(stream);
	return found;
}

static PhExit
run_initdb(const PhEmbedded *embedded, const char *data)
{
	char *program = ph_format("%s/initdb", embedded->bindir);
	const char *argv[] = {program,
						  "-D",
						  data,
						  "-U",
						  PH_EMBEDDED_USER,
						  "-A",
						  "trust",
						  "-E",
						  "UTF8",
						  "--locale=C.UTF-8",
						  "--data-checksums",
						  "--no-instructions",
						  NULL};
	/* initdb holds the lock too: when this process is killed, nobody disturbs it */
	fcntl(embedded->lock, F_SETFD, 0);
	int status = ph_process_run(&embedded->user, embedded->log, argv);
	fcntl(embedded->lock, F_SETFD, FD_CLOEXEC);
	free(program);
	if (status == 0)
		return PH_EXIT_OK;
	if (ph_interrupted())
	{
		ph_log_error("interrupted while the embedded server's data was created");
		return PH_EXIT_INTERRUPTED;
	}
	char *why = ph_cluster_log_tail(embedded);
	ph_log_error("%s: the embedded server's data could not be created", data);
	if (why != NULL)
		ph_log_detail("%s", why);
	ph_log_hint("See %s; then try again, or set PERFHOUSE_HOME to another folder.", embedded->log);
	bool full = why != NULL && strstr(why, strerror(ENOSPC)) != NULL;
	free(why);
	return full ? PH_EXIT_DISK_FULL : PH_EXIT_SERVER;
}

/* In a folder of the server's user, who must not have root write elsewhere. */
static bool
append_line(const char *path, const char *line)
{
	int file = open(path, O_WRONLY | O_APPEND | O_NOFOLLOW | O_CLOEXEC);
	if (file < 0)
		return false;
	bool ok = write(file, line, strlen(line)) == (ssize_t) strlen(line);
	return close(file) == 0 && ok;
}

static PhExit
make_data(const PhEmbedded *embedded)
{
	ph_log_info("making a private PostgreSQL server in %s", embedded->cluster);
	char *fresh = ph_format("%s/data.new", embedded->cluster);
	ph_path_remove_folder(fresh);
	PhExit code = run_initdb(embedded, fresh);
	char *settings = ph_format("%s/postgresql.conf", fresh);
	if (code == PH_EXIT_OK && !append_line(settings, "include_if_exists = 'perfhouse.conf'\n"))
		code = cannot("cannot be written", settings);
	if (code == PH_EXIT_OK && rename(fresh, embedded->data) != 0)
		code = cannot("cannot be renamed", fresh);
	if (code != PH_EXIT_OK)
		ph_path_remove_folder(fresh);
	free(settings);
	free(fresh);
	return code;
}

PhExit
ph_cluster_make(PhEmbedded *embedded)
{
	PhExit code = make_folders(embedded);
	if (code != PH_EXIT_OK)
		return code;
	set_path(&embedded->data, embedded, "data");
	set_path(&embedded->log, embedded, "server.log");
	set_path(&embedded->extension, embedded, "extension");
	return ph_path_is_folder(embedded->data) ? PH_EXIT_OK : make_data(embedded);
}

/* A Unix socket's path holds some 108 bytes, clients read a comma as the end of a host, and
 * the server's list of folders ends at a quote: such homes get a folder in /tmp that is checked. */
PhExit
ph_cluster_socket(PhEmbedded *embedded)
{
	free(embedded->socket);
	embedded->socket = ph_format("%s/socket", embedded->cluster);
	size_t room = sizeof(((struct sockaddr_un *) NULL)->sun_path) - sizeof("/.s.PGSQL.5432.lock");
	if (strlen(embedded->socket) > room || strpbrk(embedded->socket, ",\"") != NULL)
	{
		free(embedded->socket);
		embedded->socket = ph_format("/tmp/perfhouse-%u-%016" PRIx64, (unsigned) embedded->user.uid,
									 path_number(embedded->cluster));
	}
	return make_private_folder(embedded, embedded->socket);
}

/* ---- configuration ---- */

/* Does this server know the setting? (extension_destdir is Debian's, extension_control_path 18's)
 */
static bool
server_knows(const PhEmbedded *embedded, const char *setting)
{
	char *program = ph_format("%s/postgres", embedded->bindir);
	char *listing = ph_format("%s/settings", embedded->cluster);
	unlink(listing);
	const char *argv[] = {program, "--describe-config", NULL};
	bool known = false;
	if (ph_process_run(&embedded->user, listing, argv) == 0)
	{
		FILE *stream = fopen(listing, "r");
		char line[4096];
		size_t length = strlen(setting);
		while (stream != NULL && !known && fgets(line, sizeof(line), stream) != NULL)
			known = strncmp(line, setting, length) == 0 && line[length] == '\t';
		if (stream != NULL)
			fclose(stream);
	}
	unlink(listing);
	free(listing);
	free(program);
	return known;
}

/* Newest change and total size of what is staged, found by walking it. */
static struct timespec newest;
static long long total_size;

static int
note_entry(const char *path, const struct stat *info, int type)
{
	(void) path;
	(void) type;
	total_size += S_ISREG(info->st_mode) ? (long long) info->st_size : 1;
	if (info->st_mtim.tv_sec > newest.tv_sec ||
		(info->st_mtim.tv_sec == newest.tv_sec && info->st_mtim.tv_nsec > newest.tv_nsec))
		newest = info->st_mtim;
	return 0;
}

/* A text that changes whenever the build does; malloc'ed. */
static char *
stage_stamp(const char *stage)
{
	newest = (struct timespec){0};
	total_size = 0;
	ftw(stage, note_entry, 16);
	return ph_format("%s %lld.%09ld %lld\n", stage, (long long) newest.tv_sec, newest.tv_nsec,
					 total_size);
}

static char *
stamp_path(const PhEmbedded *embedded)
{
	return ph_format("%s.stamp", embedded->extension);
}

bool
ph_cluster_is_current(const PhEmbedded *embedded)
{
	char *stage = ph_path_stage();
	if (stage == NULL)
		return true;
	char *path = stamp_path(embedded);
	char *copied = ph_path_read_text(path);
	char *built = stage_stamp(stage);
	bool current =
		copied != NULL && strcmp(copied, built) == 0 && ph_path_is_folder(embedded->extension);
	free(built);
	free(copied);
	free(path);
	free(stage);
	return current;
}

/* Is less than so many bytes left on the folder's disk? */
static bool
has_no_room(const char *folder, long long bytes)
{
	struct statvfs disk;
	return statvfs(folder, &disk) == 0 &&
		   (long long) disk.f_bavail * (long long) disk.f_frsize < bytes;
}

/* The server's own copy of the staged build: the checkout may be where its user cannot read. */
static PhExit
copy_stage(const PhEmbedded *embedded, const char *stage)
{
	/* taken before the copy: a change meanwhile is seen next time */
	char *stamp = stage_stamp(stage);
	char *fresh = ph_format("%s.new", embedded->extension);
	ph_path_remove_folder(fresh);
	char *program = ph_path_find_program("cp");
	const char *argv[] = {program != NULL ? program : "/bin/cp", "-rT", stage, fresh, NULL};
	int status = ph_process_run(NULL, NULL, argv);
	free(program);
	PhExit code = PH_EXIT_OK;
	if (status != 0)
	{
		bool full = has_no_room(embedded->cluster, total_size);
		ph_log_error("%s could not be copied to %s%s", stage, fresh, full ? ": disk full" : "");
		ph_path_remove_folder(fresh); /* it would keep the room that is left */
		code = full ? PH_EXIT_DISK_FULL : PH_EXIT_SERVER;
	}
	else
	{
		const char *chmod_argv[] = {"/bin/chmod", "-R", "a+rX", fresh, NULL};
		char *owner =
			ph_format("%u:%u", (unsigned) embedded->user.uid, (unsigned) embedded->user.gid);
		const char *chown_argv[] = {"/bin/chown", "-R", owner, fresh, NULL};
		ph_process_run(NULL, NULL, chmod_argv);
		if (embedded->user.switches)
			ph_process_run(NULL, NULL, chown_argv);
		free(owner);
		ph_path_remove_folder(embedded->extension);
		if (rename(fresh, embedded->extension) != 0)
			code = cannot("cannot be renamed", fresh);
	}
	free(fresh);
	char *path = stamp_path(embedded);
	if (code == PH_EXIT_OK && !ph_path_write_text(path, stamp, 0644))
		code = cannot("cannot be written", path);
	free(stamp);
	free(path);
	return code;
}

PhExit
ph_cluster_refresh(const PhEmbedded *embedded)
{
	char *stage = ph_path_stage();
	PhExit code = PH_EXIT_OK;
	if (stage != NULL && !ph_cluster_is_current(embedded))
		code = copy_stage(embedded, stage);
	free(stage);
	return code;
}

/* What pg_config says, else the path relative to bindir that Debian's packages have. */
static char *
server_folder(const PhEmbedded *embedded, const char *option, const char *otherwise)
{
	char *program = ph_format("%s/pg_config", embedded->bindir);
	const char *argv[] = {program, option, NULL};
	char *line = ph_process_line(argv);
	free(program);
	if (line != NULL)
		return line;
	char *path = ph_format("%s/%s", embedded->bindir, otherwise);
	char *resolved = realpath(path, NULL);
	if (resolved == NULL)
		return path;
	free(path);
	return resolved;
}

static char *
pkglibdir(const PhEmbedded *embedded)
{
	return server_folder(embedded, "--pkglibdir", "../lib");
}

static char *
sharedir(const PhEmbedded *embedded)
{
	const char *version = strstr(embedded->bindir, "/postgresql/");
	char *relative = ph_format("../../../../share%.*s",
							   version != NULL ? (int) strcspn(version + 12, "/") + 12 : 0,
							   version != NULL ? version : "");
	char *folder = server_folder(embedded, "--sharedir", relative);
	free(relative);
	return folder;
}

/* Text between the quotes of a configuration value: quotes and backslashes doubled. malloc'ed. */
static char *
setting_text(const char *text)
{
	char *quoted = ph_must_alloc(2 * strlen(text) + 1, 1);
	char *out = quoted;
	for (; *text != '\0'; text++)
	{
		if (*text == '\'' || *text == '\\')
			*out++ = *text;
		*out++ = *text;
	}
	return quoted;
}

/* Where the server is to look; *out: lines of its configuration, malloc'ed. */
static PhExit
find_extension(PhEmbedded *embedded, const char *share, const char *library, char **out)
{
	const char *tree = getenv("PERFHOUSE_SERVER_TREE");
	bool forced = tree != NULL && strcmp(tree, "1") == 0;
	char *copy = setting_text(embedded->extension);
	PhExit code = PH_EXIT_OK;
	if (!forced && server_knows(embedded, "extension_destdir"))
		*out = ph_format("extension_destdir = '%s'\ndynamic_library_path = '%s%s:$libdir'\n", copy,
						 copy, library);
	else if (!forced && server_knows(embedded, "extension_control_path"))
		*out = ph_format("extension_control_path = '%s%s:$system'\n"
						 "dynamic_library_path = '%s%s:$libdir'\n",
						 copy, share, copy, library);
	else
	{
		*out = ph_strdup("");
		code = ph_cluster_tree(embedded, share, library);
	}
	free(copy);
	return code;
}

/* Settings that let the server find an uninstalled build; "" when it is installed. malloc'ed. */
static PhExit
extension_settings(PhEmbedded *embedded, char **out)
{
	char *stage = ph_path_stage();
	*out = NULL;
	if (stage == NULL)
	{
		*out = ph_strdup("");
		return PH_EXIT_OK;
	}
	/* a copy that is current is kept: a start on a full disk needs no more room than the server */
	PhExit code = ph_cluster_is_current(embedded) ? PH_EXIT_OK : copy_stage(embedded, stage);
	char *library = pkglibdir(embedded);
	char *share = sharedir(embedded);
	if (code == PH_EXIT_OK)
		code = find_extension(embedded, share, library, out);
	free(share);
	free(library);
	free(stage);
	return code;
}

static long
clamp(long value, long low, long high)
{
	return value < low ? low : value > high ? high : value;
}

PhExit
ph_cluster_configure(PhEmbedded *embedded)
{
	char *extension;
	PhExit code = extension_settings(embedded, &extension);
	long megabytes = sysconf(_SC_PHYS_PAGES) / 1024 * (sysconf(_SC_PAGESIZE) / 1024);
	char *socket = setting_text(embedded->socket);
	char *text = ph_format(
		"# Written by perfhouse at every start; settings of your own go into postgresql.conf.\n"
		"listen_addresses = ''\n"
		"unix_socket_directories = '\"%s\"'\n"
		"unix_socket_permissions = 0700\n"
		"max_connections = 64\n"
		"shared_buffers = %ldMB\n"
		"work_mem = %ldMB\n"
		"maintenance_work_mem = %ldMB\n"
		"max_wal_size = 4GB\n"
		"checkpoint_timeout = 15min\n"
		"wal_compression = on\n"
		"wal_level = minimal\n"
		"max_wal_senders = 0\n"
		"jit = off\n"
		"timezone = 'UTC'\n"
		"log_timezone = 'UTC'\n"
		"%s",
		socket, clamp(megabytes / 8, 64, 1024), clamp(megabytes / 128, 16, 128),
		clamp(megabytes / 32, 64, 512), extension);
	char *path = ph_format("%s/perfhouse.conf", embedded->data);
	if (code == PH_EXIT_OK && !ph_path_write_text(path, text, 0644))
		code = cannot("cannot be written", path);
	if (code == PH_EXIT_OK && embedded->user.switches &&
		lchown(path, embedded->user.uid, embedded->user.gid) != 0)
		code = cannot("cannot be given to the server's user", path);
	free(path);
	free(text);
	free(socket);
	free(extension);
	return code;
}
