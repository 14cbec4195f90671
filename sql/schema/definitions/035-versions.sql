-- 035-versions.sql - whether what was made of runs can have changed since.
--
-- Pictures and answers are kept under the versions of the runs that they are made of (perfhouse serve), so whatever they
-- depend on is part of it: rows, by their numbers of transactions, which every change makes new. What a load writes beside
-- the run's row goes with it; what is done to a run later changes one of the three rows that are read here. Who adds a
-- table that answers on one run depend on and that changes without these adds it here. Comparisons also say what is more than
-- noise, which loads of other runs of the experiment make anew: it is part of the version of several runs, not of one.

-- Where nodes share the tables there are no places of rows to tell versions apart by: the rows themselves are looked at.
CREATE OR REPLACE FUNCTION perfhouse_internal.run_version_of_content(runs bigint[], n int) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    found int;
    version text;
    applications text[];
BEGIN
    SELECT count(*), array_agg(DISTINCT coalesce(r.application, '')), string_agg(md5(r::text), ',' ORDER BY r.run_id)
    INTO found, applications, version
    FROM perfhouse.run r WHERE r.run_id = ANY (runs) AND r.state = 'ready';
    IF found <> n OR n = 0 THEN
        RETURN NULL;
    END IF;
    RETURN md5(concat_ws(';', version,
        (SELECT string_agg(md5(t::text), ',' ORDER BY t.run_id) FROM perfhouse.trace t WHERE t.run_id = ANY (runs)),
        (SELECT string_agg(md5(l::text), ',' ORDER BY l.run_id) FROM perfhouse.logical l WHERE l.run_id = ANY (runs)),
        (SELECT string_agg(md5(a::text), ',' ORDER BY a.application) FROM perfhouse.application a WHERE a.application = ANY (applications)),
        (SELECT string_agg(md5(c::text), ',' ORDER BY c::text) FROM perfhouse.color_of c WHERE c.application = ANY (applications)),
        (SELECT string_agg(md5(a::text), ',' ORDER BY a.alias_id) FROM perfhouse.region_alias a),
        (SELECT string_agg(md5(d::text), ',' ORDER BY d.name) FROM perfhouse.derived_metric d),
        (SELECT string_agg(md5(o::text), ',' ORDER BY r.run_id)
         FROM perfhouse.run r
         LEFT JOIN perfhouse.application a ON a.application = r.application
         JOIN perfhouse.noise o ON o.application = r.application AND o.metric_id = r.primary_metric_id AND o.callpath_id = 0
             AND o.experiment = perfhouse_internal.experiment_of(r.run_id, r.default_experiment, a.keys)
         WHERE n > 1 AND r.run_id = ANY (runs)),
        perfhouse.perfhouse_build(), perfhouse_internal.search_scope()));
END $$;
COMMENT ON FUNCTION perfhouse_internal.run_version_of_content(bigint[], int) IS
    'run_version of n different runs on a distributed database. A run that is stored anew as it was keeps its version.';

CREATE OR REPLACE FUNCTION perfhouse.run_version(runs bigint[]) RETURNS text
LANGUAGE plpgsql STABLE PARALLEL SAFE STRICT SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    n int := (SELECT count(DISTINCT u.run_id) FROM unnest(runs) u (run_id));
    found int;
    version text;
    applications text[];
BEGIN
    IF EXISTS (SELECT FROM pg_extension e WHERE e.extname = 'citus') THEN
        RETURN perfhouse_internal.run_version_of_content(runs, n);
    END IF;
    SELECT count(*), array_agg(DISTINCT coalesce(r.application, '')),
           string_agg(concat_ws(' ', r.run_id, r.xmin, r.ctid, r.fingerprint, extract(epoch FROM r.loaded_at), t.xmin, t.ctid,
               l.xmin, l.ctid), ',' ORDER BY r.run_id)
    INTO found, applications, version
    FROM perfhouse.run r
    LEFT JOIN perfhouse.trace t ON t.run_id = r.run_id
    LEFT JOIN perfhouse.logical l ON l.run_id = r.run_id
    WHERE r.run_id = ANY (runs) AND r.state = 'ready';
    IF found <> n OR n = 0 THEN
        RETURN NULL;
    END IF;
    RETURN md5(concat_ws(';', version,
        (SELECT sum(hashtextextended(concat(a.application, a.xmin, a.ctid), 0)) FROM perfhouse.application a
         WHERE a.application = ANY (applications)),
        (SELECT sum(hashtextextended(concat(c.name, c.xmin, c.ctid), 0)) FROM perfhouse.color_of c
         WHERE c.application = ANY (applications)),
        (SELECT sum(hashtextextended(concat(a.alias_id, a.xmin, a.ctid), 0)) FROM perfhouse.region_alias a),
        (SELECT sum(hashtextextended(concat(d.name, d.xmin, d.ctid), 0)) FROM perfhouse.derived_metric d),
        (SELECT string_agg(concat_ws(' ', o.xmin, o.ctid), ',' ORDER BY r.run_id)
         FROM perfhouse.run r
         LEFT JOIN perfhouse.application a ON a.application = r.application
         JOIN perfhouse.noise o ON o.application = r.application AND o.metric_id = r.primary_metric_id AND o.callpath_id = 0
             AND o.experiment = perfhouse_internal.experiment_of(r.run_id, r.default_experiment, a.keys)
         WHERE n > 1 AND r.run_id = ANY (runs)),
        perfhouse.perfhouse_build(), perfhouse_internal.search_scope()));
END $$;
COMMENT ON FUNCTION perfhouse.run_version(bigint[]) IS
    'A text that changes whenever answers on these runs alone (profiles, super graphs, traces, their pictures and '
    'comparisons) can have changed: with the runs, their metadata and logical time, colours and experiment keys of '
    'their applications, aliases, derived metrics, the release and, of several runs, what is known of the noise of their '
    'experiments. Equal texts in one warehouse: equal answers. Null when one of the runs is not there or not for the caller. '
    'What depends on other runs, too, such as histories, has no version. Costs a few look-ups.';
