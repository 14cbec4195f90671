/*
 * bundle.h - a folder of profiles as one file: a tar or zip archive, as services of continuous
 * integration keep what a job made.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PIPELINE_BUNDLE_H
#define PH_PIPELINE_BUNDLE_H

#include "profile/profile.h"

/* By name (.zip, .tar, .tgz, .tar.gz, .tar.xz ...): profiles may be archives, too (.cubex). */
bool ph_is_bundle(const char *path);

/*
 * Unpack it into a new folder that only this user can enter. The caller removes it
 * (ph_path_remove_folder) and frees its name. Links and devices are left out. PH_ERR_FORMAT when it
 * is damaged or a member's name leads out of the folder, PH_ERR_LIMIT when it has more than 100,000
 * members or 8 GB; then nothing is left.
 */
PhStatus ph_bundle_unpack(PhEnv *env, const char *path, char **folder) PH_MUST_CHECK;

/* A profile in the pages of perfhouse bundle (database/bundled.h). PH_ERR_FORMAT: it is damaged. */
PhStatus ph_bundled_profile_read(PhEnv *env, const char *path, PhProfile **out) PH_MUST_CHECK;

#endif
