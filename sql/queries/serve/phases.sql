-- serve_phases.sql - a page of the phases of a trace's logical structure; in section total how many there are, and the one that an event
-- was latest in.
--
-- :run, :phase: this one alone, or null; :order, :limit phases a page, :skip: so many come before it
WITH found AS MATERIALIZED (
    SELECT p.phase, p.first_step, p.last_step, p.n_events, p.n_locations, p.pattern, p.max_lateness, p.merge_reason,
           p.t_first AS t_from, p.t_last AS t_to,
           CASE ltrim(:order::text, '-') WHEN 'n_events' THEN p.n_events WHEN 'n_locations' THEN p.n_locations
                WHEN 'max_lateness' THEN p.max_lateness ELSE p.phase END * CASE WHEN :order::text LIKE '-%' THEN -1 ELSE 1 END AS place
      FROM perfhouse.phases(:run::int8) p
)
SELECT 'rows' AS section, to_json(listed) AS row
  FROM (SELECT f.phase, f.first_step, f.last_step, f.n_events, f.n_locations, f.pattern, f.max_lateness, f.merge_reason, f.t_from, f.t_to
          FROM found f
         WHERE :phase::int4 IS NULL OR f.phase = :phase::int4
         ORDER BY f.place NULLS LAST, f.phase LIMIT :limit::int4 OFFSET :skip::int4) listed
UNION ALL
SELECT 'total', to_json(t)
  FROM (SELECT count(*) AS rows, (SELECT w.phase FROM found w ORDER BY w.max_lateness DESC NULLS LAST, w.phase LIMIT 1) AS worst
          FROM found f) t;
