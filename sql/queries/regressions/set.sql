-- Regression $1 gets state $2 for reason $3.
SELECT perfhouse.set_regression($1::int8, $2::text, $3::text)
