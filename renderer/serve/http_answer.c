/*
 * http_answer.c - answers with their headers: what a browser may do with each kind of thing.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "serve/asset_coding.h"
#include "serve/cache/etag.h"
#include "serve/http_internal.h"

#define PAGE_POLICY                                                                                \
	"default-src 'self'; img-src 'self' data: blob:; object-src 'none'; base-uri 'none'; "         \
	"form-action 'self'; frame-ancestors 'self'"
#define CLOSED_POLICY "default-src 'none'; frame-ancestors 'none'; sandbox"
/* A picture that is opened on its own: no script, nothing from anywhere but what is in it. */
#define VIEW_POLICY                                                                                \
	"default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; "       \
	"sandbox"

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

/* What it is sent as, and what that depends on. */
static void
add_coding(struct MHD_Response *response, const PhAnswer *answer)
{
	if (ph_coding_is_text(answer->type))
		add(response, "Vary", "Accept-Encoding");
	if (answer->body != NULL)
		add(response, "Content-Encoding", ph_coding_name(answer->coding));
}

/* For how long a client may keep it without asking again. */
static const char *
cache_control(const PhAnswer *answer)
{
	if (answer->status >= 400)
		return "no-store";
	if (answer->is_immutable)
		return "private, max-age=31536000, immutable";
	return kinds[answer->kind].cache;
}

static void
add_headers(struct MHD_Response *response, const PhAnswer *answer, const char *tag)
{
	const KindHeaders *kind = &kinds[answer->kind];
	char seconds[16];

	add(response, "Content-Type", answer->type);
	add(response, "Content-Security-Policy", kind->policy);
	add(response, "Cross-Origin-Resource-Policy", kind->resource);
	add(response, "Cache-Control", cache_control(answer));
	add(response, "X-Content-Type-Options", "nosniff");
	add(response, "Referrer-Policy", "no-referrer");
	if (answer->kind == PH_ANSWER_PAGE)
	{
		add(response, "X-Frame-Options", "SAMEORIGIN");
		add(response, "Cross-Origin-Opener-Policy", "same-origin");
	}
	add_coding(response, answer);
	add(response, "ETag", tag);
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

/* The answer's tag; true: the client has what it would be sent. */
static bool
is_known(const PhExchange *exchange, char tag[PH_ETAG_SIZE])
{
	const PhAnswer *answer = &exchange->answer;

	tag[0] = '\0';
	if (answer->status != 200 || answer->name[0] == '\0')
		return false;
	if (ph_etag_is_known(exchange->known, answer->name, tag))
		return true;
	ph_etag_make(tag, answer->name, answer->coding);
	return false;
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
	response = MHD_create_response_from_buffer_with_free_callback_cls(
		answer->size, (void *) answer->body, ph_content_release, answer->owned);
	if (response != NULL)
		answer->owned = NULL; /* the response's */
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
		add_headers(response, &answer, "");
	return response;
}

enum MHD_Result
ph_http_send(struct MHD_Connection *connection, PhExchange *exchange)
{
	PhAnswer *answer = &exchange->answer;
	char tag[PH_ETAG_SIZE];
	bool known;
	struct MHD_Response *response;
	enum MHD_Result result;

	ph_asset_pack(answer, exchange->coding);
	known = is_known(exchange, tag);
	response = make_response(exchange, known);
	if (response == NULL)
		return MHD_queue_response(connection, 503, exchange->inside->http->no_memory);
	add_headers(response, answer, tag);
	if (exchange->inside->closes)
		add(response, "Connection", "close");
	exchange->inside->status = known ? 304 : answer->status;
	exchange->inside->size = known ? 0 : answer->size;
	result = MHD_queue_response(connection, (unsigned) exchange->inside->status, response);
	MHD_destroy_response(response);
	return result;
}
