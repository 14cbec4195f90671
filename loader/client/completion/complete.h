/*
 * complete.h - completion of command lines in shells.
 *
 * `PROGRAM complete WORD...` prints what could stand in place of the last word, given those before
 * it (without the program): a line each, the word, a tab, what it is. A line that begins with a tab
 * names what the shell adds itself: files or folders. Words that have control characters are left
 * out. `PROGRAM completion SHELL` prints the script that asks it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMPLETION_COMPLETE_H
#define PH_COMPLETION_COMPLETE_H

#include "cli/cli.h"

/* Prints what completes the last of n words of the program's command line. Nothing is logged, and
 * the process ends when a second is over. */
void ph_complete(const PhProgram *program, const char *const *words, size_t n);

/* The command that prints a shell's script. */
extern const PhCommand ph_command_completion;

#endif
