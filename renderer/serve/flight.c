/*
 * flight.c - requests for the same thing share the work of answering it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/flight.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "serve/cache/entry.h"
#include "serve/cache/etag.h"
#include "system/memory.h"

typedef enum Stage
{
	STAGE_QUEUED, /* others may join by what they ask for */
	STAGE_LOOKING,
	STAGE_MAKING /* others may join by the key, if there is one */
} Stage;

typedef struct PhFlight
{
	struct PhFlight *next; /* of all */
	PhFlights *flights;
	Stage stage;
	PhExchange *waiting;
	size_t n_waiting;
	atomic_bool is_abandoned; /* all who waited have gone */
	uint64_t client;		  /* who asked first */
	PhWork *work;
	PhTarget target; /* what the work's texts point into */
	char *what;
	char *key;						 /* NULL: it has no version */
	char version[PH_VERSION_SIZE];	 /* of the runs */
	PhAnswer answer;				 /* its body is in bodies, too, or there alone */
	PhContent *bodies[PH_N_CODINGS]; /* as far as they have been made */
} PhFlight;

struct PhFlights
{
	PhFlightSettings settings;
	pthread_mutex_t lock;
	PhFlight *all;
	PhFlightCounts counts;
};

PhFlights *
ph_flights_new(const PhFlightSettings *settings)
{
	PhFlights *flights = ph_must_alloc(1, sizeof(PhFlights));

	flights->settings = *settings;
	pthread_mutex_init(&flights->lock, NULL);
	return flights;
}

void
ph_flights_free(PhFlights *flights)
{
	if (flights == NULL)
		return;
	pthread_mutex_destroy(&flights->lock);
	free(flights);
}

PhFlightCounts
ph_flights_counts(PhFlights *flights)
{
	PhFlightCounts counts;

	pthread_mutex_lock(&flights->lock);
	counts = flights->counts;
	pthread_mutex_unlock(&flights->lock);
	return counts;
}

/* ---- one flight ---------------------------------------------------------------------------- */

static int
by_name(const void *a, const void *b)
{
	const PhTargetParameter *const *x = a;
	const PhTargetParameter *const *y = b;
	int order = strcmp((*x)->name, (*y)->name);

	/* repeated ones stay in their order */
	return order != 0 ? order : (*x > *y) - (*x < *y);
}

/* Path and parameters, in an order that does not depend on the request's: malloc'ed; NULL: no
 * memory. Texts have no zero byte, and names and values are told apart by one that cannot be in
 * UTF-8. */
static char *
name_target(const PhTarget *target, const char *program)
{
	const PhTargetParameter *sorted[PH_TARGET_MOST_PARAMETERS];
	PhTextStream stream;

	if (!ph_text_stream_open(&stream))
		return NULL;
	for (size_t i = 0; i < target->n_parameters; i++)
		sorted[i] = &target->parameters[i];
	qsort(sorted, target->n_parameters, sizeof(sorted[0]), by_name);
	fprintf(stream.file, "%s\n%s", program, target->path);
	for (size_t i = 0; i < target->n_parameters; i++)
		fprintf(stream.file, "\xff%s\xff%s", sorted[i]->name, sorted[i]->value);
	return ph_text_stream_take(&stream, NULL);
}

/* Takes over the exchange's work and the texts of its target; NULL: no memory, and it keeps them.
 */
static PhFlight *
flight_new(PhFlights *flights, PhExchange *exchange)
{
	PhFlight *flight = calloc(1, sizeof(PhFlight));

	if (flight == NULL)
		return NULL;
	flight->what = name_target(&exchange->target, flights->settings.program);
	if (flight->what == NULL)
	{
		free(flight);
		return NULL;
	}
	flight->flights = flights;
	flight->client = exchange->client;
	flight->work = exchange->work;
	flight->target = exchange->target;
	flight->answer = (PhAnswer){.kind = exchange->answer.kind,
								.type = exchange->answer.type,
								.for_script = exchange->answer.for_script};
	exchange->work = NULL;
	exchange->target = (PhTarget){.path = "/"};
	return flight;
}

static void
flight_free(PhFlight *flight)
{
	for (size_t i = 0; i < PH_N_CODINGS; i++)
		ph_content_release(flight->bodies[i]);
	ph_answer_free(&flight->answer);
	ph_target_free(&flight->target);
	free(flight->work);
	free(flight->what);
	free(flight->key);
	free(flight);
}

/* ---- who waits, with the lock held --------------------------------------------------------- */

static void
wait_for(PhFlight *flight, PhExchange *exchange)
{
	exchange->next = flight->waiting;
	exchange->waits_for = flight;
	flight->waiting = exchange;
	flight->n_waiting++;
}

static void
remove_flight(PhFlight *flight)
{
	PhFlight **at = &flight->flights->all;

	while (*at != NULL && *at != flight)
		at = &(*at)->next;
	if (*at != NULL)
		*at = flight->next;
}

/* Is the answer to one of these that of the other, its form included? */
static bool
is_same_request(const PhFlight *a, const PhFlight *b)
{
	return strcmp(a->what, b->what) == 0 && a->answer.for_script == b->answer.for_script;
}

static PhFlight *
find_queued(const PhFlight *flight)
{
	for (PhFlight *other = flight->flights->all; other != NULL; other = other->next)
		if (other->stage == STAGE_QUEUED && !atomic_load(&other->is_abandoned) &&
			is_same_request(other, flight))
			return other;
	return NULL;
}

static PhFlight *
find_making(const PhFlight *flight)
{
	for (PhFlight *other = flight->flights->all; other != NULL; other = other->next)
		if (other->stage == STAGE_MAKING && other->key != NULL &&
			!atomic_load(&other->is_abandoned) && strcmp(other->key, flight->key) == 0 &&
			other->answer.for_script == flight->answer.for_script)
			return other;
	return NULL;
}

/* Everybody who waits, from now on answered by the caller alone. */
static PhExchange *
take_waiting(PhFlight *flight)
{
	PhExchange *waiting = flight->waiting;

	for (PhExchange *exchange = waiting; exchange != NULL; exchange = exchange->next)
		exchange->waits_for = NULL;
	flight->waiting = NULL;
	flight->n_waiting = 0;
	return waiting;
}

/* ---- answers ------------------------------------------------------------------------------- */

/* The answer's bytes in a coding; NULL: no memory, or the answer is a constant or empty. */
static PhContent *
body_in(PhFlight *flight, PhCoding coding)
{
	PhContent *packed = flight->bodies[ph_coding_packed];
	PhContent **plain = &flight->bodies[PH_CODING_IDENTITY];

	if (flight->bodies[coding] != NULL)
		return flight->bodies[coding];
	if (*plain == NULL && packed != NULL)
		*plain =
			ph_coding_decode(ph_coding_packed, packed->bytes, packed->size, PH_ENTRY_MOST_CONTENT);
	if (coding != PH_CODING_IDENTITY && *plain != NULL)
		flight->bodies[coding] = ph_coding_encode(coding, (*plain)->bytes, (*plain)->size);
	return flight->bodies[coding];
}

/* A body in the coding that the client likes best, if that pays, else as it is. */
static void
give_body(PhFlight *flight, PhExchange *exchange)
{
	const PhAnswer *answer = &flight->answer;
	bool pays = flight->bodies[ph_coding_packed] != NULL /* it came from the store, or goes there */
				|| ph_coding_pays(answer->type, answer->size);
	PhCoding coding = pays ? exchange->coding : PH_CODING_IDENTITY;
	PhContent *body = body_in(flight, coding);

	if (body == NULL)
	{
		coding = PH_CODING_IDENTITY;
		body = body_in(flight, coding);
	}
	if (body != NULL)
		ph_answer_share(&exchange->answer, answer->type, coding, ph_content_share(body));
	else
		ph_answer_memory(&exchange->answer);
}

/* What an address with the version in it names is the same for ever. */
static bool
is_immutable(const PhFlight *flight, const PhExchange *exchange)
{
	return flight->version[0] != '\0' && strcmp(exchange->version, flight->version) == 0;
}

/* The same answer for one of those who wait for it. */
static void
give_answer(PhFlight *flight, PhExchange *exchange)
{
	const PhAnswer *answer = &flight->answer;
	PhAnswer *out = &exchange->answer;
	char tag[PH_ETAG_SIZE];
	bool named = answer->status == 200 && answer->name[0] != '\0';

	if ((named && ph_etag_is_known(exchange->known, answer->name, tag)) ||
		(answer->body != NULL && answer->owned == NULL))
		ph_answer_constant(out, answer->type, answer->owned == NULL ? answer->body : NULL,
						   answer->owned == NULL ? answer->size : 0, answer->name);
	else
		give_body(flight, exchange);
	if (out->status != 200)
		return;
	out->status = answer->status;
	out->retry_after = answer->retry_after;
	out->is_immutable = answer->status == 200 && is_immutable(flight, exchange);
	memcpy(out->name, answer->name, sizeof(out->name));
}

/* Ends the flight: everybody gets its answer. */
static void
land(PhFlight *flight)
{
	PhExchange *waiting;

	pthread_mutex_lock(&flight->flights->lock);
	remove_flight(flight);
	waiting = take_waiting(flight);
	pthread_mutex_unlock(&flight->flights->lock);
	if (flight->bodies[PH_CODING_IDENTITY] == NULL)
		flight->bodies[PH_CODING_IDENTITY] = ph_content_share(flight->answer.owned);
	while (waiting != NULL)
	{
		PhExchange *next = waiting->next; /* once resumed, it may be gone */

		give_answer(flight, waiting);
		ph_http_resume(waiting);
		waiting = next;
	}
	flight_free(flight);
}

static void
land_busy(PhFlight *flight)
{
	ph_answer_error(&flight->answer, 503, "the server has too much to do",
					"Try again in a few seconds.", NULL);
	flight->answer.retry_after = 2;
	land(flight);
}

/* ---- the store ----------------------------------------------------------------------------- */

/* Text is kept packed, and once somebody asked for it as gzip, too; the rest as it is. */
static char *
stored_key(const PhFlight *flight, PhCoding coding)
{
	const char *name = ph_coding_name(coding);
	char *key;

	if (asprintf(&key, "%s\n%s", flight->key, name != NULL ? name : "-") < 0)
		return NULL;
	return key;
}

static PhContent *
get_stored(PhFlight *flight, PhCoding coding)
{
	char *key = stored_key(flight, coding);
	PhContent *body = key != NULL ? ph_store_get(flight->flights->settings.store, key) : NULL;

	free(key);
	return body;
}

static void
put_stored(PhFlight *flight, PhCoding coding, const PhContent *body)
{
	char *key = body != NULL ? stored_key(flight, coding) : NULL;

	if (key != NULL)
		ph_store_put(flight->flights->settings.store, key, body);
	free(key);
}

/* The content type of what a path names, as the work that made it has set it. */
static const char *
type_of(const PhFlight *flight)
{
	return ph_work_type(flight->work);
}

/* Does anybody wait for it in this coding? */
static bool
is_wanted_in(PhFlight *flight, PhCoding coding)
{
	bool wanted = false;

	pthread_mutex_lock(&flight->flights->lock);
	for (PhExchange *exchange = flight->waiting; exchange != NULL; exchange = exchange->next)
		wanted |= exchange->coding == coding;
	pthread_mutex_unlock(&flight->flights->lock);
	return wanted;
}

/* Those who want gzip are sent what was packed for the first of them. */
static void
take_stored_gzip(PhFlight *flight)
{
	flight->bodies[PH_CODING_GZIP] = get_stored(flight, PH_CODING_GZIP);
	if (flight->bodies[PH_CODING_GZIP] == NULL)
		put_stored(flight, PH_CODING_GZIP, body_in(flight, PH_CODING_GZIP));
}

/* True: the store has the answer. */
static bool
take_stored(PhFlight *flight)
{
	bool is_text = ph_coding_is_text(type_of(flight));
	PhCoding coding = is_text ? ph_coding_packed : PH_CODING_IDENTITY;

	if (flight->flights->settings.store == NULL)
		return false;
	flight->bodies[coding] = get_stored(flight, coding);
	if (flight->bodies[coding] == NULL)
		return false;
	if (is_text && ph_coding_packed != PH_CODING_GZIP && is_wanted_in(flight, PH_CODING_GZIP))
		take_stored_gzip(flight);
	flight->answer.status = 200;
	flight->answer.type = type_of(flight);
	return true;
}

static void
keep(PhFlight *flight)
{
	const PhAnswer *answer = &flight->answer;
	PhCoding coding = ph_coding_is_text(answer->type) ? ph_coding_packed : PH_CODING_IDENTITY;

	if (flight->flights->settings.store == NULL || answer->status != 200 || answer->owned == NULL)
		return;
	flight->bodies[PH_CODING_IDENTITY] = ph_content_share(answer->owned);
	put_stored(flight, coding, body_in(flight, coding));
}

/* ---- what workers do ----------------------------------------------------------------------- */

static void
make_answer(PhPoolWorker *worker, PhFlight *flight)
{
	if (worker->stopping)
		ph_answer_error(&flight->answer, 503, "the server is stopping", NULL, NULL);
	else
		ph_work_do(worker, flight->work, &flight->target, &flight->answer);
	if (flight->key == NULL)
		return;
	if (flight->answer.status == 200)
		ph_store_name(flight->key, flight->answer.name);
	keep(flight);
}

/* Clients that have what the key names need nothing made. */
static void
answer_those_who_know(PhFlight *flight)
{
	PhFlights *flights = flight->flights;
	PhExchange *known = NULL;
	char tag[PH_ETAG_SIZE];

	pthread_mutex_lock(&flights->lock);
	for (PhExchange **at = &flight->waiting; *at != NULL;)
	{
		PhExchange *exchange = *at;

		if (!ph_etag_is_known(exchange->known, flight->answer.name, tag))
		{
			at = &exchange->next;
			continue;
		}
		*at = exchange->next;
		exchange->next = known;
		exchange->waits_for = NULL;
		known = exchange;
		flight->n_waiting--;
		flights->counts.not_modified++;
	}
	pthread_mutex_unlock(&flights->lock);
	while (known != NULL)
	{
		PhExchange *next = known->next; /* once resumed, it may be gone */

		ph_answer_constant(&known->answer, type_of(flight), NULL, 0, flight->answer.name);
		known->answer.is_immutable = is_immutable(flight, known);
		ph_http_resume(known);
		known = next;
	}
}

/* True: another flight makes the same, and everybody waits for that one now; or nobody waits. */
static bool
has_merged(PhFlight *flight)
{
	PhFlights *flights = flight->flights;
	PhFlight *other;
	PhExchange *waiting;

	pthread_mutex_lock(&flights->lock);
	other = find_making(flight);
	flight->stage = STAGE_MAKING;
	if (other == NULL && flight->n_waiting > 0)
	{
		pthread_mutex_unlock(&flights->lock);
		return false;
	}
	flights->counts.joined += flight->n_waiting > 0; /* the others joined it before */
	remove_flight(flight);
	waiting = take_waiting(flight);
	while (waiting != NULL)
	{
		PhExchange *next = waiting->next;

		wait_for(other, waiting);
		waiting = next;
	}
	pthread_mutex_unlock(&flights->lock);
	flight_free(flight);
	return true;
}

/* True: the store has what the key names, and everybody gets it. */
static bool
land_stored(PhFlight *flight)
{
	PhFlights *flights = flight->flights;

	if (!take_stored(flight))
		return false;
	pthread_mutex_lock(&flights->lock);
	flights->counts.hits += flight->n_waiting;
	pthread_mutex_unlock(&flights->lock);
	land(flight);
	return true;
}

/* The first step of what has a version. True: the flight goes on, to be made. */
static bool
look_up(PhPoolWorker *worker, PhFlight *flight)
{
	char *key = ph_work_key(worker, flight->work, flight->what, flight->version, &flight->answer);

	ph_session_want(&worker->session, NULL);
	if (key == NULL && flight->answer.status == 0)
		return true; /* a run is not there: who makes the answer says so */
	if (key == NULL)
	{
		land(flight);
		return false;
	}
	/* others read the key of a flight only once it is being made */
	flight->key = key;
	ph_store_name(key, flight->answer.name);
	answer_those_who_know(flight);
	return !has_merged(flight) && !land_stored(flight);
}

/* False: nobody waits for it any longer. */
static bool
begin(PhFlight *flight)
{
	PhFlights *flights = flight->flights;
	bool wanted;

	pthread_mutex_lock(&flights->lock);
	wanted = flight->n_waiting > 0;
	if (!wanted)
		remove_flight(flight);
	else if (flight->stage == STAGE_QUEUED)
		flight->stage = flight->work->runs[0] != '\0' ? STAGE_LOOKING : STAGE_MAKING;
	pthread_mutex_unlock(&flights->lock);
	return wanted;
}

/* Hands a flight that was looked up over to the slow lane. */
static void
hand_over(PhFlight *flight)
{
	PhFlights *flights = flight->flights;

	pthread_mutex_lock(&flights->lock);
	flight->stage = STAGE_MAKING;
	flights->counts.misses += flight->key != NULL;
	pthread_mutex_unlock(&flights->lock);
	if (!ph_pool_add(flights->settings.slow, flight))
		land_busy(flight);
}

void
ph_flight_work(PhPoolWorker *worker, void *job)
{
	PhFlight *flight = job;

	if (!begin(flight))
	{
		flight_free(flight);
		return;
	}
	ph_session_want(&worker->session, &flight->is_abandoned);
	if (flight->stage == STAGE_MAKING || worker->stopping)
	{
		make_answer(worker, flight);
		ph_session_want(&worker->session, NULL);
		land(flight);
		return;
	}
	if (look_up(worker, flight))
		hand_over(flight);
}

uint64_t
ph_flight_client(const void *job)
{
	const PhFlight *flight = job;

	return flight->client;
}

/* ---- requests ------------------------------------------------------------------------------ */

/* True: the exchange waits for a flight that was there; the new one is not needed. */
static bool
has_joined(PhFlight *flight, PhExchange *exchange)
{
	PhFlights *flights = flight->flights;
	PhFlight *other;

	pthread_mutex_lock(&flights->lock);
	other = find_queued(flight);
	wait_for(other != NULL ? other : flight, exchange);
	if (other != NULL)
		flights->counts.joined++;
	else
	{
		flight->next = flights->all;
		flights->all = flight;
	}
	pthread_mutex_unlock(&flights->lock);
	return other != NULL;
}

bool
ph_flights_add(PhFlights *flights, PhExchange *exchange)
{
	PhFlight *flight = flight_new(flights, exchange);
	bool is_quick;

	if (flight == NULL)
	{
		ph_answer_memory(&exchange->answer);
		return false;
	}
	is_quick = flight->work->runs[0] != '\0' || ph_work_is_quick(flight->work);
	if (has_joined(flight, exchange))
		flight_free(flight);
	else if (!ph_pool_add(is_quick ? flights->settings.quick : flights->settings.slow, flight))
		land_busy(flight);
	return true;
}

bool
ph_flights_leave(PhFlights *flights, PhExchange *exchange)
{
	PhFlight *flight;

	pthread_mutex_lock(&flights->lock);
	flight = exchange->waits_for;
	if (flight != NULL)
	{
		PhExchange **at = &flight->waiting;

		while (*at != exchange)
			at = &(*at)->next;
		*at = exchange->next;
		exchange->waits_for = NULL;
		flight->n_waiting--;
		flights->counts.cancelled++;
		if (flight->n_waiting == 0)
			atomic_store(&flight->is_abandoned, true);
	}
	pthread_mutex_unlock(&flights->lock);
	return flight != NULL;
}
