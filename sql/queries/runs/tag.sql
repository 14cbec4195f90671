WITH changed AS (
    UPDATE perfhouse.run
       SET tags = ARRAY(SELECT DISTINCT t FROM unnest(tags || $2::text) t ORDER BY t)
     WHERE run_id = ANY ($1::int8[]) AND state = 'ready' RETURNING run_id, title)
SELECT run_id, coalesce(title, '') FROM changed ORDER BY run_id
