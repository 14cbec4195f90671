-- Accounting of a batch system, as text; null: times without a zone are UTC's.
SELECT l.n_jobs, l.n_lines, l.n_refused, to_json(l)::text AS json FROM perfhouse.load_jobs($1, coalesce($2, 'UTC')) l
