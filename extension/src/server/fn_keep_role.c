/*
 * fn_keep_role.c - for the rest of a transaction the role is what it is.
 *
 * Who runs queries of others takes a role with few rights first; but a query may ask for the one
 * before again, by set_config('role', ...). What SECURITY DEFINER functions are protected by holds
 * for the transaction then: the role and the session's user cannot be set, nothing is prepared,
 * listened to or made for the session. The transaction must be rolled back, which ends it.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "postgres.h"

#include "access/xact.h"
#include "fmgr.h"
#include "miscadmin.h"

#include "server/compat.h"

PH_FUNCTION(ph_keep_role)
{
	Oid user;
	int context;

	if (superuser())
		ereport(ERROR, errcode(ERRCODE_INSUFFICIENT_PRIVILEGE),
				errmsg("queries of others are not run as a superuser"),
				errhint("Take the role perfhouse_reader first."));
	RequireTransactionBlock(true, "perfhouse_internal.keep_role");
	GetUserIdAndSecContext(&user, &context);
	SetUserIdAndSecContext(user, context | SECURITY_RESTRICTED_OPERATION);
	PG_RETURN_VOID();
}
