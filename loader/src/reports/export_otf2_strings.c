/*
 * export_otf2_strings.c - strings of an archive that is written.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/export_otf2_internal.h"

static bool
is_taken(const PhOtf2References *references, uint32_t number)
{
	if (ph_otf2_find_text(references, number) != NULL)
		return true;
	for (size_t i = 0; i < references->n_strings; i++)
	{
		if (references->strings[i] == number)
			return true;
	}
	return false;
}

uint32_t
ph_otf2_export_string(PhOtf2Definer *definer, const char *text)
{
	PhOtf2Export *export = definer->export;

	while (is_taken(&export->references, definer->n_strings))
		definer->n_strings++;
	ph_otf2_export_note(export,
						OTF2_GlobalDefWriter_WriteString(definer->out, definer->n_strings, text));
	return definer->n_strings++;
}
