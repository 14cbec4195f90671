/*
 * internal.h - the embedded server's state, shared by the files that implement it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_EMBEDDED_INTERNAL_H
#define PH_EMBEDDED_INTERNAL_H

#include "embedded/embedded.h"
#include "system/process.h"

struct PhEmbedded
{
	char *home;
	char *cluster;	 /* the folder, symbolic link resolved once it exists */
	char *data;		 /* cluster/data */
	char *log;		 /* cluster/server.log */
	char *extension; /* cluster/extension: the server's copy of an uninstalled build */
	char *socket;	 /* folder of the Unix socket; NULL: not decided yet */
	char *bindir;	 /* of the server; NULL: none found */
	char *program;	 /* postgres of a private tree; NULL: the one in bindir */
	int lock;		 /* descriptor of HOME/lock while a server is made or started */
	PhServerUser user;
};

/* embedded/programs.c: find the server's programs, of the version that made the data. */
PhExit ph_cluster_choose_server(PhEmbedded *embedded);

/* embedded/cluster.c: make folders and the data folder; everything belongs to the server's user. */
PhExit ph_cluster_make(PhEmbedded *embedded);

/* Rewrite data/perfhouse.conf: memory, socket, where the extension is. */
PhExit ph_cluster_configure(PhEmbedded *embedded);

/* Is the server's copy of an uninstalled build the build as it is now? */
bool ph_cluster_is_current(const PhEmbedded *embedded);

/* Copy the build again when it changed; new sessions of a running server use the copy. */
PhExit ph_cluster_refresh(const PhEmbedded *embedded);

/* Decide and make the folder of the socket. */
PhExit ph_cluster_socket(PhEmbedded *embedded);

/* embedded/tree.c: a private tree of the server's files that holds the staged extension. */
PhExit ph_cluster_tree(PhEmbedded *embedded, const char *share, const char *library);

/* The last line of the server's log that says what went wrong, for error details; malloc'ed or
 * NULL. */
char *ph_cluster_log_tail(const PhEmbedded *embedded);

#endif
