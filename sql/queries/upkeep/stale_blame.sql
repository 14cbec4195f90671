-- Traces of which it was not found who waited and who caused it, or by another version of the method: their profiles lack that.
SELECT run_id, kind FROM perfhouse.run_derived WHERE is_stale AND kind = 'blame' ORDER BY run_id
