/*
 * arrow.h - a writer of Arrow's file format (IPC, version 1.0), which pandas, Polars, DuckDB and R
 * read without copying. Numbers, times, text, and text by number in a dictionary.
 *
 * Batches go out as they come; nothing of them is kept but where they are. What the stream does not
 * take is told by its ferror().
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_ARROW_ARROW_H
#define PH_ARROW_ARROW_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "arrow/flatbuffer.h"

typedef enum PhArrowType
{
	PH_ARROW_BOOL, /* a byte a value here, a bit in the file */
	PH_ARROW_UINT8,
	PH_ARROW_INT32,
	PH_ARROW_INT64,
	PH_ARROW_DOUBLE,
	PH_ARROW_TIME, /* us since 1970, UTC, in 64 bits */
	PH_ARROW_TEXT,
	PH_ARROW_WORD /* places in a dictionary, in 32 bits */
} PhArrowType;

typedef struct PhArrowColumn
{
	const char *name;
	PhArrowType type;
	const char *const *words; /* of PH_ARROW_WORD: the dictionary */
	size_t n_words;
} PhArrowColumn;

/* Values of a column, as they lie in memory. */
typedef struct PhArrowValues
{
	const void *values;		  /* of text: its bytes, one after the other */
	const uint32_t *ends;	  /* of text: where each begins, and where the last ends */
	const uint8_t *is_absent; /* a byte a value; NULL: all are there */
} PhArrowValues;

typedef struct PhArrowBlock
{
	int64_t offset;
	int64_t head; /* bytes of metadata, in 32 bits */
	int64_t body;
} PhArrowBlock;

typedef struct PhArrowBlocks
{
	PhArrowBlock *items;
	size_t n, capacity;
} PhArrowBlocks;

typedef struct PhArrowWriter
{
	FILE *out;
	const PhArrowColumn *columns;
	size_t n_columns;
	int64_t written;
	PhArrowBlocks dictionaries, batches;
	PhFlat flat;
	uint8_t *bits; /* of the batch at hand */
	size_t n_bits;
} PhArrowWriter;

/* Columns and their words stay where they are until the end. */
void ph_arrow_begin(PhArrowWriter *writer, FILE *out, const PhArrowColumn *columns, size_t n);
/* n rows; values by column. */
void ph_arrow_put(PhArrowWriter *writer, const PhArrowValues *values, uint32_t n);
void ph_arrow_end(PhArrowWriter *writer);

#endif
