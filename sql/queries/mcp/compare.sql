-- compare.sql - own costs of functions in two runs, what changed most first: means over ranks.
--
-- :a, :b, :limit
SELECT name, a.exclusive AS a_exclusive, b.exclusive AS b_exclusive, coalesce(b.exclusive, 0) - coalesce(a.exclusive, 0) AS change
FROM perfhouse.flat(perfhouse.profile(:a::int8)) a FULL JOIN perfhouse.flat(perfhouse.profile(:b::int8)) b USING (name)
ORDER BY abs(coalesce(b.exclusive, 0) - coalesce(a.exclusive, 0)) DESC, name LIMIT :limit::int4;
