-- Runs of large traces whose pyramid is missing, or is of another version: their cells are made of the events.
SELECT run_id, kind FROM perfhouse.run_derived WHERE is_stale AND kind = 'pyramid' ORDER BY run_id
