-- $1 name, $2 unit, $3 kind, $4 combine, $5 signed, $6 and $7 metrics of a ratio: the metric's id. No row: another loader
-- has just inserted it; ask again.
WITH wanted AS (
    SELECT $1::text AS name, $2::text AS unit, $3::int2 AS kind, $4::int2 AS combine,
           $5::int4::boolean AS is_signed, $6::int4 AS numerator_id, $7::int4 AS denominator_id
), known AS (
    SELECT m.metric_id
      FROM perfhouse.metric m, wanted w
     WHERE m.name = w.name AND m.unit = w.unit AND m.kind = w.kind AND m.combine = w.combine
       AND m.is_signed = w.is_signed AND m.numerator_id IS NOT DISTINCT FROM w.numerator_id
       AND m.denominator_id IS NOT DISTINCT FROM w.denominator_id
), made AS (
    INSERT INTO perfhouse.metric (name, unit, kind, combine, is_signed, numerator_id, denominator_id)
    SELECT * FROM wanted WHERE NOT EXISTS (SELECT 1 FROM known)
    ON CONFLICT DO NOTHING
    RETURNING metric_id
)
SELECT metric_id FROM known UNION ALL SELECT metric_id FROM made
