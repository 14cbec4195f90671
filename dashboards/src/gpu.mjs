// gpu.mjs - runs with devices: how well these are used, and by what. SPDX-License-Identifier: PostgreSQL

import {GAUGE, barchart, column, dashboard, row, stat, table, timeseries, toDashboard, variable} from './panels.mjs';

const NS = {unit: 'ns'};
// Traces are read for it: the latest runs in the chosen time. Several nodes answer IN, not EXISTS beside the view.
const RECENT = `recent AS MATERIALIZED (
				SELECT f.run_id, f.application, f.user_name, f.at FROM (
					SELECT o.run_id, coalesce(o.application, '(none)') AS application, coalesce(o.user_name, '(none)') AS user_name,
						coalesce(o.started_at, o.loaded_at) AS at
					FROM perfhouse.run_overview o
					WHERE o.has_trace AND o.run_id IN (SELECT s.run_id FROM perfhouse.trace_stream s)) f
				WHERE f.application IN ($application) AND $__timeFilter(f.at)
				ORDER BY f.at DESC, f.run_id DESC LIMIT 50)`;
const ACTIVITY = `WITH ${RECENT}, activity AS MATERIALIZED (
				SELECT r.*, a.device, a.wall, a.busy, a.compute, a.communication, a.exposed, a.copies
				FROM recent r, perfhouse.gpu_activity(r.run_id) a)`;

export default dashboard({
	name: 'gpu',
	title: 'perfhouse / GPU',
	description: 'The latest 50 runs with devices: how busy these were, why they were idle, and with which kernels.',
	variables: [variable('application', 'application', `
		SELECT DISTINCT coalesce(o.application, '(none)') AS __text, coalesce(o.application, '(none)') AS __value
		FROM perfhouse.run_overview o
		WHERE o.run_id IN (SELECT s.run_id FROM perfhouse.trace_stream s)
		UNION SELECT '(none)', '(none)' WHERE NOT EXISTS (SELECT 1 FROM perfhouse.trace_stream)
		ORDER BY 1`, {multi: true, all: true, current: {text: ['All'], value: ['$__all']}})],
	panels: [
		stat('runs with devices',
			'The latest of the chosen applications in the chosen time, 50 at most.', `
			WITH ${RECENT} SELECT count(*) AS runs FROM recent`),
		stat('busy',
			'Share of the time between the first and the last activity of a device in which it did anything, over all of them.', `
			${ACTIVITY} SELECT sum(a.busy)::float8 / nullif(sum(a.wall), 0) AS busy FROM activity a`, {unit: 'percentunit'}),
		stat('exposed communication',
			'Share of that time in which devices communicated while nothing was computed.', `
			${ACTIVITY} SELECT sum(a.exposed)::float8 / nullif(sum(a.wall), 0) AS exposed FROM activity a`, {unit: 'percentunit'}),
		timeseries('busy by application',
			'Of each run, when it began.', `
			${ACTIVITY} SELECT a.at AS time, a.application AS metric, sum(a.busy)::float8 / nullif(sum(a.wall), 0) AS value
			FROM activity a GROUP BY a.at, a.application, a.run_id ORDER BY 1, 2`, {unit: 'percentunit', w: 24, h: 8, points: true}),
		barchart('busy by user',
			'Share of the time of the devices of a user\'s runs in which they did anything.', `
			${ACTIVITY} SELECT a.user_name, sum(a.busy)::float8 / nullif(sum(a.wall), 0) AS busy
			FROM activity a GROUP BY a.user_name ORDER BY 2, 1 LIMIT 20`, 'user_name', {unit: 'percentunit', w: 12, h: 9}),
		barchart('idle by cause',
			'What came next was launched too late (host_wait), had waited in the queue (launch_gap), or other, for instance another stream.', `
			WITH ${RECENT}
			SELECT r.application, sum(i.host_wait) AS host_wait, sum(i.launch_gap) AS launch_gap, sum(i.other) AS other
			FROM recent r, perfhouse.gpu_over_time(r.run_id, 1) i GROUP BY 1 ORDER BY sum(i.host_wait) DESC, 1 LIMIT 20`, 'application',
			{unit: 'ns', w: 12, h: 9}),
		row('Where the time of devices went'),
		table('dearest kernels',
			'Of all these runs; with the median of a call in the run that took most time for it.', `
			WITH ${RECENT}
			SELECT k.name, count(*) AS runs, sum(k.calls)::bigint AS calls, sum(k.total)::bigint AS total,
				(array_agg(k.median ORDER BY k.total DESC))[1] AS median
			FROM recent r, perfhouse.kernels(r.run_id) k GROUP BY k.name ORDER BY 4 DESC, 1 LIMIT 50`,
			{w: 12, h: 12, columns: [column('total', {unit: 'ns', cell: GAUGE}), column('median', NS)]}),
		table('runs',
			'By how much their devices were idle; efficiency: how much of the time the average device computes, as device_efficiency() says.', `
			${ACTIVITY} SELECT a.run_id, a.application, a.user_name, count(*) AS devices, sum(a.wall - a.busy)::bigint AS idle,
				sum(a.busy)::float8 / nullif(sum(a.wall), 0) AS busy, avg(a.compute)::float8 / nullif(max(a.wall), 0) AS efficiency,
				sum(a.exposed)::bigint AS exposed
			FROM activity a GROUP BY 1, 2, 3 ORDER BY 5 DESC, 1`, {w: 12, h: 12, columns: [
			column('run_id', {links: [toDashboard('run', 'the run', 'var-run=${__value.raw}')]}),
			column('idle', {unit: 'ns', cell: GAUGE}), column('busy', {unit: 'percentunit'}),
			column('efficiency', {unit: 'percentunit'}), column('exposed', NS)]}),
	],
});
