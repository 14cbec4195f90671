/*
 * archive.h - an OTF2 archive that was opened: its definitions, and how to read its events.
 *
 * libotf2's readers are not shared between threads: each cursor opens the archive again. What the
 * anchor and the global definitions say is read once, into PhOtf2Archive, and only looked at
 * afterwards. Parts: readers/otf2/definitions.c collects the definitions, readers/otf2/model.c and
 * readers/otf2/groups.c make the model of them, readers/otf2/metadata.c the run's metadata;
 * readers/otf2/cursor.c opens files and reads locations; readers/otf2/events.c and
 * readers/otf2/records.c turn records into events, readers/otf2/streams.c those of accelerators;
 * readers/otf2/settle.c, readers/otf2/offsets.c
 * and readers/otf2/logical.c decide about clocks.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_READERS_OTF2_ARCHIVE_H
#define PH_READERS_OTF2_ARCHIVE_H

#include <otf2/otf2.h>
#include <stdatomic.h>

#include "base/table.h"
#include "readers/otf2/ticks.h"
#include "readers/otf2/words.h"
#include "readers/source.h"
#include "readers/trace_source.h"
#include "trace/clock.h"

/* Numbers of 32 bits that the archive gave to definitions, to their positions. */
typedef struct PhOtf2Ids
{
	uint32_t n_direct;
	uint32_t *direct; /* by id: the position, PH_NONE: not defined */
	uint32_t n;
	struct PhOtf2Id *sorted; /* all of them, when ids are too sparse for an array */
} PhOtf2Ids;

/* The position of a definition, PH_NONE: there is none. */
uint32_t ph_otf2_find_sparse(const PhOtf2Ids *ids, uint32_t id);

static inline uint32_t
ph_otf2_find(const PhOtf2Ids *ids, uint32_t id)
{
	if (id < ids->n_direct)
		return ids->direct[id];
	return ids->sorted == NULL ? PH_NONE : ph_otf2_find_sparse(ids, id);
}

/* ids[i] is the number of definition i. Twice the same is PH_ERR_FORMAT, naming what. */
PhStatus ph_otf2_ids_make(PhArena *arena, const uint32_t *ids, uint32_t n, const char *what,
						  PhOtf2Ids *out) PH_MUST_CHECK;

/* World ranks by rank in the communicator, as events refer to it. */
typedef struct PhOtf2Comm
{
	uint32_t n_members;
	const uint32_t *members;
	uint32_t n_remote; /* the second group of an inter-communicator: ranks are in the other one */
	const uint32_t *remote;
	bool is_self; /* every process has its own: ranks are its own */
	bool is_inter;
	bool is_plain;		   /* neither of these */
	const bool *on_device; /* by member: it is a stream; NULL: none is */
} PhOtf2Comm;

typedef struct PhOtf2MetricClass
{
	uint32_t number; /* of the class, from 0: what events are stored with */
	uint32_t n_members;
} PhOtf2MetricClass;

/* Directions of copies, as a stream sees them. */
typedef enum PhOtf2Copy
{
	PH_OTF2_FROM_HOST,
	PH_OTF2_TO_HOST,
	PH_OTF2_ON_DEVICES,
	PH_OTF2_COPIES
} PhOtf2Copy;

typedef struct PhOtf2Archive
{
	PhTraceSource source; /* comes first: a source is its archive */
	PhEnv *env;
	PhArena arena;
	const char *anchor; /* path */
	const char *folder; /* of the locations' files, without a final slash */
	uint64_t n_declared_locations;

	uint64_t resolution, global_offset, trace_length;
	uint64_t realtime;	  /* ns since 1970 of global_offset; OTF2_UNDEFINED_TIMESTAMP: unknown */
	uint32_t n_run_ranks; /* as an export of ours says; 0: it does not */
	bool is_compressed;	  /* the files of records are */
	bool has_attributes;  /* some attribute is defined: events may have them */
	bool has_local_definitions; /* of some location: then of all */
	bool apply_offsets;
	int64_t origin;	  /* ns of the run's first event, since global_offset */
	PhClock *logical; /* moves times so that messages run forwards; NULL: none */

	/*
	 * What events refer to. Positions of the model's arrays, but windows follow communicators, and
	 * before them groups of theirs that no communicator has.
	 */
	PhOtf2Ids region_ids, comm_ids, window_ids, metric_ids, parameter_ids, context_ids;
	PhOtf2Ids group_ids;		 /* of sets of processes */
	const uint32_t *group_comms; /* by position of those: a communicator of it; PH_NONE */
	uint32_t first_window;
	PhOtf2Comm *comms;				 /* by position, windows included */
	PhOtf2MetricClass *metrics;		 /* by position of class or instance */
	const uint32_t *context_regions; /* regions by position of the calling context */

	/* Texts, and which of them events refer to: set by all cursors. */
	PhOtf2Ids string_ids;
	uint32_t n_strings;
	PhTraceText *strings;
	_Atomic unsigned char *is_used;

	/* What our exports say of activities; attributes PH_NONE: this archive has no such. */
	uint32_t activity_attributes[PH_OTF2_ACTIVITY_ATTRIBUTES];
	const uint32_t *configurations;	  /* by position of the string: 1 + number; 0: it is none */
	const struct PhOtf2Place *places; /* of the archive's numbers of locations, sorted */

	/* Of copies that streams recorded as remote memory access; PH_NONE: there are no streams. */
	uint32_t copy_regions[PH_OTF2_COPIES];
} PhOtf2Archive;

/* ---- reading definitions ---- */

/* Open the archive and read its anchor and global definitions; *out is to be freed. */
PhStatus ph_otf2_archive_open(PhEnv *env, const char *anchor, PhRunInput *run,
							  PhOtf2Archive **out) PH_MUST_CHECK;

/* Look at all locations' first events, decide about clock offsets, set the origin and the epoch. */
PhStatus ph_otf2_archive_settle(PhOtf2Archive *archive, PhClockOffsets offsets) PH_MUST_CHECK;

/* Then find times under which no message arrives before it was sent; a pass over all events. */
PhStatus ph_otf2_archive_correct(PhOtf2Archive *archive, PhClockCounts *counts) PH_MUST_CHECK;

void ph_otf2_archive_free(PhEnv *env, PhOtf2Archive *archive);

/* A measured difference of a location's clock: its time + offset is global time. */
typedef struct PhClockOffset
{
	uint64_t time;
	int64_t offset;
} PhClockOffset;

/* Of one location, by time; between them differences are interpolated, as libotf2 does. */
typedef struct PhClockOffsetList
{
	PhArena *arena;
	uint32_t n, capacity;
	PhClockOffset *items;
} PhClockOffsetList;

/* A time of the location by global time; of fewer than two offsets nothing is made. */
uint64_t ph_otf2_corrected(const PhClockOffsetList *offsets, uint64_t time);

/*
 * Match all messages under recorded and under corrected times: *worse when the correction makes
 * more of them arrive before they were sent. offsets: by location.
 */
PhStatus ph_otf2_try_offsets(const PhOtf2Archive *archive, const PhClockOffsetList *offsets,
							 bool *worse) PH_MUST_CHECK;

/* ---- cursors ---- */

typedef struct PhOtf2Cursor
{
	PhTraceCursor cursor; /* comes first */

	/* the location that is being read: what every event needs, copied together */
	PhTicks ticks;
	int64_t last;	/* recorded time of the event before, since global_offset */
	int64_t origin; /* the archive's */
	PhChunkWriter *writer;
	const uint32_t *regions; /* the archive's region_ids.direct */
	uint32_t n_regions;
	bool has_attributes;
	bool has_logical;
	PhTraceCounts counts;

	/* and what is needed now and then */
	PhClockCursor logical;
	uint64_t seq;	   /* of the next event; with a logical clock only */
	int64_t last_time; /* by the logical clock */
	int64_t slack; /* ns by which corrected times may step back: rounding of libotf2's doubles */
	uint32_t location;
	int32_t rank;
	uint64_t values[UINT8_MAX];
	PhClockOffsetList *offsets; /* the location's are put here */
	PhStatus status;
	uint64_t record; /* where it failed */

	PhEnv *env;
	const PhOtf2Archive *archive;
	OTF2_Reader *reader;
	OTF2_EvtReaderCallbacks *callbacks, *stream_callbacks;
	bool is_copying; /* of a stream: a copy has begun that is to end, */
	uint64_t copy;	 /* by this number */
	uint32_t copy_region;
	struct PhOtf2Links *links; /* launches of activities are put there; NULL: they are not wanted */
	uint32_t n_selected;
} PhOtf2Cursor;

PhStatus ph_otf2_cursor_open(PhEnv *env, const PhOtf2Archive *archive,
							 PhOtf2Cursor **out) PH_MUST_CHECK;
void ph_otf2_cursor_close(PhOtf2Cursor *cursor);

/* libotf2 reads a location's definitions once only: begin anew before a location comes again. */
void ph_otf2_cursor_rewind(PhOtf2Cursor *cursor);

/* What the callbacks need when this location comes next; times count from the archive's origin. */
void ph_otf2_cursor_begin(PhOtf2Cursor *cursor, uint32_t location, PhChunkWriter *writer);

/* With these callbacks; user is what they get. At most n_events, 0: all; n_read of them came. */
typedef struct PhOtf2Pass
{
	const OTF2_EvtReaderCallbacks *callbacks;
	const OTF2_DefReaderCallbacks *definitions; /* of the location; NULL: not wanted */
	void *user;
	bool apply_offsets;
	uint64_t n_events;
	uint64_t n_read;
} PhOtf2Pass;

PhStatus ph_otf2_cursor_pass(PhOtf2Cursor *cursor, uint32_t location,
							 PhOtf2Pass *pass) PH_MUST_CHECK;

/* ---- callbacks ---- */

/* Calls, messages, collectives, metrics, parameters; user is the cursor. */
void ph_otf2_set_event_callbacks(OTF2_EvtReaderCallbacks *callbacks);
/* Everything else. */
void ph_otf2_set_record_callbacks(OTF2_EvtReaderCallbacks *callbacks);
/* In place of some of these, of streams of accelerators: readers/otf2/streams.c. */
void ph_otf2_set_stream_callbacks(OTF2_EvtReaderCallbacks *callbacks);

/* World rank of a rank of a communicator (by position); PH_NONE, and counted: it has no such. */
uint32_t ph_otf2_world_rank_of(PhOtf2Cursor *cursor, const PhOtf2Comm *comm, uint32_t rank);

static inline uint32_t
ph_otf2_world_rank(PhOtf2Cursor *cursor, uint32_t comm, uint32_t rank)
{
	const PhOtf2Comm *group = &cursor->archive->comms[comm];

	if (group->is_plain && rank < group->n_members && group->members[rank] != PH_NONE)
		return group->members[rank];
	return ph_otf2_world_rank_of(cursor, group, rank);
}

/* An event refers to this string. */
static inline void
ph_otf2_use_string(const PhOtf2Cursor *cursor, uint32_t string)
{
	uint32_t position = ph_otf2_find(&cursor->archive->string_ids, string);

	if (position != PH_NONE)
		atomic_store_explicit(&cursor->archive->is_used[position], 1, memory_order_relaxed);
}

/* ---- what libotf2 has to say ---- */

/* Take libotf2's messages instead of letting it print them, and name the file if it crashes. */
void ph_otf2_errors_init(void);

/* The calling thread reads this path now; NULL: none. The text must stay. */
void ph_otf2_reading(const char *path);

/* A failure with libotf2's last words in this thread: "path: where: words". */
PhStatus ph_otf2_fail(PhEnv *env, const char *path, OTF2_ErrorCode code, const char *format, ...)
	PH_PRINTF(4, 5);

/* Path of a location's event or definition file; evt or def. */
PhStatus ph_otf2_location_path(PhEnv *env, const PhOtf2Archive *archive, uint64_t location,
							   const char *suffix, char *out, size_t size) PH_MUST_CHECK;

/* ---- launches that our exports keep: readers/otf2/launch_pass.c ---- */

/* As PhTraceSource.launches. */
PhStatus ph_otf2_launches(const PhTraceSource *source, PhArena *arena, uint32_t location,
						  const PhLink **links, uint64_t *n) PH_MUST_CHECK;

/* Count them; clocks are settled. An archive that knows of none has none that is missing. */
PhStatus ph_otf2_count_launches(PhOtf2Archive *archive) PH_MUST_CHECK;

#endif
