/*
 * embedded.c - find, start and stop the private server of a home folder.
 *
 * One start at a time: HOME/lock is held while a server is made or started, so eight programs that
 * start together start one server. HOME/host names the machine whose server uses the data: a home
 * on a shared file system is refused on a second machine while it runs on the first.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "embedded.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "embedded_internal.h"
#include "interrupt.h"
#include "log.h"
#include "memory.h"
#include "paths.h"
#include "pq.h"

#define DEBIAN_SERVERS "/usr/lib/postgresql"
#define START_RETRIES 10
#define APT_COMMAND "apt-get install postgresql-15"

/* ---- PostgreSQL's programs ---- */

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

bool
ph_embedded_exists(const PhEmbedded *embedded)
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

/* Line k (from 1) of postmaster.pid: 5 is the folder of the socket. */
static char *
running_socket(const PhEmbedded *embedded)
{
	char *path = ph_format("%s/postmaster.pid", embedded->data);
	char *text = ph_path_read_text(path);
	free(path);
	char *line = text;
	for (int k = 1; line != NULL && k < 5; k++)
	{
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
	char *socket = NULL;
	if (line != NULL && line[0] == '/')
		socket = ph_format("%.*s", (int) strcspn(line, "\n"), line);
	free(text);
	return socket;
}

char *
ph_embedded_socket_folder(const PhEmbedded *embedded)
{
	char *folder = running_socket(embedded);
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

/* ---- versions and machines ---- */

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

static PhExit
choose_server(PhEmbedded *embedded)
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

/* One attempt; *why: the server's last words, malloc'ed or NULL. */
static bool
run_start(const PhEmbedded *embedded, char **why)
{
	char *program = ph_format("%s/pg_ctl", embedded->bindir);
	const char *argv[] = {program,
						  "start",
						  "-D",
						  embedded->data,
						  "-l",
						  embedded->log,
						  "-w",
						  "-t",
						  "120",
						  "-s",
						  embedded->program != NULL ? "-p" : NULL,
						  embedded->program,
						  NULL};
	/* pg_ctl's own words go to a file of their own: the server keeps its log open */
	char *words = ph_format("%s/start.log", embedded->cluster);
	unlink(words);
	bool ok = ph_process_run(&embedded->user, words, argv) == 0;
	*why = ok ? NULL : ph_cluster_log_tail(embedded);
	free(words);
	free(program);
	return ok;
}

static PhExit
start_server(const PhEmbedded *embedded)
{
	ph_log_info("starting the embedded server");
	drop_stale_lock(embedded);
	char *why = NULL;
	bool ok = run_start(embedded, &why);
	/* the children of a killed server need a moment to notice */
	for (int attempt = 1; !ok && attempt <= START_RETRIES && !ph_interrupted() && why != NULL &&
						  strstr(why, "shared memory block") != NULL;
		 attempt++)
	{
		free(why);
		sleep(1);
		ok = run_start(embedded, &why);
	}
	if (ok)
		return PH_EXIT_OK;
	ph_log_error("the embedded server in %s did not start", embedded->cluster);
	if (why != NULL)
		ph_log_detail("%s", why);
	ph_log_hint("See %s.", embedded->log);
	bool full = why != NULL && strstr(why, strerror(ENOSPC)) != NULL;
	free(why);
	return full ? PH_EXIT_DISK_FULL : PH_EXIT_SERVER;
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

static PhExit
start_locked(PhEmbedded *embedded)
{
	/* another process may have made the cluster since we looked */
	set_paths(embedded);
	if (is_ready(embedded))
		return ph_cluster_refresh(embedded);
	PhExit code = choose_server(embedded);
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
	PhExit code = ph_embedded_exists(embedded) ? check_host(embedded) : PH_EXIT_OK;
	if (code != PH_EXIT_OK || (is_ready(embedded) && ph_cluster_is_current(embedded)))
		return code;
	int lock = take_lock(embedded);
	if (lock < 0)
		return errno == ENOSPC ? PH_EXIT_DISK_FULL : PH_EXIT_UNREADABLE;
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
	PhExit code = ph_embedded_exists(embedded) ? check_host(embedded) : PH_EXIT_OK;
	if (code != PH_EXIT_OK || !running)
		return code;
	code = choose_server(embedded);
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
