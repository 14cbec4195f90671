/*
 * unify_match.h - which metrics and columns of several profiles are the same.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#ifndef PH_PROFILE_UNIFY_MATCH_H
#define PH_PROFILE_UNIFY_MATCH_H

#include "profile/unify.h"

/* Fill n_metrics and metric_of. Another unit or kind for one name is PH_ERR_CONFLICT, nothing in
 * common PH_ERR_NOT_FOUND. Order: least index in any profile, then name. */
PhStatus ph_match_metrics(PhUnion *whole) PH_MUST_CHECK;

/* Fill n_columns and column_of, or set means. */
PhStatus ph_match_columns(PhUnion *whole) PH_MUST_CHECK;

#endif
