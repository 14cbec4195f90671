-- On several nodes, in place of hold and await: who loads the content $1 holds it until it is ready, who wants the same waits for that.
SELECT pg_advisory_xact_lock(hashtextextended('perfhouse content ' || $1::text, 0))
