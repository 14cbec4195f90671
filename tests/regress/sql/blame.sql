-- blame.sql - waits and their causes of runs 901 (by hand) and 902 (at random) in groups, and stored with their profiles.
\set ECHO none
\set QUIET on
\i regress/data/traces.sql
\set ECHO all

-- ---- groups add up to what they are made of
SELECT origin, origin_first, origin_last, origin_ranks, victim, victim_first, victim_last, victim_ranks, ns, waits, inferred
FROM blame_flows(901) ORDER BY ns DESC, origin, victim, victim_first;
SELECT run, group_by, blocks, (SELECT sum(f.ns) FROM blame_flows(run, NULL, NULL, group_by, blocks) f) = (SELECT sum(b.ns) FROM blame(run) b) AS same
FROM unnest(ARRAY[901, 902]) run, unnest(ARRAY['path', 'function', 'module', NULL]) group_by, unnest(ARRAY[1, 3, NULL]) blocks ORDER BY 1, 2, 3;
SELECT max(f.origin_ranks) AS origins, max(f.victim_ranks) AS victims, count(*) > 0 AS some FROM blame_flows(902, 0, NULL, 'path', 1) f;
SELECT * FROM blame_flows(NULL);
SELECT s.statement, f.* FROM unnest(ARRAY['SELECT * FROM blame_flows(999999)', 'SELECT * FROM blame_flows(901, group_by => ''colour'')',
	'SELECT * FROM blame_flows(901, blocks => 0)', 'SELECT * FROM blame_flows(901, 20, 10)']) s (statement), public.fails(s.statement) f;

-- ---- stored with a profile: nobody has one but runs that were loaded
SELECT perfhouse.assign_blame(NULL);
SELECT s.statement, f.code, f.message FROM unnest(ARRAY['SELECT perfhouse.assign_blame(999999)', 'SELECT perfhouse.assign_blame(1)']) s (statement),
	public.fails(s.statement) f;

-- ---- estimated from profiles: sums are equal, and what is no profile of a run is refused
SELECT place, round(w.wait::numeric, 12) = round(c.caused::numeric, 12) AS same, w.wait > 0 AS some
FROM unnest(ARRAY[trace_profile(901), trace_profile(902), profile(1)]) WITH ORDINALITY u (p, place),
	LATERAL (SELECT sum(n.exclusive) AS wait FROM nodes(estimated_blame(p), 'estimated wait') n) w,
	LATERAL (SELECT sum(n.exclusive) AS caused FROM nodes(estimated_blame(p, 'time'), 'estimated wait caused') n) c ORDER BY place;
SELECT estimated_blame(NULL) IS NULL AS nothing;
SELECT s.statement, f.code, f.message FROM unnest(ARRAY['SELECT estimated_blame(profile(1), ''cycles'')', 'SELECT estimated_blame(diff(profile(1), profile(2)))',
	'SELECT estimated_blame(estimated_blame(profile(1)))']) s (statement), public.fails(s.statement) f;

SELECT kind, oldest <= version AS valid, remake FROM perfhouse_internal.derived_kinds() WHERE kind = 'blame';
SELECT perfhouse.drop_run(901), perfhouse.drop_run(902);
DELETE FROM region r WHERE kind = 0 AND NOT EXISTS (SELECT FROM callpath c WHERE c.region_id = r.region_id) AND name IN ('main', 'solve', 'MPI_Send', 'MPI_Recv', 'MPI_Isend', 'MPI_Irecv', 'MPI_Waitall', 'MPI_Allreduce', 'MPI_Barrier');
-- who stands out: one, several, those with half of a row, nobody
SELECT perfhouse_internal.chiefs('{1,1,1,9}') AS one, perfhouse_internal.chiefs('{5,1,5,1,1,1}') AS two, perfhouse_internal.chiefs('{6,5,4,3,2,1,1,1,1}') AS row,
	perfhouse_internal.chiefs('{2,2,2,2}') AS nobody, perfhouse_internal.chiefs('{}') AS none, perfhouse_internal.chiefs(NULL) AS unknown;
SELECT f.* FROM (VALUES ('SELECT perfhouse_internal.chiefs(''{1,-1}'')'), ('SELECT perfhouse_internal.chiefs(''{1,NULL}'')')) v (statement), public.fails(statement) f;
