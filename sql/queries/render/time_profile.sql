-- render_time_profile.sql - where time went, bin by bin, as rows (section, JSON object) for the renderer.
--
-- :run, :bins, :from and :to in ns or null, :ranks or null, :top, at most so many regions: the others are added up
WITH chosen AS MATERIALIZED (
	SELECT CASE WHEN :ranks::int4[] IS NOT NULL THEN ARRAY(SELECT l.location_id FROM perfhouse.location l
		WHERE l.run_id = :run::bigint AND l.rank = ANY (:ranks::int4[])) END AS locations
), cells AS MATERIALIZED (
	SELECT p.bin, p.bin_start, p.bin_end, p.region, p.exclusive
	FROM chosen, perfhouse.time_profile(:run::bigint, :bins::int4, :from::bigint, :to::bigint, locations) p
), heavy AS MATERIALIZED (
	SELECT region, row_number() OVER (ORDER BY sum(exclusive) DESC, region) AS place FROM cells GROUP BY region
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'regions', jsonb_build_object('n', count(*))::text FROM heavy
UNION ALL
(SELECT 'cells', jsonb_build_object('bin', c.bin, 'bin_start', min(c.bin_start), 'bin_end', min(c.bin_end),
	'region', CASE WHEN h.place <= :top::int4 THEN c.region ELSE '<others>' END,
	'place', least(h.place, :top::int4 + 1), 'exclusive', sum(c.exclusive))::text
FROM cells c JOIN heavy h USING (region)
GROUP BY c.bin, CASE WHEN h.place <= :top::int4 THEN c.region ELSE '<others>' END, least(h.place, :top::int4 + 1)
ORDER BY c.bin, least(h.place, :top::int4 + 1))
UNION ALL
(SELECT 'outliers', jsonb_build_object('bin', o.bin, 'region', o.region, 'rank', o.rank, 'share', o.share, 'usual', o.usual,
	'bin_start', c.bin_start, 'bin_end', c.bin_end)::text
FROM chosen, perfhouse.time_profile_outliers(:run::bigint, :bins::int4, :from::bigint, :to::bigint, locations) o
JOIN (SELECT DISTINCT bin, bin_start, bin_end FROM cells) c USING (bin) ORDER BY o.bin, o.usual, o.region);
