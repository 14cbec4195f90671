/*
 * picture.h - /view/NAME.svg|png|pdf: the renderer's views, drawn on request; .json: the rows that
 * they are drawn from; .sql: what they show as SQL.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PICTURE_H
#define PH_PICTURE_H

#include "request/view.h"
#include "serve/answer.h"
#include "serve/api.h"
#include "serve/own_query.h"
#include "serve/request.h"
#include "serve/session.h"

typedef enum PhPictureFormat
{
	PH_PICTURE_SVG = PH_FORMAT_SVG,
	PH_PICTURE_PNG = PH_FORMAT_PNG,
	PH_PICTURE_PDF = PH_FORMAT_PDF,
	PH_PICTURE_JSON,
	PH_PICTURE_SQL
} PhPictureFormat;

/* "NAME.svg" as a view and a format. False: there is no such view (NULL) or format. */
bool ph_picture_find(const char *name, const PhView **view, PhPictureFormat *format);

/* Content type of a format, a constant. */
const char *ph_picture_type(PhPictureFormat format);

/* A hint that lists them; malloc'ed, NULL: out of memory. */
char *ph_picture_names(void);

/* "NAME.svg" as a name, up to size bytes, and a format. False: it is none. */
bool ph_picture_split(const char *text, char *name, size_t size, PhPictureFormat *format);

/* Are the parameters good? False: the answer says which is not. Needs no database. runs: those that
 * the picture depends on alone, as an int8[] literal; "": it depends on others, too. */
bool ph_picture_check(const PhView *view, const PhTarget *target, PhAnswer *answer,
					  char runs[PH_RUNS_SIZE]);

/* Answers with what the picture shows, as SQL (request/expression.h). Needs no database. */
void ph_picture_sql(const PhView *view, const PhTarget *target, PhAnswer *answer);

/* Fetches and draws; answers with the picture or an error. answer->kind and type are set. Fonts
 * belong to the calling thread. */
void ph_picture_run(PhSession *session, PhFonts *fonts, const PhView *view, PhPictureFormat format,
					const PhTarget *target, PhAnswer *answer);

/* The picture of a query of people; view: of queries that are not saved with one, NULL: none. */
void ph_picture_own(PhSession *session, PhFonts *fonts, const PhOwnQuery *own, const PhView *view,
					PhPictureFormat format, const PhTarget *target, PhAnswer *answer);

#endif
