-- render_supernodes.sql - the supernodes of a run, heaviest first, for hints.
--
-- :run, :metric or null, :group_by, :module_map or null
SELECT s.node
FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(:run::bigint, :metric::text), :group_by::text, :module_map::text)) s
ORDER BY s.inclusive DESC, s.node;
