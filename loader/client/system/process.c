/*
 * process.c - child processes: switching the user, redirecting output, waiting.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/process.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/log.h"
#include "system/memory.h"

bool
ph_server_user(PhServerUser *out)
{
	memset(out, 0, sizeof(*out));
	out->uid = geteuid();
	out->gid = getegid();
	out->switches = out->uid == 0;
	const struct passwd *entry = out->switches ? getpwnam("postgres") : getpwuid(out->uid);
	if (entry == NULL && out->switches)
		entry = getpwnam("nobody");
	if (entry == NULL)
		return !out->switches;
	out->uid = entry->pw_uid;
	out->gid = entry->pw_gid;
	snprintf(out->name, sizeof(out->name), "%s", entry->pw_name);
	return true;
}

/* In the child: nothing to read, output to the log. */
static void
redirect(int output)
{
	int null = open("/dev/null", O_RDONLY);
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
		dup2(output, STDERR_FILENO) < 0)
		_exit(127);
}

static void
become(const PhServerUser *user)
{
	if (user == NULL || !user->switches)
		return;
	if (setgroups(0, NULL) != 0 || setgid(user->gid) != 0 || setuid(user->uid) != 0)
		_exit(127);
	setenv("USER", user->name, 1);
	setenv("HOME", "/", 1);
	if (chdir("/") != 0)
		_exit(127);
}

static int
wait_for(pid_t child)
{
	int status;
	while (waitpid(child, &status, 0) < 0)
	{
		if (errno != EINTR)
			return 127;
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/*
 * A log for a process of another user, in a folder of theirs: that user may open it again under its
 * own name. So it must not be another file that they have linked there, which would become theirs.
 */
static bool
give_log_away(const PhServerUser *user, const char *log, int output)
{
	struct stat info;
	if (fstat(output, &info) != 0)
		return false;
	if (S_ISREG(info.st_mode) && info.st_nlink == 1)
		return fchown(output, user->uid, user->gid) == 0;
	ph_log_error("%s is not a plain file with one name", log);
	return false;
}

/* -1: it cannot be opened. */
static int
open_log(const PhServerUser *user, const char *log)
{
	bool switches = log != NULL && user != NULL && user->switches;
	int flags =
		O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | (switches ? O_NOFOLLOW | O_NONBLOCK : 0);
	int output = open(log != NULL ? log : "/dev/null", flags, 0600);
	if (output < 0 && switches && errno == ELOOP)
		ph_log_error("%s is a symbolic link", log);
	if (output < 0 || !switches || give_log_away(user, log, output))
		return output;
	close(output);
	return -1;
}

/* -1: not started. */
static pid_t
start_logged(const PhServerUser *user, const char *log, const char *const *argv, bool detached)
{
	int output = open_log(user, log);
	if (output < 0)
		return -1;
	pid_t child = fork();
	if (child == 0)
	{
		redirect(output);
		if (detached)
			(void) setsid();
		become(user);
		/* argv is not changed by exec; its prototype predates const */
		execv(argv[0], (char *const *) (uintptr_t) argv);
		_exit(127);
	}
	close(output);
	return child;
}

int
ph_process_run(const PhServerUser *user, const char *log, const char *const *argv)
{
	pid_t child = start_logged(user, log, argv, false);
	return child < 0 ? 127 : wait_for(child);
}

pid_t
ph_process_start(const PhServerUser *user, const char *log, const char *const *argv)
{
	return start_logged(user, log, argv, true);
}

bool
ph_process_has_ended(pid_t child)
{
	int status;
	pid_t ended = waitpid(child, &status, WNOHANG);
	return ended == child || (ended < 0 && errno != EINTR);
}

/* quiet: errors are thrown away. The alarm outlives exec, and ends what does not catch it. */
static pid_t
start_reader(const char *const *argv, bool quiet, unsigned seconds, int *out)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) != 0)
		return -1;
	pid_t child = fork();
	if (child == 0)
	{
		int null = open("/dev/null", O_RDWR);
		if (null < 0 || dup2(null, STDIN_FILENO) < 0 || (quiet && dup2(null, STDERR_FILENO) < 0) ||
			dup2(ends[1], STDOUT_FILENO) < 0)
			_exit(127);
		(void) signal(SIGALRM, SIG_DFL);
		(void) alarm(seconds);
		execv(argv[0], (char *const *) (uintptr_t) argv);
		_exit(127);
	}
	close(ends[1]);
	*out = ends[0];
	return child;
}

static FILE *
open_reader(const char *const *argv, bool quiet, unsigned seconds, pid_t *child)
{
	int output = -1;
	*child = start_reader(argv, quiet, seconds, &output);
	FILE *stream = *child < 0 ? NULL : fdopen(output, "r");
	if (stream == NULL && output >= 0)
		close(output);
	if (stream == NULL && *child >= 0)
		wait_for(*child);
	return stream;
}

FILE *
ph_process_open(const char *const *argv, pid_t *child)
{
	return open_reader(argv, false, 0, child);
}

FILE *
ph_process_open_within(const char *const *argv, unsigned seconds, pid_t *child)
{
	return open_reader(argv, false, seconds, child);
}

int
ph_process_close(FILE *stream, pid_t child)
{
	while (fgetc(stream) != EOF)
		continue;
	fclose(stream);
	return wait_for(child);
}

char *
ph_process_line(const char *const *argv)
{
	return ph_process_line_within(argv, 0);
}

char *
ph_process_line_within(const char *const *argv, unsigned seconds)
{
	char line[4096];
	pid_t child;
	FILE *stream = open_reader(argv, true, seconds, &child);
	if (stream == NULL)
		return NULL;
	bool got = fgets(line, sizeof(line), stream) != NULL;
	if (ph_process_close(stream, child) != 0 || !got)
		return NULL;
	line[strcspn(line, "\n")] = '\0';
	return ph_strdup(line);
}

static bool
may_search(const PhServerUser *user, const struct stat *info)
{
	if (info->st_uid == user->uid)
		return (info->st_mode & S_IXUSR) != 0;
	if (info->st_gid == user->gid)
		return (info->st_mode & S_IXGRP) != 0;
	return (info->st_mode & S_IXOTH) != 0;
}

bool
ph_server_user_reaches(const PhServerUser *user, const char *folder)
{
	char *path = ph_strdup(folder);
	bool reaches = true;
	for (size_t at = 1; reaches && path[at - 1] != '\0'; at++)
	{
		if (path[at] != '/' && path[at] != '\0')
			continue;
		char cut = path[at];
		struct stat info;
		path[at] = '\0';
		/* what does not exist yet will be made by us */
		reaches = stat(path, &info) != 0 || may_search(user, &info);
		path[at] = cut;
	}
	free(path);
	return reaches;
}
