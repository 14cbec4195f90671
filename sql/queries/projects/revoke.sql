-- Project $1 from role $2.
SELECT perfhouse.revoke_project($1, $2)
