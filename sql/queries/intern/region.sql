-- Sorted by id, so that concurrent loaders wait for each other in one order only.
INSERT INTO perfhouse.region (region_id, kind, name, library, file, line)
SELECT s.region_id, s.kind, s.name, s.library, s.file, s.line
  FROM unnest($1::int8[], $2::int2[], $3::text[], $4::text[], $5::text[], $6::int4[]) s (region_id, kind, name, library, file, line)
 ORDER BY s.region_id
ON CONFLICT (region_id) DO NOTHING
