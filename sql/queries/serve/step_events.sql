-- serve_step_events.sql - events in logical time of a window of time: of each row and step the latest one; 40,000 at most.
--
-- :run, :from and :to in ns, :each locations a row
WITH span AS MATERIALIZED (
    SELECT min(p.first_step) AS first, max(p.last_step) + 1 AS stop
      FROM perfhouse.phases(:run::int8) p
     WHERE p.t_last >= :from::int8 AND p.t_first < :to::int8
), found AS (
    SELECT DISTINCT ON (s.location / :each::int4, s.step) s.location, s.enter, s.leave, s.step, s.phase,
           coalesce(s.lateness, 0) AS lateness, s.region
      FROM span, perfhouse.logical_steps(:run::int8, span.first, span.stop) s
     WHERE s.leave >= :from::int8 AND s.enter < :to::int8 AND span.first IS NOT NULL
     ORDER BY s.location / :each::int4, s.step, s.lateness DESC NULLS LAST, s.location, s.seq
     LIMIT 40000
)
SELECT 'rows' AS section, perfhouse.json_columns(f) AS row FROM (SELECT * FROM found) f
HAVING count(*) > 0;
