-- What became of an input that did not become a run: $1 run, $2 source, $3 outcome, $4 why, $5 bytes; without what is hidden ($6, salt $7).
INSERT INTO perfhouse.load_log (run_id, source, outcome, message, bytes)
SELECT $1::int8, CASE WHEN 'paths' = ANY ($6::text[]) THEN perfhouse_internal.hidden_path($2, $7) ELSE $2 END, $3,
       perfhouse_internal.hidden_text($4, $6::text[], '{}', '{}', $7), $5::int8
