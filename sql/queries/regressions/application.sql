-- Whether application $1 has runs, or regressions of runs that are gone; the first twenty applications.
SELECT EXISTS (SELECT FROM perfhouse.run_history h WHERE h.application = $1::text)
       OR EXISTS (SELECT FROM perfhouse.regression r WHERE r.application = $1::text),
       coalesce((SELECT string_agg(a.application, ', ' ORDER BY a.application)
                 FROM (SELECT DISTINCT h.application FROM perfhouse.run_history h WHERE h.application IS NOT NULL ORDER BY 1 LIMIT 20) a),
                'none, load some runs first')
