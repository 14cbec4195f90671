-- What tells the runs after regression $1 from those before, most telling first; what its change consists of.
SELECT 'key' AS what, e.key AS name, e.before_values AS before, e.after_values AS after, to_char(e.bits, 'FM990.00') AS weight
  FROM (SELECT * FROM perfhouse.explain_change($1::int8) ORDER BY bits DESC, key LIMIT 10) e
 UNION ALL
SELECT 'part', p.part, to_char(p.mean_before, 'FM999999990.000000'), to_char(p.mean_after, 'FM999999990.000000'),
       to_char(100 * p.share, 'FM999990.0') || ' %'
  FROM perfhouse.regression_parts($1::int8) p
