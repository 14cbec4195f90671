-- distribution.sql - vectors of a supernode.
CREATE TABLE public.graph AS SELECT supergraph(hatchet_literal('[{"frame": {"name": "main", "module": "app"},
	"metrics": {"time": [1, 1, 1, 1, 1, 1, 1, 9], "bytes": [2, 2, 2, 2, 2, 2, 2, 18]}, "children": [
	{"frame": {"name": "f", "module": "lib"}, "metrics": {"time": [1, 2, 3, 4, 5, 6, 7, 8], "bytes": [1, 1, 1, 1, 1, 1, 1, 1]}}]}]')) AS g;
SELECT v.* FROM public.graph, supernode_values(g, 'lib') v ORDER BY location;
SELECT count(*) FROM public.graph, supernode_values(g) v;
SELECT h.* FROM public.graph, histogram(g, 'lib', 4) h ORDER BY bin;
SELECT h.bin, h.count, h.ranks FROM public.graph, histogram(g, 'app', 3, 'exclusive') h ORDER BY bin;
SELECT sum(h.count) FROM public.graph, histogram(g, 'lib') h;
SELECT n, round(slope::numeric, 9) AS slope, round(r::numeric, 9) AS r FROM public.graph, scatter_fit(g, 'app', 'time', 'bytes');
SELECT f.* FROM public.graph, scatter_fit(g, 'lib', 'time', 'bytes') f;
SELECT b.* FROM public.graph, box_plot(g, 'lib') b;
SELECT b.* FROM public.graph, box_plot(g, 'app', 'exclusive') b;
SELECT m.* FROM public.graph, mini_histograms(g, 2) m;
-- the runs behind a bar of an ensemble; a run without the supernode is left out
SELECT e.* FROM (SELECT supergraph(ensemble(p, name ORDER BY name)) AS g FROM public.sample WHERE name <> 'callback') s,
	ensemble_gradient(g, 'libfoo.so', 2) e;
SELECT e.* FROM (SELECT supergraph(ensemble(p, name ORDER BY name)) AS g FROM public.sample) s, ensemble_gradient(g, 'lib2', 2) e;
SELECT * FROM public.fails($$SELECT histogram(g, 'lib', 0) FROM public.graph$$);
SELECT * FROM public.fails($$SELECT histogram(g, 'lib', 10001) FROM public.graph$$);
SELECT * FROM public.fails($$SELECT histogram(g, 'lib', 5, 'planet') FROM public.graph$$);
SELECT * FROM public.fails($$SELECT histogram(g, 'nowhere') FROM public.graph$$);
SELECT * FROM public.fails($$SELECT scatter_fit(g, 'lib', 'time', 'cycles') FROM public.graph$$);
DROP TABLE public.graph;
