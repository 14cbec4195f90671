/*
 * comm_matrix_view.c - `comm-matrix`: bytes or messages from every rank to every other.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <math.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "queries.h"
#include "request/view.h"
#include "texts.h"
#include "views/traces/matrix.h"
#include "views/traces/trace_page.h"

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
	const PhTable *pairs = ph_rows_table(drawing->rows, "pairs");
	PhMatrix matrix = {.palette = ph_option_palette(drawing->options),
					   .by_messages = ph_option_is(drawing->options, "color", "messages"),
					   .run = ph_table_text(ph_rows_table(drawing->rows, "run"), 0, "run_id")};

	drawing->page.title = matrix.by_messages ? "Communication matrix: messages sent"
											 : "Communication matrix: bytes sent";
	if (pairs == NULL)
	{
		drawing->body.height = 200;
		ph_page_empty(drawing->scene, drawing->body, "no point-to-point messages in this window");
		ph_trace_notes(drawing->arena, drawing->rows, &drawing->page);
		return;
	}
	matrix.sender = ph_table_numbers(drawing->arena, pairs, 0, "sender", &matrix.n_pairs);
	matrix.receiver = ph_table_numbers(drawing->arena, pairs, 0, "receiver", &matrix.n_pairs);
	matrix.messages = ph_table_numbers(drawing->arena, pairs, 0, "messages", &matrix.n_pairs);
	matrix.bytes = ph_table_numbers(drawing->arena, pairs, 0, "bytes", &matrix.n_pairs);
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
									.reduction = "sums",
									.width = 820,
									.height = 900,
									.draw = draw_comm_matrix_view};
