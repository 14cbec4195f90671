WITH changed AS (
    UPDATE perfhouse.run SET tags = array_remove(tags, $2::text)
     WHERE run_id = ANY ($1::int8[]) AND state = 'ready' RETURNING run_id, title)
SELECT run_id, coalesce(title, '') FROM changed ORDER BY run_id
