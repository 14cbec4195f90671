-- 028-derived-histories.sql - what histories read of derived metrics: the sums of their operands, then the formula.
--
-- Nothing of a derived metric is stored, and it has no metric_id. Its values in a run are sums of what the run has of
-- the operands, each times a number (formula_terms), or the quotient of two such sums.

CREATE OR REPLACE FUNCTION perfhouse_internal.is_quotient(application text, metric text) RETURNS boolean
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((
        SELECT t.denominator IS NOT NULL FROM perfhouse.derived_metric d, perfhouse_internal.formula_terms(d.formula,
            array_fill(''::text, ARRAY[cardinality(perfhouse.formula_metrics(d.formula))])) t
        WHERE d.name = $2 AND perfhouse_internal.is_derived($1, $2)), false)
$$;
COMMENT ON FUNCTION perfhouse_internal.is_quotient(text, text) IS
    'Whether histories of this application make the metric by dividing: where it has no value it is not 0.';

CREATE OR REPLACE FUNCTION perfhouse_internal.stored_name(application text, metric text) RETURNS text
LANGUAGE sql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT coalesce((SELECT (perfhouse.formula_metrics(d.formula))[1] FROM perfhouse.derived_metric d
        WHERE d.name = $2 AND perfhouse_internal.is_derived($1, $2)), $2)
$$;
COMMENT ON FUNCTION perfhouse_internal.stored_name(text, text) IS
    'The metric itself, or the first that a derived one is made of: runs that have the one have the other.';

CREATE OR REPLACE FUNCTION perfhouse_internal.derived_terms(metric text, runs bigint[])
RETURNS TABLE (run_id bigint, no int, metric_id int, numerator float8, denominator float8, unit text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH definition AS MATERIALIZED (
        SELECT d.formula, d.unit, perfhouse.formula_metrics(d.formula) AS names FROM perfhouse.derived_metric d WHERE d.name = $1),
    whole AS MATERIALIZED ( -- formulas are of metrics that add up
        SELECT r.run_id, array_agg(m.metric_id ORDER BY n.no) AS metric_ids, array_agg(m.unit ORDER BY n.no) AS units
        FROM definition d CROSS JOIN perfhouse.run r CROSS JOIN unnest(d.names) WITH ORDINALITY n (name, no)
        JOIN perfhouse.metric_overview m ON m.metric_id = r.metric_ids[array_position(r.metrics, n.name)] AND m.kind = 0
        WHERE r.run_id = ANY ($2) AND r.state = 'ready'
        GROUP BY r.run_id HAVING count(*) = min(cardinality(d.names))),
    terms AS MATERIALIZED (
        SELECT w.units, t.numerator, t.denominator, t.unit FROM (SELECT DISTINCT w.units FROM whole w) w, definition d,
            perfhouse_internal.formula_terms(d.formula, w.units, d.unit) t)
    SELECT w.run_id, o.no::int, o.metric_id, t.numerator[o.no], t.denominator[o.no], t.unit
    FROM whole w JOIN terms t USING (units) CROSS JOIN unnest(w.metric_ids) WITH ORDINALITY o (metric_id, no)
$$;
COMMENT ON FUNCTION perfhouse_internal.derived_terms(text, bigint[]) IS
    'The operands of a derived metric in those of the runs that have all: a row each with what values, as they are read, '
    'are multiplied by in the sums that are divided; denominator is null where the metric is one sum. unit: of the metric.';

CREATE OR REPLACE FUNCTION perfhouse_internal.derived_runs(application text, metric text, filter text DEFAULT NULL)
RETURNS TABLE (run_id bigint, series int, place int, length int, commit_no int, commit_id text, "position" int,
    n_ranks int, n_threads int, cluster text, metric_id int, n_units int, measured_at timestamptz, experiment text, unit text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH h AS MATERIALIZED (SELECT * FROM perfhouse.history_runs($1, perfhouse_internal.stored_name($1, $2), $3)),
    u AS MATERIALIZED (
        SELECT t.run_id, t.unit FROM perfhouse_internal.derived_terms($2, ARRAY(SELECT h.run_id FROM h)) t WHERE t.no = 1)
    SELECT h.run_id, (dense_rank() OVER (ORDER BY h.series, u.unit))::int, (row_number() OVER w)::int - 1,
        (count(*) OVER (PARTITION BY h.series, u.unit))::int, (dense_rank() OVER (PARTITION BY h.series, u.unit ORDER BY h.commit_no))::int,
        h.commit_id, h."position", h.n_ranks, h.n_threads, h.cluster, NULL::int, h.n_units, h.measured_at, h.experiment, u.unit
    FROM h JOIN u USING (run_id)
    WINDOW w AS (PARTITION BY h.series, u.unit ORDER BY h.place)
    ORDER BY 2, 3
$$;
COMMENT ON FUNCTION perfhouse_internal.derived_runs(text, text, text) IS
    'What history_runs says of a derived metric: the series of its first operand, without runs that lack another.';

CREATE OR REPLACE FUNCTION perfhouse_internal.derived_cells(metric text, keys text[], runs bigint[], by text, cost text,
    application text DEFAULT NULL)
RETURNS TABLE (run_id bigint, key text, value float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp SET plan_cache_mode = force_custom_plan AS $$
#variable_conflict use_column
BEGIN
    IF cost IN ('max', 'imbalance') THEN
        RAISE EXCEPTION 'no cost "%" of the derived metric "%"', cost, metric USING ERRCODE = '22023',
            HINT = 'It is evaluated after aggregation: inclusive or exclusive. What single ranks have is in profile(run, metric).';
    END IF;
    RETURN QUERY
    WITH terms AS MATERIALIZED (SELECT * FROM perfhouse_internal.derived_terms($1, $3)),
    operands AS MATERIALIZED (
        SELECT t.no, array_agg(t.run_id) AS runs, array_agg(t.metric_id) AS metric_ids FROM terms t GROUP BY t.no),
    cells AS (
        SELECT o.no, v.* FROM operands o, perfhouse_internal.history_cells(o.runs, o.metric_ids, $4, $5, $6) v WHERE $2 IS NULL
        UNION ALL
        SELECT o.no, v.* FROM operands o, perfhouse_internal.history_cells_of($2, o.runs, o.metric_ids, $4, $5, $6) v
        WHERE $2 IS NOT NULL)
    SELECT v.* FROM (
        SELECT c.run_id, c.key, sum(c.value * t.numerator)
            / CASE WHEN count(t.denominator) > 0 THEN nullif(sum(c.value * t.denominator), 0) ELSE 1 END AS value
        FROM cells c JOIN terms t USING (run_id, no) GROUP BY 1, 2) v
    WHERE v.value IS NOT NULL;
END $$;
COMMENT ON FUNCTION perfhouse_internal.derived_cells(text, text[], bigint[], text, text, text) IS
    'What history_cells says of a derived metric, or history_cells_of where keys are given, in runs that have all '
    'operands: the formula of what the operands are together, as in a profile. No row where a divisor is 0. Errors: '
    '22023 for a cost that is of single ranks.';

CREATE OR REPLACE FUNCTION perfhouse_internal.history_values(metric text, keys text[], runs bigint[], metric_ids int[], by text,
    cost text, application text)
RETURNS TABLE (run_id bigint, key text, value float8, is_quotient boolean)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    IF perfhouse_internal.is_derived($7, $1) THEN
        RETURN QUERY SELECT v.*, q FROM perfhouse_internal.is_quotient($7, $1) q, perfhouse_internal.derived_cells($1, $2, $3,
            $5, $6, $7) v;
    ELSE
        RETURN QUERY SELECT v.*, false FROM perfhouse_internal.history_cells_of($2, $3, $4, $5, $6, $7) v;
    END IF;
END $$;
COMMENT ON FUNCTION perfhouse_internal.history_values(text, text[], bigint[], int[], text, text, text) IS
    'history_cells_of, also of derived metrics. is_quotient: where there is no value, it is not 0.';

CREATE OR REPLACE FUNCTION perfhouse_internal.series_with_gaps("values" float8[], present float8[]) RETURNS float8[]
LANGUAGE sql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
    SELECT CASE WHEN $2 IS NULL THEN $1 ELSE (SELECT array_agg(CASE WHEN u.present > 0 THEN u.value END ORDER BY u.no)
        FROM unnest($1, $2) WITH ORDINALITY u (value, present, no)) END
$$;
COMMENT ON FUNCTION perfhouse_internal.series_with_gaps(float8[], float8[]) IS
    'Numbers with null where present is 0, for series in which no value is not 0; as they are when present is null.';

CREATE OR REPLACE FUNCTION perfhouse_internal.derived_series(application text, metric text, by text, filter text, cost text)
RETURNS TABLE (series int, key text, "values" float8[], commits int[], runs bigint[])
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH chosen AS MATERIALIZED (SELECT * FROM perfhouse.history_runs($1, $2, $4)),
    whole AS MATERIALIZED (
        SELECT c.series, array_agg(c.commit_no ORDER BY c.place) AS commits, array_agg(c.run_id ORDER BY c.place) AS runs
        FROM chosen c GROUP BY c.series),
    dense AS (
        SELECT c.series, v.key, perfhouse.dense_series(c.place, v.value, c.length) AS "values",
            perfhouse.dense_series(c.place, 1, c.length) AS present
        FROM perfhouse_internal.derived_cells($2, NULL, ARRAY(SELECT c.run_id FROM chosen c), $3, $5, $1) v JOIN chosen c USING (run_id)
        GROUP BY c.series, v.key)
    SELECT d.series, d.key, CASE WHEN q.is_quotient THEN perfhouse_internal.series_with_gaps(d."values", d.present) ELSE d."values" END,
        w.commits, w.runs
    FROM dense d JOIN whole w USING (series), (SELECT perfhouse_internal.is_quotient($1, $2) AS is_quotient OFFSET 0) q
$$;
COMMENT ON FUNCTION perfhouse_internal.derived_series(text, text, text, text, text) IS
    'history_series of a derived metric. Null where a quotient has no value, 0 where a sum has none.';

CREATE OR REPLACE FUNCTION perfhouse_internal.derived_history(application text, path text, metric text, filter text, cost text)
RETURNS TABLE (run_id bigint, series int, place int, commit_id text, "position" int, measured_at timestamptz, value float8, min float8,
    max float8, n_ranks int, n_threads int, cluster text, unit text, experiment text)
LANGUAGE sql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
    WITH chosen AS MATERIALIZED (SELECT * FROM perfhouse.history_runs($1, $3, $4))
    SELECT c.run_id, c.series, c.place, c.commit_id, c."position", c.measured_at, CASE WHEN q.is_quotient THEN v.value
            ELSE coalesce(v.value, 0) END, NULL::float8, NULL::float8, c.n_ranks, c.n_threads, c.cluster, c.unit, c.experiment
    FROM chosen c LEFT JOIN perfhouse_internal.derived_cells($3, ARRAY[$2], ARRAY(SELECT c.run_id FROM chosen c), 'function',
            CASE $5 WHEN 'inclusive' THEN 'inclusive' ELSE 'exclusive' END, $1) v USING (run_id),
        (SELECT perfhouse_internal.is_quotient($1, $3) AS is_quotient OFFSET 0) q
    ORDER BY c.series, c.place
$$;
COMMENT ON FUNCTION perfhouse_internal.derived_history(text, text, text, text, text) IS
    'history() of a derived metric: without the least and greatest of the ranks, which summaries do not tell.';

CREATE OR REPLACE FUNCTION perfhouse_internal.derived_costs(metric text, runs bigint[], by text)
RETURNS TABLE (key text, cost float8)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 1000 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    RETURN QUERY
    WITH weighed AS MATERIALIZED (
        SELECT t.run_id, t.metric_id, coalesce(t.denominator, t.numerator) * m.factor AS weight
        FROM perfhouse_internal.derived_terms($1, $2) t JOIN perfhouse.metric_overview m USING (metric_id)
        WHERE coalesce(t.denominator, t.numerator) <> 0),
    cells AS MATERIALIZED (
        SELECT s.run_id, s.region_id, s.exclusive * w.weight AS cost,
            CASE $3 WHEN 'module' THEN coalesce(perfhouse_internal.module_of(r.run_id, r.labels_id, s.region_id), g.library, '')
                ELSE g.name END AS key
        FROM weighed w JOIN perfhouse.run r USING (run_id) JOIN perfhouse.region_summary s USING (run_id, metric_id)
        JOIN perfhouse.region g USING (region_id)
        WHERE $3 <> 'path')
    SELECT s.callpath_id::text,
        sum(s.exclusive_sum * w.weight / s.n_units ORDER BY s.run_id, s.metric_id, w.weight) / count(DISTINCT s.run_id)
    FROM (SELECT array_agg(w.run_id) AS runs, array_agg(w.metric_id) AS metric_ids
          FROM (SELECT DISTINCT w.run_id, w.metric_id FROM weighed w WHERE $3 = 'path') w) u,
        perfhouse_internal.run_sums(u.runs, u.metric_ids) s JOIN weighed w USING (run_id, metric_id)
    GROUP BY s.callpath_id
    UNION ALL
    SELECT c.key, sum(c.cost ORDER BY c.run_id, c.region_id, c.cost) FROM cells c GROUP BY 1;
END $$;
COMMENT ON FUNCTION perfhouse_internal.derived_costs(text, bigint[], text) IS
    'What history_costs says of a derived metric: what counts most in a quotient is what has most of its divisor.';

-- Stored ratios are read as derived ones are: what the roots have of the parts, then the quotient.
CREATE OR REPLACE FUNCTION perfhouse_internal.run_totals(asked text, runs bigint[])
RETURNS TABLE (run_id bigint, metric text, total float8, unit text)
LANGUAGE plpgsql STABLE PARALLEL SAFE ROWS 100 SET search_path = pg_catalog, pg_temp AS $$
#variable_conflict use_column
BEGIN
    PERFORM perfhouse_internal.require_names(NULL, $1);
    RETURN QUERY
    WITH stored AS MATERIALIZED (
        SELECT r.run_id, m.* FROM perfhouse.run r JOIN perfhouse.metric_overview m ON m.metric_id =
            r.metric_ids[coalesce(array_position(r.metrics, $1), CASE $1 WHEN 'time' THEN 1 END)]
        WHERE r.run_id = ANY ($2)),
    terms AS MATERIALIZED (
        SELECT s.run_id, 1 AS no, s.name, s.unit, s.metric_id, 1::float8 AS numerator, NULL::float8 AS denominator
        FROM stored s WHERE s.kind = 0
        UNION ALL SELECT s.run_id, p.no, s.name, s.unit, p.metric_id, p.numerator, p.denominator
        FROM stored s, LATERAL (VALUES (1, s.numerator_id, 1, 0), (2, s.denominator_id, 0, 1)) p (no, metric_id, numerator, denominator)
        WHERE s.kind = 1
        UNION ALL SELECT t.run_id, t.no, $1, t.unit, t.metric_id, t.numerator, t.denominator
        FROM perfhouse_internal.derived_terms($1, ARRAY(SELECT u FROM unnest($2) u EXCEPT SELECT s.run_id FROM stored s)) t),
    cells AS MATERIALIZED ( -- once, and in no order by which every run would be merged with every other
        SELECT o.no, v.run_id, v.value
        FROM (SELECT t.no, array_agg(t.run_id) AS runs, array_agg(t.metric_id) AS metric_ids FROM terms t GROUP BY t.no) o,
            perfhouse_internal.history_cells(o.runs, o.metric_ids, 'total', 'inclusive') v)
    SELECT t.run_id, min(t.name), sum(c.value * t.numerator ORDER BY t.no)
        / CASE WHEN count(t.denominator) > 0 THEN nullif(sum(c.value * t.denominator ORDER BY t.no), 0) ELSE 1 END, min(t.unit)
    FROM terms t JOIN cells c USING (run_id, no) GROUP BY t.run_id;
END $$;
COMMENT ON FUNCTION perfhouse_internal.run_totals(text, bigint[]) IS
    'What runs have as a whole of a metric that adds up, a ratio or a derived one, mean over execution units as '
    'run.total: runs that have it only. metric: its name; time stands for the primary one of runs that have none of '
    'that name. Errors: PH002 for a metric that the warehouse does not know.';
