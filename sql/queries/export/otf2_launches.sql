-- export-otf2-launches.sql - who launched the activities of a run's streams, by location and in order of their ENTERs; $1: run.
SELECT location, call_location, coalesce(call_seq, 0), coalesce(t_call, 0)
FROM perfhouse.launches($1::bigint) WITH ORDINALITY l ORDER BY location, ordinality;
