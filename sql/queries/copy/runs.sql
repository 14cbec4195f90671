-- Rows of the runs $1 in order, without what is hidden ($2, salt $3); what they are known by, and how they are called.
SELECT r.run_id, r.fingerprint, r.repeat, nullif(r.project, '') AS project, r.tree_id, r.labels_id, r.storage,
       concat_ws(', ', coalesce(r.application, r.title), r.n_ranks || ' ranks') AS label,
       CASE WHEN cardinality($2::text[]) = 0 THEN to_jsonb(r)
            ELSE perfhouse_internal.hidden_run(to_jsonb(r), $2, ARRAY(
                SELECT h.host FROM (SELECT DISTINCT l.host FROM perfhouse.location l WHERE l.run_id = r.run_id AND l.host <> '') h
                 ORDER BY 1 LIMIT 100), $3::text) END AS row
  FROM perfhouse.run r
 WHERE r.run_id = ANY ($1::int8[]) AND r.state = 'ready'
 ORDER BY r.run_id
