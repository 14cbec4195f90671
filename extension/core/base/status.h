/*
 * status.h - result codes of the core and the error record that explains them.
 *
 * Every core function that can fail returns PhStatus and leaves its outputs untouched on failure.
 * The bounded message is in PhEnv.error. Programs map a status to an exit code, the server to an
 * SQLSTATE, each in exactly one place.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BASE_STATUS_H
#define PH_BASE_STATUS_H

#include <stddef.h>

typedef enum PhStatus
{
	PH_OK = 0,
	PH_ERR_MEMORY,		/* the allocator refused */
	PH_ERR_LIMIT,		/* a byte budget or a documented size limit would be exceeded */
	PH_ERR_INTERRUPTED, /* the interrupt callback asked to stop */
	PH_ERR_FORMAT,		/* malformed input: bytes that break their format */
	PH_ERR_VALUE,		/* well-formed input or argument with an impossible value */
	PH_ERR_NOT_FOUND,	/* a named node, metric, column or file does not exist */
	PH_ERR_UNREADABLE,	/* a file exists, but cannot be opened or read */
	PH_ERR_UNSUPPORTED, /* valid, but not something this version handles */
	PH_ERR_CONFLICT,	/* two things that must agree do not (hash collision, shapes) */
	PH_ERR_INTERNAL		/* cannot happen */
} PhStatus;

#define PH_ERROR_MAX 512

typedef struct PhError
{
	PhStatus status;
	char message[PH_ERROR_MAX]; /* primary message: lower case, no full stop */
	char hint[PH_ERROR_MAX];	/* what to do, a sentence; may be empty */
} PhError;

/* Name of a status for logs and tests, e.g. "PH_ERR_FORMAT". Never NULL. */
const char *ph_status_name(PhStatus status);

#endif
