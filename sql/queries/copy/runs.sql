-- Rows of the runs $1 in order, without what is hidden ($2, salt $3); what they are known by, and how they are called.
-- Hosts are looked up beside the runs: several nodes take no query of tables by run inside a row of one that they have copies of.
WITH hosts AS MATERIALIZED (
    SELECT h.run_id, array_agg(h.host ORDER BY h.host) AS names
      FROM (SELECT DISTINCT l.run_id, l.host FROM perfhouse.location l
             WHERE l.run_id = ANY ($1::int8[]) AND l.host <> '' AND cardinality($2::text[]) > 0) h
     GROUP BY h.run_id
)
SELECT r.run_id, r.fingerprint, r.repeat, nullif(r.project, '') AS project, r.tree_id, r.labels_id, r.storage,
       concat_ws(', ', coalesce(r.application, r.title), r.n_ranks || ' ranks') AS label,
       CASE WHEN cardinality($2::text[]) = 0 THEN to_jsonb(r)
            ELSE perfhouse_internal.hidden_run(to_jsonb(r), $2, coalesce(h.names, '{}'), $3::text) END AS row
  FROM perfhouse.run r LEFT JOIN hosts h ON h.run_id = r.run_id
 WHERE r.run_id = ANY ($1::int8[]) AND r.state = 'ready'
 ORDER BY r.run_id
