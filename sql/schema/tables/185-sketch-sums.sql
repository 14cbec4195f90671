-- 185-sketch-sums.sql - checksums of the distributions that stay of runs that are rolled up.

ALTER TABLE perfhouse.profile_sketch ADD COLUMN IF NOT EXISTS crc int4; -- CRC-32C of inclusive and exclusive; null: none was made
