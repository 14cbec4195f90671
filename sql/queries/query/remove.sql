-- query_remove.sql - forgets a saved query; a row when there was one.
--
-- :name
DELETE FROM perfhouse.saved_query WHERE name = :name::text RETURNING name;
