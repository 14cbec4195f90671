-- serve_listen.sql - what the server follows: runs that come, change and go, and new regressions.
SET application_name = 'perfhouse serve (events)';
LISTEN perfhouse_run;
LISTEN perfhouse_regression;
