-- Tables by run: how their rows are read without what is hidden ($1), and written.
SELECT t.read_sql, t.write_sql FROM perfhouse_internal.copied_tables($1::text[]) t
