-- Labels of regions $1, as the bytes whose hash is their id, are stored: their ids, in order.
SELECT u.id FROM unnest(perfhouse_internal.intern_label_sets($1)) WITH ORDINALITY u (id, place) ORDER BY u.place
