/*
 * embedded.c - find, start and stop the private server of a home folder.
 *
 * One start at a time: HOME/lock is held while a server is made or started, so eight programs that
 * start together start one server. HOME/host names the machine whose server uses the data: a home
 * on a shared file system is refused on a second machine while it runs on the first.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "embedded/embedded.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "database/pq.h"
#include "embedded/internal.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"

#define START_RETRIES 10
#define START_SECONDS 120

/* ---- looking ---- */

static void
set_paths(PhEmbedded *embedded)
{
	free(embedded->cluster);
	free(embedded->data);
	free(embedded->log);
	free(embedded->extension);
	char *cluster = ph_format("%s/cluster", embedded->home);
	char *resolved = realpath(cluster, NULL);
	embedded->cluster = resolved != NULL ? resolved : ph_strdup(cluster);
	free(cluster);
	embedded->data = ph_format("%s/data", embedded->cluster);
	embedded->log = ph_format("%s/server.log", embedded->cluster);
	embedded->extension = ph_format("%s/extension", embedded->cluster);
}

/* A relative home is made absolute: the server changes its folder. */
static char *
absolute(char *path)
{
	if (path[0] == '/')
		return path;
	char here[PATH_MAX];
	if (getcwd(here, sizeof(here)) == NULL)
		return path;
	char *whole = ph_format("%s/%s", here, path);
	free(path);
	return whole;
}

PhExit
ph_embedded_find(PhEmbedded **out)
{
	char *home = ph_path_home();
	if (home == NULL)
	{
		ph_log_error("there is no home folder for the embedded server");
		ph_log_hint("Set PERFHOUSE_HOME to a folder that you may write to.");
		return PH_EXIT_SERVER;
	}
	PhEmbedded *embedded = ph_must_alloc(1, sizeof(*embedded));
	embedded->home = absolute(home);
	set_paths(embedded);
	if (strpbrk(embedded->home, "\n\r") != NULL)
	{
		ph_log_error("the home folder's path has line ends, at which files of PostgreSQL part");
		ph_log_hint("Set PERFHOUSE_HOME to another folder.");
		ph_embedded_free(embedded);
		return PH_EXIT_SERVER;
	}
	if (!ph_server_user(&embedded->user))
	{
		ph_log_error(
			"PostgreSQL refuses to run as root, and there is no user postgres or nobody to run it");
		ph_log_hint(
			"Create one (useradd --system postgres), or run perfhouse as an ordinary user.");
		ph_embedded_free(embedded);
		return PH_EXIT_SERVER;
	}
	*out = embedded;
	return PH_EXIT_OK;
}

void
ph_embedded_free(PhEmbedded *embedded)
{
	if (embedded == NULL)
		return;
	free(embedded->home);
	free(embedded->cluster);
	free(embedded->data);
	free(embedded->log);
	free(embedded->extension);
	free(embedded->socket);
	free(embedded->bindir);
	free(embedded->program);
	free(embedded);
}

static bool
embedded_exists(const PhEmbedded *embedded)
{
	return ph_path_is_folder(embedded->data);
}

/* The number in postmaster.pid; 0: no such file. */
static long
noted_pid(const PhEmbedded *embedded)
{
	char *path = ph_format("%s/postmaster.pid", embedded->data);
	char *text = ph_path_read_text(path);
	long pid = text != NULL ? strtol(text, NULL, 10) : 0;
	free(path);
	free(text);
	return pid;
}

static bool
is_called_postgres(long pid)
{
	char *path = ph_format("/proc/%ld/comm", pid);
	char *name = ph_path_read_text(path);
	bool is = name != NULL && strncmp(name, "postgres", strlen("postgres")) == 0;
	free(name);
	free(path);
	return is;
}

/* Is this process the server of our data? Its working folder is the data folder; a process that
 * got the number of a killed server by chance has another. Where one may not look (a container's
 * root), the name must do. */
static bool
serves_our_data(const PhEmbedded *embedded, long pid)
{
	char *link = ph_format("/proc/%ld/cwd", pid);
	struct stat folder, data;
	int looked = stat(link, &folder);
	bool hidden = looked != 0 && (errno == EACCES || errno == EPERM);
	free(link);
	if (hidden)
		return is_called_postgres(pid);
	return looked == 0 && stat(embedded->data, &data) == 0 && folder.st_dev == data.st_dev &&
		   folder.st_ino == data.st_ino;
}

pid_t
ph_embedded_pid(const PhEmbedded *embedded)
{
	long pid = noted_pid(embedded);
	return pid > 0 && serves_our_data(embedded, pid) ? (pid_t) pid : 0;
}

const char *
ph_embedded_home(const PhEmbedded *embedded)
{
	return embedded->home;
}

const char *
ph_embedded_cluster(const PhEmbedded *embedded)
{
	return embedded->cluster;
}

const char *
ph_embedded_log(const PhEmbedded *embedded)
{
	return embedded->log;
}

/* The path in line k (from 1) of postmaster.pid; malloc'ed; NULL: there is none. */
static char *
noted_path(const PhEmbedded *embedded, int k)
{
	char *path = ph_format("%s/postmaster.pid", embedded->data);
	char *text = ph_path_read_text(path);
	free(path);
	char *line = text;
	for (; line != NULL && k > 1; k--)
	{
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
	char *noted = NULL;
	if (line != NULL && line[0] == '/')
		noted = ph_format("%.*s", (int) strcspn(line, "\n"), line);
	free(text);
	return noted;
}

/* Is the server that runs not to be found where it listens? It keeps the paths that it began with,
 * of a home that was moved meanwhile, or whose socket was swept away. What is there may be
 * another's. */
static bool
is_astray(const PhEmbedded *embedded)
{
	char *noted = noted_path(embedded, 2);
	char *folder = noted_path(embedded, 5);
	char *socket = ph_format("%s/.s.PGSQL.5432", folder != NULL ? folder : "");
	struct stat before, data;
	bool is_there = noted != NULL && stat(noted, &before) == 0;
	bool is_gone = noted != NULL && !is_there && (errno == ENOENT || errno == ENOTDIR);
	bool moved = is_gone || (is_there && stat(embedded->data, &data) == 0 &&
							 (before.st_dev != data.st_dev || before.st_ino != data.st_ino));
	bool astray = moved || (folder != NULL && !ph_path_exists(socket));
	free(socket);
	free(folder);
	free(noted);
	return astray;
}

char *
ph_embedded_socket_folder(const PhEmbedded *embedded)
{
	char *folder = noted_path(embedded, 5);
	return folder != NULL ? folder : ph_strdup(embedded->cluster);
}

/* A value of a conninfo: quotes and backslashes are escaped. malloc'ed. */
static char *
conninfo_value(const char *text)
{
	char *value = ph_must_alloc(2 * strlen(text) + 3, 1);
	char *out = value;
	*out++ = '\'';
	for (; *text != '\0'; text++)
	{
		if (*text == '\'' || *text == '\\')
			*out++ = '\\';
		*out++ = *text;
	}
	*out = '\'';
	return value;
}

static char *
conninfo_of(const PhEmbedded *embedded, const char *database)
{
	char *folder = ph_embedded_socket_folder(embedded);
	char *host = conninfo_value(folder);
	char *conninfo =
		ph_format("host=%s port=5432 dbname=%s user=" PH_EMBEDDED_USER, host, database);
	free(host);
	free(folder);
	return conninfo;
}

char *
ph_embedded_conninfo(const PhEmbedded *embedded)
{
	return conninfo_of(embedded, PH_EMBEDDED_DATABASE);
}

/* ---- machines ---- */

static PhExit
check_host(const PhEmbedded *embedded)
{
	char name[256] = "unknown";
	gethostname(name, sizeof(name) - 1);
	char *path = ph_format("%s/host", embedded->home);
	char *owner = ph_path_read_text(path);
	char *lock = ph_format("%s/postmaster.pid", embedded->data);
	PhExit code = PH_EXIT_OK;
	if (owner != NULL && strcmp(owner, name) != 0 && ph_path_exists(lock))
	{
		ph_log_error("%s is used by the embedded server on host %s", embedded->home, owner);
		ph_log_hint(
			"Run `perfhouse down` there, or set PERFHOUSE_HOME to another folder here. If that "
			"host is gone for good: rm '%s' '%s'",
			path, lock);
		code = PH_EXIT_SERVER;
	}
	else if ((owner == NULL || strcmp(owner, name) != 0) && !ph_path_write_text(path, name, 0644))
	{
		code = ph_exit_from_errno(errno);
		ph_log_error("%s: cannot be written: %s", path, strerror(errno));
		ph_log_hint("Set PERFHOUSE_HOME to a folder that you may write to.");
	}
	free(lock);
	free(owner);
	free(path);
	return code;
}

/* ---- starting and stopping ---- */

/* PostgreSQL itself sees through the lock of a killed server, except when its number belongs to
 * another process of the same user by now. Called with HOME/lock held. */
static void
drop_stale_lock(const PhEmbedded *embedded)
{
	long pid = noted_pid(embedded);
	if (pid <= 0 || kill((pid_t) pid, 0) != 0 || serves_our_data(embedded, pid))
		return;
	char *path = ph_format("%s/postmaster.pid", embedded->data);
	ph_log_debug("%s names process %ld, which is no server of this data: removed", path, pid);
	unlink(path);
	free(path);
	path = ph_format("%s/.s.PGSQL.5432.lock", embedded->socket);
	unlink(path);
	free(path);
}

/* The eighth line of postmaster.pid: the server's state. */
static bool
is_ready(const PhEmbedded *embedded)
{
	if (ph_embedded_pid(embedded) == 0)
		return false;
	char *path = ph_format("%s/postmaster.pid", embedded->data);
	char *text = ph_path_read_text(path);
	bool ready = text != NULL && strstr(text, "\nready") != NULL;
	free(path);
	free(text);
	return ready;
}

/* A server that somebody's killed command was starting: wait for it. */
static bool
await_ready(const PhEmbedded *embedded)
{
	for (int i = 0; i < START_SECONDS * 20 && ph_embedded_pid(embedded) != 0; i++)
	{
		if (is_ready(embedded))
			return true;
		if (ph_interrupted())
			return false;
		usleep(50000);
	}
	return false;
}

/*
 * One attempt; *why: the server's last words, malloc'ed or NULL. The server is started itself:
 * pg_ctl makes a shell's line of its paths, in which a folder's name could be a command.
 */
static bool
run_start(const PhEmbedded *embedded, char **why)
{
	char *program = embedded->program != NULL ? ph_strdup(embedded->program)
											  : ph_format("%s/postgres", embedded->bindir);
	const char *argv[] = {program, "-D", embedded->data, NULL};
	pid_t server = ph_process_start(&embedded->user, embedded->log, argv);
	bool ready = false, ended = server < 0;
	for (int i = 0; i < START_SECONDS * 20 && !ready && !ended && !ph_interrupted(); i++)
	{
		usleep(50000);
		ready = is_ready(embedded);
		ended = !ready && ph_process_has_ended(server);
	}
	*why = ready ? NULL : ph_cluster_log_tail(embedded);
	free(program);
	return ready;
}

/* Reasons that pass by themselves: the children of a killed server need a moment to notice, or
 * another start was under way. */
static bool
is_transient(const char *why)
{
	return why != NULL &&
		   (strstr(why, "shared memory block") != NULL || strstr(why, "postmaster.pid") != NULL);
}

static PhExit
complain_start(const PhEmbedded *embedded, const char *why)
{
	if (ph_interrupted())
	{
		ph_log_error("interrupted while the embedded server started");
		return PH_EXIT_INTERRUPTED;
	}
	ph_log_error("the embedded server in %s did not start", embedded->cluster);
	if (why != NULL)
		ph_log_detail("%s", why);
	ph_log_hint("See %s.", embedded->log);
	return why != NULL && strstr(why, strerror(ENOSPC)) != NULL ? PH_EXIT_DISK_FULL
																: PH_EXIT_SERVER;
}

static PhExit
start_server(const PhEmbedded *embedded)
{
	ph_log_info("starting the embedded server");
	char *why = NULL;
	bool ok = false;
	for (int attempt = 0; !ok && attempt <= START_RETRIES && !ph_interrupted(); attempt++)
	{
		if (attempt > 0)
			sleep(1);
		free(why);
		why = NULL;
		drop_stale_lock(embedded);
		ok = ph_embedded_pid(embedded) != 0 ? await_ready(embedded) : run_start(embedded, &why);
		if (!ok && !is_transient(why))
			break;
	}
	PhExit code = ok ? PH_EXIT_OK : complain_start(embedded, why);
	free(why);
	return code;
}

static PhExit
make_database(const PhEmbedded *embedded)
{
	char *conninfo = conninfo_of(embedded, "postgres");
	PhConnection *connection;
	PhExit code = PH_EXIT_OK;
	bool made = ph_pq_connect(&connection, conninfo, "perfhouse");
	if (made)
	{
		PhParam name = ph_param_text(PH_EMBEDDED_DATABASE);
		PhResult *rows = ph_pq_query(
			connection, "SELECT 1 FROM pg_catalog.pg_database WHERE datname = $1", &name, 1);
		made = rows != NULL &&
			   (ph_result_count(rows) == 1 ||
				ph_pq_execute(connection, "CREATE DATABASE " PH_EMBEDDED_DATABASE, NULL, 0));
		ph_result_free(rows);
	}
	if (!made)
		code = ph_pq_log_error(connection, "the embedded server's database could not be made");
	ph_pq_close(connection);
	free(conninfo);
	return code;
}

/* What it left where it listened is not where it looks for it. */
static PhExit
stop_astray(PhEmbedded *embedded)
{
	static const char *const left[] = {".s.PGSQL.5432", ".s.PGSQL.5432.lock"};
	ph_log_info("the home or its socket has moved: starting its server again");
	PhExit code = ph_embedded_stop(embedded, NULL);
	for (size_t i = 0; i < sizeof(left) / sizeof(left[0]) && code == PH_EXIT_OK; i++)
	{
		char *path = ph_format("%s/socket/%s", embedded->cluster, left[i]);
		(void) unlink(path);
		free(path);
	}
	return code;
}

static PhExit
start_locked(PhEmbedded *embedded)
{
	/* another process may have made the cluster since we looked */
	set_paths(embedded);
	PhExit code = PH_EXIT_OK;
	if (is_ready(embedded) && !is_astray(embedded))
		return ph_cluster_refresh(embedded);
	if (is_ready(embedded))
		code = stop_astray(embedded);
	if (code == PH_EXIT_OK)
		code = ph_cluster_choose_server(embedded);
	if (code == PH_EXIT_OK)
		code = ph_cluster_make(embedded);
	if (code == PH_EXIT_OK)
		code = check_host(embedded);
	if (code == PH_EXIT_OK)
		code = ph_cluster_socket(embedded);
	if (code == PH_EXIT_OK)
		code = ph_cluster_configure(embedded);
	if (code == PH_EXIT_OK)
		code = start_server(embedded);
	if (code == PH_EXIT_OK)
		code = make_database(embedded);
	return code;
}

/* Holds HOME/lock until the returned descriptor is closed; -1 after an error message. */
static int
take_lock(const PhEmbedded *embedded)
{
	char *path = ph_format("%s/lock", embedded->home);
	int lock = -1;
	if (ph_path_make_folders(embedded->home, 0755))
		lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
	if (lock < 0)
	{
		int error = errno;
		ph_log_error("%s: cannot be created: %s", path, strerror(error));
		ph_log_hint("Set PERFHOUSE_HOME to a folder that you may write to.");
		errno = error;
	}
	free(path);
	while (lock >= 0 && flock(lock, LOCK_EX) != 0 && errno == EINTR)
		continue;
	return lock;
}

PhExit
ph_embedded_start(PhEmbedded *embedded)
{
	PhExit code = embedded_exists(embedded) ? check_host(embedded) : PH_EXIT_OK;
	if (code != PH_EXIT_OK ||
		(is_ready(embedded) && !is_astray(embedded) && ph_cluster_is_current(embedded)))
		return code;
	int lock = take_lock(embedded);
	if (lock < 0)
		return errno == ENOSPC ? PH_EXIT_DISK_FULL : PH_EXIT_UNREADABLE;
	embedded->lock = lock;
	code = start_locked(embedded);
	close(lock);
	return code;
}

PhExit
ph_embedded_stop(PhEmbedded *embedded, bool *was_running)
{
	bool running = ph_embedded_pid(embedded) != 0;
	if (was_running != NULL)
		*was_running = running;
	PhExit code = embedded_exists(embedded) ? check_host(embedded) : PH_EXIT_OK;
	if (code != PH_EXIT_OK || !running)
		return code;
	code = ph_cluster_choose_server(embedded);
	if (code != PH_EXIT_OK)
		return code;
	char *program = ph_format("%s/pg_ctl", embedded->bindir);
	const char *argv[] = {program, "stop", "-D",  embedded->data, "-m", "fast",
						  "-w",	   "-t",   "120", "-s",			  NULL};
	char *words = ph_format("%s/start.log", embedded->cluster);
	if (ph_process_run(&embedded->user, words, argv) != 0)
	{
		ph_log_error("the embedded server in %s did not stop", embedded->cluster);
		ph_log_hint("See %s and %s.", embedded->log, words);
		code = PH_EXIT_SERVER;
	}
	free(words);
	free(program);
	return code;
}

PhExit
ph_embedded_remove(PhEmbedded *embedded)
{
	PhExit code = ph_embedded_stop(embedded, NULL);
	if (code != PH_EXIT_OK)
		return code;
	char *origin = ph_format("%s.home", embedded->cluster);
	ph_path_remove_folder(embedded->cluster);
	(void) unlink(origin);
	ph_path_remove_folder(embedded->home);
	free(origin);
	return PH_EXIT_OK;
}
