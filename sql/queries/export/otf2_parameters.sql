-- export-otf2-parameters.sql - names and types of the parameters of a run's trace by number; $1: run.
SELECT substr(m.key, 16)::int4 AS number, m.value AS name, coalesce(r.meta ->> (m.key || '.type'), '') AS type
FROM perfhouse.run r CROSS JOIN LATERAL jsonb_each_text(r.meta) m
WHERE r.run_id = $1::bigint AND m.key ~ '^otf2\.parameter\.[0-9]{1,6}$'
ORDER BY number;
