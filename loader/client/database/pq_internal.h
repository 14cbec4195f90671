/*
 * pq_internal.h - what the parts of the PostgreSQL client share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_PQ_INTERNAL_H
#define PH_DATABASE_PQ_INTERNAL_H

#include "database/pq.h"

/* Fill the error record from a result, or from the connection when result is NULL. Returns false.
 */
bool ph_pq_note(PhConnection *connection, const PGresult *result);

/* Wait until the next result is there, cancelling on an interrupt. NULL: no more results. */
PGresult *ph_pq_next_result(PhConnection *connection);

/* Read and drop what is left of the current query. */
void ph_pq_drain(PhConnection *connection);

/* Wait for the socket: reading always, writing when asked. Wakes up now and then for interrupts. */
void ph_pq_wait(PhConnection *connection, bool writing);

/* How long waiting goes on before it looks for interrupts. */
#define PH_PQ_WAKE_UP_MS 200

/* The connection is gone: notes what libpq says. Always false. */
bool ph_pq_note_lost(PhConnection *connection);

/* One line without trailing blanks. */
void ph_pq_copy_line(char *out, size_t size, const char *text);

/* Forget the last error before a new call. */
void ph_pq_clear_error(PhConnection *connection);

/* Send; false with the error noted. */
bool ph_pq_send(PhConnection *connection, const char *sql, const PhParam *params, int n_params,
				bool binary);

/* The same calls as ph_pq_copy_*, by INSERT. *is_insert false: it is for COPY. connection->insert
 * is set from the beginning to the end. */
bool ph_pq_insert_begin(PhConnection *connection, const char *sql, bool *is_insert);
bool ph_pq_insert_put(PhConnection *connection, const char *bytes, size_t size);
bool ph_pq_insert_end(PhConnection *connection, const char *why, int64_t *n_rows);

#endif
