/*
 * yardstick_otf2.c - reads an OTF2 trace and does nothing with it: what a loader cannot avoid.
 *
 *   yardstick_otf2 ANCHOR [ROUNDS]
 *
 * Local readers, one location after the other, with a callback for each kind of record that a halo
 * exchange has, all empty. Prints "events seconds": CPU of the fastest round.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

typedef struct Locations
{
	size_t n, capacity;
	OTF2_LocationRef *ids;
} Locations;

static OTF2_CallbackCode
on_location(void *user, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
			uint64_t n_events, OTF2_LocationGroupRef group)
{
	Locations *locations = user;

	(void) name;
	(void) type;
	(void) n_events;
	(void) group;
	if (locations->n == locations->capacity)
	{
		locations->capacity = locations->capacity == 0 ? 64 : 2 * locations->capacity;
		locations->ids = realloc(locations->ids, locations->capacity * sizeof(*locations->ids));
		if (locations->ids == NULL)
			exit(1);
	}
	locations->ids[locations->n++] = self;
	return OTF2_CALLBACK_SUCCESS;
}

#define RECORD                                                                                     \
	OTF2_LocationRef location, OTF2_TimeStamp time, uint64_t position, void *user,                 \
		OTF2_AttributeList *attributes
#define IGNORE                                                                                     \
	(void) location, (void) time, (void) position, (void) user, (void) attributes;                 \
	return OTF2_CALLBACK_SUCCESS

static OTF2_CallbackCode
on_region(RECORD, OTF2_RegionRef region)
{
	(void) region;
	IGNORE;
}

static OTF2_CallbackCode
on_message(RECORD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes)
{
	(void) peer;
	(void) communicator;
	(void) tag;
	(void) bytes;
	IGNORE;
}

static OTF2_CallbackCode
on_requested_message(RECORD, uint32_t peer, OTF2_CommRef communicator, uint32_t tag, uint64_t bytes,
					 uint64_t request)
{
	(void) peer;
	(void) communicator;
	(void) tag;
	(void) bytes;
	(void) request;
	IGNORE;
}

static OTF2_CallbackCode
on_request(RECORD, uint64_t request)
{
	(void) request;
	IGNORE;
}

static OTF2_CallbackCode
on_collective_begin(RECORD)
{
	IGNORE;
}

static OTF2_CallbackCode
on_collective_end(RECORD, OTF2_CollectiveOp operation, OTF2_CommRef communicator, uint32_t root,
				  uint64_t sent, uint64_t received)
{
	(void) operation;
	(void) communicator;
	(void) root;
	(void) sent;
	(void) received;
	IGNORE;
}

static OTF2_EvtReaderCallbacks *
make_callbacks(void)
{
	OTF2_EvtReaderCallbacks *callbacks = OTF2_EvtReaderCallbacks_New();

	OTF2_EvtReaderCallbacks_SetEnterCallback(callbacks, on_region);
	OTF2_EvtReaderCallbacks_SetLeaveCallback(callbacks, on_region);
	OTF2_EvtReaderCallbacks_SetMpiSendCallback(callbacks, on_message);
	OTF2_EvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_message);
	OTF2_EvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_requested_message);
	OTF2_EvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_requested_message);
	OTF2_EvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_request);
	OTF2_EvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_request);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_collective_begin);
	OTF2_EvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective_end);
	return callbacks;
}

static void
find_locations(OTF2_Reader *reader, Locations *locations)
{
	OTF2_GlobalDefReader *definitions = OTF2_Reader_GetGlobalDefReader(reader);
	OTF2_GlobalDefReaderCallbacks *callbacks = OTF2_GlobalDefReaderCallbacks_New();
	uint64_t n_read;

	OTF2_GlobalDefReaderCallbacks_SetLocationCallback(callbacks, on_location);
	OTF2_Reader_RegisterGlobalDefCallbacks(reader, definitions, callbacks, locations);
	OTF2_Reader_ReadAllGlobalDefinitions(reader, definitions, &n_read);
	OTF2_GlobalDefReaderCallbacks_Delete(callbacks);
	OTF2_Reader_CloseGlobalDefReader(reader, definitions);
}

static uint64_t
read_location(OTF2_Reader *reader, OTF2_LocationRef location,
			  const OTF2_EvtReaderCallbacks *callbacks)
{
	OTF2_DefReader *definitions = OTF2_Reader_GetDefReader(reader, location);
	OTF2_EvtReader *events;
	uint64_t n_read = 0;

	if (definitions != NULL)
	{
		OTF2_Reader_ReadAllLocalDefinitions(reader, definitions, &n_read);
		OTF2_Reader_CloseDefReader(reader, definitions);
	}
	n_read = 0;
	events = OTF2_Reader_GetEvtReader(reader, location);
	OTF2_Reader_RegisterEvtCallbacks(reader, events, callbacks, NULL);
	OTF2_Reader_ReadAllLocalEvents(reader, events, &n_read);
	OTF2_Reader_CloseEvtReader(reader, events);
	return n_read;
}

static uint64_t
read_archive(const char *anchor)
{
	OTF2_Reader *reader = OTF2_Reader_Open(anchor);
	OTF2_EvtReaderCallbacks *callbacks = make_callbacks();
	Locations locations = {0};
	uint64_t n_events = 0;

	if (reader == NULL)
		exit(1);
	OTF2_Reader_SetSerialCollectiveCallbacks(reader);
	find_locations(reader, &locations);
	for (size_t i = 0; i < locations.n; i++)
		OTF2_Reader_SelectLocation(reader, locations.ids[i]);
	OTF2_Reader_OpenDefFiles(reader);
	OTF2_Reader_OpenEvtFiles(reader);
	for (size_t i = 0; i < locations.n; i++)
		n_events += read_location(reader, locations.ids[i], callbacks);
	OTF2_Reader_CloseDefFiles(reader);
	OTF2_Reader_CloseEvtFiles(reader);
	OTF2_EvtReaderCallbacks_Delete(callbacks);
	OTF2_Reader_Close(reader);
	free(locations.ids);
	return n_events;
}

int
main(int argc, char **argv)
{
	int rounds = argc > 2 ? (int) strtol(argv[2], NULL, 10) : 3;
	double best = 0;
	uint64_t n_events = 0;

	if (argc < 2 || rounds < 1)
	{
		fprintf(stderr, "usage: yardstick_otf2 ANCHOR [ROUNDS]\n");
		return 2;
	}
	for (int i = 0; i < rounds; i++)
	{
		clock_t start = clock();
		double seconds;

		n_events = read_archive(argv[1]);
		seconds = (double) (clock() - start) / CLOCKS_PER_SEC;
		best = i == 0 || seconds < best ? seconds : best;
	}
	printf("%llu %.4f\n", (unsigned long long) n_events, best);
	return 0;
}
