/*
 * formats.c - see formats.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "pipeline/formats.h"

#include <stdio.h>

#include "cli/json_out.h"
#include "readers/source.h"

#define NAME_WIDTH 18

static void
print_json(const PhReader *reader)
{
	PhJsonOut json;

	ph_json_begin(&json, stdout);
	ph_json_open_object(&json, NULL);
	ph_json_put_text(&json, "format", reader->name);
	ph_json_put_text(&json, "description", reader->description);
	ph_json_put_text(&json, "told_by", reader->mark);
	ph_json_put_text(&json, "whole_when", reader->proof);
	ph_json_put_text(&json, "lacks", reader->lacks);
	ph_json_close(&json);
	ph_json_done_line(&json);
}

static void
print_text(const PhReader *reader)
{
	printf("%-*s %s\n", NAME_WIDTH, reader->name, reader->description);
	printf("%-*s   told by: %s\n", NAME_WIDTH, "", reader->mark);
	if (reader->lacks != NULL)
	{
		printf("%-*s   not read: this perfhouse was built without %s\n", NAME_WIDTH, "",
			   reader->lacks);
		return;
	}
	printf("%-*s   whole when: %s\n", NAME_WIDTH, "",
		   reader->proof != NULL ? reader->proof : "its files do not say");
}

void
ph_print_formats(bool json)
{
	for (const PhReader *const *reader = ph_readers; *reader != NULL; reader++)
	{
		if (json)
			print_json(*reader);
		else
			print_text(*reader);
	}
}
