-- What people make of a warehouse: tables with values of its types, views and functions on its functions.
CREATE TABLE public.kept (run_id bigint PRIMARY KEY, p perfhouse.profile, g perfhouse.supergraph, note text DEFAULT 'mine');
INSERT INTO public.kept SELECT run_id, perfhouse.profile(run_id), perfhouse.supergraph(perfhouse.filter(perfhouse.profile(run_id), 0.001), 'function')
	FROM perfhouse.run_overview WHERE run_id <= 5;
CREATE VIEW public.top AS SELECT f.name, f.exclusive FROM public.kept k, perfhouse.flat(k.p) f WHERE k.run_id = 5;
CREATE VIEW public.doubled AS SELECT run_id, (p OPERATOR(perfhouse.+) p) OPERATOR(perfhouse.-) p OPERATOR(perfhouse.=) p AS same, (p::bytea)::perfhouse.profile OPERATOR(perfhouse.=) p AS again FROM public.kept;
CREATE VIEW public.sent AS SELECT run_id, count(*) AS n, sum(bytes) AS bytes FROM perfhouse.message GROUP BY run_id;
CREATE VIEW public.decoded AS SELECT c.run_id, e.kind, count(*) AS n FROM perfhouse.trace_chunk c, perfhouse.chunk_events(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter,
	c.n_message, c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra) e WHERE e.time > 0 GROUP BY 1, 2 ORDER BY 1, 2;
CREATE VIEW public.tallied AS SELECT t.run_id, r.* FROM (SELECT c.run_id, perfhouse.region_profile(c.location_id, c.chunk_no, c.format, c.n_events, c.n_enter, c.n_message,
	c.first_seq, c.t_prev, c.t_first, c.t_last, c.stack, c.dt, c.kind, c.region, c.msg, c.extra, NULL, NULL) AS tally FROM perfhouse.trace_chunk c GROUP BY c.run_id) t, perfhouse.region_profile_rows(tally) r;
CREATE FUNCTION public.hottest(run bigint) RETURNS text LANGUAGE sql STABLE AS $$ SELECT f.name FROM perfhouse.flat(perfhouse.profile(run)) f ORDER BY f.exclusive DESC, f.name LIMIT 1 $$;
CREATE MATERIALIZED VIEW public.remembered AS SELECT s.node AS name, count(*) AS n FROM public.kept, perfhouse.supernodes(g) s GROUP BY s.node;
CREATE AGGREGATE public.gathered(perfhouse.profile) (SFUNC = perfhouse.profile_collect, STYPE = internal, FINALFUNC = perfhouse.profile_mean_final);
