-- drop.sql - six runs with 10^7 events each: bytes in the amounts that real chunks of a halo exchange have. For bench/run.
INSERT INTO perfhouse.run (fingerprint, format, state) SELECT 'bench drop ' || i, 'sql', 'ready' FROM generate_series(1, 6) i;
CREATE TEMP TABLE noise AS SELECT string_agg(decode(md5(i::text) || md5('x' || i), 'hex'), '') AS b FROM generate_series(1, 900) i;
CREATE TEMP TABLE chunk AS SELECT run_id, location_id, chunk_no FROM perfhouse.run, generate_series(0, 63) location_id, generate_series(0, 9) chunk_no
 WHERE fingerprint LIKE 'bench drop %';
INSERT INTO perfhouse.trace_chunk SELECT run_id, location_id, chunk_no, 1, 16384, 8192, 400, 0, 0, 0, 1, '\x00', substr(b, 1, 27000), substr(b, 1, 5000),
       substr(b, 1, 4300), substr(b, 1, 4500), substr(b, 1, 50) FROM noise, chunk;
INSERT INTO perfhouse.message_chunk SELECT run_id, location_id, chunk_no, 400, 0, 1, substr(b, 1, 2500) FROM noise, chunk;
