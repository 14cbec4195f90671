-- render_window_graph.sql - the super graph of a window of a trace as rows (section, JSON object) for the renderer.
--
-- :run, :from and :to in ns or null, :filter share or null, :levels at most, :group_by, :module_map or null, :refinement of
-- refine(), :width, :height
SELECT s.*
FROM (SELECT perfhouse.trace_profile(:run::bigint, :from::bigint, :to::bigint) AS all_of_it OFFSET 0) window_profile,
LATERAL (SELECT perfhouse_internal.legible_filter(all_of_it, 'time', :group_by::text, :module_map::text, :filter::float8, :levels::int4)
	AS chosen OFFSET 0) least,
LATERAL (SELECT perfhouse.refine(perfhouse.supergraph(perfhouse_internal.legible_profile(all_of_it, chosen[1], chosen[2], 'time'),
	:group_by::text, :module_map::text), :refinement::jsonb) AS g OFFSET 0) drawn,
LATERAL (
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'window', jsonb_build_object('from', coalesce(:from::bigint, 0), 'to', coalesce(:to::bigint, t.duration))::text
FROM perfhouse.trace t WHERE t.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(perfhouse.profile(g)) m WHERE m.metric = 'time'
UNION ALL
SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g), 'filter_chosen', :filter::float8 IS NULL, 'levels',
	:levels::int4)::text
UNION ALL
SELECT 'layout', row_to_json(l)::text
FROM perfhouse_internal.sankey_layout_others(g, :width::float8, :height::float8, 'time', pieces => 16384) l
UNION ALL
SELECT 'supernodes', to_jsonb(s)::text FROM perfhouse.supernodes(g, 'time') s
UNION ALL
SELECT 'entries', row_to_json(e)::text FROM perfhouse.entry_functions(g, NULL, 'time') e
UNION ALL
SELECT 'callers', row_to_json(c)::text FROM perfhouse.entry_callers(g, NULL, 'time') c
) s;
