-- Which of the labels of regions $1 are stored, with their checksums.
SELECT labels_id, crc FROM perfhouse_internal.known_labels($1::int8[])
