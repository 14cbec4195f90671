-- render_comm_matrix.sql - who sent how much to whom, as rows (section, JSON object) for the renderer.
--
-- :run, :from and :to in ns or null, :ranks or null: both ends are among them, :order of the ranks
WITH pairs AS MATERIALIZED (
	SELECT m.sender, m.receiver, m.messages, m.bytes
	FROM perfhouse.comm_matrix(:run::bigint, :from::bigint, :to::bigint) m
	WHERE :ranks::int4[] IS NULL OR (m.sender = ANY (:ranks::int4[]) AND m.receiver = ANY (:ranks::int4[]))
)
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'ranks', jsonb_build_object('ranks', ARRAY(SELECT DISTINCT rank FROM unnest(:ranks::int4[]) rank ORDER BY rank))::text
WHERE :ranks::int4[] IS NOT NULL AND :order::text = 'rank'
UNION ALL
SELECT 'ranks', jsonb_build_object('order', :order::text, 'ranks', jsonb_agg(o.rank ORDER BY o.place),
	'label', jsonb_agg(o.label ORDER BY o.place))::text
FROM (SELECT o.rank, min(o.label) AS label, min(o.place) AS place
	FROM perfhouse_internal.ordered_locations(:run::bigint, :order::text, :ranks::int4[]) o GROUP BY 1) o HAVING count(*) > 0
UNION ALL
SELECT 'pairs', jsonb_build_object('sender', jsonb_agg(sender ORDER BY sender, receiver),
	'receiver', jsonb_agg(receiver ORDER BY sender, receiver),
	'messages', jsonb_agg(messages ORDER BY sender, receiver),
	'bytes', jsonb_agg(bytes ORDER BY sender, receiver))::text
FROM pairs HAVING count(*) > 0;
