-- Dictionary rows that no stored tree or run uses. $1: remove them, which only alone.sql allows.
SELECT callpaths, regions FROM perfhouse_internal.unused_dictionary($1::boolean)
