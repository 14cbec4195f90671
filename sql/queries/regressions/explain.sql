-- What tells the runs after regression $1 from those before, most telling first; what its change consists of.
SELECT x.what, x.name, x.before, x.after, x.weight
  FROM (
    SELECT 'key' AS what, e.key AS name, e.before_values AS before, e.after_values AS after, to_char(e.bits, 'FM990.00') AS weight,
           row_number() OVER (ORDER BY e.bits DESC, e.key) AS nth
      FROM (SELECT * FROM perfhouse.explain_change($1::int8) ORDER BY bits DESC, key LIMIT 10) e
    UNION ALL
    SELECT 'part', p.part, to_char(p.mean_before, 'FM999999990.000000'), to_char(p.mean_after, 'FM999999990.000000'),
           to_char(100 * p.share, 'FM999990.0') || ' %', 10 + p.nth
      FROM perfhouse.regression_parts($1::int8) WITH ORDINALITY p (part, mean_before, mean_after, change, share, callpath_id, nth)) x
 ORDER BY x.nth
