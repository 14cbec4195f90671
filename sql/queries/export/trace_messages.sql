-- export-trace-messages.sql - matched messages of a window; $1: run, $2 and $3: from and to in ns or null.
SELECT sender_location, receiver_location, send_time, receive_time, bytes, tag
FROM perfhouse.messages($1::bigint, $2::bigint, $3::bigint)
WHERE send_time IS NOT NULL AND receive_time IS NOT NULL;
