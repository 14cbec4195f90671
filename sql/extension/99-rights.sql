-- 99-rights.sql - PUBLIC has nothing in the schema of the machinery; the warehouse's roles have (020-roles).
REVOKE ALL ON ALL FUNCTIONS IN SCHEMA perfhouse_internal FROM PUBLIC;
