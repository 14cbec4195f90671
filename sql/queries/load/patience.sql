-- The connection that holds a run waits, within its transaction, for those that read its events.
SET LOCAL idle_in_transaction_session_timeout = 0
