-- A loader at work: held until its session ends, so that nobody removes dictionary rows meanwhile.
SELECT pg_catalog.pg_advisory_lock_shared(8097114102)
