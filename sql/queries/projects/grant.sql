-- Project $1 to role $2.
SELECT perfhouse.grant_project($1, $2)
