-- gpu_activity.sql - what devices did, each and over time, as rows (section, JSON object) for the renderer.
--
-- :run, :bins over time, :from and :to in ns or null, :ranks or null. Of more than 400 devices neighbours share a group, which has
-- their means; of each group the device that is least like it.
WITH uses AS MATERIALIZED (
	SELECT u.*, dense_rank() OVER (ORDER BY u.rank NULLS LAST, u.device) - 1 AS place FROM perfhouse.gpu_over_time(:run::bigint,
		:bins::int4, :from::bigint, :to::bigint, :ranks::int4[]) u
), devices AS MATERIALIZED (
	SELECT u.place, u.device, sum(compute)::float8 AS compute, sum(overlap)::float8 AS overlap, sum(exposed)::float8 AS exposed,
		sum(copies)::float8 AS copies, sum(host_wait)::float8 AS host_wait, sum(launch_gap)::float8 AS launch_gap,
		sum(other)::float8 AS other, u.place * 400 / greatest(max(u.place) OVER () + 1, 400) AS "group"
	FROM uses u GROUP BY u.place, u.device
), groups AS MATERIALIZED (
	SELECT "group", min(device) AS device, count(*) AS n, min(place) AS place, avg(compute) AS compute, avg(overlap) AS overlap,
		avg(exposed) AS exposed, avg(copies) AS copies, avg(host_wait) AS host_wait, avg(launch_gap) AS launch_gap, avg(other) AS other
	FROM devices GROUP BY "group"
), apart AS (
	SELECT DISTINCT ON (d."group") d.*, (abs(d.compute - g.compute) + abs(d.overlap - g.overlap) + abs(d.exposed - g.exposed)
		+ abs(d.copies - g.copies) + abs(d.host_wait - g.host_wait) + abs(d.other - g.other)) / 2 AS distance
	FROM devices d JOIN groups g USING ("group") WHERE g.n > 1 ORDER BY d."group", distance DESC
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
