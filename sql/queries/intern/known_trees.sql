-- Which of the call trees $1 are stored, with their checksums.
SELECT tree_id, crc FROM perfhouse_internal.known_trees($1::int8[])
