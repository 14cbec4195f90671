// history.mjs - one application along its commits. SPDX-License-Identifier: PostgreSQL

import {annotation, barchart, choice, column, dashboard, picture, row, table, timeseries, toDashboard, toPage, variable, xychart} from './panels.mjs';

const FILTER = "nullif('$filter', '')";

export default dashboard({
	name: 'history',
	title: 'perfhouse / Application history',
	description: 'Metrics of an application over its commits, what changed and when, and how it scales.',
	from: 'now-1y',
	variables: [
		variable('application', 'application', `
			SELECT DISTINCT application AS __text, application AS __value FROM perfhouse.run_overview
			WHERE application IS NOT NULL ORDER BY 1`),
		variable('function', 'function', `
			SELECT f.name AS __text, f.name AS __value FROM perfhouse.function_cost f WHERE f.application = '$application'
			GROUP BY f.name ORDER BY sum(f.exclusive) DESC, f.name LIMIT 200`),
		choice('cost', 'cost', ['exclusive', 'inclusive']),
		{name: 'filter', label: 'run filter', type: 'textbox', query: '', current: {text: '', value: ''}, options: [{text: '', value: '', selected: true}]},
	],
	annotations: [annotation('change points', `
		SELECT h.measured_at AS time, c.path || ': ' || to_char(100 * c.relative, 'SG990.0') || ' % at ' || coalesce(left(c.commit_id, 9), 'run ' || c.run_id) AS text,
			'change point' AS tags
		FROM perfhouse.change_points('$application', filter => ${FILTER}) c
		JOIN perfhouse.run_history h ON h.run_id = c.run_id
		WHERE c.path = '$function' AND $__timeFilter(h.measured_at)`, 'red')],
	panels: [
		timeseries('$function, $cost, mean over processes', `
			SELECT h.measured_at AS time,
				concat_ws(', ', h.n_ranks || ' ranks', nullif(h.n_threads, 1) || ' threads', h.cluster) AS metric,
				h.value * coalesce(perfhouse.seconds_of(h.unit), 1) AS value
			FROM perfhouse.history('$application', '$function', filter => ${FILTER}, cost => '$cost') h
			WHERE $__timeFilter(h.measured_at) ORDER BY 1, 2`, {unit: 's', w: 24, h: 9, points: true}),
		timeseries('whole run, mean over processes', `
			SELECT coalesce(r.started_at, r.loaded_at) AS time, concat_ws(', ', r.n_ranks || ' ranks', nullif(r.n_threads, 1) || ' threads', r.cluster) AS metric, r.seconds AS value
			FROM perfhouse.run_cost r
			WHERE r.application = '$application' AND r.excluded_reason IS NULL AND r.seconds IS NOT NULL AND $__timeFilter(coalesce(r.started_at, r.loaded_at))
				AND (${FILTER} IS NULL OR r.run_id IN (SELECT perfhouse.runs_matching(${FILTER})))
			ORDER BY 1, 2`, {unit: 's', w: 12, h: 9, points: true}),
		timeseries('shares of the most expensive functions', `
			WITH cost AS (
				SELECT f.measured_at, f.run_id, f.name, f.exclusive / nullif(r.total, 0) AS share
				FROM perfhouse.function_cost f JOIN perfhouse.run_cost r USING (run_id)
				WHERE f.application = '$application' AND r.excluded_reason IS NULL AND $__timeFilter(f.measured_at)
			), top AS (
				SELECT name FROM cost GROUP BY name ORDER BY sum(share) DESC, name LIMIT 8
			)
			SELECT measured_at AS time, name AS metric, sum(share) AS value FROM cost WHERE name IN (SELECT name FROM top)
			GROUP BY run_id, measured_at, name ORDER BY 1, 2`, {unit: 'percentunit', w: 12, h: 9}),
		row('What changed'),
		table('change points', `
			SELECT c.path, left(c.commit_id, 9) AS commit, c.mean_before, c.mean_after, c.relative, c.magnitude, c.p_value, c.q_value, c.run_id
			FROM perfhouse.change_points('$application', filter => ${FILTER}) c
			ORDER BY abs(c.mean_after - c.mean_before) DESC, c.path LIMIT 200`, {
			w: 14, h: 10, columns: [
				column('relative', {unit: 'percentunit', decimals: 1, cell: {type: 'color-text'}, color: {mode: 'continuous-GrYlRd'}, min: -0.5, max: 0.5}),
				column('path', {links: [{title: 'its history', url: '/d/perfhouse-history?${__url_time_range}&var-application=${application}&var-function=${__value.raw:percentencode}', targetBlank: false}]}),
				column('run_id', {links: [toDashboard('run', 'the first run of the new level', 'var-run=${__value.raw}')]}),
			],
		}),
		table('commits with runs', `
			SELECT h.run_id, left(h.commit_id, 9) AS commit, h.subject, h.branch, h.n_ranks, r.seconds, h.committed_at
			FROM perfhouse.run_history h JOIN perfhouse.run_cost r USING (run_id)
			WHERE h.application = '$application' AND $__timeFilter(h.measured_at) ORDER BY h.run_id DESC LIMIT 300`, {
			w: 10, h: 10, columns: [column('seconds', {unit: 's'}), column('run_id', {width: 80, links: [toDashboard('run', 'dashboard', 'var-run=${__value.raw}'), toPage('/run/${__value.raw}', 'page')]})],
		}),
		row('Scaling'),
		xychart('time per process against ranks', `
			SELECT r.n_ranks AS ranks, percentile_cont(0.5) WITHIN GROUP (ORDER BY r.seconds) AS median, min(r.seconds) AS fastest
			FROM perfhouse.run_cost r
			WHERE r.application = '$application' AND r.excluded_reason IS NULL AND r.seconds IS NOT NULL AND r.n_ranks IS NOT NULL AND $__timeFilter(coalesce(r.started_at, r.loaded_at))
			GROUP BY 1 ORDER BY 1`, {unit: 's', w: 12, h: 10}),
		barchart('super nodes of the newest run', `
			SELECT s.label AS module, s.exclusive * coalesce(perfhouse.seconds_of(r.unit), 1) AS seconds
			FROM (SELECT * FROM perfhouse.run_cost WHERE application = '$application' AND excluded_reason IS NULL ORDER BY run_id DESC LIMIT 1) r,
				LATERAL perfhouse.supernodes(perfhouse.supergraph(perfhouse.profile(r.run_id))) s
			ORDER BY 2 DESC, 1 LIMIT 15`, 'module', {unit: 's', w: 12, h: 10}),
		picture('history with change points and commits', '/view/history.svg?application=${application:percentencode}&path=${function:percentencode}',
			{link: '/history?application=${application:percentencode}&path=${function:percentencode}', h: 16}),
	],
});
