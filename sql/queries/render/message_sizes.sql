-- render_message_sizes.sql - sizes of messages in bins, as rows (section, JSON object) for the renderer.
--
-- $1 run, $2 bins, $3 from and $4 to in ns or null, $5 ranks of the senders or null
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = $1::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', coalesce($3::bigint, 0), 'to', coalesce($4::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = $1::bigint
UNION ALL
(SELECT 'bins', to_jsonb(h)::text
FROM perfhouse.message_histogram($1::bigint, $2::int4, $3::bigint, $4::bigint,
	CASE WHEN $5::int4[] IS NOT NULL THEN ARRAY(SELECT l.location_id FROM perfhouse.location l
		WHERE l.run_id = $1::bigint AND l.rank = ANY ($5::int4[])) END) h
ORDER BY h.bin);
