/*
 * comm_matrix_view.c - `comm-matrix`: bytes or messages from every rank to every other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/identity.h"
#include "request/view.h"
#include "texts.h"
#include "views/traces/matrix.h"
#include "views/traces/trace_page.h"

#define MOST_RANKS (1 << 20) /* of rows of a query, which may say anything */

static const PhGivenColumn rows_of_pairs[] = {{.name = "sender", .kind = PH_GIVEN_NUMBER},
											  {.name = "receiver", .kind = PH_GIVEN_NUMBER},
											  {.name = "messages", .kind = PH_GIVEN_NUMBER},
											  {.name = "bytes", .kind = PH_GIVEN_NUMBER},
											  {0}};

static bool
is_rank(double number)
{
	return number >= 0 && number < MOST_RANKS && number == floor(number);
}

static double
amount_in(const PhTable *rows, uint32_t row, const char *column)
{
	double amount = ph_table_number(rows, row, column);

	return isfinite(amount) && amount > 0 ? amount : 0;
}

/* Pairs of ranks from rows of a query; what is no pair of ranks is counted, not drawn. */
static void
read_given(PhDrawing *drawing, const PhTable *rows, PhMatrix *matrix)
{
	PhArena *arena = drawing->arena;
	uint32_t n = ph_rows_count(rows), n_others = 0, n_negative = 0;
	double *columns = ph_need(arena, (size_t) 4 * n + 1, sizeof(double));
	double *sender = columns, *receiver = sender + n, *messages = receiver + n;
	double *bytes = messages + n;

	for (uint32_t i = 0; i < n; i++)
	{
		uint32_t to = i - n_others;

		sender[to] = ph_table_number(rows, i, "sender");
		receiver[to] = ph_table_number(rows, i, "receiver");
		messages[to] = amount_in(rows, i, "messages");
		bytes[to] = amount_in(rows, i, "bytes");
		n_others += !is_rank(sender[to]) || !is_rank(receiver[to]);
		n_negative +=
			ph_table_number(rows, i, "messages") < 0 || ph_table_number(rows, i, "bytes") < 0;
	}
	*matrix = (PhMatrix){.n_pairs = n - n_others,
						 .sender = sender,
						 .receiver = receiver,
						 .messages = messages,
						 .bytes = bytes,
						 .by_messages = matrix->by_messages,
						 .palette = matrix->palette};
	if (n_others > 0)
		ph_page_note(
			arena, &drawing->page,
			ph_need_format(arena, "rows whose sender or receiver is no rank: %u", n_others));
	if (n_negative > 0)
		ph_page_note(arena, &drawing->page,
					 ph_need_format(arena,
									"negative amounts, taken as 0 (heatmap draws them): %u rows",
									n_negative));
}

/* Those that a run's query gives; false: there are none. */
static bool
read_pairs(PhDrawing *drawing, PhMatrix *matrix)
{
	const PhTable *pairs = ph_rows_table(drawing->rows, "pairs");

	if (ph_query_shown(drawing->rows) != NULL)
		read_given(drawing, ph_rows_table(drawing->rows, "given"), matrix);
	else if (pairs != NULL)
	{
		matrix->sender = ph_table_numbers(drawing->arena, pairs, 0, "sender", &matrix->n_pairs);
		matrix->receiver = ph_table_numbers(drawing->arena, pairs, 0, "receiver", &matrix->n_pairs);
		matrix->messages = ph_table_numbers(drawing->arena, pairs, 0, "messages", &matrix->n_pairs);
		matrix->bytes = ph_table_numbers(drawing->arena, pairs, 0, "bytes", &matrix->n_pairs);
	}
	return matrix->n_pairs > 0;
}

/* The ranks asked for, else 0 to the last rank of the run or of a message. */
static void
choose_ranks(PhDrawing *drawing, PhMatrix *matrix)
{
	const PhTable *asked = ph_rows_table(drawing->rows, "ranks");
	double n = ph_table_number(ph_rows_table(drawing->rows, "run"), 0, "n_ranks");
	double *ranks;

	if (asked != NULL)
	{
		matrix->ranks = ph_table_numbers(drawing->arena, asked, 0, "ranks", &matrix->n_ranks);
		matrix->order = ph_table_text(asked, 0, "order");
		if (matrix->order != NULL)
			matrix->labels =
				ph_table_text_column(drawing->arena, asked, 0, "label", matrix->n_ranks);
		return;
	}
	n = n > 0 ? n : 0;
	for (uint32_t i = 0; i < matrix->n_pairs; i++)
		n = fmax(n, fmax(matrix->sender[i], matrix->receiver[i]) + 1);
	matrix->n_ranks = (uint32_t) n;
	ranks = ph_need(drawing->arena, matrix->n_ranks + 1, sizeof(double));
	for (uint32_t i = 0; i < matrix->n_ranks; i++)
		ranks[i] = i;
	matrix->ranks = ranks;
}

static void
note_contents(PhDrawing *drawing, const PhMatrix *matrix)
{
	double messages = 0;
	double bytes = 0;

	for (uint32_t i = 0; i < matrix->n_pairs; i++)
	{
		messages += matrix->messages[i];
		bytes += matrix->bytes[i];
	}
	ph_page_note(drawing->arena, &drawing->page,
				 ph_need_format(drawing->arena,
								"point-to-point only: %.0f messages, %s sent by %u pairs", messages,
								ph_value(drawing->arena, "bytes", bytes), matrix->n_pairs));
	if (matrix->ranks_a_cell > 1)
		ph_page_note(drawing->arena, &drawing->page,
					 ph_need_format(drawing->arena, "a cell is %u x %u ranks", matrix->ranks_a_cell,
									matrix->ranks_a_cell));
	ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
}

static void
draw_comm_matrix_view(PhDrawing *drawing)
{
	PhMatrix matrix = {.palette = ph_option_palette(drawing->options),
					   .by_messages = ph_option_is(drawing->options, "color", "messages"),
					   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};

	drawing->page.title = matrix.by_messages ? "Communication matrix: messages sent"
											 : "Communication matrix: bytes sent";
	if (!read_pairs(drawing, &matrix))
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body,
					  ph_query_shown(drawing->rows) ? "the query gave no pairs of ranks"
													: "no point-to-point messages in this window");
		ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
		return;
	}
	choose_ranks(drawing, &matrix);
	ph_matrix_draw(drawing->scene, &matrix, drawing->body);
	note_contents(drawing, &matrix);
}

const PhView ph_view_comm_matrix = {.name = "comm-matrix",
									.summary = "bytes or messages from every rank to every other",
									.details = ph_help_render_comm_matrix,
									.place = "trace-more",
									.label = "who to whom",
									.options = "run! from to ranks order color:matrix",
									.query = &ph_query_render_comm_matrix,
									.given = rows_of_pairs,
									.reduction = "sums",
									.width = 820,
									.height = 900,
									.draw = draw_comm_matrix_view};
