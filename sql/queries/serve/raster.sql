-- serve_raster.sql - what a viewer draws of a trace: 256 bins of up to 128 rows, as bytes.
--
-- :run, :level, :x, :each locations a row, :block of rows, :tiles from x on
SELECT perfhouse.trace_raster(r.run_id, :level::int4, :x::int8, :each::int4, :block::int4, :tiles::int4)
  FROM perfhouse.run_overview r
 WHERE r.run_id = :run::int8;
