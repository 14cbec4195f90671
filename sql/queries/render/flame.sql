-- render_flame.sql - the call tree of one run as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :width in picture units, under PH_FLAME_MIN_WIDTH of which call
-- paths are added up, unless :everything is asked for
-- :inverted: functions by their own cost, with those who call them
-- :given: the profile of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT coalesce(:given::perfhouse.profile, perfhouse_internal.shown_profile(:run::bigint, ARRAY[:metric::text], :ranks::int4[],
	:filter::float8, :metric::text, means => true)) AS read OFFSET 0) r,
LATERAL (SELECT CASE WHEN :inverted::boolean THEN perfhouse.invert(read) ELSE read END AS profile OFFSET 0) base,
LATERAL (
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(profile) m
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(profile))::text
UNION ALL
(SELECT 'flame', row_to_json(f)::text
	FROM perfhouse_internal.flame_boxes(profile, :metric::text,
		CASE WHEN :everything::boolean THEN 0 ELSE 0.3 / :width::float8 END) f)
) s;
