-- export-otf2-run.sql - when a run's trace began, and what its anchor says; $1: run.
SELECT t.epoch_ns, coalesce(r.n_ranks, 0) AS n_ranks, coalesce(r.n_threads, 0) AS n_threads, coalesce(r.meta ->> 'machine', '') AS machine,
	coalesce(r.meta ->> 'otf2.description', '') AS description, coalesce(r.meta ->> 'command', '') AS command, t.clock
FROM perfhouse.run r JOIN perfhouse.trace t USING (run_id)
WHERE r.run_id = $1::bigint;
