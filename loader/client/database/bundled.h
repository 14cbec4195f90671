/*
 * bundled.h - how runs lie in the pages of perfhouse bundle, which perfhouse gate reads: of run 12
 * runs/12.profile has the profile as it is stored (profile/flat.h), runs/12.json what is known of
 * the run: an object of texts "columns", "meta" and "keys", and "is_declared", as the query of
 * facts has them.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_DATABASE_BUNDLED_H
#define PH_DATABASE_BUNDLED_H

#define PH_BUNDLED_RUNS "runs"
#define PH_BUNDLED_PROFILE ".profile"
#define PH_BUNDLED_FACTS ".json"

#endif
