/*
 * offers.h - what completion offers from the warehouse: runs, tags, metrics and so on.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_COMPLETION_OFFERS_H
#define PH_COMPLETION_OFFERS_H

#include "cli/parameter.h"

/* Calls take() with each value that begins like the prefix, and a word about it. Offers nothing,
 * and says nothing, when there is no warehouse that can be reached: an embedded server that does
 * not run is not started. db: what --db gave, NULL: nothing. */
void ph_offers_from_warehouse(PhOffer offer, const char *db, const char *prefix,
							  void (*take)(void *user, const char *value, const char *about),
							  void *user);

#endif
