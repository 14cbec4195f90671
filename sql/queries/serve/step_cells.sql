-- serve_step_cells.sql - lateness in 256 bins of 2^level ns from x * 256 on: the greatest value of each row.
--
-- :run, :level, :x, :each locations a row. n_bins: until the last call of the cell ends.
WITH cells AS MATERIALIZED (
    SELECT t.bin, t.n_bins, t.value, t.rank
      FROM perfhouse.trace r,
           perfhouse.timeline_steps(r.run_id, 'lateness', 256, (:x::int8 * 256) << :level::int4,
               ((:x::int8 + 1) * 256) << :level::int4, NULL, greatest(1, r.n_locations / :each::int4)) t
     WHERE r.run_id = :run::int8 AND t.value > 0
), first AS MATERIALIZED (
    SELECT l.rank, min(l.location_id) AS location FROM perfhouse.location l WHERE l.run_id = :run::int8 GROUP BY l.rank
), most AS (
    SELECT DISTINCT ON (f.location / :each::int4, c.bin) f.location / :each::int4 AS "row", c.bin, c.n_bins, c.value, f.location
      FROM cells c JOIN first f USING (rank)
     ORDER BY f.location / :each::int4, c.bin, c.value DESC, f.location
)
SELECT 'rows' AS section, perfhouse.json_columns(m) AS row
  FROM (SELECT * FROM most ORDER BY "row", bin) m
HAVING count(*) > 0;
