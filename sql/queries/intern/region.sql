-- Regions that are new go into the dictionary; a row names an id that stands for another one.
SELECT i.id, i.given, i.stored
  FROM perfhouse_internal.intern_regions($1::int8[], $2::int2[], $3::text[], $4::text[], $5::text[], $6::int4[]) i
