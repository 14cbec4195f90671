-- Ids that stand for two different regions. OFFSET 0: see intern-callpath-check.sql.
SELECT s.region_id, quote_literal(s.name), quote_literal(r.name)
  FROM unnest($1::int8[], $2::int2[], $3::text[], $4::text[], $5::text[], $6::int4[]) s (region_id, kind, name, library, file, line)
 CROSS JOIN LATERAL (SELECT d.kind, d.name, d.library, d.file, d.line
                       FROM perfhouse.region d
                      WHERE d.region_id = s.region_id
                     OFFSET 0) r
 WHERE (s.kind, s.name, s.library, s.file, s.line)
       IS DISTINCT FROM (r.kind, r.name, r.library, r.file, r.line)
 ORDER BY s.region_id
 LIMIT 1
