-- serve_call.sql - the calls that are open in a location at a time, outermost first, and the messages of the innermost one.
--
-- :run, :location, :at in ns
WITH open AS MATERIALIZED (
    SELECT c.rank, c.thread, c.depth, c.region, c.enter, coalesce(c.leave, c.enter + c.inclusive) AS leave, c.inclusive, c.exclusive
      FROM perfhouse.calls(:run::int8, :at::int8, :at::int8 + 1, ARRAY[:location::int4]) c
     WHERE c.enter <= :at::int8 AND coalesce(c.leave, c.enter + c.inclusive) >= :at::int8
), innermost AS (
    SELECT o.* FROM open o ORDER BY o.depth DESC LIMIT 1
)
SELECT 'rows' AS section, to_json(found) AS row FROM (SELECT o.* FROM open o ORDER BY o.depth) found
UNION ALL
SELECT 'messages', to_json(found)
  FROM (
    SELECT m.sender, m.receiver, m.send_time, m.receive_time, m.tag, m.bytes, m.sender_location, m.receiver_location,
           m.sender_location = :location::int4 AND m.send_time BETWEEN i.enter AND i.leave AS is_sent
      FROM innermost i, perfhouse.messages(:run::int8, i.enter, i.leave + 1, ARRAY[:location::int4]) m
     WHERE m.sender_location = :location::int4 AND m.send_time BETWEEN i.enter AND i.leave
        OR m.receiver_location = :location::int4 AND m.receive_time BETWEEN i.enter AND i.leave
     ORDER BY m.send_time, m.receive_time LIMIT 20
       ) found;
