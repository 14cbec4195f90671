/*
 * status.c - names of the result codes.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "base/status.h"

static const char *const status_names[] = {
	[PH_OK] = "PH_OK",
	[PH_ERR_MEMORY] = "PH_ERR_MEMORY",
	[PH_ERR_LIMIT] = "PH_ERR_LIMIT",
	[PH_ERR_INTERRUPTED] = "PH_ERR_INTERRUPTED",
	[PH_ERR_FORMAT] = "PH_ERR_FORMAT",
	[PH_ERR_VALUE] = "PH_ERR_VALUE",
	[PH_ERR_NOT_FOUND] = "PH_ERR_NOT_FOUND",
	[PH_ERR_UNREADABLE] = "PH_ERR_UNREADABLE",
	[PH_ERR_UNSUPPORTED] = "PH_ERR_UNSUPPORTED",
	[PH_ERR_CONFLICT] = "PH_ERR_CONFLICT",
	[PH_ERR_INTERNAL] = "PH_ERR_INTERNAL",
};

const char *
ph_status_name(PhStatus status)
{
	size_t count = sizeof(status_names) / sizeof(status_names[0]);
	return (size_t) status < count ? status_names[status] : "unknown status";
}
