/*
 * profile_case.h - what tests of profile operations share: an environment that must be
 * empty at the end of each test, random profiles in it, and a check of soundness.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef SUPPORT_PROFILE_CASE_H
#define SUPPORT_PROFILE_CASE_H

#include "profile/profile.h"

extern PhEnv case_env;

/* Setup and teardown: a fresh environment; nothing may be left in it. */
int case_begin(void **state);
int case_end(void **state);

/* The random profile of a seed, as support/mixed.h makes it. */
PhProfile *case_mixed(uint64_t seed, bool whole);

/* Fails the test unless the profile is in normal form and its flow metrics add up. */
void case_sound(const PhProfile *profile);

#endif
