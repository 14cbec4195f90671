/*
 * source_folded.c - reader of folded stacks, "main;solve;kernel 17", as flame graphs are made of.
 *
 * Frames may hold blanks: the count is behind the last one. What it counts the lines do not say.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/completeness.h"
#include "readers/experiment_folder.h"
#include "readers/plain_head.h"
#include "readers/reading.h"

#define MAX_DEPTH 100000 /* frames of a stack */

typedef struct FoldedReader
{
	PhReading in;
	PhStrings strings;
	uint32_t metric, column;
} FoldedReader;

/* What stackcollapse --all writes behind a name. */
static const struct
{
	const char *suffix, *library;
} annotations[] = {{"_[k]", "[kernel.kallsyms]"}, {"_[j]", "[jit]"}, {"_[i]", ""}};

static PhStatus
enter_frame(FoldedReader *reader, PhSlice frame, uint32_t *node)
{
	const char *library = "";
	uint32_t name, region;
	for (size_t i = 0; i < sizeof(annotations) / sizeof(annotations[0]); i++)
		if (frame.size > 4 && ph_slice_ends(frame, annotations[i].suffix))
		{
			library = annotations[i].library;
			frame.size -= 4;
			break;
		}
	if (frame.size == 0)
		frame = (PhSlice){"[unknown]", 9};
	PH_TRY(ph_log_intern(&reader->in.stream, &reader->strings, frame, &name));
	PhRegionSpec spec = {.kind = PH_KIND_FUNCTION,
						 .name = reader->strings.text[name],
						 .library = library,
						 .line = PH_NO_NUMBER};
	PH_TRY(ph_builder_add_region(reader->in.builder, &spec, &region));
	return ph_builder_child(reader->in.builder, *node, region, node);
}

static PhStatus
enter_stack(FoldedReader *reader, PhSlice stack, uint32_t *node)
{
	*node = PH_NONE;
	for (uint32_t depth = 0;; depth++)
	{
		const char *end = memchr(stack.text, ';', stack.size);
		size_t n = end != NULL ? (size_t) (end - stack.text) : stack.size;
		if (depth == MAX_DEPTH)
			return ph_log_fail(&reader->in.stream, PH_ERR_LIMIT, "a stack of more than %d frames",
							   MAX_DEPTH);
		PH_TRY(enter_frame(reader, ph_slice_trim(ph_slice_first(stack, n)), node));
		if (end == NULL)
			return PH_OK;
		stack = ph_slice_behind(stack, n + 1);
	}
}

/* "main;solve;kernel" and 17; false for a line that is no stack. */
static bool
split_line(PhSlice line, PhSlice *stack, double *count)
{
	size_t at = ph_slice_last_word(line);
	*stack = ph_slice_trim(ph_slice_first(line, at));
	return stack->size > 0 && ph_parse_number(line.text + at, line.size - at, count) && *count >= 0;
}

static bool
is_left_out(PhSlice line)
{
	return line.size == 0 || ph_slice_begins(line, "# ");
}

static PhStatus
read_line(void *context, PhSlice line)
{
	FoldedReader *reader = context;
	PhSlice stack;
	uint32_t node;
	double count;
	line = ph_slice_trim(line);
	if (!reader->in.is_whole || is_left_out(line))
		return PH_OK;
	if (!split_line(line, &stack, &count))
		return ph_log_fail(&reader->in.stream, PH_ERR_FORMAT,
						   "expected frames with ; between them, a blank and a count");
	PH_TRY(enter_stack(reader, stack, &node));
	return ph_builder_add_value(reader->in.builder, reader->metric, node, reader->column,
								PH_COST_EXCLUSIVE, count);
}

static PhStatus
read_all(void *context)
{
	FoldedReader *reader = context;
	PhMetricSpec metric = {
		.name = "samples", .unit = "count", .kind = PH_METRIC_FLOW, .given = PH_GIVEN_EXCLUSIVE};
	PhColumnSpec column = {.kind = PH_COLUMN_UNIT,
						   .iteration = PH_NO_ITERATION,
						   .rank = PH_NO_NUMBER,
						   .thread = PH_NO_NUMBER};
	PH_TRY(ph_strings_init(&reader->strings, &reader->in.arena));
	PH_TRY(ph_builder_new(reader->in.env, &reader->in.builder));
	PH_TRY(ph_builder_add_metric(reader->in.builder, &metric, &reader->metric));
	PH_TRY(ph_builder_add_column(reader->in.builder, &column, &reader->column));
	PH_TRY(ph_reading_lines(&reader->in, read_line, reader));
	return ph_reading_note_cut(&reader->in);
}

static PhStatus
read_file(PhEnv *env, PhInput *input, const PhReadOptions *options, PhRunInput *out)
{
	FoldedReader reader = {.in = {.env = env, .input = input, .options = options, .run = out}};
	return ph_reading_do(&reader.in, read_all, &reader);
}

/* Where the first line is longer than the head, the name has to tell. */
static bool
is_named(const char *path, PhSlice text)
{
	return memchr(text.text, ';', text.size) != NULL &&
		   (ph_has_suffix(path, ".folded") || ph_has_suffix(path, ".collapsed"));
}

/*
 * All lines of the head are stacks, and one has several frames. Two counts a line are the
 * comparison of two profiles, which is no run.
 */
static bool
detect(const char *path, const uint8_t *bytes, size_t size)
{
	PhPlainHead head;
	size_t n_stacks = 0, n_deep = 0, n_twice = 0;
	ph_plain_head(bytes, size, &head);
	PhSlice text = {(const char *) head.bytes, head.size};
	for (;;)
	{
		const char *newline = text.size > 0 ? memchr(text.text, '\n', text.size) : NULL;
		PhSlice stack, inner;
		double count;
		if (newline == NULL)
			return n_stacks > 0 ? n_deep > 0 && n_twice < n_stacks
								: size == PH_PLAIN_HEAD_SIZE && is_named(path, text);
		PhSlice line = ph_slice_first(text, (size_t) (newline - text.text));
		text = ph_slice_behind(text, line.size + 1);
		line = ph_slice_trim(line);
		if (is_left_out(line))
			continue;
		if (!split_line(line, &stack, &count))
			return false;
		n_stacks++;
		n_deep += memchr(stack.text, ';', stack.size) != NULL;
		n_twice += split_line(stack, &inner, &count);
	}
}

const PhReader ph_reader_folded = {
	.name = "folded",
	.description = "folded stacks of flame graphs",
	.mark = "every line is a stack parted by ; with one count, or named *.folded, *.collapsed",
	.detect_file = detect,
	.read_file = read_file,
};
