/*
 * explain_print.c - see explain_print.h.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "reports/explain_print.h"

#include <stdlib.h>
#include <string.h>

#include "cli/markup_out.h"
#include "reports/html_page.h"
#include "reports/html_picture.h"
#include "reports/report_print.h"
#include "system/memory.h"

/* Columns of the queries. */
enum
{
	E_STEP,
	E_SENTENCE,
	E_CONFIDENCE,
	E_SHAPE,
	E_CAUSE,
	E_PATH,
	E_UNITS,
	E_SHARE,
	E_EFFECT,
	E_EVIDENCE,
	E_PICTURE,
	E_COUNT
};

/* What readers see of a step. */
static const struct
{
	const char *step, *title;
} titles[] = {{"comparable", "Comparable?"},
			  {"level", "Slow at all?"},
			  {"finding", "Where and why"},
			  {"changed", "What changed"},
			  {"scaling", "Beside other numbers of ranks"},
			  {"devices", "Devices"},
			  {"waits", "Who made others wait"},
			  {"efficiency", "Efficiency"},
			  {"balance", "Balance"},
			  {"gain", "What it would bring"}};

static const char *
title_of(const char *step)
{
	for (size_t i = 0; i < sizeof(titles) / sizeof(titles[0]); i++)
		if (strcmp(step, titles[i].step) == 0)
			return titles[i].title;
	return step;
}

static const char *
cell(const PhExplainPage *page, size_t row, size_t field)
{
	return ph_result_text(page->rows, row, field);
}

/* Whether a row is the first one of its step, and its title is due. */
static bool
begins_step(const PhExplainPage *page, size_t row)
{
	return row == 0 || strcmp(cell(page, row, E_STEP), cell(page, row - 1, E_STEP)) != 0;
}

static bool
is_finding(const PhExplainPage *page, size_t row)
{
	return strcmp(cell(page, row, E_STEP), "finding") == 0;
}

static size_t
count_findings(const PhExplainPage *page)
{
	size_t n = 0;

	for (size_t row = 0; row < ph_result_count(page->rows); row++)
		n += is_finding(page, row);
	return n;
}

/* Both sides were judged, and nothing was found. */
static bool
found_nothing(const PhExplainPage *page, size_t row)
{
	return strcmp(cell(page, row, E_STEP), "level") == 0 && count_findings(page) == 0 && row > 0;
}

#define NOTHING "No call path changed more clearly than noise."

/* ---- text ---- */

static void
print_sentence(FILE *out, const PhExplainPage *page, size_t row)
{
	fprintf(out, "  %s", cell(page, row, E_SENTENCE));
	if (cell(page, row, E_CONFIDENCE) != NULL)
		fprintf(out, " [confidence: %s]", cell(page, row, E_CONFIDENCE));
	fputc('\n', out);
}

static void
print_rows(FILE *out, const PhExplainPage *page)
{
	for (size_t row = 0; row < ph_result_count(page->rows); row++)
	{
		if (begins_step(page, row))
			ph_show_section(out, title_of(cell(page, row, E_STEP)));
		print_sentence(out, page, row);
		if (cell(page, row, E_EVIDENCE) != NULL)
			fprintf(out, "    SQL: %s\n", cell(page, row, E_EVIDENCE));
		if (cell(page, row, E_PICTURE) != NULL)
			fprintf(out, "    picture: %s\n", cell(page, row, E_PICTURE));
		if (found_nothing(page, row))
			fprintf(out, "  %s\n", NOTHING);
	}
}

void
ph_explain_print_text(FILE *out, const PhExplainPage *page)
{
	fprintf(out, "explain: %s\n", page->title);
	print_rows(out, page);
}

void
ph_explain_print_findings(FILE *out, const PhExplainPage *page)
{
	if (count_findings(page) == 0)
	{
		ph_show_section(out, title_of("finding"));
		fprintf(out, "  %s\n", NOTHING);
	}
	print_rows(out, page);
}

void
ph_explain_print_summary(FILE *out, const PhExplainPage *page)
{
	ph_show_section(out, "Explanation");
	for (size_t row = 0; row < ph_result_count(page->rows); row++)
	{
		print_sentence(out, page, row);
		if (found_nothing(page, row))
			fprintf(out, "  %s\n", NOTHING);
	}
}

/* ---- Markdown ---- */

/* In a fence, within a list; has_fence refuses what would end it. */
static void
put_code(FILE *out, const char *language, const char *text)
{
	if (text != NULL)
		fprintf(out, "\n  ```%s\n  %s\n  ```\n", language, text);
}

static bool
has_fence(const char *text)
{
	return text != NULL && strstr(text, "```") != NULL;
}

static void
mark_row(FILE *out, const PhExplainPage *page, size_t row)
{
	fputs("* ", out);
	ph_markdown_put_text(out, cell(page, row, E_SENTENCE));
	if (cell(page, row, E_CONFIDENCE) != NULL)
		fprintf(out, " *(confidence: %s)*", cell(page, row, E_CONFIDENCE));
	fputc('\n', out);
	if (is_finding(page, row) && !has_fence(cell(page, row, E_EVIDENCE)))
	{
		put_code(out, "sql", cell(page, row, E_EVIDENCE));
		put_code(out, "sh", cell(page, row, E_PICTURE));
	}
}

void
ph_explain_print_markdown(FILE *out, const PhExplainPage *page)
{
	fputs("## Explanation: ", out);
	ph_markdown_put_text(out, page->title);
	fputc('\n', out);
	for (size_t row = 0; row < ph_result_count(page->rows); row++)
	{
		if (begins_step(page, row))
			fprintf(out, "\n### %s\n\n", title_of(cell(page, row, E_STEP)));
		mark_row(out, page, row);
		if (found_nothing(page, row))
			fprintf(out, "* %s\n", NOTHING);
	}
}

/* ---- HTML ---- */

/* What a finding costs or brings is told by its words; the colour repeats it. */
static const char *
class_of(const PhExplainPage *page, size_t row)
{
	const char *effect = cell(page, row, E_EFFECT);

	if (!is_finding(page, row) || effect == NULL)
		return NULL;
	return strtod(effect, NULL) > 0 ? "bad" : "good";
}

static void
put_entry(FILE *out, const PhExplainPage *page, size_t row, PhHtmlPictures *pictures)
{
	fputs("<div class=\"entry\">\n<div>\n", out);
	ph_html_element(out, "p", class_of(page, row), cell(page, row, E_SENTENCE));
	if (cell(page, row, E_CONFIDENCE) != NULL)
		fprintf(out, "<p class=\"soft\">Confidence: %s</p>\n", cell(page, row, E_CONFIDENCE));
	if (cell(page, row, E_EVIDENCE) != NULL)
		ph_html_code(out, "SQL that shows it", cell(page, row, E_EVIDENCE));
	if (found_nothing(page, row))
		ph_html_element(out, "p", NULL, NOTHING);
	fputs("</div>\n", out);
	if (cell(page, row, E_PICTURE) != NULL)
		ph_html_picture(out, pictures, cell(page, row, E_PICTURE));
	fputs("</div>\n", out);
}

void
ph_explain_print_html(FILE *out, const PhExplainPage *page, const char *db)
{
	PhHtmlPictures pictures = {.db = db};
	char *title = ph_format("Explanation of %s", page->title);

	ph_html_begin(out, "explain", title);
	for (size_t row = 0; row < ph_result_count(page->rows); row++)
	{
		if (begins_step(page, row))
		{
			fputs(row > 0 ? "</section>\n<section>\n" : "<section>\n", out);
			ph_html_element(out, "h2", NULL, title_of(cell(page, row, E_STEP)));
		}
		put_entry(out, page, row, &pictures);
	}
	if (ph_result_count(page->rows) > 0)
		fputs("</section>\n", out);
	ph_html_end(out);
	ph_html_pictures_free(&pictures);
	free(title);
}

/* ---- JSON ---- */

static void
put_number(PhJsonOut *json, const PhExplainPage *page, const char *key, size_t row, size_t field)
{
	const char *text = cell(page, row, field);

	if (text == NULL)
		ph_json_put_null(json, key);
	else
		ph_json_put_number(json, key, strtod(text, NULL));
}

void
ph_explain_write(PhJsonOut *json, const char *key, const PhExplainPage *page)
{
	static const char *const keys[E_COUNT] = {"step",	"sentence", "confidence", "shape",
											  "cause",	"path",		"units",	  "share",
											  "effect", "evidence", "picture"};

	size_t n = page->rows != NULL ? ph_result_count(page->rows) : 0;

	ph_json_open_array(json, key);
	for (size_t row = 0; row < n; row++)
	{
		ph_json_open_object(json, NULL);
		for (size_t field = 0; field < E_COUNT; field++)
		{
			if (field == E_SHARE || field == E_EFFECT)
				put_number(json, page, keys[field], row, field);
			else
				ph_json_put_text(json, keys[field], cell(page, row, field));
		}
		ph_json_close(json);
	}
	ph_json_close(json);
}

void
ph_explain_print_json(FILE *out, const PhExplainPage *page)
{
	PhJsonOut json;

	ph_json_begin(&json, out);
	ph_json_open_object(&json, NULL);
	ph_json_put_text(&json, "title", page->title);
	ph_explain_write(&json, "sentences", page);
	ph_json_close(&json);
	(void) ph_json_done_line(&json);
}

/* ---- JUnit ---- */

/* Findings that cost time. */
static bool
is_failure(const PhExplainPage *page, size_t row)
{
	return is_finding(page, row) && strtod(cell(page, row, E_EFFECT), NULL) > 0;
}

static void
put_case(FILE *out, const PhExplainPage *page, const char *name, const char *message)
{
	fputs("    <testcase classname=\"", out);
	ph_markup_put_text(out, page->title);
	fputs("\" name=\"", out);
	ph_markup_put_text(out, name);
	fputs("\">", out);
	if (message != NULL)
	{
		fputs("<failure message=\"", out);
		ph_markup_put_text(out, message);
		fputs("\"/>", out);
	}
	fputs("</testcase>\n", out);
}

void
ph_explain_print_junit(FILE *out, const PhExplainPage *page)
{
	size_t n_failed = 0;

	for (size_t row = 0; row < ph_result_count(page->rows); row++)
		n_failed += is_failure(page, row);
	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n", out);
	fprintf(
		out,
		"  <testsuite name=\"perfhouse explain\" tests=\"%zu\" failures=\"%zu\" errors=\"0\">\n",
		n_failed > 0 ? n_failed : 1, n_failed);
	if (n_failed == 0)
		put_case(out, page, "nothing got slower", NULL);
	for (size_t row = 0; row < ph_result_count(page->rows); row++)
		if (is_failure(page, row))
			put_case(out, page, cell(page, row, E_PATH), cell(page, row, E_SENTENCE));
	fputs("  </testsuite>\n</testsuites>\n", out);
}
