// run.mjs - one run. SPDX-License-Identifier: PostgreSQL

import {GAUGE, choice, column, dashboard, flamegraph, histogram, nodeGraph, picture, row, stat, table, toDashboard, variable} from './panels.mjs';

const GRAPH = "perfhouse.supergraph(perfhouse.filter(perfhouse.profile($run), 0.001), '$group_by')";
const NODE = `(SELECT coalesce((SELECT s.node FROM perfhouse.supernodes(g.g) s WHERE s.node = '$node'), (SELECT s.node FROM perfhouse.supernodes(g.g) s ORDER BY s.exclusive DESC, s.node LIMIT 1)))`;

export const runVariable = (name, label) => variable(name, label, `
	SELECT concat_ws(' ', '#' || run_id, application, title, left(commit_id, 9), n_ranks || ' ranks') AS __text, run_id AS __value
	FROM perfhouse.run_overview ORDER BY run_id DESC LIMIT 1000`);

export default dashboard({
	name: 'run',
	title: 'perfhouse / Run',
	description: 'One run: where its time went, over call paths, super nodes and processes.',
	variables: [
		runVariable('run', 'run'),
		choice('group_by', 'super nodes by', ['module', 'paradigm', 'library', 'file', 'function']),
		variable('node', 'super node', `
			SELECT s.label AS __text, s.node AS __value FROM perfhouse.supernodes(${GRAPH}) s ORDER BY s.exclusive DESC, s.node LIMIT 100`),
	],
	panels: [
		stat('time per process', 'SELECT r.seconds FROM perfhouse.run_cost r WHERE r.run_id = $run', {unit: 's'}),
		stat('processes', 'SELECT r.n_ranks FROM perfhouse.run_cost r WHERE r.run_id = $run'),
		stat('node-hours', 'SELECT r.node_hours FROM perfhouse.run_cost r WHERE r.run_id = $run'),
		stat('worst imbalance (max / mean)', `
			SELECT max(s.imbalance_ratio) AS imbalance FROM perfhouse.supernodes(${GRAPH}) s`,
			{steps: [{value: null, color: 'green'}, {value: 1.2, color: 'orange'}, {value: 1.5, color: 'red'}]}),
		stat('call-tree nodes', 'SELECT r.n_nodes FROM perfhouse.run_overview r WHERE r.run_id = $run'),
		stat('trace', "SELECT coalesce(r.n_events || ' events', 'none') AS trace FROM perfhouse.run_overview r WHERE r.run_id = $run",
			{links: [toDashboard('trace', 'trace', 'var-run=$run')]}),
		picture('super graph', '/view/sankey.svg?run=$run&group_by=$group_by', {link: '/run/$run?group_by=$group_by', w: 24, h: 18}),
		row('Super nodes'),
		nodeGraph('super graph as nodes', `
			SELECT id, title, subtitle, mainstat, secondarystat, arc__exclusive, arc__absorbed, arc__inclusive, color, fixedx, fixedy
			FROM perfhouse.node_graph_nodes(${GRAPH})`, `
			SELECT id, source, target, mainstat, thickness FROM perfhouse.node_graph_edges(${GRAPH})`, {w: 14, h: 16}),
		histogram('$node over processes', `
			SELECT h.low AS "xMin", h.high AS "xMax", h.count AS processes
			FROM (SELECT ${GRAPH} AS g) g, LATERAL perfhouse.histogram(g.g, ${NODE}) h ORDER BY h.bin`, {w: 10, h: 8}),
		table('$node: entry functions', `
			SELECT e.function, e.instances, e.inclusive FROM (SELECT ${GRAPH} AS g) g, LATERAL perfhouse.entry_functions(g.g, ${NODE}) e
			ORDER BY e.inclusive DESC, e.function`, {w: 10, h: 8}),
		row('Call paths'),
		flamegraph('flame graph', 'SELECT level, label, value, self FROM perfhouse.flame(perfhouse.profile($run))', {h: 18}),
		table('imbalance: what the slowest process costs the others', `
			SELECT i.name, i.lost, i.mean, i.max, i.imbalance_ratio, i.worst_rank, i.worst_host, i.path
			FROM perfhouse.imbalance(perfhouse.profile($run)) i ORDER BY i.lost DESC, i.node LIMIT 50`, {
			w: 14, h: 12, columns: [column('lost', {cell: GAUGE}), column('imbalance_ratio', {decimals: 2})],
		}),
		table('metadata', `
			SELECT m.key, m.value FROM perfhouse.run_overview r, jsonb_each_text(r.meta) m WHERE r.run_id = $run ORDER BY 1`, {w: 10, h: 12}),
		table('hottest call path', `
			SELECT h.step, h.name, h.inclusive, h.exclusive, h.share FROM perfhouse.hot_path(perfhouse.profile($run)) h ORDER BY h.step`, {
			w: 24, h: 8, columns: [column('share', {unit: 'percentunit', cell: GAUGE, min: 0, max: 1})],
		}),
	],
});
