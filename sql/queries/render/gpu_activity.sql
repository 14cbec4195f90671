-- gpu_activity.sql - what devices did, each and over time, as rows (section, JSON object) for the renderer.
--
-- :run, :bins over time, :from and :to in ns or null, :ranks or null. Of more than 400 devices those of a rank, or of neighbouring
-- ranks, share a column of their means. Of each column the device that is least like those of the same number (devices of one rank have
-- tasks of their own): how far it is from those in the column or from those of all ranks, whichever is less.
WITH uses AS MATERIALIZED (
	SELECT u.*, dense_rank() OVER (ORDER BY u.rank NULLS LAST, u.device) - 1 AS place, dense_rank() OVER (ORDER BY u.rank NULLS LAST) - 1
		AS owner FROM perfhouse.gpu_over_time(:run::bigint, :bins::int4, :from::bigint, :to::bigint, :ranks::int4[]) u
), devices AS MATERIALIZED (
	SELECT u.place, u.device, sum(compute)::float8 AS compute, sum(overlap)::float8 AS overlap, sum(exposed)::float8 AS exposed,
		sum(copies)::float8 AS copies, sum(host_wait)::float8 AS host_wait, sum(launch_gap)::float8 AS launch_gap,
		sum(other)::float8 AS other, CASE WHEN max(u.place) OVER () < 400 THEN u.place
			ELSE u.owner * 400 / greatest(max(u.owner) OVER () + 1, 400) END AS "group"
	FROM uses u GROUP BY u.place, u.owner, u.device
), groups AS MATERIALIZED (
	SELECT "group", (array_agg(device ORDER BY place))[1] AS device, count(*) AS n, avg(compute) AS compute, avg(overlap) AS overlap,
		avg(exposed) AS exposed, avg(copies) AS copies, avg(host_wait) AS host_wait, avg(launch_gap) AS launch_gap, avg(other) AS other
	FROM devices GROUP BY "group"
), parts AS (
	SELECT d.place, p.value, avg(p.value) OVER (PARTITION BY d.number, p.kind) AS usual,
		(sum(p.value) OVER same - p.value) / nullif(count(*) OVER same - 1, 0) AS beside
	FROM (SELECT d.*, split_part(d.device, '/', 2) AS number FROM devices d) d, LATERAL unnest(ARRAY[compute, overlap, exposed, copies,
		host_wait, launch_gap, other]) WITH ORDINALITY p (value, kind) WINDOW same AS (PARTITION BY d."group", d.number, p.kind)
), apart AS (
	SELECT DISTINCT ON (d."group") d.*, f.distance
	FROM (SELECT place, least(sum(abs(value - usual)), sum(abs(value - beside))) / 2 AS distance FROM parts GROUP BY place) f
	JOIN devices d USING (place) JOIN groups g USING ("group") WHERE g.n > 1 ORDER BY d."group", f.distance DESC
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL SELECT 'clocks', jsonb_build_object('n', count(*), 'early', sum(early), 'error', max(greatest(error, abs(ahead))))::text
FROM perfhouse.gpu_clocks(:run::bigint, :from::bigint, :to::bigint, :ranks::int4[]) HAVING count(*) > 1
UNION ALL (SELECT 'groups', to_jsonb(g)::text FROM groups g ORDER BY g."group")
UNION ALL (SELECT 'apart', to_jsonb(a)::text FROM apart a ORDER BY a."group")
UNION ALL (SELECT 'bins', jsonb_build_object('bin_start', bin_start, 'bin_end', bin_end, 'n', count(*), 'compute', sum(compute),
	'overlap', sum(overlap), 'exposed', sum(exposed), 'copies', sum(copies), 'host_wait', sum(host_wait), 'launch_gap', sum(launch_gap),
	'other', sum(other))::text FROM uses GROUP BY bin, bin_start, bin_end ORDER BY bin);
