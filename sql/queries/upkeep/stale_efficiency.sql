-- Runs whose efficiencies were not computed, or by another version of the method: lists and histories go without.
SELECT run_id, kind FROM perfhouse.run_derived WHERE is_stale AND kind = 'efficiency' ORDER BY run_id
