/*
 * line.h - rows of a query as points, joined or not.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_VIEWS_PLAIN_LINE_H
#define PH_VIEWS_PLAIN_LINE_H

#include "views/plain/plain.h"

void ph_plain_draw(PhDrawing *drawing, bool joined);

#endif
