-- Rolls up the months whose runs have changed.
SELECT perfhouse.refresh_months()
