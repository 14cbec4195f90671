-- Call paths that are new go into the dictionary; a row names an id that stands for another one.
SELECT i.id, i.given, i.stored FROM perfhouse_internal.intern_callpaths($1::int8[], $2::int8[], $3::int8[], $4::int4[]) i
