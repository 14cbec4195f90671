-- profile.sql - the dearest groups of a run's flat profile: means over ranks.
--
-- :run, :metric or null, :by, what a group is, :limit
SELECT f.name, f.exclusive, f.inclusive, f.share, f.calls
FROM perfhouse.flat(perfhouse.profile(:run::int8, :metric::text), :by::text) f ORDER BY f.exclusive DESC, f.name LIMIT :limit::int4;
