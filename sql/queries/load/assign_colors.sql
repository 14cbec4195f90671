-- Colours for the names that runs $1 are the first to have.
SELECT perfhouse_internal.assign_colors($1::int8[])
