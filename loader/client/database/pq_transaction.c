/*
 * pq_transaction.c - begin, commit and roll back.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "database/pq_internal.h"

bool
ph_pq_begin(PhConnection *connection)
{
	return ph_pq_execute(connection, "BEGIN", NULL, 0);
}

bool
ph_pq_commit(PhConnection *connection)
{
	return ph_pq_execute(connection, "COMMIT", NULL, 0);
}

static bool
in_transaction(const PhConnection *connection)
{
	PGTransactionStatusType status = PQtransactionStatus(connection->pq);

	return status == PQTRANS_INTRANS || status == PQTRANS_INERROR;
}

void
ph_pq_rollback(PhConnection *connection)
{
	PhPqError kept = connection->error;

	if (connection->in_copy)
		ph_pq_copy_end(connection, "rolled back", NULL);
	if (in_transaction(connection))
		(void) ph_pq_execute(connection, "ROLLBACK", NULL, 0);
	connection->error = kept;
}
