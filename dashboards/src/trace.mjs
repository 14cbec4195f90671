// trace.mjs - one trace in physical and logical time. SPDX-License-Identifier: PostgreSQL

import {GAUGE, barchart, choice, column, dashboard, heatmap, picture, row, stat, table, timeseries, variable} from './panels.mjs';

const SECONDS = {unit: 'ns'};

// A trace lasts a moment of the dashboard's days: a share (0 to 1) of it becomes a point of the dashboard's time range.
const ALONG = share => `$__timeFrom()::timestamptz + (${share}) * ($__timeTo()::timestamptz - $__timeFrom()::timestamptz)`;

export default dashboard({
	name: 'trace',
	title: 'perfhouse / Trace',
	description: 'One trace: its phases in logical time, who was late, who talked to whom, where time went.',
	variables: [
		variable('run', 'run', `
			SELECT concat_ws(' ', '#' || run_id, application, title, n_ranks || ' ranks') AS __text, run_id AS __value
			FROM perfhouse.run_overview WHERE has_trace ORDER BY run_id DESC LIMIT 1000`),
		choice('metric', 'metric', ['lateness', 'differential_lateness', 'duration']),
	],
	panels: [
		stat('events', 'SELECT t.n_events FROM perfhouse.trace t WHERE t.run_id = $run'),
		stat('duration', 'SELECT t.duration FROM perfhouse.trace t WHERE t.run_id = $run', SECONDS),
		stat('phases', 'SELECT count(*) AS phases FROM perfhouse.phases($run)'),
		stat('steps', 'SELECT max(p.last_step) + 1 AS steps FROM perfhouse.phases($run) p'),
		stat('worst lateness', 'SELECT max(p.max_lateness) AS lateness FROM perfhouse.phases($run) p', SECONDS),
		stat('messages', 'SELECT sum(m.messages) AS messages FROM perfhouse.comm_matrix($run) m'),
		picture('logical time, coloured by lateness', '/view/logical.svg?run=$run', {link: '/trace/$run', h: 18}),
		row('Phases'),
		table('phases', `
			SELECT p.phase, p.first_step, p.last_step, p.n_events, p.n_locations, p.pattern, p.max_lateness, p.merge_reason
			FROM perfhouse.phases($run) p ORDER BY p.phase LIMIT 500`, {w: 12, h: 12, columns: [column('max_lateness', {unit: 'ns', cell: GAUGE})]}),
		table('late senders', `
			SELECT l.sender, l.receiver, l.receive_region, l.wait, l.bytes, l.receive_enter, l.n_messages, l.n_late
			FROM perfhouse.late_senders($run) l LIMIT 200`, {w: 12, h: 12, columns: [column('wait', {unit: 'ns', cell: GAUGE})]}),
		heatmap('$metric by rank and step (left to right: first to last step; the worst event of a cell)', `
			WITH shape AS (
				SELECT greatest(max(p.last_step), 1) AS steps, (SELECT greatest(max(l.rank), 0) + 1 FROM perfhouse.location l WHERE l.run_id = $run) AS ranks
				FROM perfhouse.phases($run) p
			)
			SELECT ${ALONG('s.step * least(400, h.steps) / h.steps::float8 / least(400, h.steps)')} AS time,
				lpad((l.rank * least(64, h.ranks) / h.ranks * h.ranks / least(64, h.ranks))::text, 7, '0') AS metric, max(s.$metric) AS value
			FROM perfhouse.logical_steps($run) s JOIN perfhouse.location l ON l.run_id = $run AND l.location_id = s.location, shape h
			WHERE l.rank IS NOT NULL GROUP BY 1, 2 ORDER BY 1, 2`, {unit: 'ns', w: 24, h: 14, format: 'time_series'}),
		row('Communication'),
		picture('bytes from rank to rank', '/view/comm-matrix.svg?run=$run', {link: '/trace/$run?tab=comm-matrix', w: 12, h: 14}),
		table('pairs that exchange most', `
			SELECT m.sender, m.receiver, m.messages, m.bytes FROM perfhouse.comm_matrix($run) m ORDER BY m.bytes DESC, m.sender, m.receiver LIMIT 200`,
			{w: 12, h: 14, columns: [column('bytes', {unit: 'bytes', cell: GAUGE})]}),
		row('Where time went'),
		timeseries('time by function (left to right: the whole trace)', `
			WITH profile AS MATERIALIZED (SELECT * FROM perfhouse.time_profile($run, 60)),
				top AS (SELECT p.region FROM profile p GROUP BY 1 ORDER BY sum(p.exclusive) DESC, 1 LIMIT 9)
			SELECT ${ALONG('p.bin / 60.0')} AS time, CASE WHEN p.region IN (SELECT t.region FROM top t) THEN p.region ELSE 'others' END AS metric, sum(p.share) AS value
			FROM profile p GROUP BY p.bin, 2 ORDER BY 1, 2`, {unit: 'percentunit', w: 12, h: 12, stacked: true}),
		barchart('waiting in collectives by rank that came last', `
			SELECT 'rank ' || w.cause AS cause, sum(w.wait) AS waiting FROM perfhouse.collective_waits($run) w
			GROUP BY w.cause ORDER BY 2 DESC, w.cause LIMIT 20`, 'cause', {unit: 'ns', w: 12, h: 12}),
	],
});
