-- Forget the derived metric $1.
SELECT perfhouse.drop_metric($1)
