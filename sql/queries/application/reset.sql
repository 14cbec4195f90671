-- Forget what was said of application $1.
SELECT perfhouse.reset_application($1)
