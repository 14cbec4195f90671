-- compare.sql - own costs of functions in two runs, what changed most first: means over ranks. Run b is asked for the primary metric
-- of run a, so that no seconds are taken from bytes.
--
-- :a, :b, :limit
WITH before AS MATERIALIZED (
    SELECT perfhouse.profile(:a::int8) AS p
), measured AS MATERIALIZED (
    SELECT m.metric, m.unit FROM before, perfhouse.metrics(before.p) m LIMIT 1
), after AS MATERIALIZED (
    SELECT perfhouse.profile(:b::int8, measured.metric) AS p FROM measured
)
SELECT name, a.exclusive AS a_exclusive, b.exclusive AS b_exclusive, coalesce(b.exclusive, 0) - coalesce(a.exclusive, 0) AS change,
    m.metric, m.unit
FROM (SELECT f.* FROM before, perfhouse.flat(before.p) f) a
    FULL JOIN (SELECT f.* FROM after, perfhouse.flat(after.p) f) b USING (name) CROSS JOIN measured m
ORDER BY abs(coalesce(b.exclusive, 0) - coalesce(a.exclusive, 0)) DESC, name LIMIT :limit::int4;
