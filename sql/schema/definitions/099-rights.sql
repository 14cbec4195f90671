-- 099-rights.sql - rights and policies on what the other definitions made: the last of them.

CALL perfhouse.apply_grants();

DO $$
BEGIN
    IF perfhouse_internal.projects_enabled() THEN -- tables and policies of this version
        CALL perfhouse_internal.apply_projects();
    END IF;
END $$;
