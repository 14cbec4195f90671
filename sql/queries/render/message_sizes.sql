-- render_message_sizes.sql - sizes of messages in bins, as rows (section, JSON object) for the renderer.
--
-- :run, :bins, :from and :to in ns or null, :ranks of the senders or null
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'trace', to_jsonb(t)::text FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
(SELECT 'bins', to_jsonb(h)::text
FROM perfhouse.message_histogram(:run::bigint, :bins::int4, :from::bigint, :to::bigint,
	CASE WHEN :ranks::int4[] IS NOT NULL THEN ARRAY(SELECT l.location_id FROM perfhouse.location l
		WHERE l.run_id = :run::bigint AND l.rank = ANY (:ranks::int4[])) END) h
ORDER BY h.bin);
