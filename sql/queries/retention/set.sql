-- Policy $1: action $2 after $3 for runs of filter $4 without a tag of $5.
SELECT perfhouse.set_retention($1, $2, $3::interval, $4, $5::text[])
