/*
 * pq_notify.c - connections that wait: for notifications, or to be used again.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "database/pq.h"
#include "database/pq_internal.h"
#include "system/memory.h"

bool
ph_pq_is_open(PhConnection *connection)
{
	struct pollfd entry = {.fd = PQsocket(connection->pq), .events = POLLIN};

	if (PQstatus(connection->pq) != CONNECTION_OK)
		return false;
	/* the server's farewell, or the end of the stream, waits to be read */
	while (poll(&entry, 1, 0) > 0)
		if (!PQconsumeInput(connection->pq) || PQstatus(connection->pq) != CONNECTION_OK)
			return ph_pq_note(connection, NULL);
	return PQtransactionStatus(connection->pq) == PQTRANS_IDLE;
}

bool
ph_pq_await_notification(PhConnection *connection, int wait_ms, PhNotification *out)
{
	struct pollfd entry = {.fd = PQsocket(connection->pq), .events = POLLIN};
	PGnotify *notify;

	*out = (PhNotification){0};
	ph_pq_clear_error(connection);
	notify = PQnotifies(connection->pq);
	if (notify == NULL)
	{
		if (poll(&entry, 1, wait_ms) > 0 && !PQconsumeInput(connection->pq))
			return ph_pq_note(connection, NULL);
		notify = PQnotifies(connection->pq);
	}
	if (notify != NULL)
	{
		out->channel = strdup(notify->relname);
		out->payload = strdup(notify->extra);
		PQfreemem(notify);
		if (out->channel == NULL || out->payload == NULL)
		{
			ph_pq_notification_free(out);
			ph_pq_error_memory(&connection->error);
			return false;
		}
	}
	return true;
}

void
ph_pq_notification_free(PhNotification *notification)
{
	free(notification->channel);
	free(notification->payload);
	*notification = (PhNotification){0};
}
