-- render_supernodes.sql - the supernodes of a run, heaviest first, for hints.
--
-- $1 run, $2 metric or null, $3 grouping, $4 module map or null
SELECT s.node
FROM perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile($1::bigint, $2::text), $3::text, $4::text)) s
ORDER BY s.inclusive DESC, s.node;
