-- The derived metrics of the warehouse.
SELECT d.name, d.formula, coalesce(d.unit, '') AS unit, d.set_by, to_char(d.set_at, 'YYYY-MM-DD') AS set_at, to_json(d)::text AS json
  FROM perfhouse.derived_metric d
 ORDER BY d.name
