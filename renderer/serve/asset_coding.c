/*
 * asset_coding.c - the pages' files as clients like them best.
 *
 * Packed files are found by the address of what was packed, in a list to which threads only add:
 * there are some thirty files. Two threads may pack the same at once; then the list has it twice.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/asset_coding.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct Packed
{
	const void *plain;
	PhCoding coding;
	PhContent *content;
	struct Packed *next;
} Packed;

static _Atomic(Packed *) packed_files;

static PhContent *
find_packed(const void *plain, PhCoding coding)
{
	for (const Packed *file = atomic_load(&packed_files); file != NULL; file = file->next)
		if (file->plain == plain && file->coding == coding)
			return file->content;
	return NULL;
}

static PhContent *
pack(const PhAnswer *answer, PhCoding coding)
{
	Packed *file = malloc(sizeof(*file));
	PhContent *content = file != NULL ? ph_coding_encode(coding, answer->body, answer->size) : NULL;

	if (content == NULL)
	{
		free(file);
		return NULL;
	}
	*file = (Packed){answer->body, coding, content, atomic_load(&packed_files)};
	while (!atomic_compare_exchange_weak(&packed_files, &file->next, file))
		;
	return content;
}

void
ph_asset_pack(PhAnswer *answer, PhCoding coding)
{
	PhContent *content;

	if (coding == PH_CODING_IDENTITY || answer->coding != PH_CODING_IDENTITY ||
		answer->owned != NULL || answer->body == NULL || answer->status != 200 ||
		!ph_coding_pays(answer->type, answer->size))
		return;
	content = find_packed(answer->body, coding);
	if (content == NULL)
		content = pack(answer, coding);
	if (content != NULL)
		ph_answer_share(answer, answer->type, coding, ph_content_share(content));
}
