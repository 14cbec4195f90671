-- render_sankey.sql - the super graph of one run as rows (section, JSON object) for the renderer.
--
-- :run, :metric or null, :ranks or null, :filter share, :levels at most, :group_by, :module_map or null, :refinement of
-- refine(), :width, :height, :bins, :everything whether no bands are left out
-- :given: the super graph of a query instead of that of a run, or null
SELECT s.*
FROM (SELECT perfhouse.refine(coalesce(:given::perfhouse.supergraph, perfhouse.supergraph(perfhouse_internal.shown_profile(:run::bigint,
	ARRAY[:metric::text], :ranks::int4[], :filter::float8, :metric::text, true, :group_by::text, :module_map::text, :levels::int4),
	:group_by::text, :module_map::text)), :refinement::jsonb) AS whole OFFSET 0) graph,
LATERAL (SELECT coalesce(perfhouse_internal.gross_change(whole, :metric::text), whole) AS g OFFSET 0) drawn,
LATERAL (SELECT CASE WHEN :bins::int4 > 0
	THEN coalesce(perfhouse_internal.measured(g, :run::bigint, array_remove(ARRAY[:metric::text], NULL)), g) END AS by_rank
	OFFSET 0) measured,
LATERAL (
SELECT 'run', to_jsonb(r)::text FROM perfhouse.run_overview r WHERE r.run_id = :run::bigint
UNION ALL
SELECT 'metric', to_jsonb(m)::text FROM perfhouse.metrics(perfhouse.profile(g)) m
UNION ALL
SELECT 'caption',
	jsonb_build_object('caption', perfhouse.caption(whole), 'filter_chosen', :filter::float8 IS NULL
		AND :given::perfhouse.supergraph IS NULL, 'levels', :levels::int4)::text
UNION ALL
SELECT 'layout', row_to_json(l)::text FROM perfhouse_internal.sankey_layout_others(g, :width::float8, :height::float8, :metric::text,
	pieces => CASE WHEN :everything::boolean THEN NULL ELSE 16384 END) l
UNION ALL
SELECT 'supernodes', (to_jsonb(s) || jsonb_build_object('imbalance_ratio', x.imbalance_ratio))::text
FROM perfhouse.supernodes(g, :metric::text) s LEFT JOIN perfhouse.supernodes(by_rank, :metric::text) x USING (node)
UNION ALL
SELECT 'changes', jsonb_build_object('node', s.node, 'exclusive', s.exclusive, 'inclusive', s.inclusive)::text
FROM perfhouse.supernodes(whole, :metric::text) s WHERE perfhouse_internal.gross_change(whole, :metric::text) IS NOT NULL
UNION ALL -- a run that is rolled up has no values of single ranks
(SELECT 'histograms', jsonb_build_object('node', h.node, 'counts', jsonb_agg(h.count ORDER BY h.bin))::text
	FROM perfhouse.mini_histograms(CASE WHEN :given::perfhouse.supergraph IS NOT NULL
		OR EXISTS (SELECT FROM perfhouse.run r WHERE r.run_id = :run::bigint
		AND r.rolled_up_at IS NULL) THEN by_rank END, greatest(:bins::int4, 1), :metric::text) h GROUP BY h.node ORDER BY h.node)
UNION ALL
SELECT 'entries', row_to_json(e)::text FROM perfhouse.entry_functions(g, NULL, :metric::text) e
UNION ALL
SELECT 'callers', row_to_json(c)::text FROM perfhouse.entry_callers(g, NULL, :metric::text) c
) s;
