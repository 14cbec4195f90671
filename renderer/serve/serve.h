/*
 * serve.h - `perfhouse serve`: the pages, their data and the pictures over HTTP.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_SERVE_H
#define PH_SERVE_H

#include "cli/cli.h"

/* `perfhouse serve` as a program of one command. */
const PhProgram *ph_serve_program(void);

/* argv[0] is "serve". Returns the exit code. */
int ph_serve_main(int argc, char **argv);

#endif
