/*
 * request.h - the target of a request: path and parameters, decoded.
 *
 * Pure text work on whatever a client sends. Bytes that are not UTF-8, NUL, broken percent codes
 * and control characters in the path are refused here, so that nothing behind it has to.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_H
#define PH_REQUEST_H

#include <stdbool.h>
#include <stddef.h>

#define PH_TARGET_MOST_BYTES 8192
#define PH_TARGET_MOST_PARAMETERS 128
#define PH_VERSION_SIZE 40 /* of a text of run_version() */

typedef struct PhTargetParameter
{
	const char *name, *value; /* value "" when there is no '=' */
} PhTargetParameter;

typedef struct PhTarget
{
	char *text; /* owns what the others point into */
	const char *path;
	PhTargetParameter parameters[PH_TARGET_MOST_PARAMETERS];
	size_t n_parameters;
} PhTarget;

typedef enum PhTargetStatus
{
	PH_TARGET_OK,
	PH_TARGET_TOO_LONG,
	PH_TARGET_MALFORMED,
	PH_TARGET_NO_MEMORY
} PhTargetStatus;

/* text: "/path?name=value&..." as sent. *why says what is wrong (a constant). Free with
 * ph_target_free in any case. */
PhTargetStatus ph_target_parse(const char *text, PhTarget *out, const char **why);
void ph_target_free(PhTarget *target);

/* Value of the first parameter of that name; NULL: absent. */
const char *ph_target_value(const PhTarget *target, const char *name);

/* malloc'ed "/path?..." as sent, without parameters of this name: for logs and redirections. NULL:
 * out of memory. */
char *ph_target_without(const char *text, const char *name);

#endif
