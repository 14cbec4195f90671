/*
 * http_answer.c - answers with their headers: what a browser may do with each kind of thing.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/http_internal.h"

#define PAGE_POLICY                                                                                \
	"default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "         \
	"form-action 'self'; frame-ancestors 'self'"
#define CLOSED_POLICY "default-src 'none'; frame-ancestors 'none'; sandbox"
/* A picture that is opened on its own: no script, nothing from anywhere. */
#define VIEW_POLICY "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'self'; sandbox"

typedef struct KindHeaders
{
	const char *policy, *resource, *cache;
} KindHeaders;

static const KindHeaders kinds[] = {
	[PH_ANSWER_PAGE] = {PAGE_POLICY, "same-origin", "no-cache"},
	[PH_ANSWER_ASSET] = {CLOSED_POLICY, "same-origin", "no-cache"},
	[PH_ANSWER_DATA] = {CLOSED_POLICY, "same-origin", "no-store"},
	[PH_ANSWER_VIEW] = {VIEW_POLICY, "cross-origin", "private, no-cache"},
	[PH_ANSWER_EVENTS] = {CLOSED_POLICY, "same-origin", "no-store"}};

static void
add(struct MHD_Response *response, const char *name, const char *value)
{
	if (value != NULL && *value != '\0')
		(void) MHD_add_response_header(response, name, value);
}

static void
add_headers(struct MHD_Response *response, const PhAnswer *answer)
{
	const KindHeaders *kind = &kinds[answer->kind];
	char seconds[16];

	add(response, "Content-Type", answer->type);
	add(response, "Content-Security-Policy", kind->policy);
	add(response, "Cross-Origin-Resource-Policy", kind->resource);
	add(response, "Cache-Control", answer->status < 400 ? kind->cache : "no-store");
	add(response, "X-Content-Type-Options", "nosniff");
	add(response, "Referrer-Policy", "no-referrer");
	if (answer->kind == PH_ANSWER_PAGE)
	{
		add(response, "X-Frame-Options", "SAMEORIGIN");
		add(response, "Cross-Origin-Opener-Policy", "same-origin");
	}
	add(response, "ETag", answer->etag);
	add(response, "Location", answer->location);
	add(response, "Allow", answer->allow);
	add(response, "Set-Cookie", answer->set_cookie);
	if (answer->status == 401)
		add(response, "WWW-Authenticate", "Bearer realm=\"perfhouse\"");
	if (answer->retry_after > 0)
	{
		snprintf(seconds, sizeof(seconds), "%d", answer->retry_after);
		add(response, "Retry-After", seconds);
	}
}

/* Does the client have what it would be sent? */
static bool
is_known(struct MHD_Connection *connection, const PhAnswer *answer)
{
	const char *known =
		MHD_lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_IF_NONE_MATCH);

	return answer->status == 200 && answer->etag[0] != '\0' && known != NULL &&
		   (strstr(known, answer->etag) != NULL || strcmp(known, "*") == 0);
}

static struct MHD_Response *
make_response(PhExchange *exchange, bool empty)
{
	PhAnswer *answer = &exchange->answer;
	struct MHD_Response *response;

	if (answer->kind == PH_ANSWER_EVENTS && answer->status == 200)
		return ph_http_stream(exchange->inside->http, exchange);
	if (empty || answer->body == NULL)
		return MHD_create_response_from_buffer(0, NULL, MHD_RESPMEM_PERSISTENT);
	if (answer->owned == NULL)
		return MHD_create_response_from_buffer(answer->size, (void *) answer->body,
											   MHD_RESPMEM_PERSISTENT);
	response = MHD_create_response_from_buffer(answer->size, answer->owned, MHD_RESPMEM_MUST_FREE);
	if (response != NULL)
		answer->owned = NULL;
	return response;
}

struct MHD_Response *
ph_http_no_memory(void)
{
	PhAnswer answer = {.kind = PH_ANSWER_DATA};
	struct MHD_Response *response;

	ph_answer_memory(&answer);
	response =
		MHD_create_response_from_buffer(answer.size, (void *) answer.body, MHD_RESPMEM_PERSISTENT);
	if (response != NULL)
		add_headers(response, &answer);
	return response;
}

enum MHD_Result
ph_http_send(struct MHD_Connection *connection, PhExchange *exchange)
{
	PhAnswer *answer = &exchange->answer;
	bool known = is_known(connection, answer);
	unsigned status = known ? 304 : (unsigned) answer->status;
	struct MHD_Response *response = make_response(exchange, known);
	enum MHD_Result result;

	if (response == NULL)
		return MHD_queue_response(connection, 503, exchange->inside->http->no_memory);
	add_headers(response, answer);
	exchange->inside->status = (int) status;
	exchange->inside->size = known ? 0 : answer->size;
	result = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return result;
}
