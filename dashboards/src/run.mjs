// run.mjs - one run. SPDX-License-Identifier: PostgreSQL

import {GAUGE, GROUPINGS, barchart, choice, column, dashboard, flamegraph, histogram, nodeGraph, picture, row, runOf,
	stat, table, toDashboard, toPage, variable, versionOf} from './panels.mjs';

const RUN = runOf('run');
const EFFICIENCY = [{value: null, color: 'red'}, {value: 0.6, color: 'orange'}, {value: 0.8, color: 'green'}];
const PROFILE = `perfhouse.profile(${RUN})`;
const GRAPH = `perfhouse.supergraph(perfhouse.filter(${PROFILE}, 0.001), '$group_by')`;
// Values of single processes are gone once a run is rolled up.
const UNITS =
	`perfhouse.profile((SELECT u.run_id FROM perfhouse.run_overview u WHERE u.run_id = ${RUN} AND u.rolled_up_at IS NULL))`;
// The chosen super node, or the most expensive one when another grouping has none of that name.
const NODE =
	`(SELECT s.node FROM perfhouse.supernodes(g.g) s ORDER BY s.node = '$node' DESC, s.exclusive DESC, s.node LIMIT 1)`;

export const runVariable = (name, label, {where = 'true', order = 'r.run_id DESC'} = {}) => variable(name, label, `
	SELECT concat_ws(' ', '#' || r.run_id, r.application, r.title, left(r.commit_id, 9), r.n_ranks || ' ranks') AS __text, r.run_id AS __value
	FROM perfhouse.run_overview r WHERE ${where} ORDER BY ${order} LIMIT 1000`);

export default dashboard({
	name: 'run',
	title: 'perfhouse / Run',
	description: 'One run: where its time went, over call paths, super nodes and processes.',
	variables: [
		runVariable('run', 'run'), choice('group_by', 'super nodes by', GROUPINGS),
		variable('node', 'super node', `
			SELECT s.node AS __text, s.node AS __value FROM perfhouse.supernodes(${GRAPH}) s ORDER BY s.exclusive DESC, s.node LIMIT 100`),
		versionOf(RUN),
	],
	panels: [
		stat('time per process',
			'The primary metric, mean over processes or threads.', `SELECT r.seconds FROM perfhouse.run_cost r WHERE r.run_id = ${RUN}`, {unit: 's'}),
		stat('processes',
			'MPI ranks that the run had.', `SELECT r.n_ranks FROM perfhouse.run_cost r WHERE r.run_id = ${RUN}`),
		stat('node-hours',
			'Time of a process x hosts; one node when the file names none.', `SELECT r.node_hours FROM perfhouse.run_cost r WHERE r.run_id = ${RUN}`),
		stat('worst imbalance (max / mean)',
			'Of all super nodes: how much longer the slowest process takes than the mean. 1 is balanced.',
			`SELECT max(s.imbalance_ratio) AS imbalance FROM perfhouse.supernodes(${GRAPH}) s`,
			{steps: [{value: null, color: 'green'}, {value: 1.2, color: 'orange'}, {value: 1.5, color: 'red'}]}),
		stat('parallel efficiency',
			'Share of the time that processes spent computing: load balance x communication x threads.', `
			SELECT r.parallel_efficiency FROM perfhouse.run_overview r WHERE r.run_id = ${RUN}`, {unit: 'percentunit', steps: EFFICIENCY}),
		stat('call-tree nodes',
			'Call paths that this run has.', `SELECT r.n_nodes FROM perfhouse.run_overview r WHERE r.run_id = ${RUN}`),
		stat('trace',
			'Events that are stored with the profile. Click for the trace.', `
			SELECT CASE WHEN r.has_trace THEN r.n_events || ' events' WHEN r.events_dropped_at IS NOT NULL THEN 'events dropped' ELSE 'none' END AS trace
			FROM perfhouse.run_overview r WHERE r.run_id = ${RUN}`, {links: [toDashboard('trace', 'trace', 'var-run=$run')]}),
		picture('super graph',
			'Call tree folded by module, library or file; widths are times. Drawn by perfhouse serve; click to '
			+ 'split and drill.', '/view/sankey.svg?run=$run&group_by=$group_by&version=$version',
			{link: '/run/$run?group_by=$group_by', h: 18}),
		row('Super nodes'),
		nodeGraph('super graph as nodes: own time red, what a filter took grey, callees green',
			'The same graph for Grafana: 200 nodes at most.', `
			SELECT id, title, subtitle, mainstat, secondarystat, arc__exclusive, arc__absorbed, arc__inclusive, color, fixedx, fixedy
			FROM perfhouse.node_graph_nodes(${GRAPH})`, `
			SELECT id, source, target, mainstat, thickness FROM perfhouse.node_graph_edges(${GRAPH})`,
			{w: 14, h: 16, arcs: {arc__exclusive: 'red', arc__absorbed: 'gray', arc__inclusive: 'green'}}),
		histogram('$node over processes',
			'How many processes take how long in this super node. Two humps are two kinds of processes.', `
			SELECT h.low AS "xMin", h.high AS "xMax", h.count AS processes
			FROM (SELECT perfhouse.supergraph(perfhouse.filter(${UNITS}, 0.001), '$group_by') AS g) g, LATERAL perfhouse.histogram(g.g, ${NODE}) h
			WHERE g.g IS NOT NULL ORDER BY h.bin`, {w: 10, h: 8}),
		table('$node: functions through which it is entered',
			'Calls that lead from other super nodes into this one.', `
			SELECT e.function, e.instances, e.inclusive FROM (SELECT ${GRAPH} AS g) g, LATERAL perfhouse.entry_functions(g.g, ${NODE}) e
			WHERE g.g IS NOT NULL ORDER BY e.inclusive DESC, e.function`, {w: 10, h: 8}),
		row('Call paths'),
		flamegraph('flame graph',
			'Inclusive time of every call path, mean over processes.', `SELECT level, label, value, self FROM perfhouse.flame(${PROFILE})`, {h: 18}),
		table('imbalance: what the slowest process costs the others',
			'Time that the mean process waits for, or could wait for, the slowest one in this call path.', `
			SELECT i.name, i.lost, i.mean, i.max, i.imbalance_ratio, i.worst_rank, i.worst_host, i.path
			FROM perfhouse.imbalance(${UNITS}) i ORDER BY i.lost DESC, i.node LIMIT 50`, {
			w: 14, h: 12, columns: [column('lost', {cell: GAUGE}), column('imbalance_ratio', {decimals: 2})],
		}),
		barchart('what the parallel efficiency is made of: factors',
			'They multiply to the parallel efficiency, those of devices to theirs. An estimate where no events are stored.', `
			SELECT f.factor, f.value FROM perfhouse.run_overview r, LATERAL (VALUES (1, 'parallel', r.parallel_efficiency),
				(2, 'load balance', r.load_balance), (3, 'communication', r.communication_efficiency),
				(4, 'serialisation', r.serialisation_efficiency), (5, 'transfer', r.transfer_efficiency),
				(6, 'threads', r.thread_efficiency), (7, 'thread load balance', r.thread_load_balance),
				(8, 'thread serialisation', r.thread_serialisation), (9, 'devices', r.device_efficiency),
				(10, 'device load balance', r.device_load_balance), (11, 'device communication', r.device_communication),
				(12, 'device orchestration', r.device_orchestration)) f (place, factor, value)
			WHERE r.run_id = ${RUN} AND f.value IS NOT NULL ORDER BY f.place`, 'factor', {unit: 'percentunit', w: 10, h: 8}),
		table('metadata',
			'All that the file, the batch job and people said about the run.', `
			SELECT m.key, m.value FROM perfhouse.run_overview r,
				LATERAL (SELECT * FROM jsonb_each_text(to_jsonb(r) - 'meta') UNION ALL SELECT * FROM jsonb_each_text(r.meta) x WHERE NOT to_jsonb(r) ? x.key) m (key, value)
			WHERE r.run_id = ${RUN} AND m.value IS NOT NULL ORDER BY 1`, {w: 10, h: 12}),
		table('hottest call path',
			'From the root always to the callee with most inclusive time, as long as it has half of it.', `
			SELECT h.step, h.name, h.inclusive, h.exclusive, h.share FROM perfhouse.hot_path(${PROFILE}) h ORDER BY h.step`, {
			w: 14, h: 8, columns: [column('share', {unit: 'percentunit', cell: GAUGE, min: 0, max: 1})],
		}),
		table('other runs of its application with as many ranks',
			'Relative to this run; follow a number to compare.', `
			SELECT o.run_id, left(o.commit_id, 9) AS commit, o.measured_at AS started, o.seconds, o.seconds / nullif(r.seconds, 0) - 1 AS relative
			FROM perfhouse.run_cost r JOIN perfhouse.run_cost o ON o.application = r.application AND o.n_ranks = r.n_ranks AND o.run_id <> r.run_id AND o.excluded_reason IS NULL
			WHERE r.run_id = ${RUN} ORDER BY abs(o.run_id - r.run_id), o.run_id LIMIT 50`, {
			w: 10, h: 8, columns: [
				column('relative', {unit: 'percentunit', decimals: 1}), column('seconds', {unit: 's'}),
				column('run_id',
					{width: 80, links: [toDashboard('compare', 'compare', 'var-b=$run&var-a=${__value.raw}'),
					toPage('/compare?a=${__value.raw}&b=$run', 'page')]}),
			],
		}),
	],
});
