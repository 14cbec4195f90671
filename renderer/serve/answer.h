/*
 * answer.h - what a request is answered with: a status, a body, and what kind of thing it is.
 *
 * The kind decides on the headers (security, caching), in one place: http.c.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_ANSWER_H
#define PH_ANSWER_H

#include <stdbool.h>
#include <stddef.h>

#include "serve/cache/coding.h"
#include "serve/cache/content.h"
#include "system/text_stream.h"

typedef enum PhAnswerKind
{
	PH_ANSWER_PAGE,	 /* HTML */
	PH_ANSWER_ASSET, /* what pages are made of */
	PH_ANSWER_DATA,	 /* JSON of /api */
	PH_ANSWER_VIEW,	 /* pictures; may be shown by other sites */
	PH_ANSWER_EVENTS /* a stream of server-sent events, without a body */
} PhAnswerKind;

typedef struct PhAnswer
{
	PhAnswerKind kind;
	int status;		  /* of HTTP; 0: not answered yet */
	const char *type; /* content type, a constant */
	const void *body; /* NULL: empty */
	size_t size;
	PhContent *owned;  /* released with the answer: the body's; NULL: it is a constant */
	PhCoding coding;   /* of the body */
	char name[40];	   /* that tags of it are made of; "": it has none */
	bool for_script;   /* errors as JSON, whatever the kind */
	bool is_immutable; /* its address names the version that it is of */
	int retry_after;   /* seconds; 0: none */
	char *location;	   /* redirection; owned */
	const char *allow; /* methods, with 405; a constant */
	char *set_cookie;  /* owned */
} PhAnswer;

void ph_answer_free(PhAnswer *answer);

/* A malloc'ed body, taken over; ph_answer_memory() when there is no memory for that. */
void ph_answer_take(PhAnswer *answer, int status, const char *type, void *body, size_t size);
/* A constant body. */
void ph_answer_constant(PhAnswer *answer, const char *type, const void *body, size_t size,
						const char *name);
/* A body that others may have, too, taken over. */
void ph_answer_share(PhAnswer *answer, const char *type, PhCoding coding, PhContent *body);
/* Names the answer by the bytes of its body. */
void ph_answer_tag(PhAnswer *answer);

/*
 * An error in the form that the kind and type call for: JSON {"error":{"message","hint"}}, a
 * picture with the text in it for SVG, HTML for pages, else plain text. message and hint are put
 * in with everything escaped; hint and parameter may be NULL.
 */
void ph_answer_error(PhAnswer *answer, int status, const char *message, const char *hint,
					 const char *parameter);

/* What was written to the stream, which is closed; ph_answer_memory() unless all of it is there. */
void ph_answer_stream(PhAnswer *answer, const char *type, PhTextStream *stream, bool ok);

/* That there was no memory for an answer, without asking for any. */
void ph_answer_memory(PhAnswer *answer);

/* Goes elsewhere; location is taken over; NULL: there was no memory for it. */
void ph_answer_redirect(PhAnswer *answer, char *location);

#endif
