/*
 * run_filter_internal.h - between the words of a run filter and its SQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_HISTORY_RUN_FILTER_INTERNAL_H
#define PH_HISTORY_RUN_FILTER_INTERNAL_H

#include "base/str.h"
#include "base/vector.h"
#include "history/run_filter.h"

typedef enum PhWordKind
{
	PH_WORD_END,
	PH_WORD_NAME,	/* bare: text as written */
	PH_WORD_QUOTED, /* "name": text without quotes */
	PH_WORD_TEXT,	/* 'text' without quotes */
	PH_WORD_NUMBER,
	PH_WORD_SYMBOL
} PhWordKind;

typedef struct PhWord
{
	PhWordKind kind;
	size_t position; /* of its first byte */
	char *text;		 /* NUL-terminated copy */
} PhWord;

typedef struct PhFilterReader
{
	PhArena *arena;
	const char *text;
	size_t length;
	size_t position;
	PhWord word; /* the current one */
	PhStr sql;
	PhRunFilter *out;
	uint32_t capacity; /* of out->arguments */
} PhFilterReader;

#define PH_FILTER_HINT "See \"run filters\" in the SQL reference for the grammar."

/* Read the next word into reader->word. */
PhStatus ph_filter_next(PhFilterReader *reader) PH_MUST_CHECK;

/* The same where a value must follow: bare words are texts, or numbers, too. */
PhStatus ph_filter_next_value(PhFilterReader *reader) PH_MUST_CHECK;

/* Is the current word this keyword (in any case) or symbol? */
bool ph_filter_at(const PhFilterReader *reader, const char *word);

/* "filter: what at position N", PH_ERR_VALUE. */
PhStatus ph_filter_error(const PhFilterReader *reader, const char *what);

/* The comparison that begins at the current word, up to the word after it. */
PhStatus ph_filter_comparison(PhFilterReader *reader) PH_MUST_CHECK;

#endif
