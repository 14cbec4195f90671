-- Whether policies hold for who asks: COPY into the tables is then refused.
SELECT pg_catalog.row_security_active('perfhouse.run'::pg_catalog.regclass)
