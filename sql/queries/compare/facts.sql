-- What is known of the runs $1, in the order of their ids: columns, with the hosts, metadata, and their experiment keys, parted
-- by U+001F.
SELECT r.run_id, ((to_jsonb(r) - 'meta') || jsonb_build_object('hosts', h.hosts))::text AS columns, r.meta::text AS meta,
       array_to_string(x.keys, chr(31)) AS keys, x.is_declared
  FROM perfhouse.run r JOIN perfhouse.run_experiment x USING (run_id)
 CROSS JOIN LATERAL (SELECT string_agg(DISTINCT l.host, ' ' ORDER BY l.host) AS hosts FROM perfhouse.location l
                      WHERE l.run_id = r.run_id) h
 WHERE r.run_id = ANY ($1::int8[]) AND r.state = 'ready'
 ORDER BY r.run_id
