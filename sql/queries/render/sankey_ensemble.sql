-- render_sankey_ensemble.sql - the super graph of many runs as rows (section, JSON object) for the renderer.
--
-- :run, the target, or null, :application or null, :run_filter or null, :runs or null, :metric or null, :ranks or
-- null, :filter share, :levels at most, :group_by, :module_map or null, :refinement of refine(), :width, :height, :bins, :cost of
-- gradients and guides. Excluded runs take part only when :runs or :run names them.
-- :given: the super graph of a query instead of that of runs, or null
WITH chosen AS MATERIALIZED (
	SELECT r.* FROM perfhouse.run_overview r
	WHERE :given::perfhouse.supergraph IS NULL AND (r.run_id = :run::bigint
		OR r.run_id IN (SELECT c.run_id FROM perfhouse.chosen_runs(:application::text, :run_filter::text, :runs::int8[]) c))
), base AS MATERIALIZED (
	SELECT perfhouse.legible(p, :filter::float8, :metric::text, :group_by::text, :module_map::text,
		:levels::int4) AS profile
	FROM (SELECT perfhouse.ensemble(perfhouse_internal.shown_profile(run_id, ARRAY[:metric::text], :ranks::int4[], 0, means => true),
		run_id::text ORDER BY n_ranks, run_id) AS p FROM chosen) e
	WHERE p IS NOT NULL
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(g, :refinement::jsonb) AS g
	FROM (SELECT perfhouse.supergraph(b.profile, :group_by::text, :module_map::text) AS g FROM base b
		UNION ALL SELECT :given::perfhouse.supergraph) one WHERE g IS NOT NULL
)
SELECT 'run', to_jsonb(r)::text FROM chosen r WHERE r.run_id = :run::bigint
UNION ALL (SELECT 'runs', (to_jsonb(r) - 'meta' - 'metrics')::text FROM chosen r ORDER BY r.n_ranks, r.run_id)
UNION ALL (SELECT 'runs', jsonb_build_object('run_id', c.name)::text FROM perfhouse.columns(
	perfhouse.profile(:given::perfhouse.supergraph)) c ORDER BY c.location)
UNION ALL SELECT 'experiment', jsonb_build_object('differences', t)::text
FROM perfhouse_internal.differences_text(ARRAY(SELECT c.run_id FROM chosen c)) t WHERE t IS NOT NULL
UNION ALL SELECT 'choice', jsonb_build_object('application', :application::text, 'filter', :run_filter::text, 'runs', :runs::text)::text
UNION ALL SELECT 'metric', to_jsonb(m)::text FROM graph, perfhouse.metrics(perfhouse.profile(g)) m
UNION ALL SELECT 'caption',
	jsonb_build_object('caption', perfhouse.caption(g), 'filter_chosen', :filter::float8 IS NULL
		AND :given::perfhouse.supergraph IS NULL, 'levels', :levels::int4)::text FROM graph
UNION ALL SELECT 'layout', row_to_json(l)::text FROM graph, perfhouse_internal.sankey_layout_others(g, :width::float8, :height::float8,
	:metric::text) l
UNION ALL SELECT 'supernodes', to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, :metric::text) s
UNION ALL SELECT 'spread', jsonb_build_object('node', s.node, 'n_present', s.n_present, 'sd', s.sd)::text
FROM graph, perfhouse.supernodes_by_column(g, :metric::text) s
UNION ALL SELECT 'guides', to_jsonb(t)::text FROM graph, perfhouse.text_guides(g, NULL, :bins::int4, :cost::text, :metric::text) t
UNION ALL SELECT 'target', to_jsonb(t)::text
FROM (SELECT g FROM graph WHERE :run::bigint IS NOT NULL) one, perfhouse.against_ensemble(g, (:run::bigint)::text, :cost::text,
	:bins::int4, :metric::text) t
UNION ALL SELECT 'entries', row_to_json(e)::text FROM graph, perfhouse.entry_functions(g, NULL, :metric::text) e
UNION ALL SELECT 'callers', row_to_json(c)::text FROM graph, perfhouse.entry_callers(g, NULL, :metric::text) c;
