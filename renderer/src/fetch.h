/*
 * fetch.h - the rows of a picture, from the database or from a file of saved rows.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_FETCH_H
#define PH_FETCH_H

#include "exit_codes.h"
#include "view.h"

/* Fills rows as the view's query or --rows gives them, and writes them to --save-rows. Failures
 * are logged. */
PhExit ph_fetch(const PhView *view, const PhOptions *options, PhRows *rows);

#endif
