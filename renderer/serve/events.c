/*
 * events.c - what happens in the warehouse, for pages that follow it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/events.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "queries.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"

#define KEPT 1024
#define WAIT_MS 200
#define RETRY_US 500000
#define RESET "event: reset\ndata: {}\n\n"

struct PhEvents
{
	PhConnection *first; /* as it was given */
	PhConnection *now;	 /* in use; may be the same */
	void (*wake)(void *user);
	void *user;
	pthread_t thread;
	pthread_mutex_t lock;
	char *texts[KEPT]; /* a ring: event n is at n % KEPT; NULL: lost for want of memory */
	uint64_t next;	   /* number of the next event */
	uint64_t beat;
	long long epoch; /* when the numbers began */
	bool stopping;
};

static const char *const channels[][2] = {{"perfhouse_run", "run"},
										  {"perfhouse_regression", "regression"}};

/* The payload on one line, as a field of an event must be. */
static void
flatten(char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '\n' || *text == '\r')
			*text = ' ';
}

static void
publish(PhEvents *events, const char *name, char *payload)
{
	char *text;

	flatten(payload);
	pthread_mutex_lock(&events->lock);
	if (asprintf(&text, "id: %lld-%llu\nevent: %s\ndata: %s\n\n", events->epoch,
				 (unsigned long long) events->next, name, payload) < 0)
		text = NULL;
	free(events->texts[events->next % KEPT]);
	events->texts[events->next++ % KEPT] = text;
	pthread_mutex_unlock(&events->lock);
	events->wake(events->user);
}

static void
publish_reset(PhEvents *events)
{
	char nothing[] = "{}";

	publish(events, "reset", nothing);
}

static bool
is_stopping(PhEvents *events)
{
	bool stopping;

	pthread_mutex_lock(&events->lock);
	stopping = events->stopping;
	pthread_mutex_unlock(&events->lock);
	return stopping;
}

static void
note_notification(PhEvents *events, PhNotification *notification)
{
	for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
		if (notification->channel != NULL && strcmp(notification->channel, channels[i][0]) == 0)
			publish(events, channels[i][1], notification->payload);
	ph_pq_notification_free(notification);
}

/* Until the connection is lost or the server stops. */
static void
listen_to(PhEvents *events)
{
	PhNotification notification;

	if (!ph_pq_script(events->now, ph_sql_serve_listen))
		return;
	while (!is_stopping(events) && ph_pq_await_notification(events->now, WAIT_MS, &notification))
		note_notification(events, &notification);
}

/* A new connection in place of the lost one. */
static bool
reconnect(PhEvents *events)
{
	PhConnection *connection;
	bool ok = ph_pq_connect_again(&connection, events->first);

	if (events->now != events->first)
		ph_pq_close(events->now);
	events->now = connection;
	return ok;
}

static void *
follow_events(void *user)
{
	PhEvents *events = user;

	listen_to(events);
	while (!is_stopping(events))
	{
		ph_log_warning("the connection to the warehouse is lost; trying again");
		while (!is_stopping(events) && !ph_interrupted() && !reconnect(events))
			usleep(RETRY_US);
		if (is_stopping(events) || ph_interrupted())
			break;
		ph_log_info("connected to the warehouse again");
		publish_reset(events);
		listen_to(events);
	}
	return NULL;
}

PhEvents *
ph_events_start(PhConnection *connection, void (*wake)(void *user), void *user)
{
	PhEvents *events = ph_must_alloc(1, sizeof(PhEvents));

	events->first = events->now = connection;
	events->wake = wake;
	events->user = user;
	events->epoch = (long long) time(NULL);
	pthread_mutex_init(&events->lock, NULL);
	if (pthread_create(&events->thread, NULL, follow_events, events) == 0)
		return events;
	pthread_mutex_destroy(&events->lock);
	ph_pq_close(connection);
	free(events);
	return NULL;
}

const PhConnection *
ph_events_connection(const PhEvents *events)
{
	return events->first;
}

PhEventPosition
ph_events_begin(PhEvents *events, const char *last_id)
{
	PhEventPosition position = {0};
	char *dash = NULL;
	bool ours;

	pthread_mutex_lock(&events->lock);
	position.next = events->next;
	position.beat = events->beat;
	if (last_id != NULL)
	{
		ours = strtoll(last_id, &dash, 10) == events->epoch && *dash == '-';
		position.next = ours ? strtoull(dash + 1, NULL, 10) + 1 : events->next;
		position.missed = !ours || position.next > events->next;
	}
	if (position.next > events->next)
		position.next = events->next;
	pthread_mutex_unlock(&events->lock);
	return position;
}

/* The next piece, with the lock held; NULL: none. */
static const char *
next_text(PhEvents *events, PhEventPosition *position)
{
	const char *text;

	if (!position->greeted)
	{
		position->greeted = true;
		return "retry: 3000\n\n";
	}
	if (events->next - position->next > KEPT)
	{
		position->next = events->next - KEPT;
		position->missed = true;
	}
	if (position->missed)
	{
		position->missed = false;
		return RESET;
	}
	if (position->next < events->next)
	{
		text = events->texts[position->next++ % KEPT];
		return text != NULL ? text : RESET;
	}
	if (position->beat != events->beat)
	{
		position->beat = events->beat;
		return ":\n\n";
	}
	return NULL;
}

char *
ph_events_read(PhEvents *events, PhEventPosition *position, size_t *size)
{
	PhEventPosition before = *position;
	const char *next;
	char *text;

	pthread_mutex_lock(&events->lock);
	next = next_text(events, position);
	text = next != NULL ? strdup(next) : NULL;
	if (text == NULL)
		*position = before; /* without memory: as if nothing were new, until the next beat */
	pthread_mutex_unlock(&events->lock);
	*size = text != NULL ? strlen(text) : 0;
	return text;
}

void
ph_events_beat(PhEvents *events)
{
	pthread_mutex_lock(&events->lock);
	events->beat++;
	pthread_mutex_unlock(&events->lock);
	events->wake(events->user);
}

void
ph_events_stop(PhEvents *events)
{
	pthread_mutex_lock(&events->lock);
	events->stopping = true;
	pthread_mutex_unlock(&events->lock);
	pthread_join(events->thread, NULL);
	if (events->now != events->first)
		ph_pq_close(events->now);
	ph_pq_close(events->first);
	for (size_t i = 0; i < KEPT; i++)
		free(events->texts[i]);
	pthread_mutex_destroy(&events->lock);
	free(events);
}
