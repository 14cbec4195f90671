// trace.mjs - one trace in physical and logical time. SPDX-License-Identifier: PostgreSQL

import {GAUGE, barchart, choice, column, dashboard, heatmap, picture, row, runOf, stat, table, timeseries, toDashboard,
	variable, versionOf} from './panels.mjs';

const NS = {unit: 'ns'};
const RUN = runOf('run');
// null where the trace's events are gone, or no logical steps were found
const TRACE = `(SELECT t.run_id FROM perfhouse.run_overview t WHERE t.run_id = ${RUN} AND t.has_trace)`;
const STEPS =
	`(SELECT t.run_id FROM perfhouse.run_overview t JOIN perfhouse.logical l USING (run_id) WHERE t.run_id = ${RUN} AND t.has_trace)`;
const PHASES = `(SELECT l.run_id FROM perfhouse.logical l WHERE l.run_id = ${RUN})`;

// A trace lasts a moment of the dashboard's days: a share (0 to 1) of it becomes a point of the dashboard's time range.
const ALONG = share =>
	`$__timeFrom()::timestamptz + (${share}) * ($__timeTo()::timestamptz - $__timeFrom()::timestamptz)`;
const [COLUMNS, ROWS, BINS] = [400, 64, 60];

export default dashboard({
	name: 'trace',
	title: 'perfhouse / Trace',
	description: 'One trace: its phases in logical time, who was late, who talked to whom, where time went.',
	variables: [
		variable('run', 'run', `
			SELECT concat_ws(' ', '#' || r.run_id, r.application, r.title, r.n_ranks || ' ranks') AS __text, r.run_id AS __value
			FROM perfhouse.run_overview r WHERE r.has_trace ORDER BY r.run_id DESC LIMIT 1000`),
		choice('metric', 'metric', ['lateness', 'global_lateness', 'duration']),
		versionOf(RUN),
	],
	panels: [
		stat('events',
			'Calls, messages and collectives of all ranks. Click for the profile.', `SELECT t.n_events FROM perfhouse.trace t WHERE t.run_id = ${RUN}`,
			{links: [toDashboard('run', 'its profile', 'var-run=$run')]}),
		stat('duration',
			'From the first to the last event.', `SELECT t.duration FROM perfhouse.trace t WHERE t.run_id = ${RUN}`, NS),
		stat('phases',
			'Groups of operations that belong together in logical time.', `SELECT count(*) AS phases FROM perfhouse.phases(${PHASES})`),
		stat('steps',
			'Length of the trace in logical time.', `SELECT max(p.last_step) + 1 AS steps FROM perfhouse.phases(${PHASES}) p`),
		stat('worst lateness',
			'How far the latest event of a step is behind the earliest one.', `SELECT max(p.max_lateness) AS lateness FROM perfhouse.phases(${PHASES}) p`, NS),
		stat('messages',
			'Point-to-point messages.', `SELECT sum(m.messages) AS messages FROM perfhouse.comm_matrix(${TRACE}) m`),
		picture('logical time, coloured by $metric',
			'Each operation at its logical step: the same exchange stands in one column whenever ranks did it. '
			+ 'Drawn by perfhouse serve; click to zoom.', '/view/logical.svg?run=$run&color=$metric&version=$version',
			{link: '/trace/$run', h: 18}),
		row('Phases'),
		table('phases',
			'Each with its pattern of communication and its worst lateness.', `
			SELECT p.phase, p.first_step, p.last_step, p.n_events, p.n_locations, p.pattern, p.max_lateness, p.merge_reason, p.regions
			FROM perfhouse.phases(${PHASES}) p ORDER BY p.phase LIMIT 500`, {w: 12, h: 12, columns: [column('max_lateness', {unit: 'ns', cell: GAUGE})]}),
		table('late senders',
			'Receives that waited since the send began later; dearest first.', `
			SELECT l.sender, l.receiver, l.receive_region, l.wait, l.bytes, l.receive_enter, l.n_messages, l.n_late
			FROM perfhouse.late_senders(${TRACE}) l LIMIT 200`, {w: 12, h: 12, columns: [column('wait', {unit: 'ns', cell: GAUGE}), column('receive_enter', NS)]}),
		heatmap('$metric by rank and step (left to right: first to last step; the worst event of a cell)',
			'Which rank was behind at which step. Left is the first step; for times see the page.', `
			WITH shape AS (
				SELECT s.steps, least(${COLUMNS}, s.steps) AS n_columns, s.ranks, least(${ROWS}, s.ranks) AS n_rows
				FROM (SELECT max(p.last_step) + 1 AS steps, (SELECT max(l.rank) + 1 FROM perfhouse.location l WHERE l.run_id = ${RUN}) AS ranks
					FROM perfhouse.phases(${STEPS}) p) s
				WHERE s.steps > 0 AND s.ranks > 0
			), worst AS (
				SELECT s.step::bigint * h.n_columns / h.steps AS x, s.rank::bigint * h.n_rows / h.ranks AS y, max(s.$metric) AS value
				FROM shape h, perfhouse.logical_steps(${STEPS}) s WHERE s.rank IS NOT NULL GROUP BY 1, 2
			)
			SELECT ${ALONG('a.x / h.n_columns::float8')} AS time, lpad(((b.y * h.ranks + h.n_rows - 1) / h.n_rows)::text, 7, '0') AS metric, w.value
			FROM shape h CROSS JOIN generate_series(0, h.n_columns - 1) a (x) CROSS JOIN generate_series(0, h.n_rows - 1) b (y)
			LEFT JOIN worst w ON w.x = a.x AND w.y = b.y ORDER BY a.x, b.y`, {unit: 'ns', w: 24, h: 14, format: 'time_series'}),
		row('Communication'),
		picture('bytes from rank to rank',
			'Drawn by perfhouse serve; click for the interactive page.',
			'/view/comm-matrix.svg?run=$run&version=$version',
			{link: '/trace/$run?tab=comm-matrix', w: 12, h: 14}),
		table('pairs that exchange most',
			'Messages and bytes from sender to receiver.', `
			SELECT m.sender, m.receiver, m.messages, m.bytes FROM perfhouse.comm_matrix(${TRACE}) m ORDER BY m.bytes DESC, m.sender, m.receiver LIMIT 200`,
			{w: 12, h: 14, columns: [column('bytes', {unit: 'bytes', cell: GAUGE})]}),
		row('Where time went'),
		timeseries('time by function (left to right: the whole trace)',
			"Share of each function in the ranks' time, in 60 bins of the trace. The axis shows positions, not times.", `
			WITH profile AS MATERIALIZED (SELECT * FROM perfhouse.time_profile(${TRACE}, ${BINS})),
				top AS (SELECT p.region FROM profile p GROUP BY 1 ORDER BY sum(p.exclusive) DESC, 1 LIMIT 9)
			SELECT ${ALONG(`p.bin / ${BINS}.0`)} AS time, CASE WHEN p.region IN (SELECT t.region FROM top t) THEN p.region ELSE 'others' END AS metric, sum(p.share) AS value
			FROM profile p GROUP BY p.bin, 2 ORDER BY 1, 2`, {unit: 'percentunit', w: 12, h: 12, stacked: true}),
		barchart('waiting in collectives by the rank that came last',
			'Time that all ranks waited in collective operations for this one.', `
			SELECT 'rank ' || w.cause AS cause, sum(w.wait) AS waiting FROM perfhouse.collective_waits(${TRACE}) w
			GROUP BY w.cause ORDER BY 2 DESC, w.cause LIMIT 20`, 'cause', {unit: 'ns', w: 12, h: 12}),
	],
});
