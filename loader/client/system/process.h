/*
 * process.h - run another program and wait for it, as this user or as the embedded server's.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_PROCESS_H
#define PH_SYSTEM_PROCESS_H

#include <stdbool.h>
#include <stdio.h>
#include <sys/types.h>

/* Who a child process runs as. */
typedef struct PhServerUser
{
	bool switches; /* false: as this process */
	uid_t uid;
	gid_t gid;
	char name[64];
} PhServerUser;

/*
 * The user who may run PostgreSQL here: this one, or for root (whom PostgreSQL refuses) postgres,
 * else nobody. False when root finds neither.
 */
bool ph_server_user(PhServerUser *out);

/*
 * Run argv[0] (a path) with its standard output and error appended to the file log (NULL: thrown
 * away) and no standard input; user NULL: as this process. Returns its exit status, 128 + signal
 * when it was killed, 127 when it could not be started.
 */
int ph_process_run(const PhServerUser *user, const char *log, const char *const *argv);

/*
 * Start argv[0] as ph_process_run does, in a session of its own, and do not wait for it: it goes on
 * when this process ends. -1 when it could not be started. ph_process_has_ended: whether it has,
 * in the meantime; asked of no other process.
 */
pid_t ph_process_start(const PhServerUser *user, const char *log, const char *const *argv);
bool ph_process_has_ended(pid_t child);

/* First line that the program prints on standard output; malloc'ed; NULL when it fails. */
char *ph_process_line(const char *const *argv);

/* The same of a program that is killed after some seconds; 0: it may take its time. */
char *ph_process_line_within(const char *const *argv, unsigned seconds);

/*
 * Start a program and read its standard output; it has no standard input, its errors go where ours
 * go. NULL when it could not be started. within: killed (SIGALRM) after some seconds, 0: not.
 * ph_process_close returns as ph_process_run does; output that was not read is thrown away.
 */
FILE *ph_process_open(const char *const *argv, pid_t *child);
FILE *ph_process_open_within(const char *const *argv, unsigned seconds, pid_t *child);
int ph_process_close(FILE *stream, pid_t child);

/* May this user enter the folder? Checks search permission on every component. */
bool ph_server_user_reaches(const PhServerUser *user, const char *folder);

#endif
