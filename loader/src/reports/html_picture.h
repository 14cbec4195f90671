/*
 * html_picture.h - pictures of a warehouse within a page: perfhouse-render draws them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_HTML_PICTURE_H
#define PH_REPORTS_HTML_PICTURE_H

#include <stddef.h>
#include <stdio.h>

/* The pictures of a page. Begin with the database, everything else zero. */
typedef struct PhHtmlPictures
{
	const char *db;	 /* --db; NULL: the usual one */
	char **commands; /* that were drawn: each is in the page once */
	size_t n;
	size_t bytes; /* of all of them */
} PhHtmlPictures;

/*
 * The picture that a command draws ("perfhouse render flame --run 1 -o explain.svg"), as a figure;
 * for one that the page has, a link to it. What is not drawn, for want of the renderer, of the
 * right to read or of room (8 MB of pictures a page), leaves the command.
 */
void ph_html_picture(FILE *out, PhHtmlPictures *pictures, const char *command);

void ph_html_pictures_free(PhHtmlPictures *pictures);

#endif
