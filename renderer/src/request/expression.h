/*
 * expression.h - what a picture shows, as SQL that people paste into psql and go on with.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REQUEST_EXPRESSION_H
#define PH_REQUEST_EXPRESSION_H

#include "request/view.h"

/* Of views that draw a value (a profile or a super graph) the query of that value, which draws the
 * same picture as --query does; of others the query of their rows. In the options' arena. */
const char *ph_expression(const PhView *view, const PhOptions *options);

#endif
