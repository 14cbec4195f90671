-- Brings the regressions of application $1 (null: of all) up to date: a row for each that is new, gone or fixed.
SELECT u.regression_id, u.application, u.path, u.commit_id, u.event FROM perfhouse.update_regressions($1::text) u
