-- export-otf2-communicators.sql - the communicators of a run's trace with their members, world ranks by rank, a row each; $1: run.
SELECT c.local_id, c.name, c.is_mpi, coalesce(c.parent, -1) AS parent, cardinality(c.members) AS n_members, m.world_rank
FROM perfhouse.trace_communicator c LEFT JOIN LATERAL unnest(c.members) WITH ORDINALITY AS m (world_rank, n) ON true
WHERE c.run_id = $1::bigint
ORDER BY c.local_id, m.n;
