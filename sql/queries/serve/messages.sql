-- serve_messages.sql - messages that are under way in a window: the first 4000, and whether there are more.
--
-- :run, :from and :to in ns, :first_location and :last_location or null: all
SELECT 'rows' AS section, perfhouse.json_columns(m) AS row
  FROM (SELECT m.sender_location, m.receiver_location, m.send_time, m.receive_time, m.bytes
          FROM perfhouse.messages(:run::int8, :from::int8, :to::int8, (SELECT array_agg(i)
                     FROM generate_series(:first_location::int4, :last_location::int4) i)) m
         WHERE m.send_time IS NOT NULL AND m.receive_time IS NOT NULL
         LIMIT 4000) m
HAVING count(*) > 0;
