-- render_sankey_compare.sql - two super graphs on one scale as rows (section, JSON object) for the renderer.
--
-- Two runs, or (second run null) the given ranks of one run against its other ranks on the same partition. :run A,
-- :vs run B or null, :metric or null, :ranks or null, :filter share, :levels at most, :group_by, :module_map or null,
-- :refinement of refine(), :width, :height of one layout, :bins
SELECT s.*
FROM (SELECT perfhouse.refine(perfhouse.supergraph(perfhouse_internal.shown_profile(:run::bigint, ARRAY[:metric::text],
	CASE WHEN :vs::bigint IS NOT NULL THEN :ranks::int4[] END, :filter::float8, :metric::text, :vs::bigint IS NOT NULL,
	:group_by::text, :module_map::text, :levels::int4),
	:group_by::text, :module_map::text), :refinement::jsonb) AS whole OFFSET 0) first,
LATERAL (SELECT CASE WHEN :vs::bigint IS NULL THEN perfhouse.restrict_ranks(whole, :ranks::int4[]) ELSE whole END AS a,
	CASE WHEN :vs::bigint IS NULL THEN perfhouse.restrict_other_ranks(whole, :ranks::int4[])
		ELSE perfhouse.refine(perfhouse.supergraph(perfhouse_internal.shown_profile(:vs::bigint, ARRAY[:metric::text], :ranks::int4[],
			:filter::float8, :metric::text, true, :group_by::text, :module_map::text, :levels::int4), :group_by::text, :module_map::text),
			:refinement::jsonb) END AS b OFFSET 0) two,
LATERAL (SELECT min(l.value) AS most
	FROM (VALUES (a), (b)) v (g), perfhouse_internal.sankey_layout_others(g, :width::float8, :height::float8, :metric::text) l
	WHERE l.element = 'canvas' AND l.value > 0 OFFSET 0) scale,
LATERAL (SELECT perfhouse.sankey_order(a, :width::float8, :height::float8, :metric::text) AS places OFFSET 0) order_of_a,
LATERAL (VALUES ('', a, :run::bigint), ('_b', b, coalesce(:vs::bigint, :run::bigint))) graph (side, g, of_run),
LATERAL (SELECT coalesce(perfhouse_internal.measured(g, of_run, array_remove(ARRAY[:metric::text], NULL)), g) AS by_rank OFFSET 0) measured,
LATERAL (
SELECT 'run' || side, o::text FROM perfhouse_internal.overview_of(CASE side WHEN '' THEN :run::bigint ELSE :vs::bigint END) o
WHERE o IS NOT NULL
UNION ALL SELECT 'experiment', jsonb_build_object('differences', t)::text
FROM perfhouse_internal.differences_text(ARRAY[:run::bigint], ARRAY[:vs::bigint]) t WHERE t IS NOT NULL AND side = ''
UNION ALL SELECT 'noise', to_jsonb(k)::text FROM perfhouse_internal.noise_by_name(:run::bigint, :metric::text) k
WHERE side = '' AND :vs::bigint IS NOT NULL
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(perfhouse.profile(g)) m WHERE side = ''
UNION ALL SELECT 'caption' || side, jsonb_build_object('caption', perfhouse.caption(g), 'levels', :levels::int4)::text
UNION ALL SELECT 'layout' || side, row_to_json(l)::text
FROM perfhouse_internal.sankey_layout_others(g, :width::float8, :height::float8, :metric::text,
	CASE WHEN side = '_b' THEN places END, most) l
UNION ALL SELECT 'supernodes' || side, (to_jsonb(s) || jsonb_build_object('imbalance_ratio', x.imbalance_ratio))::text
FROM perfhouse.supernodes(g, :metric::text) s LEFT JOIN perfhouse.supernodes(by_rank, :metric::text) x USING (node)
UNION ALL
(SELECT 'histograms' || side, jsonb_build_object('node', h.node, 'counts', jsonb_agg(h.count ORDER BY h.bin))::text
	FROM perfhouse.mini_histograms(by_rank, :bins::int4, :metric::text) h
	WHERE of_run IN (SELECT r.run_id FROM perfhouse.run r WHERE r.run_id IN (:run::bigint, :vs::bigint) AND r.rolled_up_at IS NULL)
	GROUP BY h.node ORDER BY h.node)
UNION ALL
SELECT 'entries' || side, row_to_json(e)::text FROM perfhouse.entry_functions(g, NULL, :metric::text) e
UNION ALL SELECT 'callers' || side, row_to_json(c)::text FROM perfhouse.entry_callers(g, NULL, :metric::text) c
) s;
