-- The columns of table $1 in order: type, and place in the list $2 (from 1; null: not in it); type of the row.
SELECT a.atttypid::int8, pg_catalog.array_position(pg_catalog.string_to_array($2, ', '), a.attname::text), c.reltype::int8
  FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
 WHERE c.oid = $1::pg_catalog.regclass
 ORDER BY a.attnum
