/*
 * exit_codes.h - what the programs' exit codes mean, and the only mappings onto them.
 *
 * The numbers are an interface: scripts test them, the man page lists them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SYSTEM_EXIT_CODES_H
#define PH_SYSTEM_EXIT_CODES_H

#include "base/status.h"

typedef enum PhExit
{
	PH_EXIT_OK = 0,
	PH_EXIT_ERROR = 1,		   /* any other error; of several files: some failed */
	PH_EXIT_USAGE = 2,		   /* the command line */
	PH_EXIT_INPUT = 3,		   /* malformed input file */
	PH_EXIT_UNREADABLE = 4,	   /* a file cannot be opened, read or written */
	PH_EXIT_UNREACHABLE = 5,   /* no connection to the database, or it was lost */
	PH_EXIT_AUTH = 6,		   /* wrong password, unknown role or database */
	PH_EXIT_PERMISSION = 7,	   /* the role may not do this */
	PH_EXIT_SCHEMA = 8,		   /* warehouse tables missing, too old or too new */
	PH_EXIT_EXTENSION = 9,	   /* the extension is missing or of another version */
	PH_EXIT_DISK_FULL = 10,	   /* no space left, here or on the server */
	PH_EXIT_MEMORY = 11,	   /* out of memory, or a limit was exceeded */
	PH_EXIT_CONFLICT = 12,	   /* things that must agree do not */
	PH_EXIT_NOT_FOUND = 13,	   /* no such run, metric, node or file */
	PH_EXIT_UNSUPPORTED = 14,  /* valid, but not something this version handles */
	PH_EXIT_SERVER = 15,	   /* the embedded server cannot be set up or started */
	PH_EXIT_UNHEALTHY = 16,	   /* doctor found something wrong */
	PH_EXIT_REGRESSION = 17,   /* regressions that --fail-on asks for; the gate: slower */
	PH_EXIT_INCOMPARABLE = 18, /* runs of different experiments, which nothing judges */
	PH_EXIT_UNKNOWN = 19,	   /* the gate cannot tell, which --fail-on unknown does not accept */
	PH_EXIT_INTERNAL = 70,	   /* cannot happen: please report */
	PH_EXIT_INTERRUPTED = 130  /* SIGINT or SIGTERM */
} PhExit;

/* One line for help and man pages; "unknown" for other numbers. */
const char *ph_exit_meaning(PhExit code);

PhExit ph_exit_from_status(PhStatus status);

/* sqlstate: five characters; "" or NULL (no answer from a server) is PH_EXIT_UNREACHABLE. */
PhExit ph_exit_from_sqlstate(const char *sqlstate);

/* From errno of a failed open, read, write or mkdir. */
PhExit ph_exit_from_errno(int error);

#endif
