-- serve_session.sql - from now on the session reads only, as perfhouse_reader where that role can be taken.
--
-- :timeout of statements in ms
SELECT set_config('default_transaction_read_only', 'on', false),
       set_config('statement_timeout', :timeout::int4::text, false),
       set_config('lock_timeout', :timeout::int4::text, false),
       set_config('application_name', 'perfhouse serve', false),
       set_config('role', coalesce((SELECT rolname FROM pg_roles
                                     WHERE rolname = 'perfhouse_reader' AND pg_has_role(oid, 'MEMBER')), 'none'), false);
