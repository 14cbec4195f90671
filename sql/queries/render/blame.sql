-- blame.sql - who made whom wait, as rows (section, JSON object) for the renderer: the largest groups, and all others as one.
-- Ranks that stand out have bars of their own. Groups with less than 0.5 % of all waiting are among the others, whose place is :top + 1;
-- of a rank that stands out they are together, at places behind, with what it caused in delays too small to have a call path.
--
-- :run, :from and :to in ns or null, :group_by path, function or module, :top groups a side
WITH flows AS MATERIALIZED (
	SELECT f.*, sum(f.ns) OVER () / 200 AS least, f.origin IS NOT NULL OR coalesce(f.origin_ranks = 1, false) AS is_known
	FROM perfhouse.blame_flows(:run::bigint, :from::bigint, :to::bigint, :group_by::text, 1) f
), origins AS (
	SELECT origin, origin_first AS first, origin_last AS last, origin_ranks AS n_ranks, sum(ns) AS ns,
		row_number() OVER (ORDER BY origin IS NULL, sum(ns) DESC, origin COLLATE "C", origin_first) AS nth,
		origin IS NULL OR sum(ns) < min(least) AS is_small
	FROM flows WHERE is_known GROUP BY 1, 2, 3, 4
), victims AS (
	SELECT coalesce(victim, '<unknown>') AS victim, victim_first AS first, victim_last AS last, victim_ranks AS n_ranks, sum(ns) AS ns,
		row_number() OVER (ORDER BY sum(ns) DESC, coalesce(victim, '<unknown>') COLLATE "C", victim_first) AS nth,
		sum(ns) < min(least) AS is_small
	FROM flows GROUP BY 1, 2, 3, 4
), bars AS (
	SELECT *, CASE WHEN nth <= :top::int4 AND NOT is_small THEN nth
		WHEN n_ranks = 1 AND first IS NOT NULL THEN :top::int4 + 2 + first ELSE :top::int4 + 1 END AS place
	FROM (SELECT 'origins' AS section, origin AS name, o.* FROM origins o UNION ALL SELECT 'victims', victim, v.* FROM victims v) b
), bands AS (
	SELECT coalesce(o.place, 0) AS origin, v.place AS victim, sum(f.ns) AS ns, sum(f.waits) AS waits
	FROM flows f LEFT JOIN bars o ON o.section = 'origins' AND (o.name, o.first) IS NOT DISTINCT FROM (f.origin, f.origin_first)
	JOIN bars v ON v.section = 'victims' AND (v.name, v.first) IS NOT DISTINCT FROM (coalesce(f.victim, '<unknown>'), f.victim_first)
	GROUP BY 1, 2
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT q.* FROM perfhouse.trace t, LATERAL (VALUES ('trace', to_jsonb(t)::text), ('window',
	jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration))::text)) q WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'total', jsonb_build_object('ns', sum(ns), 'inferred', sum(inferred), 'unknown', sum(ns) FILTER (WHERE NOT is_known))::text
FROM flows HAVING count(*) > 0
UNION ALL
(SELECT b.section, jsonb_build_object('place', b.place, 'name', b.name, 'first', b.first, 'last', b.last, 'ranks', b.n_ranks,
	'ns', b.ns)::text FROM bars b WHERE b.place <= :top::int4 ORDER BY b.section, b.place)
UNION ALL
(SELECT 'others', jsonb_build_object('side', b.section, 'place', b.place, 'rank', nullif(b.place - :top::int4 - 2, -1), 'n', count(b.name),
	'ns', sum(b.ns), 'smaller', bool_or(b.name IS NULL))::text FROM bars b WHERE b.place > :top::int4 GROUP BY b.section, b.place
	ORDER BY b.section, b.place = :top::int4 + 1, sum(b.ns) DESC)
UNION ALL
(SELECT 'bands', to_jsonb(b)::text FROM bands b ORDER BY b.origin, b.victim);
