-- serve_step_events.sql - events in logical time of a window of time and steps: of each row and bin of steps the latest one, whom the
-- others waited for; in section bins the steps that they begin with and that a bin has. Nothing is left out: rows and bins bound it.
--
-- :run, :from and :to in ns, :first and :last: only these steps, or null, :each locations a row, :bins of steps at most
WITH span AS MATERIALIZED (
    SELECT greatest(p.first_step, :first::int4) AS first, least(p.last_step, :last::int4) + 1 AS stop
      FROM perfhouse_internal.phase_span(:run::int8, :from::int8, :to::int8) p
), shape AS MATERIALIZED (
    SELECT s.first, s.stop, ceil((s.stop - s.first) / :bins::float8)::int4 AS per FROM span s WHERE s.first < s.stop
), found AS (
    SELECT DISTINCT ON (s.location / :each::int4, (s.step - h.first) / h.per) s.location, s.enter, s.leave, s.step, s.phase,
           coalesce(s.lateness, 0) AS lateness, s.region
      FROM shape h, perfhouse.logical_steps(:run::int8, h.first, h.stop) s
     WHERE s.leave >= :from::int8 AND s.enter < :to::int8
     ORDER BY s.location / :each::int4, (s.step - h.first) / h.per, s.lateness DESC NULLS LAST, s.location, s.seq
)
SELECT 'rows' AS section, perfhouse.json_columns(f) AS row FROM (SELECT * FROM found) f
HAVING count(*) > 0
UNION ALL
SELECT 'bins', json_build_object('first', h.first, 'stop', h.stop, 'per', h.per) FROM shape h;
