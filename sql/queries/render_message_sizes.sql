-- render_message_sizes.sql - sizes of messages in bins, as rows (section, JSON object) for the renderer.
--
-- $1 run, $2 bins
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = $1::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', 0, 'to', t.duration)::text FROM perfhouse.trace t WHERE t.run_id = $1::bigint
UNION ALL
(SELECT 'bins', to_jsonb(h)::text FROM perfhouse.message_histogram($1::bigint, $2::int4) h ORDER BY h.bin);
