-- render_ranks_missing.sql - which of these ranks none of the runs has, and which there are. No row: all are there, or no
-- process of the runs has a rank.
--
-- :runs, int8[]; :ranks, int4[]
WITH known AS MATERIALIZED (
	SELECT DISTINCT l.rank FROM perfhouse.location l WHERE l.run_id = ANY (:runs::int8[]) AND l.rank IS NOT NULL
)
SELECT min(w.rank), (SELECT min(k.rank) || ' to ' || max(k.rank) FROM known k)
FROM unnest(:ranks::int4[]) w(rank) WHERE w.rank NOT IN (SELECT k.rank FROM known k) AND EXISTS (SELECT FROM known)
HAVING count(*) > 0;
