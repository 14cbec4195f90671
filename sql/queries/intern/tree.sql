-- The packed call tree $1 is stored: its id.
SELECT perfhouse_internal.intern_tree($1)
