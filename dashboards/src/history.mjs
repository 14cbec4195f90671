// history.mjs - one application along its commits. SPDX-License-Identifier: PostgreSQL

import {APPLICATIONS, RELATIVE, annotation, barchart, choice, column, dashboard, picture, row, table, timeseries,
	toDashboard, toPage, variable, xychart} from './panels.mjs';

const FILTER = "nullif('$filter', '')";
const series = of =>
	`concat_ws(', ', coalesce(${of}.n_ranks || ' ranks', 'all'), nullif(${of}.n_threads, 1) || ' threads', ${of}.cluster)`;
// The application's runs of the dashboard's time that count.
const RUNS = `r.application = '$application' AND r.excluded_reason IS NULL AND $__timeFilter(r.measured_at)
				AND (${FILTER} IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching(${FILTER})))`;
const HISTORY = `perfhouse.history('$application', '$function', filter => ${FILTER}, cost => '$cost')`;
const TOP = 8;

export default dashboard({
	name: 'history',
	title: 'perfhouse / Application history',
	description: 'Metrics of an application over its commits, what changed and when, and how it scales.',
	from: 'now-1y',
	variables: [
		variable('application', 'application', APPLICATIONS),
		variable('function', 'function', `
			SELECT f.name AS __text, f.name AS __value FROM perfhouse.function_cost f
			WHERE f.run_id IN (SELECT r.run_id FROM perfhouse.run_cost r WHERE r.application = '$application' ORDER BY r.run_id DESC LIMIT 20)
			GROUP BY f.name ORDER BY sum(f.exclusive) DESC, f.name LIMIT 200`),
		choice('cost', 'cost', ['exclusive', 'inclusive']),
		{name: 'filter', label: 'run filter', type: 'textbox', query: '', current: {text: '', value: ''},
			options: [{text: '', value: '', selected: true}]},
	],
	annotations: [
		annotation('change points', `
			SELECT h.measured_at AS time, c.path || ': ' || to_char(100 * c.relative, 'SG9990.0') || ' % at ' || coalesce(left(c.commit_id, 9), 'run ' || c.run_id) AS text,
				'change point' AS tags
			FROM perfhouse.change_points('$application', filter => ${FILTER}, cost => '$cost') c
			JOIN perfhouse.run_history h ON h.run_id = c.run_id
			WHERE c.path = '$function' AND $__timeFilter(h.measured_at)`, 'orange'),
		annotation('regressions', `
			SELECT h.measured_at AS time, g.path || ': ' || to_char(100 * g.relative, 'SG9990.0') || ' %, ' || concat_ws(' ', left(g.commit_id, 9), g.subject) AS text,
				concat_ws(',', 'regression', g.state) AS tags
			FROM perfhouse.regression_overview g JOIN perfhouse.run_history h ON h.run_id = g.run_id
			WHERE g.application = '$application' AND g.state IN ('new', 'active') AND $__timeFilter(h.measured_at)`, 'red'),
	],
	panels: [
		timeseries('$function, $cost, mean over processes',
			'A line for each number of ranks and machine; only runs with the same keys are comparable.', `
			SELECT h.measured_at AS time, ${series('h')} AS metric, h.value AS value
			FROM ${HISTORY} h WHERE $__timeFilter(h.measured_at) ORDER BY 1, 2`, {unit: 's', w: 12, h: 10, points: true}),
		xychart('$function along the commits (place in the history)',
			'Of the most frequent number of ranks: median, fastest and slowest run of each commit.', `
			SELECT h.position AS commit, percentile_cont(0.5) WITHIN GROUP (ORDER BY h.value) AS median, min(h.value) AS fastest,
				max(h.value) AS slowest
			FROM ${HISTORY} h WHERE h.position IS NOT NULL AND h.n_ranks IS NOT DISTINCT FROM (SELECT mode() WITHIN GROUP (ORDER BY m.n_ranks) FROM ${HISTORY} m)
			GROUP BY 1 ORDER BY 1`, {unit: 's', w: 12, h: 10}),
		timeseries('whole run, mean over processes',
			'The primary metric of each run.', `
			SELECT r.measured_at AS time, ${series('r')} AS metric, r.seconds AS value
			FROM perfhouse.run_cost r WHERE ${RUNS} AND r.seconds IS NOT NULL ORDER BY 1, 2`, {unit: 's', w: 12, h: 9, points: true}),
		timeseries('shares of super nodes (modules)',
			'Own time of a module as a share of the run, of the newest 2,000 runs. A share rises when others become faster, too: look at the seconds beside.', `
			WITH chosen AS MATERIALIZED (
				SELECT r.run_id, r.measured_at, r.total FROM perfhouse.run_cost r WHERE ${RUNS} ORDER BY r.run_id DESC LIMIT 2000
			), summed AS (
				SELECT c.run_id, coalesce(perfhouse_internal.module_of(q.run_id, q.labels_id, s.region_id), g.library, '<unknown>') AS module, sum(s.exclusive) AS exclusive, s.metric_id
				FROM chosen c JOIN perfhouse.run q USING (run_id)
				JOIN perfhouse.region_summary s ON s.run_id = c.run_id AND s.metric_id = q.primary_metric_id
				JOIN perfhouse.region g ON g.region_id = s.region_id
				GROUP BY 1, 2, 4
			), cost AS MATERIALIZED (
				SELECT c.run_id, c.measured_at, s.module, s.exclusive * m.factor / nullif(c.total, 0) AS share
				FROM chosen c JOIN summed s USING (run_id) JOIN perfhouse.metric_overview m USING (metric_id)
			), top AS (
				SELECT c.module FROM cost c GROUP BY 1 ORDER BY sum(c.share) DESC NULLS LAST, 1 LIMIT ${TOP}
			)
			SELECT c.measured_at AS time, c.module AS metric, c.share AS value FROM cost c WHERE c.module IN (SELECT t.module FROM top t)
			ORDER BY 1, 2`, {unit: 'percentunit', w: 12, h: 9}),
		timeseries('parallel efficiency (estimated where there are no events)',
			'Share of the time that processes spent computing.', `
			SELECT h.measured_at AS time, ${series('h')} || CASE WHEN h.estimated THEN ', estimated' ELSE '' END AS metric, h.parallel AS value
			FROM perfhouse.efficiency_history('$application', ${FILTER}) h WHERE $__timeFilter(h.measured_at) ORDER BY 1, 2`,
			{unit: 'percentunit', w: 12, h: 9, points: true}),
		timeseries('factors of the parallel efficiency, mean over runs',
			'They multiply to the parallel efficiency; the lowest one is what holds it down.', `
			SELECT h.measured_at AS time, f.factor AS metric, avg(f.value) AS value
			FROM perfhouse.efficiency_history('$application', ${FILTER}) h, LATERAL (VALUES ('load balance', h.load_balance),
				('communication', h.communication), ('serialisation', h.serialisation), ('transfer', h.transfer), ('threads', h.threads),
				('thread load balance', h.thread_load_balance), ('thread serialisation', h.thread_serialisation)) f (factor, value)
			WHERE f.value IS NOT NULL AND $__timeFilter(h.measured_at) GROUP BY 1, 2 ORDER BY 1, 2`,
			{unit: 'percentunit', w: 12, h: 9, points: true}),
		timeseries('waiting, as a share of the time of processes',
			'Of runs with events: what they say of late senders, late receivers, collectives, I/O. A line for each number of ranks and machine.', `
			SELECT r.measured_at AS time, ${series('r')} AS metric, r.wait / nullif(r.seconds, 0) AS value
			FROM perfhouse.run_cost r WHERE ${RUNS} AND r.wait IS NOT NULL AND r.seconds > 0 ORDER BY 1, 2`,
			{unit: 'percentunit', w: 24, h: 8, points: true}),
		row('What changed'),
		table('change points',
			'Where the level of a call path changed: significant after correction for all paths searched (q value). Magnitude is the change over the noise.', `
			SELECT c.path, left(c.commit_id, 9) AS commit, c.mean_before, c.mean_after, c.relative, c.magnitude, c.p_value, c.q_value, c.n_ranks, c.run_id
			FROM perfhouse.change_points('$application', filter => ${FILTER}) c
			ORDER BY abs(c.mean_after - c.mean_before) DESC, c.path, c.run_id LIMIT 200`, {
			w: 14, h: 10, columns: [
				column('relative', RELATIVE),
				column('path',
					{links: [toDashboard('history', 'its history',
					'var-application=${application:percentencode}&var-function=${__value.raw:percentencode}')]}),
				column('run_id',
					{links: [toDashboard('run', 'the first run of the new level', 'var-run=${__value.raw}')]}),
			],
		}),
		table('runs and commits',
			'The runs that this page is about.', `
			SELECT h.run_id, left(h.commit_id, 9) AS commit, h.subject, h.branch, h.n_ranks, r.seconds, h.committed_at
			FROM perfhouse.run_history h JOIN perfhouse.run_cost r USING (run_id)
			WHERE h.application = '$application' AND $__timeFilter(h.measured_at) ORDER BY h.run_id DESC LIMIT 300`, {
			w: 10, h: 10, columns: [column('seconds', {unit: 's'}),
				column('run_id',
				{width: 80, links: [toDashboard('run', 'dashboard', 'var-run=${__value.raw}'),
				toPage('/run/${__value.raw}', 'page')]})],
		}),
		picture('history with change points and commits',
			'Drawn by perfhouse serve; click for the interactive page.',
			'/view/history.svg?application=${application:percentencode}&path=${function:percentencode}'
				+ '&by=function&cost=$cost',
			{link: '/history?application=${application:percentencode}&path=${function:percentencode}', h: 16}),
		row('Scaling'),
		xychart('time per process against ranks',
			'Median and fastest run of each number of ranks; ideal is the smallest number of ranks scaled without loss.', `
			SELECT r.n_ranks AS ranks, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds) AS median, min(r.seconds) AS fastest,
				first_value(min(r.seconds) * r.n_ranks) OVER (ORDER BY r.n_ranks) / nullif(r.n_ranks, 0) AS ideal
			FROM perfhouse.run_cost r WHERE ${RUNS} AND r.seconds IS NOT NULL AND r.n_ranks IS NOT NULL
			GROUP BY 1 ORDER BY 1`, {unit: 's', w: 12, h: 10}),
		xychart('efficiency of scaling',
			'The newest scaling study: 1 for the smallest number of ranks. Global is parallel times computation; '
				+ 'of computation instructions, IPC and frequency where counters are recorded.', `
			SELECT s.n_ranks AS ranks, s.global, s.parallel, s.computation, s.instructions, s.ipc AS "IPC", s.frequency
			FROM perfhouse.scaling_study('$application') s ORDER BY 1`, {unit: 'percentunit', w: 12, h: 10}),
		barchart('super nodes of the newest run',
			'Own time of each module, mean over processes.', `
			SELECT s.node AS module, s.exclusive AS seconds
			FROM (SELECT * FROM perfhouse.run_cost WHERE application = '$application' AND excluded_reason IS NULL ORDER BY run_id DESC LIMIT 1) r,
				LATERAL perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(r.run_id))) s
			ORDER BY 2 DESC, 1 LIMIT 15`, 'module', {unit: 's', w: 12, h: 10}),
		table('newest runs by number of ranks',
			'The newest run of each size with its super graph and flame graph.', `
			SELECT DISTINCT ON (r.n_ranks) r.n_ranks, r.run_id, left(r.commit_id, 9) AS commit, r.measured_at AS started, r.seconds,
				'$pages/view/sankey.svg?run=' || r.run_id || v.parameter AS super_graph, '$pages/view/flame.svg?run=' || r.run_id || v.parameter AS flame_graph
			FROM perfhouse.run_cost r, LATERAL (SELECT '&version=' || perfhouse.run_version(ARRAY[r.run_id]) AS parameter) v WHERE ${RUNS} ORDER BY r.n_ranks, r.run_id DESC LIMIT 8`, {
			w: 24, h: 12, options: {cellHeight: 'lg'}, columns: [
				column('seconds', {unit: 's'}), column('super_graph', {cell: {type: 'image'}}),
				column('flame_graph', {cell: {type: 'image'}}),
				column('run_id',
					{width: 80, links: [toDashboard('run', 'dashboard', 'var-run=${__value.raw}'),
					toPage('/run/${__value.raw}', 'page')]}),
			],
		}),
	],
});
