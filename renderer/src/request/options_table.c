/*
 * options_table.c - the options of `perfhouse render`: names, help, and what their values mean.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "request/options_internal.h"
#include "system/duration.h"

#define MAX_RANK 100000000L
#define MAX_RANKS 4000000
#define MAX_FILE (16L * 1024 * 1024)

bool
ph_option_bad_value(PhOptionParser *parser, const char *name, const char *value, const char *hint)
{
	return ph_option_fail(
		parser, ph_need_format(parser->arena, "invalid value \"%s\" of option --%s", value, name),
		hint);
}

/* ---- setters ------------------------------------------------------------------------------- */

bool
ph_option_number(PhOptionParser *parser, const char *name, const char *value, double low,
				 double high, double *out)
{
	char *end = NULL;

	errno = 0;
	*out = strtod(value, &end);
	if (end == value || *end != '\0' || errno != 0 || !(*out >= low && *out <= high))
		return ph_option_bad_value(
			parser, name, value,
			ph_need_format(parser->arena, "Give a number from %g to %g.", low, high));
	return true;
}

/* A run id is checked to be a number here, so that the server's answer is about the run. */
bool
ph_option_run(PhOptionParser *parser, const char *name, const char *value, const char **out)
{
	char *end = NULL;

	errno = 0;
	(void) strtoll(value, &end, 10);
	if (end == value || *end != '\0' || errno != 0)
		return ph_option_bad_value(parser, name, value,
								   "Give the number of a run; \"perfhouse runs\" lists them.");
	*out = value;
	return true;
}

bool
ph_option_one_of(PhOptionParser *parser, const char *name, const char *value,
				 const char *const *allowed, const char **out)
{
	const char *list = "";

	for (; *allowed; allowed++)
	{
		if (strcmp(*allowed, value) == 0)
		{
			*out = value;
			return true;
		}
		list = ph_need_format(parser->arena, "%s%s%s", list, *list ? ", " : "", *allowed);
	}
	return ph_option_bad_value(parser, name, value,
							   ph_need_format(parser->arena, "Use one of: %s.", list));
}

static bool
set_run(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_run(p, name, value, &p->options->run);
}

static bool
set_metric(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->metric = value;
	return true;
}

static bool
set_metric_y(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->metric_y = value;
	return true;
}

static bool
set_group_by(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"module", "library", "file", "function",
										  "kind",	"node",	   NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->group_by);
}

static bool
set_module_map(PhOptionParser *p, const char *name, const char *value)
{
	FILE *file = fopen(value, "r");
	char *text;
	size_t size;

	(void) name;
	if (file == NULL)
		return ph_option_fail(p, ph_need_format(p->arena, "%s: %s", value, strerror(errno)),
							  "Give a file with lines \"regex=module\".");
	text = ph_need(p->arena, MAX_FILE, 1);
	size = fread(text, 1, MAX_FILE - 1, file);
	text[size] = '\0';
	if (ferror(file) || !feof(file) || strlen(text) != size)
	{
		fclose(file);
		return ph_option_fail(
			p, ph_need_format(p->arena, "%s: cannot be read as a text of under 16 MiB", value),
			"Give a file with lines \"regex=module\".");
	}
	fclose(file);
	p->options->module_map = text;
	return true;
}

static bool
set_ranks(PhOptionParser *p, const char *name, const char *value)
{
	p->options->ranks = ph_ranks_parse(p->arena, value);
	if (p->options->ranks == NULL)
		return ph_option_bad_value(p, name, value, "Give ranks and ranges, such as 0-3,8.");
	return true;
}

/* The part of text up to the first unescaped separator, without its backslashes; *rest behind it,
 * NULL when there is no separator. */
static const char *
cut(PhArena *arena, const char *text, char separator, const char **rest)
{
	char *part = ph_need_copy(arena, text);
	char *to = part;

	*rest = NULL;
	for (; *text; text++)
	{
		if (text[0] == '\\' && text[1] != '\0')
			text++;
		else if (*text == separator)
		{
			*rest = text + 1;
			break;
		}
		*to++ = *text;
	}
	*to = '\0';
	return part;
}

static PhStep *
add_step(PhOptionParser *p, PhStepKind kind, const char *node)
{
	PhStep *step;

	if (p->options->n_steps == PH_MAX_STEPS)
	{
		ph_option_fail(p, "too many splits in one picture", "Use at most 64.");
		return NULL;
	}
	step = &p->options->steps[p->options->n_steps++];
	*step = (PhStep){.kind = kind, .node = node};
	return step;
}

static bool
set_split_entry(PhOptionParser *p, const char *name, const char *value)
{
	const char *functions;
	const char *node = cut(p->arena, value, '=', &functions);
	PhStep *step = add_step(p, PH_SPLIT_ENTRY, node);
	size_t capacity = 0;

	(void) name;
	if (step == NULL)
		return false;
	while (functions != NULL)
	{
		step->functions =
			ph_need_room(p->arena, step->functions, step->n_functions, &capacity, sizeof(char *));
		step->functions[step->n_functions++] = cut(p->arena, functions, ',', &functions);
	}
	return true;
}

static bool
set_split_caller(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	return add_step(p, PH_SPLIT_CALLER, value) != NULL;
}

static bool
set_drill(PhOptionParser *p, const char *name, const char *value)
{
	const char *level;
	const char *node = cut(p->arena, value, '=', &level);
	PhStep *step;

	if (level == NULL)
		return ph_option_bad_value(p, name, value, "Give NODE=LEVEL, such as libmpi.so=function.");
	step = add_step(p, PH_DRILL, node);
	if (step == NULL)
		return false;
	step->level = level;
	return true;
}

static bool
set_node(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->node = value;
	return true;
}

static bool
set_cost(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"inclusive", "exclusive", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->cost);
}

static bool
set_color(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"module",
										  "inclusive",
										  "exclusive",
										  "imbalance",
										  "difference",
										  "bytes",
										  "messages",
										  "lateness",
										  "differential",
										  "global_lateness",
										  "duration",
										  "global_differential",
										  "phase",
										  "enter",
										  "leave",
										  "counter",
										  "step_counter",
										  "idle_experienced",
										  "differential_duration",
										  "max",
										  "min",
										  "mean",
										  NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->color);
}

static bool
set_palette(PhOptionParser *p, const char *name, const char *value)
{
	if (ph_palette_parse(value, &p->options->palette))
		return true;
	return ph_option_bad_value(p, name, value, "Use default or colour-blind.");
}

static bool
set_order(PhOptionParser *p, const char *name, const char *value)
{
	static const char *const allowed[] = {"rank", "host", NULL};

	return ph_option_one_of(p, name, value, allowed, &p->options->order);
}

static bool
set_width(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_number(p, name, value, 500, 30000, &p->options->width);
}

static bool
set_height(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_number(p, name, value, 300, 30000, &p->options->height);
}

static bool
set_scale(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_number(p, name, value, 0.1, 20, &p->options->scale);
}

bool
ph_option_count(PhOptionParser *p, const char *name, const char *value, double high, uint32_t *out)
{
	double number;

	if (!ph_option_number(p, name, value, 1, high, &number))
		return false;
	*out = (uint32_t) number;
	return true;
}

static bool
set_bins(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_count(p, name, value, 1000, &p->options->bins);
}

static bool
set_top(PhOptionParser *p, const char *name, const char *value)
{
	p->options->top_given = true;
	return ph_option_count(p, name, value, 500, &p->options->top);
}

static bool
set_root_on_top(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	(void) value;
	p->options->root_on_top = true;
	return true;
}

static bool
set_time(PhOptionParser *p, const char *name, const char *value)
{
	const char *time;
	int64_t ns;

	if (!ph_duration_parse(value, &ns))
		return ph_option_bad_value(
			p, name, value,
			"Give a time since the run's first event, such as 0.1s, 250us or 5000 "
			"(ns).");
	time = ph_need_format(p->arena, "%lld", (long long) ns);
	if (strcmp(name, "from") == 0)
		p->options->from = time;
	else
		p->options->to = time;
	return true;
}

static bool
set_depth(PhOptionParser *p, const char *name, const char *value)
{
	return ph_option_count(p, name, value, 64, &p->options->depth);
}

static bool
set_no_messages(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	(void) value;
	p->options->no_messages = true;
	return true;
}

static bool
set_title(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->title = value;
	return true;
}

static bool
set_output(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->output = value;
	return true;
}

static bool
set_type(PhOptionParser *p, const char *name, const char *value)
{
	if (ph_format_parse(value, &p->options->format))
		return true;
	return ph_option_bad_value(p, name, value, "Use svg, png or pdf.");
}

static bool
set_rows(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->rows = value;
	return true;
}

static bool
set_save_rows(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->save_rows = value;
	return true;
}

static bool
set_database(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	p->options->database = value;
	return true;
}

static bool
set_verbosity(PhOptionParser *p, const char *name, const char *value)
{
	(void) value;
	p->options->verbosity = name;
	return true;
}

static bool
set_help(PhOptionParser *p, const char *name, const char *value)
{
	(void) name;
	(void) value;
	p->options->help = true;
	return true;
}

/* ---- the table ----------------------------------------------------------------------------- */

const PhRenderOption ph_render_options[] = {
	{"run", 'r', "RUN", set_run, "run to draw; \"perfhouse runs\" lists them"},
	{"vs", 0, "RUN", ph_option_vs,
	 "run to compare with: A is --run, B is --vs; of sankey-diff also ensemble"},
	{"aliases", 0, NULL, ph_option_aliases,
	 "functions under the names that perfhouse alias gives them"},
	{"runs", 0, "LIST", ph_option_runs, "these runs only, such as 1,2,5-9"},
	{"application", 'a', "NAME", ph_option_application, "the runs of this application"},
	{"metric", 'm', "NAME", set_metric, "metric, default: the run's primary time metric"},
	{"metric-y", 0, "NAME", set_metric_y, "metric of the vertical axis"},
	{"group-by", 'g', "WHAT", set_group_by,
	 "module (default), paradigm, library, file, function, kind or node"},
	{"module-map", 0, "FILE", set_module_map,
	 "lines \"regex=module\" on function, file or library; first match wins"},
	{"filter", 'f', "SHARE", ph_option_filter,
	 "leave out functions under this share of the whole (0 to 1); of many runs also a condition "
	 "on runs, such as \"n_ranks = 64 AND NOT tag = 'broken'\""},
	{"ranks", 0, "LIST", set_ranks, "these ranks only, such as 0-3,8"},
	{"split-entry", 0, "NODE[=FUNC,...]", set_split_entry,
	 "split a supernode by entry function; repeatable"},
	{"split-caller", 0, "NODE", set_split_caller, "split a supernode by caller; repeatable"},
	{"drill", 0, "NODE=LEVEL", set_drill,
	 "replace a supernode by its libraries, files, functions or nodes; repeatable"},
	{"path", 0, "PATH", ph_option_path,
	 "call path: names joined by /, its end, or a function; repeatable; default: the dearest"},
	{"by", 0, "WHAT", ph_option_by, "series of every path (default), function, module or total"},
	{"mode", 0, "NAME", ph_option_mode, "how to find change points: default or otava"},
	{"parameter", 0, "NAME", ph_option_parameter,
	 "number that costs depend on: n_ranks (default), n_threads, or a key of the runs' metadata"},
	{"scaling", 0, "KIND", ph_option_scaling,
	 "what is ideal: strong (default; cost falls with the number) or weak (it stays)"},
	{"function", 'F', "NAME", set_node, "function, default: the one with the highest exclusive"},
	{"node", 'n', "NODE", set_node, "supernode, default: the one with the highest exclusive"},
	{"cost", 0, "WHAT", set_cost, "inclusive or exclusive"},
	{"color", 'c', "WHAT", set_color,
	 "module, inclusive, exclusive, imbalance or difference; of matrices: bytes or messages; of "
	 "logical time: lateness (default), global_lateness, differential, global_differential, "
	 "duration, phase, enter, leave, counter or step_counter; of tasks: phase (default), "
	 "idle_experienced, differential_duration or imbalance"},
	{"color-metric", 0, "NAME", ph_option_color_metric, "metric of the colours, default: --metric"},
	{"color-range", 0, "LOW:HIGH", ph_option_color_range,
	 "values at the ends of the colours, in the metric's unit"},
	{"highlight", 0, "QUERY", ph_option_highlight,
	 "make nodes stand out: a call-path query such as '[exclusive > 0.1]', /^MPI_/ or '\"main\" "
	 "*'"},
	{"layout", 0, "WHAT", ph_option_layout, "tree (default) or radial"},
	{"guides", 0, "WHAT", ph_option_guides,
	 "texts beside the bars: summary (default), detailed (names runs) or none"},
	{"phase", 0, "N", ph_option_phase, "phase of the trace's logical structure"},
	{"steps", 0, "A-B", ph_option_steps, "logical steps A to B, such as 0-40, 12 or 100-"},
	{"range", 0, "WHAT", ph_option_range,
	 "range of colours: all (default), step (each step's own) or up to a time, such as 5ms"},
	{"aggregates", 0, NULL, ph_option_aggregates, "draw the time before events, too"},
	{"no-aggregates", 0, NULL, ph_option_aggregates, "leave out the time before events"},
	{"no-inactive", 0, NULL, ph_option_no_inactive,
	 "leave out the band of processes without an event"},
	{"reorder", 0, NULL, ph_option_reorder,
	 "events of a phase in order of their causes, not of time"},
	{"clusters", 'k', "N", ph_option_clusters, "clusters to show, default 6"},
	{"unfold", 0, "LIST", ph_option_unfold, "clusters to show the parts of, such as 36,38"},
	{"fold", 0, "LIST", ph_option_unfold, "clusters to show as one"},
	{"cluster", 0, "N", ph_option_cluster, "cluster whose process is in focus, default: all"},
	{"focus", 0, "WHAT", ph_option_focus,
	 "that process: latest (default; has the greatest value) or centroid (nearest to the mean)"},
	{"radius", 0, "N", ph_option_radius,
	 "messages away from the process in focus; default 1, or what shows half of the ways of "
	 "sending when few processes send and receive in turn"},
	{"summary", 0, "WHAT", ph_option_summary, "sum (default), max or mean over a step's events"},
	{"from", 0, "TIME", set_time, "start of the window since the first event: 0.1s, 250us, 5ms"},
	{"to", 0, "TIME", set_time, "end of the window"},
	{"depth", 0, "N", set_depth, "call levels to draw, default 6"},
	{"no-messages", 0, NULL, set_no_messages, "leave out the lines of messages"},
	{"order", 0, "WHAT", set_order, "order of the rank axis: rank (default) or host"},
	{"bins", 0, "N", set_bins, "bins of histograms, default 20"},
	{"top", 0, "N", set_top, "at most so many supernodes, default 16"},
	{"icicle", 0, NULL, set_root_on_top, "roots on top"},
	{"palette", 0, "NAME", set_palette, "default or colour-blind"},
	{"title", 0, "TEXT", set_title, "title of the picture"},
	{"width", 0, "N", set_width, "width of the picture in units of 1/96 inch"},
	{"height", 0, "N", set_height, "height of the picture"},
	{"scale", 0, "N", set_scale, "PNG pixels per unit, default 1"},
	{"output", 'o', "FILE", set_output, "picture to write: .svg, .png or .pdf; - is stdout"},
	{"type", 0, "TYPE", set_type, "svg, png or pdf, when the file's name does not say"},
	{"rows", 0, "FILE", set_rows, "draw from saved rows, without a database"},
	{"save-rows", 0, "FILE", set_save_rows, "save the rows the picture is drawn from"},
	{"db", 'd', "CONNINFO", set_database,
	 "database; default: PERFHOUSE_DB, PG* variables, else the embedded server"},
	{"quiet", 'q', NULL, set_verbosity, "errors only"},
	{"verbose", 'v', NULL, set_verbosity, "say what is done"},
	{"help", 'h', NULL, set_help, "this help"},
	{NULL, 0, NULL, NULL, NULL}};

/* Reads one rank at *text. */
static bool
read_rank(const char **text, long *rank)
{
	char *end = NULL;

	if (**text < '0' || **text > '9')
		return false;
	errno = 0;
	*rank = strtol(*text, &end, 10);
	*text = end;
	return errno == 0 && *rank <= MAX_RANK;
}

const char *
ph_ranks_parse(PhArena *arena, const char *text)
{
	size_t capacity = 0;
	size_t n = 0;
	size_t n_ranks = 0; /* in all ranges, which may overlap */
	char *out = NULL;

	for (;; text++)
	{
		long first;
		long last;

		if (!read_rank(&text, &first))
			return NULL;
		last = first;
		if (*text == '-' && (text++, !read_rank(&text, &last)))
			return NULL;
		n_ranks += (size_t) (last < first ? 0 : last - first + 1);
		if (last < first || n_ranks > MAX_RANKS)
			return NULL;
		for (long rank = first; rank <= last; rank++)
		{
			char number[16];
			int length = snprintf(number, sizeof(number), "%c%ld", n ? ',' : '{', rank);

			for (int i = 0; i < length; i++)
			{
				out = ph_need_room(arena, out, n, &capacity, 1);
				out[n++] = number[i];
			}
		}
		if (*text != ',')
			break;
	}
	return *text == '\0' ? ph_need_format(arena, "%.*s}", (int) n, out) : NULL;
}
