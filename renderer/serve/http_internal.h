/*
 * http_internal.h - what the parts of the HTTP side share.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HTTP_INTERNAL_H
#define PH_HTTP_INTERNAL_H

#include <microhttpd.h>
#include <pthread.h>

#include "serve/http.h"

#define PH_HTTP_MOST_SOCKETS 4

/* A client's connection, for cutting it off. */
typedef struct PhClient
{
	struct PhClient *previous, *next;
	int descriptor;
	int64_t deadline_ns; /* 0: none */
	PhExchange *started; /* that is being worked on; NULL: none */
} PhClient;

struct PhHttp
{
	PhHttpSettings settings;
	struct MHD_Daemon *daemons[PH_HTTP_MOST_SOCKETS];
	size_t n_daemons;
	/* The library may hold locks of its own while it tells of clients, so theirs is apart: while
	 * it is held, nothing of the library is called. */
	pthread_mutex_t clients_lock;
	PhClient *clients;
	pthread_mutex_t lock;
	struct PhStream *sleeping; /* streams that wait for events */
	bool stopping;
	struct MHD_Response *no_memory; /* made before memory is short */
};

/* The HTTP side's own part of an exchange. */
typedef struct PhHttpInside
{
	PhHttp *http;
	struct MHD_Connection *connection;
	PhClient *client; /* NULL: there was no memory for one */
	enum
	{
		PH_STAGE_NEW,
		PH_STAGE_READ,	  /* headers are there */
		PH_STAGE_STARTED, /* being worked on */
		PH_STAGE_ANSWERED
	} stage;
	bool closes;		 /* the connection ends with the answer */
	const char *version; /* where the request's line goes on behind the address */
	int64_t started_ns;
	int status;
	size_t size;
} PhHttpInside;

/* http_answer.c: the answer when there is no memory for one; NULL: the server cannot start. */
struct MHD_Response *ph_http_no_memory(void);
/* Send an exchange's answer. */
enum MHD_Result ph_http_send(struct MHD_Connection *connection, PhExchange *exchange);

/* http_stream.c: a response that never ends; NULL: no memory. */
struct MHD_Response *ph_http_stream(PhHttp *http, PhExchange *exchange);

/* http_client.c: connections come and go. */
void ph_http_note_connection(void *user, struct MHD_Connection *connection, void **context,
							 enum MHD_ConnectionNotificationCode code);
/* The exchange is being worked on, for as long as its connection sleeps; whether its client goes is
 * looked at meanwhile. */
void ph_http_note_start(PhExchange *exchange);
void ph_http_note_end(PhExchange *exchange);
/* From now on the client has so many seconds (0: any time). */
void ph_http_give_time(PhHttp *http, struct MHD_Connection *connection, unsigned seconds);

#endif
