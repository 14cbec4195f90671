/*
 * exit_codes.c - the mappings onto exit codes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "system/exit_codes.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

typedef struct Meaning
{
	PhExit code;
	const char *text;
} Meaning;

static const Meaning meanings[] = {
	{PH_EXIT_OK, "success"},
	{PH_EXIT_ERROR, "an error that has no code of its own, or some of several inputs failed"},
	{PH_EXIT_USAGE, "wrong command line"},
	{PH_EXIT_INPUT, "malformed input file"},
	{PH_EXIT_UNREADABLE, "a file or folder cannot be read or written"},
	{PH_EXIT_UNREACHABLE, "the database cannot be reached, or the connection was lost"},
	{PH_EXIT_AUTH, "the database refused the login: password, role or database name"},
	{PH_EXIT_PERMISSION, "the database role may not do this"},
	{PH_EXIT_SCHEMA, "the warehouse's tables are missing, too old or too new"},
	{PH_EXIT_EXTENSION, "the extension is missing or of another version"},
	{PH_EXIT_DISK_FULL, "no space left on a disk"},
	{PH_EXIT_MEMORY, "out of memory, or a limit would be exceeded"},
	{PH_EXIT_CONFLICT, "things that must agree do not"},
	{PH_EXIT_NOT_FOUND, "no such run, metric, node or file"},
	{PH_EXIT_UNSUPPORTED, "valid, but not something this version handles"},
	{PH_EXIT_SERVER, "the embedded server cannot be set up or started"},
	{PH_EXIT_UNHEALTHY, "doctor found something wrong"},
	{PH_EXIT_REGRESSION,
	 "there are regressions of the kind that --fail-on names, or the gate found it slower"},
	{PH_EXIT_INCOMPARABLE, "the runs cannot be compared: they differ in what makes an experiment"},
	{PH_EXIT_UNKNOWN, "the runs do not tell whether it is slower, which --fail-on unknown refuses"},
	{PH_EXIT_INTERNAL, "internal error"},
	{PH_EXIT_INTERRUPTED, "interrupted"},
};

const char *
ph_exit_meaning(PhExit code)
{
	for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
		if (meanings[i].code == code)
			return meanings[i].text;
	return "unknown";
}

PhExit
ph_exit_from_status(PhStatus status)
{
	switch (status)
	{
		case PH_OK:
			return PH_EXIT_OK;
		case PH_ERR_MEMORY:
		case PH_ERR_LIMIT:
			return PH_EXIT_MEMORY;
		case PH_ERR_INTERRUPTED:
			return PH_EXIT_INTERRUPTED;
		case PH_ERR_FORMAT:
		case PH_ERR_VALUE:
			return PH_EXIT_INPUT;
		case PH_ERR_NOT_FOUND:
			return PH_EXIT_NOT_FOUND;
		case PH_ERR_UNREADABLE:
			return PH_EXIT_UNREADABLE;
		case PH_ERR_UNSUPPORTED:
			return PH_EXIT_UNSUPPORTED;
		case PH_ERR_CONFLICT:
			return PH_EXIT_CONFLICT;
		case PH_ERR_INTERNAL:
			break;
	}
	return PH_EXIT_INTERNAL;
}

typedef struct StateCode
{
	const char *prefix; /* of an SQLSTATE; the first that fits wins */
	PhExit code;
} StateCode;

static const StateCode states[] = {
	{"PH001", PH_EXIT_INPUT},	  {"PH002", PH_EXIT_NOT_FOUND},	  {"PH003", PH_EXIT_UNSUPPORTED},
	{"53100", PH_EXIT_DISK_FULL}, {"53300", PH_EXIT_UNREACHABLE}, {"53", PH_EXIT_MEMORY},
	{"54", PH_EXIT_MEMORY},		  {"42501", PH_EXIT_PERMISSION},  {"25006", PH_EXIT_PERMISSION},
	{"28", PH_EXIT_AUTH},		  {"3D000", PH_EXIT_AUTH},		  {"57014", PH_EXIT_INTERRUPTED},
	{"57", PH_EXIT_UNREACHABLE},  {"08", PH_EXIT_UNREACHABLE},	  {"3F000", PH_EXIT_SCHEMA},
	{"42P01", PH_EXIT_SCHEMA},	  {"42703", PH_EXIT_SCHEMA},	  {"42883", PH_EXIT_EXTENSION},
	{"42704", PH_EXIT_EXTENSION}, {"58P01", PH_EXIT_EXTENSION},	  {"23", PH_EXIT_CONFLICT},
	{"40", PH_EXIT_CONFLICT},	  {"XX", PH_EXIT_INTERNAL},
};

PhExit
ph_exit_from_sqlstate(const char *sqlstate)
{
	if (sqlstate == NULL || *sqlstate == '\0')
		return PH_EXIT_UNREACHABLE;
	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strncmp(sqlstate, states[i].prefix, strlen(states[i].prefix)) == 0)
			return states[i].code;
	return PH_EXIT_ERROR;
}

PhExit
ph_exit_from_errno(int error)
{
	switch (error)
	{
		case ENOSPC:
		case EDQUOT:
			return PH_EXIT_DISK_FULL;
		case ENOMEM:
			return PH_EXIT_MEMORY;
		case ENOENT:
			return PH_EXIT_NOT_FOUND;
		case EINTR:
			return PH_EXIT_INTERRUPTED;
		default:
			return PH_EXIT_UNREADABLE;
	}
}
