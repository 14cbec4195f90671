/*
 * environment_values.h - what runs say of their environment, one key at a time: lists and clocks.
 *
 * A list of forty libraries of which one differs is told by that one, and clocks that were read
 * off while a job ran (2399.8 MHz, 2400.1 MHz) are the same clock.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_REPORTS_ENVIRONMENT_VALUES_H
#define PH_REPORTS_ENVIRONMENT_VALUES_H

#include <stdbool.h>
#include <stddef.h>

typedef struct PhEnvironmentValue
{
	char *text;
	size_t n_runs; /* that say it */
} PhEnvironmentValue;

/*
 * Appends what one run says, each with n_runs 1: the elements of a list ("[a, b]" and "{a,b}", as
 * JSON and Caliper write them, and "a:b", as paths and modules are), else the whole. True: it is a
 * list.
 */
bool ph_environment_split(const char *value, bool may_be_list, PhEnvironmentValue **values,
						  size_t *n);

/* Sorts, and counts equal texts once; returns how many are left. */
size_t ph_environment_unite(PhEnvironmentValue *values, size_t n);

/*
 * False: not all of it are numbers, or a side has none. Else *differ where the sides do not overlap
 * and their means are more than 2 % apart, with texts that tell mean and range, for the caller to
 * free.
 */
bool ph_environment_clocks(const PhEnvironmentValue *a, size_t n_a, const PhEnvironmentValue *b,
						   size_t n_b, char **before, char **after, bool *differ);

#endif
