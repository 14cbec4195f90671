-- serve_version.sql - the version of everything that answers on these runs alone depend on, and that of the warehouse's
-- definitions; null: a run is not there.
--
-- :runs
SELECT perfhouse.run_version(:runs::int8[]),
       (SELECT sum(hashtextextended(concat(v.version, v.checksum), 0)) FROM perfhouse.schema_version v);
