-- True when no loader is at work; loaders that start later wait until this transaction ends.
SELECT pg_catalog.pg_try_advisory_xact_lock(8097114102)
