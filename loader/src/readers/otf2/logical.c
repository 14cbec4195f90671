/*
 * logical.c - times by a controlled logical clock: found in a pass of its own over all events.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/otf2/archive.h"

typedef struct Collecting
{
	PhEnv *env;
	PhChunkReader *reader;
	PhMatcher *matcher;
	PhSkeleton *skeleton;
} Collecting;

static PhStatus
take_chunk(void *user, const PhChunk *chunk)
{
	Collecting *collecting = user;
	uint32_t wants = PH_WANT_CALLS | PH_WANT_MESSAGES;

	PH_TRY(ph_env_poll(collecting->env));
	PH_TRY(ph_chunk_reader_open(collecting->reader, chunk, wants));
	PH_TRY(ph_matcher_add_chunk(collecting->matcher, chunk, collecting->reader));
	PH_TRY(ph_chunk_reader_open(collecting->reader, chunk, wants));
	return ph_skeleton_add_chunk(collecting->skeleton, chunk, collecting->reader, NULL, 0);
}

static PhStatus
collect_location(Collecting *collecting, PhOtf2Archive *archive, PhTraceCursor *cursor,
				 uint32_t location)
{
	PhTraceCounts counts = {0};
	PhChunkWriter *writer;
	PhStatus status;

	PH_TRY(ph_chunk_writer_new(collecting->env, location, 0, take_chunk, collecting, &writer));
	status = archive->source.read_location(cursor, location, writer, &counts);
	if (status == PH_OK)
		status = ph_chunk_writer_finish(writer);
	ph_chunk_writer_free(writer);
	return status;
}

static PhStatus
collect(Collecting *collecting, PhOtf2Archive *archive)
{
	PhTraceCursor *cursor;
	PhStatus status = PH_OK;

	PH_TRY(archive->source.open(collecting->env, &archive->source, &cursor));
	for (uint32_t i = 0; i < archive->source.model.n_locations && status == PH_OK; i++)
		status = collect_location(collecting, archive, cursor, i);
	archive->source.close(cursor);
	return status;
}

static PhStatus
link_ends(Collecting *collecting, const PhOtf2Archive *archive)
{
	PhMatchCounts matches;

	PH_TRY(ph_matcher_match(collecting->matcher, &matches));
	for (uint32_t i = 0; i < archive->source.model.n_locations; i++)
	{
		uint64_t n;
		const PhLink *links = ph_matcher_links(collecting->matcher, i, &n);

		PH_TRY(ph_skeleton_link(collecting->skeleton, i, links, n));
	}
	return ph_skeleton_finish(collecting->skeleton);
}

static PhStatus
find_clock(Collecting *collecting, PhOtf2Archive *archive)
{
	PhClockOptions options = ph_clock_defaults();

	PH_TRY(ph_chunk_reader_new(collecting->env, &collecting->reader));
	PH_TRY(ph_matcher_new(collecting->env, &archive->source.model, &collecting->matcher));
	PH_TRY(ph_skeleton_new(collecting->env, &archive->source.model, &collecting->skeleton));
	PH_TRY(collect(collecting, archive));
	PH_TRY(link_ends(collecting, archive));
	return ph_clock_new(collecting->env, collecting->skeleton, &options, &archive->logical);
}

PhStatus
ph_otf2_archive_correct(PhOtf2Archive *archive, PhClockCounts *counts)
{
	Collecting collecting = {.env = archive->env};
	PhStatus status = find_clock(&collecting, archive);

	ph_skeleton_free(collecting.skeleton);
	ph_matcher_free(collecting.matcher);
	ph_chunk_reader_free(collecting.reader);
	if (status != PH_OK)
		return status;
	*counts = *ph_clock_counts(archive->logical);
	if (counts->jumps > 0)
		archive->source.clock = PH_CLOCK_LOGICAL;
	return PH_OK;
}
