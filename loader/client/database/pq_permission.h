/*
 * pq_permission.h - what a refused right means for people: which role has it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_PQ_PERMISSION_H
#define PH_DATABASE_PQ_PERMISSION_H

#include <stddef.h>

/*
 * The server names the object that a user may not touch ("permission denied for function
 * drop_run"): say what he may not do and which role may. message is rewritten, hint filled.
 */
void ph_pq_explain_permission(const char *user, char *message, size_t message_size, char *hint,
							  size_t hint_size);

#endif
