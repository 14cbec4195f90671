-- Metrics by place: names $1, units $2, kinds $3, how they combine $4, signed $5, numerators $6 and denominators $7 of ratios
-- (0: none). Of rates (kind 2) more is better. Their ids by place, from 1 on.
-- A place without a row: another loader has just inserted it; ask again.
WITH wanted AS (
    SELECT place, name, unit, kind, combine, is_signed, nullif(numerator_id, 0) AS numerator_id,
           nullif(denominator_id, 0) AS denominator_id
      FROM unnest($1::text[], $2::text[], $3::int2[], $4::int2[], $5::int4[]::boolean[], $6::int4[], $7::int4[])
           WITH ORDINALITY u (name, unit, kind, combine, is_signed, numerator_id, denominator_id, place)
), known AS (
    SELECT w.place, m.metric_id
      FROM wanted w
      JOIN perfhouse.metric m
        ON (m.name, m.unit, m.kind, m.combine, m.is_signed) = (w.name, w.unit, w.kind, w.combine, w.is_signed)
       AND m.numerator_id IS NOT DISTINCT FROM w.numerator_id
       AND m.denominator_id IS NOT DISTINCT FROM w.denominator_id
), made AS (
    INSERT INTO perfhouse.metric (name, unit, kind, combine, is_signed, numerator_id, denominator_id, better)
    SELECT name, unit, kind, combine, is_signed, numerator_id, denominator_id,
           CASE WHEN kind = 2 AND unit ~* '(/s|/sec|flops?)$' THEN 1 ELSE -1 END
      FROM wanted
     WHERE place NOT IN (SELECT place FROM known)
     ORDER BY name, unit, kind, combine, is_signed, numerator_id, denominator_id
    ON CONFLICT DO NOTHING
    RETURNING *
)
SELECT place, metric_id FROM known
UNION ALL
SELECT w.place, m.metric_id
  FROM wanted w
  JOIN made m
    ON (m.name, m.unit, m.kind, m.combine, m.is_signed) = (w.name, w.unit, w.kind, w.combine, w.is_signed)
   AND m.numerator_id IS NOT DISTINCT FROM w.numerator_id
   AND m.denominator_id IS NOT DISTINCT FROM w.denominator_id
