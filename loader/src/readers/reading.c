/*
 * reading.c - the frame of a reader of one file.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/reading.h"

#include "readers/completeness.h"

static PhStatus
read_into_run(PhReading *in, PhStatus (*read)(void *reader), void *reader)
{
	PH_TRY(read(reader));
	return in->builder == NULL || in->run->profile != NULL
			   ? PH_OK
			   : ph_builder_finish(in->builder, &in->run->profile);
}

PhStatus
ph_reading_do(PhReading *in, PhStatus (*read)(void *reader), void *reader)
{
	*in->run = ph_run_input_new();
	ph_arena_init(&in->arena, in->env);
	PhStatus status = read_into_run(in, read, reader);
	ph_builder_free(in->builder);
	ph_arena_drop(&in->arena);
	status = ph_run_failed(in->env, in->run, status);
	if (status != PH_OK)
		ph_run_input_free(in->env, in->run);
	return status;
}

static PhStatus
each_line(PhReading *in, PhLineFunction function, void *reader)
{
	PhSlice line;
	bool more;
	in->is_whole = true;
	for (;;)
	{
		bool is_whole;
		PH_TRY(ph_log_line(&in->stream, &line.text, &line.size, &is_whole, &more));
		if (!more)
			return PH_OK;
		in->is_whole = is_whole;
		PH_TRY(ph_env_poll(in->env));
		PH_TRY(function(reader, line));
	}
}

PhStatus
ph_reading_lines(PhReading *in, PhLineFunction function, void *reader)
{
	PH_TRY(ph_log_open(in->env, in->input->path, in->input, &in->stream));
	PhStatus status = each_line(in, function, reader);
	ph_log_close(&in->stream);
	return status;
}

PhStatus
ph_reading_note_cut(PhReading *in)
{
	if (!in->is_whole)
		PH_TRY(ph_run_missing(in->env, in->run, "%s:%llu: the last line does not end",
							  in->input->path, (unsigned long long) in->stream.line));
	if (in->stream.is_cut)
		PH_TRY(ph_run_missing(in->env, in->run, "%s: the compressed data end too early",
							  in->input->path));
	return PH_OK;
}
