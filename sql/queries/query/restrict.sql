-- query_restrict.sql - from now on the session reads only, as perfhouse_reader where that role can be taken (020-roles.sql).
--
-- :program, the name by which others see the session, :timeout of statements in ms
SELECT set_config('default_transaction_read_only', 'on', false),
       set_config('statement_timeout', :timeout::int4::text, false),
       set_config('lock_timeout', :timeout::int4::text, false),
       set_config('application_name', :program::text, false),
       set_config('role', perfhouse_internal.reading_role(), false);
