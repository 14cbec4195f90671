/*
 * bundle.c - see bundle.h.
 *
 * A bundle is the pages' own scripts, each packed into one (tests/lib/bundle-web), and the answers
 * that a server would have given, each a script that hands it over: a browser reads nothing else
 * for a page of its disk. What users choose freely, windows and zoom, is counted by the pages from
 * the calls of the trace and the values of the profile (stored_trace.js, stored_profile.js).
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "serve/bundle.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json_out.h"
#include "database/bundled.h"
#include "database/warehouse.h"
#include "queries.h"
#include "serve/api.h"
#include "serve/assets.h"
#include "serve/picture.h"
#include "serve/source.h"
#include "system/interrupt.h"
#include "system/log.h"
#include "system/memory.h"
#include "system/paths.h"
#include "texts.h"

#define MOST_RUNS 100
#define MOST_EVENTS 1000000 /* of a trace whose calls are kept */
#define MOST_FILES "500"	/* of a profile whose texts are kept */
#define TIMEOUT_MS (600 * 1000)

static const PhParameter options[] = {
	{.name = "output",
	 .letter = 'o',
	 .type = PH_PARAMETER_TEXT,
	 .value = "FOLDER",
	 .offer = PH_OFFER_FOLDERS,
	 .help = "where to; it is made, files in it are replaced"},
	{.name = "sources",
	 .type = PH_PARAMETER_TEXT,
	 .repeats = true,
	 .value = "REPOSITORY",
	 .offer = PH_OFFER_FOLDERS,
	 .help = "keep the sources that profiles name, as of the commits that "
			 "runs measured, from this git repository"},
	{0}};

static const PhApiQuery runs_query = {
	"runs", &ph_query_bundle_runs, "there is no such run", "run!", NULL, false, false};
static const PhApiQuery trace_query = {"calls", &ph_query_bundle_trace, NULL, "run!", NULL, false,
									   false};
static const PhApiQuery values_query = {
	"values", &ph_query_bundle_values, NULL, "run! metric", NULL, false, false};

static const char *const common_files[] = {"base.css",		"viewer.css",	  "profile.css",
										   "icon.svg",		"bundle.page.js", "profile.page.js",
										   "viewer.page.js"};
static const char *const profile_views[] = {"sankey", "bar", "flame", "histogram", NULL};
static const char *const trace_views[] = {"timeline", "logical", "blame", NULL};

static const char page[] =
	"<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	"<title>perfhouse</title>\n<link rel=\"icon\" href=\"icon.svg\" type=\"image/svg+xml\">\n"
	"<link rel=\"stylesheet\" href=\"base.css\">\n%s"
	"<script src=\"data/index.js\"></script>\n<script defer src=\"%s.page.js\"></script>\n"
	"</head>\n<body class=\"%s\">\n<a class=\"skip\" href=\"#main\">to the content</a>\n"
	"<header class=\"top\"></header>\n<main id=\"main\"></main>\n"
	"<noscript>This page needs JavaScript.</noscript>\n</body>\n</html>\n";

/* What is being written. */
typedef struct Bundle
{
	PhSession session;
	PhFonts *fonts;
	PhSources sources;
	const char *folder;
	PhTextStream answers; /* members of the index: "key": "file" */
	PhTextStream pages;	  /* a list of names */
	PhTextStream runs;	  /* a list of objects */
	uint64_t n_bytes;
	unsigned n_files, n_answers, n_pages, n_runs;
	bool lacks_comparison; /* whose place says why */
	bool lacks_run;		   /* one that was named is not there */
} Bundle;

/* ---- files --------------------------------------------------------------------------------- */

static bool
write_file(Bundle *bundle, const char *name, const char *before, const void *body, size_t size,
		   const char *after)
{
	char *path = ph_format("%s/%s", bundle->folder, name);
	FILE *file = fopen(path, "wb");
	bool ok = file != NULL && fputs(before, file) >= 0 && fwrite(body, 1, size, file) == size &&
			  fputs(after, file) >= 0;
	int error = errno;

	if (file != NULL && fclose(file) != 0)
	{
		error = ok ? errno : error;
		ok = false;
	}
	if (!ok)
		ph_log_write_error(path, error);
	free(path);
	bundle->n_files++;
	bundle->n_bytes += strlen(before) + size + strlen(after);
	return ok;
}

static bool
make_folders(const Bundle *bundle)
{
	static const char *const names[] = {"data", "pictures", PH_BUNDLED_RUNS};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
	{
		char *path = ph_format("%s/%s", bundle->folder, names[i]);
		bool ok = ph_path_make_folders(path, 0777);

		if (!ok)
			ph_log_write_error(path, errno);
		free(path);
		if (!ok)
			return false;
	}
	return true;
}

static bool
write_assets(Bundle *bundle)
{
	for (size_t i = 0; i < sizeof(common_files) / sizeof(common_files[0]); i++)
	{
		const PhAsset *asset = ph_asset_find(common_files[i]);

		if (!write_file(bundle, asset->name, "", asset->bytes, asset->size, ""))
			return false;
	}
	return true;
}

/* "viewer-3.html", from the script and the style of its kind. */
static bool
write_page(Bundle *bundle, const char *kind, const char *name, const char *style)
{
	char *head = style[0] == '\0' ? ph_format("%s", "")
								  : ph_format("<link rel=\"stylesheet\" href=\"%s\">\n", style);
	char *text = ph_format(page, head, kind, strcmp(kind, "bundle") == 0 ? "" : kind);
	bool ok = write_file(bundle, name, "", text, strlen(text), "");

	fprintf(bundle->pages.file, "%s\"%s\"", bundle->n_pages++ > 0 ? ", " : "", name);
	free(text);
	free(head);
	return ok;
}

/* ---- answers ------------------------------------------------------------------------------- */

/* name?metric=VALUE&run=N, as stored.js names answers. metric, b, file: NULL: without. */
typedef struct Question
{
	const PhApiQuery *query;
	const char *run, *metric, *b;
	bool may_fail; /* an error is an answer, which pages show */
	const char *file;
} Question;

static char *
key_of(const Question *question)
{
	const char *name = question->query->name;

	if (question->b != NULL)
		return ph_format("%s?a=%s&b=%s", name, question->run, question->b);
	if (question->file != NULL)
		return ph_format("%s?file=%s&run=%s", name, question->file, question->run);
	if (question->metric != NULL)
		return ph_format("%s?metric=%s&run=%s", name, question->metric, question->run);
	return ph_format("%s?run=%s", name, question->run);
}

static PhTarget
target_of(const Question *question)
{
	PhTarget target = {.path = "/api", .n_parameters = 1};

	target.parameters[0] = (PhTargetParameter){question->b != NULL ? "a" : "run", question->run};
	if (question->b != NULL)
		target.parameters[target.n_parameters++] = (PhTargetParameter){"b", question->b};
	if (question->metric != NULL)
		target.parameters[target.n_parameters++] = (PhTargetParameter){"metric", question->metric};
	if (question->file != NULL)
		target.parameters[target.n_parameters++] = (PhTargetParameter){"file", question->file};
	return target;
}

/* False: there is none; the log says why. */
static bool
ask(Bundle *bundle, const Question *question, PhAnswer *answer)
{
	PhTarget target = target_of(question);
	PhApiValues values;
	PhProblem problem;

	if (!ph_api_values(question->query, &target, &values, &problem))
	{
		ph_log_error("%s", problem.message);
		return false;
	}
	if (question->file != NULL)
		ph_source_answer(&bundle->session, &bundle->sources, &values, answer);
	else
		ph_api_run(&bundle->session, &values, answer);
	if (answer->status == 200)
		return true;
	if (question->may_fail && answer->status != 503)
	{
		bundle->lacks_comparison = bundle->lacks_comparison || question->b != NULL;
		return true;
	}
	ph_log_error("run %s: %s: %.*s", question->run, question->query->name,
				 (int) strcspn(answer->body, "\n"), (const char *) answer->body);
	return false;
}

/* The key, quoted, in a text of its own. */
static char *
quoted(const char *key)
{
	PhTextStream stream;
	PhJsonOut json;

	if (!ph_text_stream_open(&stream))
		return NULL;
	ph_json_begin(&json, stream.file);
	ph_json_put_text(&json, NULL, key);
	return ph_text_stream_take(&stream, NULL);
}

/* Keeps an answer as a script of its own. */
static bool
keep(Bundle *bundle, const Question *question)
{
	PhAnswer answer = {.for_script = true};
	bool ok = ask(bundle, question, &answer);
	char *plain = key_of(question);
	char *key = ok ? quoted(plain) : NULL;

	if (key != NULL)
	{
		char *name = ph_format("data/%u.js", bundle->n_answers);
		char *before = ph_format("perfhouseStored.take(%s, ", key);

		ok = write_file(bundle, name, before, answer.body, answer.size, ");\n");
		fprintf(bundle->answers.file, "%s%s: \"%s\"", bundle->n_answers++ > 0 ? ",\n" : "", key,
				name);
		free(before);
		free(name);
	}
	free(key);
	free(plain);
	ph_answer_free(&answer);
	return ok;
}

static bool
keep_named(Bundle *bundle, const char *name, const char *run)
{
	return keep(bundle, &(Question){.query = ph_api_find(name), .run = run});
}

/* ---- a run --------------------------------------------------------------------------------- */

/* The tree and the values of each metric, and those of the primary one under no name. */
static bool
keep_profile(Bundle *bundle, const char *run)
{
	PhParam params[1] = {ph_param_text(run)};
	PhResult *metrics = ph_pq_query(bundle->session.connection, ph_sql_bundle_metrics, params, 1);
	bool ok = metrics != NULL && keep_named(bundle, "tree", run) &&
			  keep_named(bundle, "topology", run) && keep_named(bundle, "iterations", run) &&
			  keep(bundle, &(Question){.query = &values_query, .run = run});

	for (size_t i = 0; ok && i < ph_result_count(metrics); i++)
	{
		const char *metric = ph_result_text(metrics, i, 0);

		ok =
			!ph_interrupted() &&
			keep(bundle, &(Question){.query = ph_api_find("tree"), .run = run, .metric = metric}) &&
			keep(bundle,
				 &(Question){.query = ph_api_find("iterations"), .run = run, .metric = metric}) &&
			keep(bundle, &(Question){.query = &values_query, .run = run, .metric = metric});
	}
	ph_result_free(metrics);
	return ok;
}

/* What the repositories do not have is an answer as well: which, and why. */
static bool
keep_sources(Bundle *bundle, const char *run)
{
	PhParam params[2] = {ph_param_text(run), ph_param_text(MOST_FILES)};
	PhResult *files = bundle->sources.n > 0
						  ? ph_pq_query(bundle->session.connection, ph_sql_bundle_files, params, 2)
						  : NULL;
	bool ok = files != NULL || bundle->sources.n == 0;

	for (size_t i = 0; ok && files != NULL && i < ph_result_count(files); i++)
		ok = !ph_interrupted() && keep(bundle, &(Question){.query = ph_api_find("source"),
														   .run = run,
														   .file = ph_result_text(files, i, 0),
														   .may_fail = true});
	ph_result_free(files);
	return ok;
}

/* What perfhouse gate reads: what is known of the run. */
static bool
keep_facts(Bundle *bundle, const char *run, const PhResult *facts)
{
	static const char *const texts[] = {"columns", "meta", "keys"};
	char *name = ph_format(PH_BUNDLED_RUNS "/%s" PH_BUNDLED_FACTS, run);
	char *text = NULL;
	PhTextStream stream;
	PhJsonOut json;
	size_t size;

	if (ph_text_stream_open(&stream))
	{
		ph_json_begin(&json, stream.file);
		ph_json_open_object(&json, NULL);
		for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
			ph_json_put_text(&json, texts[i],
							 ph_result_text(facts, 0, ph_result_field(facts, texts[i])));
		ph_json_put_bool(&json, "is_declared",
						 ph_result_bool(facts, 0, ph_result_field(facts, "is_declared")));
		ph_json_close(&json);
		text = ph_text_stream_take(&stream, &size);
	}
	bool ok = text != NULL && write_file(bundle, name, "", text, size, "\n");
	free(text);
	free(name);
	return ok;
}

/* And its profile, with all metrics. */
static bool
keep_measured(Bundle *bundle, const char *run)
{
	char *list = ph_format("{%s}", run);
	PhParam which[1] = {ph_param_text(list)};
	PhParam params[2] = {ph_param_int(strtoll(run, NULL, 10)), ph_param_bool(true)};
	PhConnection *connection = bundle->session.connection;
	PhResult *facts = ph_pq_query(connection, ph_sql_compare_facts, which, 1);
	PhResult *rows =
		facts != NULL ? ph_pq_query_binary(connection, ph_sql_profile_all, params, 2) : NULL;
	bool ok = rows != NULL && ph_result_count(facts) == 1 && keep_facts(bundle, run, facts);

	if (ok)
	{
		char *name = ph_format(PH_BUNDLED_RUNS "/%s" PH_BUNDLED_PROFILE, run);
		size_t size;
		const char *bytes = ph_result_bytes(rows, 0, 0, &size);

		ok = write_file(bundle, name, "", bytes, size, "");
		free(name);
	}
	else if (rows == NULL)
		ph_log_error("run %s: %s", run, connection->error.message);
	ph_result_free(rows);
	ph_result_free(facts);
	free(list);
	return ok;
}

/* Views that have nothing to draw are left out. */
static bool
keep_pictures(Bundle *bundle, const char *run, const char *const *views, unsigned *n)
{
	for (; *views != NULL && !ph_interrupted(); views++)
	{
		PhTarget target = {.path = "/view", .parameters = {{"run", run}}, .n_parameters = 1};
		PhAnswer answer = {0};
		char *name = ph_format("pictures/%s-%s.svg", *views, run);
		bool ok = true;

		ph_picture_run(&bundle->session, bundle->fonts, ph_view_find(*views), PH_PICTURE_SVG,
					   &target, &answer);
		if (answer.status == 200)
		{
			ok = write_file(bundle, name, "", answer.body, answer.size, "");
			fprintf(bundle->runs.file, "%s{\"view\": \"%s\", \"file\": \"%s\"}",
					(*n)++ > 0 ? ", " : "", *views, name);
		}
		ph_answer_free(&answer);
		free(name);
		if (!ok)
			return false;
	}
	return true;
}

static bool
keep_pages(Bundle *bundle, const char *run, bool has_profile, bool has_trace)
{
	char *profile = ph_format("profile-%s.html", run);
	char *viewer = ph_format("viewer-%s.html", run);
	bool ok = (!has_profile || (write_page(bundle, "profile", profile, "profile.css") &&
								keep_profile(bundle, run) && keep_measured(bundle, run) &&
								keep_sources(bundle, run))) &&
			  (!has_trace ||
			   (write_page(bundle, "viewer", viewer, "viewer.css") &&
				keep_named(bundle, "viewer", run) && keep_named(bundle, "waited_for", run) &&
				keep(bundle, &(Question){.query = &trace_query, .run = run})));

	free(profile);
	free(viewer);
	return ok;
}

/* Whether the run has a profile and a trace that is kept: to pages; what it is called: to the
 * index. */
static bool
keep_shaped(Bundle *bundle, const char *run, const PhResult *shape)
{
	bool has_profile = strcmp(ph_result_text(shape, 0, 0), "t") == 0;
	bool has_trace = strcmp(ph_result_text(shape, 0, 1), "t") == 0;
	bool is_small = strtoll(ph_result_text(shape, 0, 2), NULL, 10) <= MOST_EVENTS;
	PhAnswer answer = {.for_script = true};
	bool ok = ask(bundle, &(Question){.query = &runs_query, .run = run}, &answer);
	unsigned n = 0;

	if (ok)
		fprintf(bundle->runs.file,
				"%sObject.assign(%.*s.rows[0], {\"most_events\": %d, \"pictures\": [",
				bundle->n_runs++ > 0 ? ",\n" : "", (int) answer.size, (const char *) answer.body,
				MOST_EVENTS);
	ok = ok && keep_pages(bundle, run, has_profile, has_trace && is_small) &&
		 keep_named(bundle, "explain", run) &&
		 (!has_profile || keep_pictures(bundle, run, profile_views, &n)) &&
		 (!has_trace || keep_pictures(bundle, run, trace_views, &n));
	fprintf(bundle->runs.file, "]})");
	ph_answer_free(&answer);
	return ok;
}

static bool
keep_run(Bundle *bundle, const char *run)
{
	PhParam params[1] = {ph_param_text(run)};
	PhResult *shape = ph_pq_query(bundle->session.connection, ph_sql_bundle_shape, params, 1);
	bool ok = shape != NULL && ph_result_count(shape) == 1;

	if (ok)
		ok = keep_shaped(bundle, run, shape);
	else if (shape != NULL)
	{
		ph_log_error("there is no run %s", run);
		ph_log_hint("perfhouse runs lists them.");
		bundle->lacks_run = true;
	}
	else
		ph_log_error("%s", bundle->session.connection->error.message);
	ph_result_free(shape);
	return ok && !ph_interrupted();
}

/* What changed from the first run to another; of runs that cannot be compared: why not. The rest of
 * the bundle is made all the same. */
static bool
compare_runs(Bundle *bundle, const char *first, const char *other)
{
	bool lacked = bundle->lacks_comparison;
	bool ok;

	bundle->lacks_comparison = false;
	ok = keep(bundle,
			  &(Question){ph_api_find("explain_runs"), first, NULL, other, .may_fail = true}) &&
		 keep(bundle, &(Question){ph_api_find("diff"), first, NULL, other, .may_fail = true});
	if (ok && bundle->lacks_comparison)
		ph_log_warning("run %s cannot be compared with run %s: the first page says why", other,
					   first);
	bundle->lacks_comparison = bundle->lacks_comparison || lacked;
	return ok;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static bool
write_index(Bundle *bundle)
{
	size_t size;
	char *answers = ph_text_stream_take(&bundle->answers, NULL);
	char *pages = ph_text_stream_take(&bundle->pages, NULL);
	char *runs = ph_text_stream_take(&bundle->runs, NULL);
	char *text =
		answers != NULL && pages != NULL && runs != NULL
			? ph_format("'use strict';\nglobalThis.perfhouseStored = {\npages: [%s],\nanswers: "
						"{%s},\nruns: [%s]};\n",
						pages, answers, runs)
			: NULL;
	bool ok = text != NULL;

	size = ok ? strlen(text) : 0;
	ok = ok && write_file(bundle, "data/index.js", "", text, size, "");
	free(text);
	free(runs);
	free(pages);
	free(answers);
	return ok;
}

static bool
write_bundle(Bundle *bundle, const PhArguments *arguments)
{
	size_t n = ph_cli_n_arguments(arguments);
	const char *first = ph_cli_argument(arguments, 0);

	if (!make_folders(bundle) || !write_assets(bundle) ||
		!write_page(bundle, "bundle", "index.html", "viewer.css"))
		return false;
	for (size_t i = 0; i < n; i++)
		if (!keep_run(bundle, ph_cli_argument(arguments, i)))
			return false;
	for (size_t i = 1; i < n; i++)
		if (!compare_runs(bundle, first, ph_cli_argument(arguments, i)))
			return false;
	return write_index(bundle);
}

static bool
is_number(const char *text)
{
	return text[0] != '\0' && strlen(text) < 19 && strspn(text, "0123456789") == strlen(text);
}

static PhExit
check(const PhArguments *arguments, const char *folder)
{
	size_t n = ph_cli_n_arguments(arguments);

	if (folder == NULL)
		return ph_cli_usage_error(arguments, "bundle needs --output FOLDER");
	if (n > MOST_RUNS)
		return ph_cli_usage_error(arguments, "a bundle has at most %d runs", MOST_RUNS);
	for (size_t i = 0; i < n; i++)
		if (!is_number(ph_cli_argument(arguments, i)))
			return ph_cli_usage_error(arguments, "%s is no run's number; perfhouse runs lists them",
									  ph_cli_argument(arguments, i));
	return PH_EXIT_OK;
}

static PhExit
open_sources(Bundle *bundle, const PhArguments *arguments)
{
	const char *const *repositories;
	size_t n = ph_cli_list(arguments, "sources", &repositories);

	return ph_sources_open(&bundle->sources, repositories, n, 0);
}

static void
tell(const Bundle *bundle)
{
	printf("%s/index.html: %u run%s, %u files, %.1f MB\n", bundle->folder, bundle->n_runs,
		   bundle->n_runs == 1 ? "" : "s", bundle->n_files, (double) bundle->n_bytes / 1e6);
}

static PhExit
run_bundle(PhArguments *arguments)
{
	const char *folder = ph_cli_text(arguments, "output", NULL);
	PhConnection *connection = NULL;
	PhExit code = check(arguments, folder);
	Bundle bundle = {.folder = folder};
	bool ok;

	if (code == PH_EXIT_OK)
		code = open_sources(&bundle, arguments);
	if (code == PH_EXIT_OK)
		code = ph_warehouse_open(ph_cli_db(arguments), PH_OPEN_READY, &connection);
	if (code != PH_EXIT_OK)
	{
		ph_sources_close(&bundle.sources);
		return code;
	}
	bundle.session = (PhSession){.like = connection, .timeout_ms = TIMEOUT_MS};
	bundle.fonts = ph_fonts_open();
	ok = ph_text_stream_open(&bundle.answers) && ph_text_stream_open(&bundle.pages) &&
		 ph_text_stream_open(&bundle.runs) && ph_session_ready(&bundle.session) &&
		 write_bundle(&bundle, arguments);
	if (ok)
		tell(&bundle);
	ph_text_stream_drop(&bundle.answers);
	ph_text_stream_drop(&bundle.pages);
	ph_text_stream_drop(&bundle.runs);
	ph_session_close(&bundle.session);
	ph_fonts_close(bundle.fonts);
	ph_sources_close(&bundle.sources);
	ph_pq_close(connection);
	if (ok)
		return bundle.lacks_comparison ? PH_EXIT_INCOMPARABLE : PH_EXIT_OK;
	return ph_interrupted()	  ? PH_EXIT_INTERRUPTED
		   : bundle.lacks_run ? PH_EXIT_NOT_FOUND
							  : PH_EXIT_ERROR;
}

const PhCommand ph_bundle_command = {
	.name = "bundle",
	.help = "pages of runs as files that need no server: for CI artefacts and mail",
	.usage = "RUN... --output FOLDER",
	.details = ph_help_bundle,
	.options = options,
	.min_arguments = 1,
	.max_arguments = -1,
	.uses_database = true,
	.run = run_bundle};
