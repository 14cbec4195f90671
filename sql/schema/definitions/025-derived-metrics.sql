-- 025-derived-metrics.sql - metrics of the whole site that are made of others by a formula.
--
-- profile(run, metric) reads perfhouse.derived_metric where the run has no metric of exactly that name.

CREATE OR REPLACE FUNCTION perfhouse.define_metric(name text, formula text, unit text DEFAULT NULL) RETURNS text[]
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    operands text[] := perfhouse.formula_metrics($2);
BEGIN
    IF coalesce($1, '') = '' OR octet_length($1) > 200 THEN
        RAISE EXCEPTION 'a metric needs a name of 1 to 200 bytes' USING ERRCODE = '22023';
    END IF;
    IF operands IS NULL THEN
        RAISE EXCEPTION 'metric "%" needs a formula', $1 USING ERRCODE = '22023';
    END IF;
    IF octet_length($3) > 64 THEN
        RAISE EXCEPTION 'a unit of more than 64 bytes' USING ERRCODE = '22023';
    END IF;
    IF $1 = ANY (operands) OR EXISTS (SELECT FROM perfhouse.derived_metric d WHERE d.name = ANY (operands)) THEN
        RAISE EXCEPTION 'the formula of "%" names a derived metric', $1
            USING ERRCODE = '22023', HINT = 'Formulas are of metrics that runs have; write out what the other one is made of.';
    END IF;
    INSERT INTO perfhouse.derived_metric AS d (name, formula, unit) VALUES ($1, $2, $3)
    ON CONFLICT ON CONSTRAINT derived_metric_pkey DO UPDATE SET formula = excluded.formula, unit = excluded.unit,
        set_by = excluded.set_by, set_at = excluded.set_at;
    RETURN operands;
END $$;
COMMENT ON FUNCTION perfhouse.define_metric(text, text, text) IS
    'Keep a derived metric for the whole warehouse: from then on profile(run, name) and whatever else takes the name of a '
    'metric of a profile makes it of the metrics in its formula (see derive), for runs that have these. A metric of '
    'exactly that name which a run itself has comes first. Histories and change points take the name where no run of the '
    'application has such a metric. unit: null is what the units of the operands give. A name '
    'that is defined already gets the new formula. Returns the metrics in the formula. Errors: 22023 for a formula that '
    'derive() would not take, or one of another derived metric.';

CREATE OR REPLACE FUNCTION perfhouse.drop_metric(name text) RETURNS void
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    DELETE FROM perfhouse.derived_metric d WHERE d.name = $1;
    IF NOT FOUND THEN
        RAISE EXCEPTION 'there is no derived metric "%"', $1 USING ERRCODE = 'PH002', HINT = 'perfhouse metric list shows all.';
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse.drop_metric(text) IS
    'Forget a derived metric that define_metric() kept. Errors: PH002 when there is none of that name.';
REVOKE ALL ON FUNCTION perfhouse.define_metric(text, text, text), perfhouse.drop_metric(text) FROM PUBLIC;
