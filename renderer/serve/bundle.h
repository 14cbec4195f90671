/*
 * bundle.h - the command perfhouse bundle: pages of some runs as files that need no server.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_BUNDLE_H
#define PH_BUNDLE_H

#include "cli/cli.h"

extern const PhCommand ph_bundle_command;

#endif
