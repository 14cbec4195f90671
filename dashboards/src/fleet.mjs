// fleet.mjs - all applications at one glance. SPDX-License-Identifier: PostgreSQL

import {GAUGE, RELATIVE, barchart, column, dashboard, row, stat, table, timeseries, toDashboard, toPage,
	variable} from './panels.mjs';

// Runs that name no application are one more.
const HERE = "$__timeFilter(r.measured_at) AND coalesce(r.application, '(none)') IN ($application)";
// What reads values of single processes asks for the newest runs.
const NEWEST = '1,000';
const SINCE = `greatest($__timeFrom()::timestamptz, (SELECT min(n.measured_at) FROM (
				SELECT r.measured_at FROM perfhouse.run_cost r WHERE r.measured_at <= $__timeTo()::timestamptz
				ORDER BY r.measured_at DESC LIMIT ${NEWEST.replace(',', '')}) n))`;
const toHistory = toDashboard('history', 'its history', 'var-application=${__value.raw:percentencode}');
const GREEN_RED = [{value: null, color: 'green'}, {value: 1, color: 'red'}];

export default dashboard({
	name: 'fleet',
	title: 'perfhouse / Fleet',
	description: 'Every application: what runs, where node-hours go, what became slower.',
	refresh: '1m',
	variables: [variable('application', 'application', `
		SELECT DISTINCT coalesce(r.application, '(none)') AS __text, coalesce(r.application, '(none)') AS __value FROM perfhouse.run_cost r
		UNION SELECT '(none)', '(none)' WHERE NOT EXISTS (SELECT FROM perfhouse.run_cost)
		ORDER BY 1`, {multi: true, all: true, current: {text: ['All'], value: ['$__all']}})],
	panels: [
		stat('runs',
			'Measured runs of the chosen applications in the chosen time, those left out of comparisons among them.', `SELECT count(*) AS runs FROM perfhouse.run_cost r WHERE ${HERE}`),
		stat('applications',
			'Different applications among these runs.',
			`SELECT count(*) AS applications FROM (SELECT DISTINCT r.application FROM perfhouse.run_cost r WHERE ${HERE} AND r.application IS NOT NULL) r`),
		stat('node-hours',
			'Time of a process x hosts, over all runs whose primary metric is a time. Files that name no hosts count as one node.', `SELECT sum(r.node_hours) AS node_hours FROM perfhouse.run_cost r WHERE ${HERE}`),
		stat('process-hours',
			'Time of a process x processes or threads, over all runs.', `SELECT sum(r.unit_hours) AS unit_hours FROM perfhouse.run_cost r WHERE ${HERE}`),
		stat('new regressions',
			'Found by the last search and not yet looked at by anybody. Accept or close them with: perfhouse regressions.', `
			SELECT count(*) AS new FROM perfhouse.regression_overview g
			WHERE g.state = 'new' AND g.application IN ($application)`, {steps: GREEN_RED}),
		stat('excluded runs',
			'Left out of comparisons, by people or because their input is incomplete.',
			`SELECT count(*) AS excluded FROM perfhouse.run_cost r WHERE r.excluded_reason IS NOT NULL AND ${HERE}`),
		timeseries('node-hours per day by application',
			'Which application the machine worked for.', `
			SELECT date_trunc('day', r.measured_at) AS time, coalesce(r.application, '(none)') AS metric, sum(r.node_hours) AS value
			FROM perfhouse.run_cost r WHERE ${HERE} AND r.node_hours IS NOT NULL
			GROUP BY 1, 2 ORDER BY 1, 2`, {w: 12, h: 9}),
		barchart('most expensive functions, all applications',
			'Own time of a function, summed over processes and runs. A month in the past is read from its roll-up.', `
			SELECT f.name AS function, sum(f.unit_hours) AS process_hours
			FROM perfhouse.function_costs($__timeFrom()::timestamptz, $__timeTo()::timestamptz) f
			WHERE coalesce(f.application, '(none)') IN ($application)
			GROUP BY 1 ORDER BY 2 DESC NULLS LAST, 1 LIMIT 20`, 'function', {w: 12, h: 9}),
		timeseries('parallel efficiency per day by application, median over runs',
			'Share of the time that processes spent computing. Traces give it exactly, profiles an estimate.', `
			SELECT date_trunc('day', r.measured_at) AS time, coalesce(r.application, '(none)') AS metric,
				percentile_cont(0.5) WITHIN GROUP (ORDER BY r.parallel_efficiency) AS value
			FROM perfhouse.run_cost r WHERE ${HERE} AND r.excluded_reason IS NULL AND r.parallel_efficiency IS NOT NULL
			GROUP BY 1, 2 ORDER BY 1, 2`, {unit: 'percentunit', w: 12, h: 8, points: true}),
		timeseries('waiting per day by application',
			'Share of the node-hours in which processes waited for one another: for the one with most work, and, where events are stored, for late senders and late comers.', `
			SELECT date_trunc('day', r.measured_at) AS time, coalesce(r.application, '(none)') AS metric,
				sum(r.lost_to_waiting) / nullif(sum(r.node_hours), 0) AS value
			FROM perfhouse.run_cost r WHERE ${HERE} AND r.excluded_reason IS NULL AND r.lost_to_waiting IS NOT NULL
			GROUP BY 1, 2 ORDER BY 1, 2`, {unit: 'percentunit', w: 12, h: 8, points: true}),
		row('Changes'),
		table('regressions: new and active',
			'Call paths whose time rose to a new level that is significant among all paths searched; dearest first. Follow the run for its pictures.', `
			SELECT g.state, g.application, g.path, left(g.commit_id, 9) AS commit, g.subject, g.relative,
				g.mean_before, g.mean_after, g.unit, g.lost_node_hours, g.n_ranks, g.found_at, g.run_id
			FROM perfhouse.regression_overview g
			WHERE g.state IN ('new', 'active') AND g.application IN ($application)
			ORDER BY g.state = 'new' DESC, g.lost_node_hours DESC NULLS LAST, g.regression_id LIMIT 200`, {
			w: 24, h: 9, columns: [
				column('relative', RELATIVE), column('application', {links: [toHistory]}),
				column('run_id',
					{links: [toDashboard('run', 'the first slow run', 'var-run=${__value.raw}'),
					toPage('/run/${__value.raw}', 'its page')]}),
			],
		}),
		row('Runs and nodes'),
		table('newest runs',
			'The last 200 loaded.', `
			SELECT r.run_id, r.application, r.title, left(r.commit_id, 9) AS commit, r.n_ranks, r.seconds, r.node_hours, r.measured_at AS started,
				r.cluster, array_to_string(r.tags, ' ') AS tags, r.excluded_reason AS excluded
			FROM perfhouse.run_cost r WHERE ${HERE} ORDER BY r.run_id DESC LIMIT 200`, {
			w: 14, h: 12, columns: [
				column('run_id',
					{width: 80, links: [toDashboard('run', 'dashboard', 'var-run=${__value.raw}'),
					toPage('/run/${__value.raw}', 'page')]}),
				column('application', {links: [toHistory]}), column('seconds', {unit: 's'}),
				column('node_hours', {decimals: 2}),
			],
		}),
		table(`nodes that are slow in several applications (of the newest ${NEWEST} runs)`,
			'Hosts whose ranks took longer than the other ranks of the same runs, by a robust z-score above 3 on average. A host that is slow whatever runs on it is broken.', `
			SELECT h.host, count(DISTINCT h.application) AS applications, count(*) AS runs, avg(h.z) AS z, avg(h.relative) AS slower, sum(h.lost_node_hours) AS lost_node_hours
			FROM perfhouse.host_residual(${SINCE}) h WHERE h.application IN ($application)
			GROUP BY h.host HAVING avg(h.z) > 3 ORDER BY 6 DESC NULLS LAST, 1 LIMIT 50`, {
			w: 10, h: 12, columns: [column('slower', {unit: 'percentunit', decimals: 1}),
				column('z', {decimals: 1, cell: GAUGE, min: 0, max: 20})],
		}),
		table(`node-hours lost by cause (of the newest ${NEWEST} runs)`,
			'Regressions, imbalance and slow nodes, in node-hours: where mending pays first.', `
			SELECT l.application, l.cause, l.what, l.node_hours, l.runs FROM perfhouse.lost_node_hours(${SINCE}) l
			WHERE l.application IN ($application) AND l.node_hours > 0 ORDER BY l.node_hours DESC, 1, 2, 3 LIMIT 100`, {
			w: 24, h: 9, columns: [column('node_hours', {decimals: 2, cell: GAUGE}),
				column('application', {links: [toHistory]})],
		}),
	],
});
