-- efficiency.sql - efficiencies stored with runs 901 (by hand) and 902 (at random) and with profiles, and along commits.
\set ECHO none
\set QUIET on
\i regress/data/traces.sql
\set ECHO all
BEGIN;
SELECT run, abs(assign_efficiency(run) - (SELECT e.parallel FROM efficiency(run) e)) < 1e-12 AS stored
FROM unnest(ARRAY[901, 902, 1]) run ORDER BY run;
SELECT o.run_id, o.efficiency_estimated AS estimated,
	abs(o.parallel_efficiency - o.load_balance * o.communication_efficiency * coalesce(o.thread_efficiency, 1)) < 1e-9 AS product,
	abs(o.communication_efficiency - o.serialisation_efficiency * o.transfer_efficiency) < 1e-9 AS parts
FROM run_overview o WHERE o.run_id IN (901, 902, 1) ORDER BY 1;
SELECT d.run_id, d.is_stale FROM run_derived d WHERE d.kind = 'efficiency' ORDER BY 1;
-- along commits: exact and estimated ones are series of their own, excluded runs none
UPDATE run SET application = 'efficient', n_ranks = 4, n_threads = 1, commit_id = 'c' || run_id, started_at = '2026-01-01'::timestamptz + run_id * interval '1 hour'
WHERE run_id IN (901, 902, 1);
SELECT h.series, h.commit_id, h.run_id, h.n_ranks, h.estimated, h.parallel = o.parallel_efficiency AS same, h.serialisation IS NULL AS unknown
FROM efficiency_history('efficient') h JOIN run_overview o USING (run_id) ORDER BY h.series, h.measured_at;
SELECT h.run_id FROM efficiency_history('efficient', 'run_id > 901') h;
UPDATE run SET excluded_reason = 'test' WHERE run_id = 902;
SELECT h.run_id FROM efficiency_history('efficient') h ORDER BY 1;
ROLLBACK;
SELECT assign_efficiency(NULL), (SELECT count(*) FROM efficiency_history(NULL)) AS nothing;
SELECT s.statement, f.code, f.message FROM unnest(ARRAY['SELECT perfhouse.assign_efficiency(999999)',
	'SELECT * FROM perfhouse.efficiency_history(''efficient'', ''nonsense'')', 'SELECT * FROM perfhouse.efficiency(901, by => ''rank'')']) s (statement), public.fails(s.statement) f;
SELECT perfhouse.drop_run(901), perfhouse.drop_run(902);
DELETE FROM region r WHERE kind = 0 AND NOT EXISTS (SELECT FROM callpath c WHERE c.region_id = r.region_id) AND name IN ('main', 'solve', 'MPI_Send', 'MPI_Recv', 'MPI_Isend', 'MPI_Irecv', 'MPI_Waitall', 'MPI_Allreduce', 'MPI_Barrier');
