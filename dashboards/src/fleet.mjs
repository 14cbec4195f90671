// fleet.mjs - all applications at one glance. SPDX-License-Identifier: PostgreSQL

import {GAUGE, barchart, column, dashboard, row, stat, table, timeseries, toDashboard, toPage, variable} from './panels.mjs';

const TIME = '$__timeFilter(coalesce(r.started_at, r.loaded_at))';
const HERE = `${TIME} AND r.application IN ($application)`;

export default dashboard({
	name: 'fleet',
	title: 'perfhouse / Fleet',
	description: 'Every application: what runs, where node-hours go, what became slower.',
	variables: [variable('application', 'application', `
		SELECT DISTINCT application AS __text, application AS __value FROM perfhouse.run_overview
		WHERE application IS NOT NULL ORDER BY 1`, {multi: true, all: true, current: {text: ['All'], value: ['$__all']}})],
	panels: [
		stat('runs', `SELECT count(*) AS runs FROM perfhouse.run_overview r WHERE ${HERE}`),
		stat('applications', `SELECT count(DISTINCT r.application) AS applications FROM perfhouse.run_overview r WHERE ${HERE}`),
		stat('node-hours', `SELECT sum(r.node_hours) AS node_hours FROM perfhouse.run_cost r WHERE ${HERE}`, {unit: 'none'}),
		stat('process-hours', `SELECT sum(r.unit_hours) AS unit_hours FROM perfhouse.run_cost r WHERE ${HERE}`, {unit: 'none'}),
		stat('new regressions', `
			SELECT count(*) AS new FROM perfhouse.regression_overview g
			WHERE g.state = 'new' AND g.application IN ($application) AND $__timeFilter(g.found_at)`,
			{steps: [{value: null, color: 'green'}, {value: 1, color: 'red'}]}),
		stat('excluded runs', `SELECT count(*) AS excluded FROM perfhouse.run_overview r WHERE r.excluded_reason IS NOT NULL AND ${HERE}`),
		timeseries('node-hours per day by application', `
			SELECT date_trunc('day', coalesce(r.started_at, r.loaded_at)) AS time, r.application AS metric, sum(r.node_hours) AS value
			FROM perfhouse.run_cost r WHERE ${HERE} AND r.node_hours IS NOT NULL
			GROUP BY 1, 2 ORDER BY 1, 2`, {w: 12, h: 9}),
		barchart('most expensive functions, all applications', `
			SELECT f.name AS function, sum(f.unit_hours) AS unit_hours
			FROM perfhouse.function_cost f JOIN perfhouse.run_overview r USING (run_id) WHERE ${HERE}
			GROUP BY 1 ORDER BY 2 DESC, 1 LIMIT 20`, 'function', {w: 12, h: 9}),
		row('Changes'),
		table('regressions', `
			SELECT g.state, g.application, g.path, left(g.commit_id, 9) AS commit, g.subject, g.mean_before, g.mean_after, g.relative,
				g.lost_node_hours, g.n_ranks, g.found_at, g.regression_id, g.run_id
			FROM perfhouse.regression_overview g
			WHERE g.state IN ('new', 'active') AND g.application IN ($application)
			ORDER BY g.state = 'new' DESC, g.lost_node_hours DESC NULLS LAST, g.regression_id LIMIT 200`, {
			w: 24, h: 9, columns: [
				column('relative', {unit: 'percentunit', decimals: 1, cell: {type: 'color-text'}, color: {mode: 'continuous-GrYlRd'}, min: -0.5, max: 0.5}),
				column('mean_before', {unit: 's'}), column('mean_after', {unit: 's'}),
				column('application', {links: [toDashboard('history', 'its history', 'var-application=${__value.raw:percentencode}')]}),
				column('run_id', {links: [toDashboard('run', 'the first slow run', 'var-run=${__value.raw}'), toPage('/run/${__value.raw}', 'its page')]}),
			],
		}),
		row('Runs and nodes'),
		table('newest runs', `
			SELECT r.run_id, r.application, r.title, left(r.commit_id, 9) AS commit, r.n_ranks, r.node_hours, coalesce(r.started_at, r.loaded_at) AS started,
				r.cluster, array_to_string(r.tags, ' ') AS tags, r.excluded_reason AS excluded
			FROM perfhouse.run_cost r WHERE ${HERE} ORDER BY r.run_id DESC LIMIT 200`, {
			w: 14, h: 12, columns: [
				column('run_id', {width: 80, links: [toDashboard('run', 'dashboard', 'var-run=${__value.raw}'), toPage('/run/${__value.raw}', 'page')]}),
				column('application', {links: [toDashboard('history', 'its history', 'var-application=${__value.raw:percentencode}')]}),
			],
		}),
		table('nodes that are slow in several applications', `
			SELECT h.host, count(DISTINCT h.application) AS applications, count(*) AS runs, avg(h.z) AS z, avg(h.relative) AS slower, sum(h.lost_node_hours) AS lost_node_hours
			FROM perfhouse.host_residual($__timeFrom()) h WHERE h.application IN ($application)
			GROUP BY h.host HAVING avg(h.z) > 3 ORDER BY 6 DESC NULLS LAST, 1 LIMIT 50`, {
			w: 10, h: 12, columns: [column('slower', {unit: 'percentunit', decimals: 1}), column('z', {decimals: 1, cell: GAUGE, min: 0, max: 20})],
		}),
		table('node-hours lost by cause', `
			SELECT l.application, l.cause, l.what, l.node_hours, l.runs FROM perfhouse.lost_node_hours($__timeFrom()) l
			WHERE l.application IN ($application) AND l.node_hours > 0 ORDER BY l.node_hours DESC, 1, 2, 3 LIMIT 100`, {
			w: 24, h: 9, columns: [column('node_hours', {decimals: 2, cell: GAUGE})],
		}),
	],
});
