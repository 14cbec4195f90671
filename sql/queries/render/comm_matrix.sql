-- render_comm_matrix.sql - who sent how much to whom, as rows (section, JSON object) for the renderer.
--
-- $1 run, $2 from and $3 to in ns or null, $4 ranks or null: both ends are among them
WITH pairs AS MATERIALIZED (
	SELECT m.sender, m.receiver, m.messages, m.bytes
	FROM perfhouse.comm_matrix($1::bigint, $2::bigint, $3::bigint) m
	WHERE $4::int4[] IS NULL OR (m.sender = ANY ($4::int4[]) AND m.receiver = ANY ($4::int4[]))
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = $1::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = $1::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', coalesce($2::bigint, 0), 'to', coalesce($3::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = $1::bigint
UNION ALL
SELECT 'ranks', jsonb_build_object('ranks', ARRAY(SELECT DISTINCT rank FROM unnest($4::int4[]) rank ORDER BY rank))::text
WHERE $4::int4[] IS NOT NULL
UNION ALL
SELECT 'pairs', jsonb_build_object('sender', jsonb_agg(sender ORDER BY sender, receiver),
	'receiver', jsonb_agg(receiver ORDER BY sender, receiver),
	'messages', jsonb_agg(messages ORDER BY sender, receiver),
	'bytes', jsonb_agg(bytes ORDER BY sender, receiver))::text
FROM pairs HAVING count(*) > 0;
