-- render_sankey_diff.sql - two runs, or a run and the mean of others, on one super graph as rows (section, JSON object)
-- for the renderer.
--
-- :run, :vs, a run or 'ensemble', :application or null, :run_filter or null, :runs or null, :metric or null, :ranks
-- or null, :filter share, :levels at most, :group_by, :module_map or null, :refinement as in render_sankey.sql, :width, :height,
-- :aliases whether functions go under the names that aliases give them. Two runs: A is :run, B is :vs. With
-- 'ensemble', A is the mean of the other runs that :application, :run_filter and :runs choose, B is :run; unless :runs
-- names them, of those of the experiment of :run, if there are any. The graph
-- is that of both sides together, each a column: heights are their means.
WITH others AS MATERIALIZED (
	SELECT r.* FROM perfhouse.run_overview r WHERE :vs::text = 'ensemble' AND r.run_id IN (
		SELECT perfhouse_internal.other_runs(:run::bigint, :application::text, :run_filter::text, :runs::int8[]))
), plain_side (name, run, p) AS MATERIALIZED (
	SELECT v.name, v.run, perfhouse_internal.shown_profile(v.run, ARRAY[:metric::text], :ranks::int4[], 0, means => true)
	FROM (VALUES (CASE :vs::text WHEN 'ensemble' THEN 'B' ELSE 'A' END, :run::bigint),
		('B', nullif(:vs::text, 'ensemble')::bigint)) v (name, run)
	WHERE v.run IS NOT NULL UNION ALL
	SELECT 'A', NULL, perfhouse.ensemble(p, run_id::text ORDER BY run_id)
	FROM (SELECT o.run_id, CASE WHEN :aliases::boolean THEN perfhouse.apply_aliases(x) ELSE x END AS p
		FROM others o,
			perfhouse_internal.shown_profile(o.run_id, ARRAY[:metric::text], :ranks::int4[], 0, means => true) x) o HAVING count(*) > 0
), side AS MATERIALIZED (
	SELECT name, run, CASE WHEN :aliases::boolean AND run IS NOT NULL THEN perfhouse.apply_aliases(p) ELSE p END AS p FROM plain_side
), base AS MATERIALIZED (
	SELECT perfhouse.legible(p, :filter::float8, :metric::text, :group_by::text, :module_map::text,
		:levels::int4) AS profile
	FROM (SELECT perfhouse.ensemble(p, name ORDER BY name) AS p FROM side HAVING count(*) = 2) e
), graph AS MATERIALIZED (
	SELECT perfhouse.refine(perfhouse.supergraph(profile, :group_by::text, :module_map::text), :refinement::jsonb) AS g FROM base
)
SELECT CASE s.name WHEN 'A' THEN 'run' ELSE 'run_b' END, to_jsonb(r)::text
FROM side s JOIN perfhouse.run_overview r ON r.run_id = s.run
UNION ALL
(SELECT 'runs', (to_jsonb(r) - 'meta' - 'metrics')::text FROM others r ORDER BY r.run_id)
UNION ALL SELECT 'experiment', jsonb_build_object('differences', t)::text FROM perfhouse_internal.differences_text(ARRAY[:run::bigint],
	CASE :vs::text WHEN 'ensemble' THEN ARRAY(SELECT o.run_id FROM others o) ELSE ARRAY[nullif(:vs::text, 'ensemble')::bigint] END) t
WHERE t IS NOT NULL
UNION ALL SELECT 'noise', to_jsonb(k)::text FROM perfhouse_internal.noise_by_name(:run::bigint, :metric::text) k
UNION ALL SELECT 'metric', to_jsonb(m)::text FROM base, perfhouse.metrics(profile) m
UNION ALL SELECT 'caption', jsonb_build_object('caption', perfhouse.caption(g),
	'filter_chosen', :filter::float8 IS NULL, 'levels', :levels::int4)::text FROM graph
UNION ALL SELECT 'layout', row_to_json(l)::text FROM graph,
	perfhouse_internal.sankey_layout_others(g, :width::float8, :height::float8, :metric::text) l
UNION ALL SELECT 'supernodes', to_jsonb(s)::text FROM graph, perfhouse.supernodes(g, :metric::text) s
UNION ALL SELECT 'sides', jsonb_build_object('node', s.node, 'a', s.run_values[1], 'b', s.run_values[2],
	'a_exclusive', s.exclusive_values[1], 'b_exclusive', s.exclusive_values[2])::text
FROM graph, perfhouse.supernodes_by_column(g, :metric::text) s
UNION ALL SELECT 'entries', row_to_json(e)::text FROM graph, perfhouse.entry_functions(g, NULL, :metric::text) e
UNION ALL SELECT 'callers', row_to_json(c)::text FROM graph, perfhouse.entry_callers(g, NULL, :metric::text) c;
