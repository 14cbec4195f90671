-- Retention policies with how many runs each would change now.
SELECT p.name, p.action, p.older_than::text AS older_than, p.filter, array_to_string(p.keep_tags, ' ') AS keep_tags, p.enabled,
       d.n::text AS due, p.set_by, to_char(p.set_at, 'YYYY-MM-DD') AS set_at,
       json_build_object('policy', p.name, 'action', p.action, 'older_than', p.older_than::text, 'filter', p.filter,
           'keep_tags', p.keep_tags,
           'enabled', p.enabled, 'due', d.n, 'set_by', p.set_by, 'set_at', p.set_at)::text AS json
FROM perfhouse.retention_policy p, LATERAL (SELECT count(*) AS n FROM perfhouse.retention_due(p.name)) d
ORDER BY p.name
