-- What the caller may mend, and whether he sees every run.
SELECT pg_catalog.has_function_privilege('perfhouse.apply_grants()', 'EXECUTE') AS gives_grants,
       pg_catalog.has_function_privilege('perfhouse.drop_run(bigint)', 'EXECUTE') AS changes_runs,
       pg_catalog.has_table_privilege('perfhouse.callpath', 'DELETE') AS cleans_dictionary,
       NOT pg_catalog.row_security_active('perfhouse.run') AS sees_all
