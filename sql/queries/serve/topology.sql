-- serve_topology.sql - where the ranks of a run stand in their grid; no row: it has none.
--
-- :run
SELECT 'rows' AS section, json_build_object('topology', min(t.topology), 'dimensions', to_json(min(t.dimensions)), 'sizes',
           to_json(min(t.sizes)), 'rank', json_agg(t.rank ORDER BY t.rank), 'coordinates', json_agg(t.coordinates ORDER BY t.rank)) AS row
  FROM perfhouse.topology(:run::int8) t
HAVING count(*) > 0;
