-- waits.sql - where the processes of a trace waited, what costs most first, and which call path and rank caused most of it.
--
-- :run, :limit
SELECT w.kind, w.region, sum(w.ns) / 1e9 AS seconds, count(*) AS waits, count(DISTINCT w.victim_rank) AS ranks,
    mode() WITHIN GROUP (ORDER BY w.origin_path) AS caused_by, mode() WITHIN GROUP (ORDER BY w.origin_rank) AS by_rank
FROM perfhouse.wait_states(:run::int8) w GROUP BY w.kind, w.region ORDER BY sum(w.ns) DESC, w.kind, w.region LIMIT :limit::int4;
