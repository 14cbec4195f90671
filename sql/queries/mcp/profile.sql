-- profile.sql - the dearest groups of a run's flat profile: means over ranks, in the unit of the metric.
--
-- :run, :metric or null, :by, what a group is, :limit
WITH given AS MATERIALIZED (
    SELECT perfhouse.profile(:run::int8, :metric::text) AS p
)
SELECT f.name, f.exclusive, f.inclusive, m.unit, f.share, f.calls
FROM given, perfhouse.flat(given.p, :by::text) f, (SELECT k.unit FROM given, perfhouse.metrics(given.p) k LIMIT 1) m
ORDER BY f.exclusive DESC, f.name LIMIT :limit::int4;
