/*
 * embedded.h - the private PostgreSQL server of a home folder, started on demand.
 *
 * Layout: HOME/lock; HOME/cluster/ (a symbolic link to a folder below /var/lib/perfhouse when the
 * server's user cannot reach HOME) with data/, extension/, server.log, host and socket (a folder,
 * or the text of its path when the path would be too long for a Unix socket). The server listens
 * on that socket only; the folder lets in its owner and root, so connections are trusted. As root
 * the server runs as an unprivileged user.
 *
 * All functions log their own errors.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EMBEDDED_EMBEDDED_H
#define PH_EMBEDDED_EMBEDDED_H

#include <stdbool.h>
#include <sys/types.h>

#include "system/exit_codes.h"

#define PH_EMBEDDED_DATABASE "perfhouse"
#define PH_EMBEDDED_USER "perfhouse"

typedef struct PhEmbedded PhEmbedded;

/* Looks only; creates and starts nothing. */
PhExit ph_embedded_find(PhEmbedded **out);
void ph_embedded_free(PhEmbedded *embedded);

/* Make the cluster when there is none, start the server when it does not run. */
PhExit ph_embedded_start(PhEmbedded *embedded);

/* Stop the server; fine when it does not run. *was_running may be NULL. */
PhExit ph_embedded_stop(PhEmbedded *embedded, bool *was_running);

/* Stop the server, and remove the home with all data, also what lies elsewhere. */
PhExit ph_embedded_remove(PhEmbedded *embedded);

pid_t ph_embedded_pid(const PhEmbedded *embedded); /* 0: not running */
const char *ph_embedded_home(const PhEmbedded *embedded);
const char *ph_embedded_cluster(const PhEmbedded *embedded);
const char *ph_embedded_log(const PhEmbedded *embedded);

/* malloc'ed conninfo of the running server. */
char *ph_embedded_conninfo(const PhEmbedded *embedded);

/* malloc'ed folder of the running server's socket. */
char *ph_embedded_socket_folder(const PhEmbedded *embedded);

/* Folder with the server's programs (postgres, initdb), or with psql; malloc'ed; NULL: none. */
char *ph_embedded_bindir(const char *program);

#endif
