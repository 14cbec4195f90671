/*
 * http_stream.c - server-sent events to many clients: those without news sleep, without a thread.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <stdlib.h>
#include <string.h>

#include "serve/http_internal.h"

#define BLOCK 4096

typedef struct PhStream
{
	struct PhStream *next; /* among the sleeping ones */
	PhHttp *http;
	struct MHD_Connection *connection;
	PhEventPosition position;
	char *text; /* being sent */
	size_t size, sent;
} PhStream;

/* Something to send, the end, or sleep. Publishers take the same lock before they wake, so that
 * news cannot get lost between looking and sleeping. */
static ssize_t
read_or_sleep(PhStream *stream)
{
	PhHttp *http = stream->http;
	ssize_t result = 0;

	pthread_mutex_lock(&http->lock);
	if (http->stopping)
		result = MHD_CONTENT_READER_END_OF_STREAM;
	else
	{
		free(stream->text);
		stream->sent = 0;
		stream->text = ph_events_read(*http->settings.events, &stream->position, &stream->size);
		if (stream->text == NULL)
		{
			stream->next = http->sleeping;
			http->sleeping = stream;
			MHD_suspend_connection(stream->connection);
		}
	}
	pthread_mutex_unlock(&http->lock);
	return result;
}

static ssize_t
read_stream(void *user, uint64_t position, char *buffer, size_t most)
{
	PhStream *stream = user;
	size_t size;

	(void) position;
	if (stream->sent == stream->size)
	{
		ssize_t end = read_or_sleep(stream);

		if (end != 0 || stream->text == NULL)
			return end;
	}
	size = stream->size - stream->sent < most ? stream->size - stream->sent : most;
	memcpy(buffer, stream->text + stream->sent, size);
	stream->sent += size;
	return (ssize_t) size;
}

/*
 * Called by the library when the response ends. The stream is not in the list of sleeping ones
 * then: the library ends no suspended connection, and waking takes a stream off the list.
 */
static void
free_stream(void *user)
{
	PhStream *stream = user;

	free(stream->text);
	free(stream);
}

struct MHD_Response *
ph_http_stream(PhHttp *http, PhExchange *exchange)
{
	PhStream *stream = calloc(1, sizeof(PhStream));
	struct MHD_Response *response;

	if (stream == NULL)
		return NULL;
	stream->http = http;
	stream->connection = exchange->inside->connection;
	stream->position = ph_events_begin(*http->settings.events, exchange->last_event_id);
	response = MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK, read_stream, stream,
												 free_stream);
	if (response == NULL)
		free_stream(stream);
	return response;
}

void
ph_http_wake_streams(PhHttp *http)
{
	PhStream *stream;

	pthread_mutex_lock(&http->lock);
	stream = http->sleeping;
	http->sleeping = NULL;
	pthread_mutex_unlock(&http->lock);
	while (stream != NULL)
	{
		PhStream *next = stream->next; /* once awake, it may be gone */

		MHD_resume_connection(stream->connection);
		stream = next;
	}
}
