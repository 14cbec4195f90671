-- The packed call trees $1 are stored: their ids, in order.
SELECT u.id FROM unnest(perfhouse_internal.intern_trees($1)) WITH ORDINALITY u (id, place) ORDER BY u.place
