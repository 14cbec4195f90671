/*
 * http.c - requests through libmicrohttpd: reading, routing, sleeping while they are worked on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/http.h"
#include "serve/fair.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "serve/http_internal.h"
#include "system/log.h"
#include "system/memory.h"

#define MOST_HEADER_BYTES ((size_t) 32 * 1024)
#define SEND_SECONDS 600 /* for a whole answer, however slowly it is read */

/*
 * libmicrohttpd would parse the parameters again, into the memory of the connection, and without a
 * word close a connection that has none left: several hundred parameters, or a cookie or header
 * beside them. It does so after this call, on the same bytes: what follows the ? is cut off.
 */
static void
hide_query(const char *uri)
{
	char *query = strchr(uri, '?');

	if (query != NULL)
		query[1] = '\0';
}

/* The target comes first, before anything else is known. */
static void *
note_target(void *user, const char *uri, struct MHD_Connection *connection)
{
	PhExchange *exchange = calloc(1, sizeof(PhExchange));

	if (exchange == NULL || (exchange->inside = calloc(1, sizeof(PhHttpInside))) == NULL ||
		(exchange->raw = strdup(uri)) == NULL)
	{
		free(exchange != NULL ? exchange->inside : NULL);
		free(exchange);
		return NULL;
	}
	exchange->inside->http = user;
	exchange->inside->connection = connection;
	exchange->inside->started_ns = ph_now_ns();
	exchange->inside->version = uri + strlen(uri) + 1;
	exchange->target_status = ph_target_parse(uri, &exchange->target, &exchange->target_why);
	hide_query(uri);
	return exchange;
}

static const char *
header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* Tabs of a browser name themselves: one that asks for much does not keep the others waiting. */
static uint64_t
client_number(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *address = info != NULL ? info->client_addr : NULL;
	const char *tab = header(connection, "X-Perfhouse-Tab");

	if (address == NULL)
		return ph_fair_client("", 0, tab);
	if (address->sa_family == AF_INET6)
		return ph_fair_client(&((const struct sockaddr_in6 *) address)->sin6_addr,
							  sizeof(struct in6_addr), tab);
	return ph_fair_client(&((const struct sockaddr_in *) address)->sin_addr, sizeof(struct in_addr),
						  tab);
}

static void
read_headers(struct MHD_Connection *connection, PhExchange *exchange)
{
	exchange->headers = (PhGuardHeaders){
		.host = header(connection, "Host"),
		.origin = header(connection, "Origin"),
		.fetch_site = header(connection, "Sec-Fetch-Site"),
		.fetch_mode = header(connection, "Sec-Fetch-Mode"),
		.fetch_dest = header(connection, "Sec-Fetch-Dest"),
		.authorization = header(connection, "Authorization"),
		.cookie = MHD_lookup_connection_value(connection, MHD_COOKIE_KIND, PH_COOKIE_NAME)};
	exchange->last_event_id = header(connection, "Last-Event-ID");
	exchange->coding = ph_coding_choose(header(connection, "Accept-Encoding"));
	exchange->client = client_number(connection);
	/* others read it while the connection sleeps */
	if (header(connection, "If-None-Match") != NULL)
		exchange->known = strdup(header(connection, "If-None-Match"));
}

typedef struct Framing
{
	unsigned hosts, lengths, codings, authorizations;
	bool has_body;
} Framing;

static enum MHD_Result
count_header(void *user, enum MHD_ValueKind kind, const char *name, const char *value)
{
	Framing *framing = user;

	(void) kind;
	framing->hosts += strcasecmp(name, "Host") == 0;
	framing->authorizations += strcasecmp(name, "Authorization") == 0;
	if (strcasecmp(name, "Content-Length") == 0)
	{
		framing->lengths++;
		framing->has_body |= value == NULL || strspn(value, "0") != strlen(value);
	}
	if (strcasecmp(name, "Transfer-Encoding") == 0)
	{
		framing->codings++;
		framing->has_body = true;
	}
	return MHD_YES;
}

/*
 * Where a request ends must be as clear to a proxy in front as it is here, and who asks, too: a
 * request with a body, or with one of these headers twice, is the last one of its connection. True:
 * it is answered.
 */
static bool
refuse_framing(struct MHD_Connection *connection, PhExchange *exchange)
{
	Framing framing = {0};
	bool reads = strcmp(exchange->method, "GET") == 0 || strcmp(exchange->method, "HEAD") == 0;

	MHD_get_connection_values(connection, MHD_HEADER_KIND, count_header, &framing);
	if (!framing.has_body && framing.hosts <= 1 && framing.authorizations <= 1 &&
		framing.lengths <= 1)
		return false;
	exchange->inside->closes = true;
	if (!reads)
		exchange->answer.allow = "GET, HEAD";
	ph_answer_error(&exchange->answer, reads ? 400 : 405,
					framing.has_body ? "requests have no body" : "a header is there twice", NULL,
					NULL);
	return true;
}

/*
 * The library ends the address at a NUL, and would answer what is before it. Its texts lie where
 * they were read: what is between the address as it gave it and the version is of the address. A
 * library that copies them is believed.
 */
static bool
refuse_nul(PhExchange *exchange, const char *version)
{
	uintptr_t ends = (uintptr_t) exchange->inside->version;
	uintptr_t begins = (uintptr_t) version;

	if (version == NULL || version[0] == '\0' || begins <= ends ||
		begins - ends > MOST_HEADER_BYTES)
		return false;
	exchange->inside->closes = true;
	ph_answer_error(&exchange->answer, 400, "there is a NUL in the address", NULL, NULL);
	return true;
}

static enum MHD_Result
send_answer(struct MHD_Connection *connection, PhExchange *exchange)
{
	PhHttp *http = exchange->inside->http;
	bool endless = exchange->answer.kind == PH_ANSWER_EVENTS && exchange->answer.status == 200;

	exchange->inside->stage = PH_STAGE_ANSWERED;
	ph_http_give_time(http, connection, endless ? 0 : SEND_SECONDS);
	return ph_http_send(connection, exchange);
}

void
ph_http_resume(PhExchange *exchange)
{
	ph_http_note_end(exchange);
	MHD_resume_connection(exchange->inside->connection);
}

/*
 * Hands the exchange to a worker. The connection is suspended before that: a worker may have
 * finished and resumed it before start returns, and a resume that precedes its suspend would be
 * lost.
 */
static enum MHD_Result
start_work(struct MHD_Connection *connection, PhExchange *exchange)
{
	PhHttp *http = exchange->inside->http;

	exchange->inside->stage = PH_STAGE_STARTED;
	ph_http_give_time(http, connection, 0);
	MHD_suspend_connection(connection);
	ph_http_note_start(exchange);
	if (!http->settings.start(http->settings.user, exchange))
		ph_http_resume(exchange);
	return MHD_YES;
}

static bool
is_stopping(PhHttp *http)
{
	bool stopping;

	pthread_mutex_lock(&http->lock);
	stopping = http->stopping;
	pthread_mutex_unlock(&http->lock);
	return stopping;
}

static enum MHD_Result
handle(void *user, struct MHD_Connection *connection, const char *url, const char *method,
	   const char *version, const char *data, size_t *data_size, void **context)
{
	PhHttp *http = user;
	PhExchange *exchange = *context;

	(void) url;
	(void) data;
	if (exchange == NULL)
		return MHD_queue_response(connection, 503, http->no_memory);
	if (exchange->inside->stage == PH_STAGE_NEW)
	{
		exchange->inside->stage = PH_STAGE_READ;
		exchange->method = method;
		return refuse_nul(exchange, version) || refuse_framing(connection, exchange)
				   ? send_answer(connection, exchange)
				   : MHD_YES;
	}
	if (*data_size > 0)
	{
		*data_size = 0; /* nothing here takes a body */
		return MHD_YES;
	}
	if (exchange->inside->stage == PH_STAGE_STARTED)
		return send_answer(connection, exchange);
	read_headers(connection, exchange);
	if (is_stopping(http))
	{
		ph_answer_error(&exchange->answer, 503, "the server is stopping", NULL, NULL);
		return send_answer(connection, exchange);
	}
	if (http->settings.route(http->settings.user, exchange))
		return send_answer(connection, exchange);
	return start_work(connection, exchange);
}

/* ---- the end of a request ------------------------------------------------------------------ */

static const char *
client_address(struct MHD_Connection *connection, char *out, socklen_t size)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
	const struct sockaddr *address = info != NULL ? info->client_addr : NULL;
	const void *bytes;

	if (address == NULL)
		return "-";
	if (address->sa_family == AF_INET6)
		bytes = &((const struct sockaddr_in6 *) address)->sin6_addr;
	else
		bytes = &((const struct sockaddr_in *) address)->sin_addr;
	return inet_ntop(address->sa_family, bytes, out, size) != NULL ? out : "-";
}

/* A line per request: time, client, request, status, bytes, milliseconds; the token is left out. */
static void
log_exchange(const PhHttp *http, struct MHD_Connection *connection, const PhExchange *exchange)
{
	double ms = (double) (ph_now_ns() - exchange->inside->started_ns) / 1e6;
	char *target = ph_target_without(exchange->raw, "token");
	char address[INET6_ADDRSTRLEN];
	char when[32];
	struct tm utc;
	time_t now = time(NULL);

	for (char *p = target; p != NULL && *p != '\0'; p++)
		if ((unsigned char) *p < 0x21 || (unsigned char) *p > 0x7e || *p == '"')
			*p = '?';
	strftime(when, sizeof(when), "%Y-%m-%dT%H:%M:%SZ", gmtime_r(&now, &utc));
	fprintf(http->settings.access_log, "%s %s \"%s %s\" %d %zu %.1f\n", when,
			client_address(connection, address, sizeof(address)),
			exchange->method != NULL ? exchange->method : "-", target != NULL ? target : "-",
			exchange->inside->status, exchange->inside->size, ms);
	fflush(http->settings.access_log);
	free(target);
}

static void
finish(void *user, struct MHD_Connection *connection, void **context,
	   enum MHD_RequestTerminationCode code)
{
	PhHttp *http = user;
	PhExchange *exchange = *context;

	(void) code;
	ph_http_give_time(http, connection, http->settings.client_timeout);
	if (exchange == NULL)
		return;
	if (http->settings.access_log != NULL)
		log_exchange(http, connection, exchange);
	http->settings.forget(exchange);
	ph_answer_free(&exchange->answer);
	ph_target_free(&exchange->target);
	free(exchange->raw);
	free(exchange->known);
	free(exchange->inside);
	free(exchange);
	*context = NULL;
}

/* ---- start and stop ------------------------------------------------------------------------ */

static void
log_daemon(void *user, const char *format, va_list arguments)
{
	char message[512];

	(void) user;
	vsnprintf(message, sizeof(message), format, arguments);
	message[strcspn(message, "\n")] = '\0';
	ph_log_debug("http: %s", message);
}

static struct MHD_Daemon *
start_daemon(PhHttp *http, int descriptor)
{
	const PhHttpSettings *settings = &http->settings;
	unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ERROR_LOG;
	struct MHD_OptionItem tls[] = {
		{MHD_OPTION_HTTPS_MEM_CERT, 0, (void *) settings->certificate},
		{MHD_OPTION_HTTPS_MEM_KEY, 0, (void *) settings->key},
		{MHD_OPTION_HTTPS_PRIORITIES, 0, (void *) "NORMAL:-VERS-TLS1.0:-VERS-TLS1.1"},
		{MHD_OPTION_END, 0, NULL}};

	if (settings->certificate != NULL)
		flags |= MHD_USE_TLS;
	else
		tls[0].option = MHD_OPTION_END;
	return MHD_start_daemon(
		flags, 0, NULL, NULL, handle, http, MHD_OPTION_EXTERNAL_LOGGER, log_daemon, NULL,
		MHD_OPTION_LISTEN_SOCKET, descriptor, MHD_OPTION_URI_LOG_CALLBACK, note_target, http,
		MHD_OPTION_NOTIFY_COMPLETED, finish, http, MHD_OPTION_NOTIFY_CONNECTION,
		ph_http_note_connection, http, MHD_OPTION_CONNECTION_LIMIT, settings->connections,
		MHD_OPTION_CONNECTION_TIMEOUT, settings->client_timeout, MHD_OPTION_CONNECTION_MEMORY_LIMIT,
		MOST_HEADER_BYTES, MHD_OPTION_ARRAY, tls, MHD_OPTION_END);
}

PhHttp *
ph_http_start(const PhHttpSettings *settings)
{
	PhHttp *http = ph_must_alloc(1, sizeof(PhHttp));

	http->settings = *settings;
	pthread_mutex_init(&http->lock, NULL);
	pthread_mutex_init(&http->clients_lock, NULL);
	http->no_memory = ph_http_no_memory();
	if (http->no_memory == NULL)
	{
		ph_log_error("out of memory");
		ph_http_stop(http);
		return NULL;
	}
	for (; http->n_daemons < settings->n_sockets; http->n_daemons++)
	{
		http->daemons[http->n_daemons] = start_daemon(http, settings->sockets[http->n_daemons]);
		if (http->daemons[http->n_daemons] != NULL)
			continue;
		ph_log_error("the HTTP server cannot be started%s",
					 settings->certificate != NULL ? "; see the certificate and its key" : "");
		ph_http_stop(http);
		return NULL;
	}
	return http;
}

void
ph_http_quiesce(PhHttp *http)
{
	for (size_t i = 0; i < http->n_daemons; i++)
	{
		int descriptor = MHD_quiesce_daemon(http->daemons[i]);

		if (descriptor >= 0)
			close(descriptor);
	}
	pthread_mutex_lock(&http->lock);
	http->stopping = true;
	pthread_mutex_unlock(&http->lock);
	ph_http_wake_streams(http);
}

void
ph_http_stop(PhHttp *http)
{
	for (size_t i = 0; i < http->n_daemons; i++)
		MHD_stop_daemon(http->daemons[i]);
	if (http->no_memory != NULL)
		MHD_destroy_response(http->no_memory);
	pthread_mutex_destroy(&http->clients_lock);
	pthread_mutex_destroy(&http->lock);
	free(http);
}
