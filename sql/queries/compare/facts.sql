-- What is known of the runs $1, in the order of their ids: columns, with the hosts, metadata, and their experiment keys, parted
-- by U+001F.
WITH hosts AS MATERIALIZED (
    SELECT l.run_id, string_agg(DISTINCT l.host, ' ' ORDER BY l.host) AS hosts FROM perfhouse.location l
     WHERE l.run_id = ANY ($1::int8[])
     GROUP BY l.run_id
)
SELECT r.run_id, ((to_jsonb(r) - 'meta') || jsonb_build_object('hosts', h.hosts))::text AS columns, r.meta::text AS meta,
       array_to_string(x.keys, chr(31)) AS keys, x.is_declared
  FROM perfhouse.run r JOIN perfhouse.run_experiment x USING (run_id) LEFT JOIN hosts h USING (run_id)
 WHERE r.run_id = ANY ($1::int8[]) AND r.state = 'ready'
 ORDER BY r.run_id
