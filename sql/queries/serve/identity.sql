-- serve_identity.sql - which data the session reads, and as whom: answers are kept apart by it. After a restore or a
-- promotion of a standby, rows may have other contents under the same numbers.
SELECT concat_ws(' ', s.system_identifier, t.timeline_id, d.oid, session_user, current_user)
  FROM pg_control_system() s, pg_control_checkpoint() t, pg_database d
 WHERE d.datname = current_database();
