/*
 * http.h - the HTTP side: connections, requests in, answers out; knows nothing of their meaning.
 *
 * One thread per listening socket serves all its connections without blocking. What takes time is
 * handed over (start) while the connection sleeps, and ph_http_resume wakes it. Clients that are
 * too slow to ask or to read are cut off. Only http*.c know libmicrohttpd.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HTTP_H
#define PH_HTTP_H

#include <stdint.h>
#include <stdio.h>

#include "serve/answer.h"
#include "serve/events.h"
#include "serve/guard.h"
#include "serve/request.h"

typedef struct PhHttp PhHttp;

/* A request on its way to an answer. */
typedef struct PhExchange
{
	char *raw; /* the target as sent */
	const char *method;
	PhTargetStatus target_status;
	const char *target_why; /* what is wrong with it */
	PhTarget target;
	char version[PH_VERSION_SIZE]; /* of the runs, as the address names it; "": it does not */
	PhGuardHeaders headers;		   /* valid while it is routed */
	const char *last_event_id;
	char *known;	 /* copy of If-None-Match; NULL: absent, or no memory for it */
	PhCoding coding; /* that the client likes best */
	uint64_t client; /* fair.h */
	PhAnswer answer;
	void *work;					/* of whoever answers; freed by it */
	struct PhExchange *next;	/* of those who wait for the same; theirs who answer */
	struct PhFlight *waits_for; /* guarded by its lock */
	struct PhHttpInside *inside;
} PhExchange;

typedef struct PhHttpSettings
{
	const int *sockets; /* listening; taken over */
	size_t n_sockets;
	const char *certificate, *key; /* PEM; NULL: no TLS */
	unsigned connections;
	unsigned client_timeout; /* seconds */
	FILE *access_log;		 /* NULL: none */
	PhEvents **events;		 /* for answers of the kind PH_ANSWER_EVENTS */
	void *user;
	/* Answers at once (true) or finds out what to do. */
	bool (*route)(void *user, PhExchange *exchange);
	/* Hands over; false: cannot, and has answered why. */
	bool (*start)(void *user, PhExchange *exchange);
	/* The client of an exchange that was started has gone. True: it is answered, as far as that
	 * matters any more, and will not be resumed by anybody else. */
	bool (*leave)(void *user, PhExchange *exchange);
	/* Frees exchange->work. */
	void (*forget)(PhExchange *exchange);
} PhHttpSettings;

/* NULL: the reason is logged. */
PhHttp *ph_http_start(const PhHttpSettings *settings);

/* The exchange is answered; called once, by any thread, after start. */
void ph_http_resume(PhExchange *exchange);

/* There are new events. */
void ph_http_wake_streams(PhHttp *http);

/* Cuts off clients that are too slow, notices those that have gone; call several times a second. */
void ph_http_sweep(PhHttp *http);

/* No new connections and requests; streams of events end. */
void ph_http_quiesce(PhHttp *http);
/* Ends. Nothing that was started may be unanswered. */
void ph_http_stop(PhHttp *http);

#endif
