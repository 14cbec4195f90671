/*
 * http_client.c - clients' connections: cutting off those that are too slow, noticing those that
 * go.
 *
 * The library's own timeout starts anew with every byte; the deadlines here do not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <poll.h>
#include <stdlib.h>
#include <sys/socket.h>

#include "serve/http_internal.h"
#include "system/log.h"

#define SECOND INT64_C(1000000000)
#define CLIENT_HAS_GONE 499 /* in the log only, as other servers have it */

static PhClient *
client_of(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	return info != NULL ? info->socket_context : NULL;
}

static void
add_client(PhHttp *http, struct MHD_Connection *connection, void **context)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
	PhClient *client = calloc(1, sizeof(PhClient));

	if (client == NULL) /* it is answered, but not cut off when it is slow */
		return;
	client->descriptor = info != NULL ? info->connect_fd : -1;
	client->deadline_ns = ph_now_ns() + http->settings.client_timeout * SECOND;
	pthread_mutex_lock(&http->clients_lock);
	client->next = http->clients;
	if (client->next != NULL)
		client->next->previous = client;
	http->clients = client;
	pthread_mutex_unlock(&http->clients_lock);
	*context = client;
}

static void
remove_client(PhHttp *http, PhClient *client)
{
	pthread_mutex_lock(&http->clients_lock);
	if (client->previous != NULL)
		client->previous->next = client->next;
	else
		http->clients = client->next;
	if (client->next != NULL)
		client->next->previous = client->previous;
	pthread_mutex_unlock(&http->clients_lock);
	free(client);
}

/* Both calls come while the descriptor is open. */
void
ph_http_note_connection(void *user, struct MHD_Connection *connection, void **context,
						enum MHD_ConnectionNotificationCode code)
{
	if (code == MHD_CONNECTION_NOTIFY_STARTED)
		add_client(user, connection, context);
	else if (*context != NULL)
		remove_client(user, *context);
}

void
ph_http_give_time(PhHttp *http, struct MHD_Connection *connection, unsigned seconds)
{
	PhClient *client = client_of(connection);

	if (client == NULL)
		return;
	pthread_mutex_lock(&http->clients_lock);
	client->deadline_ns = seconds > 0 ? ph_now_ns() + seconds * SECOND : 0;
	pthread_mutex_unlock(&http->clients_lock);
}

void
ph_http_note_start(PhExchange *exchange)
{
	PhHttp *http = exchange->inside->http;
	PhClient *client = client_of(exchange->inside->connection);

	exchange->inside->client = client;
	if (client == NULL) /* if it goes, it will be noticed when it is answered */
		return;
	pthread_mutex_lock(&http->clients_lock);
	client->started = exchange;
	pthread_mutex_unlock(&http->clients_lock);
}

void
ph_http_note_end(PhExchange *exchange)
{
	PhHttp *http = exchange->inside->http;

	if (exchange->inside->client == NULL)
		return;
	pthread_mutex_lock(&http->clients_lock);
	exchange->inside->client->started = NULL;
	pthread_mutex_unlock(&http->clients_lock);
}

/* Has the other side closed the connection, or its half of it? The library does not look while the
 * connection is suspended. */
static bool
has_gone(const PhClient *client)
{
	struct pollfd entry = {.fd = client->descriptor, .events = POLLRDHUP};

	return client->descriptor >= 0 && poll(&entry, 1, 0) == 1 &&
		   (entry.revents & (POLLRDHUP | POLLHUP | POLLERR)) != 0;
}

/* With the lock held: takes the exchange of a client that has gone from whoever works on it. */
static bool
leave(PhHttp *http, PhClient *client)
{
	PhExchange *exchange = client->started;

	if (exchange == NULL || !has_gone(client) ||
		!http->settings.leave(http->settings.user, exchange))
		return false;
	client->started = NULL;
	exchange->answer.status = CLIENT_HAS_GONE;
	return true;
}

/* With the lock held. */
static void
cut_off(PhClient *client, int64_t now)
{
	if (client->deadline_ns == 0 || client->deadline_ns >= now || client->descriptor < 0)
		return;
	/* the daemon's thread sees the end and cleans up */
	shutdown(client->descriptor, SHUT_RDWR);
	client->deadline_ns = 0;
}

void
ph_http_sweep(PhHttp *http)
{
	int64_t now = ph_now_ns();
	PhExchange *left = NULL;

	pthread_mutex_lock(&http->clients_lock);
	for (PhClient *client = http->clients; client != NULL; client = client->next)
	{
		PhExchange *exchange = client->started;

		cut_off(client, now);
		if (leave(http, client))
		{
			exchange->next = left;
			left = exchange;
		}
	}
	pthread_mutex_unlock(&http->clients_lock);
	while (left != NULL)
	{
		PhExchange *next = left->next; /* once awake, it may be gone */

		MHD_resume_connection(left->inside->connection);
		left = next;
	}
}
