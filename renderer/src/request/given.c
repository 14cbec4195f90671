/*
 * given.c - what views draw of a query of the user.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "request/given.h"

#include <stddef.h>

const PhGivenColumn ph_given_profile[] = {{.name = "profile", .kind = PH_GIVEN_PROFILE}, {0}};
const PhGivenColumn ph_given_supergraph[] = {{.name = "supergraph", .kind = PH_GIVEN_SUPERGRAPH},
											 {0}};
