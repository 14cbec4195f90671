// machine.mjs - who used the machine for what, and how much of it computed. SPDX-License-Identifier: PostgreSQL

import {GAUGE, barchart, choice, column, dashboard, row, stat, table, timeseries, toDashboard,
	variable} from './panels.mjs';

const NONE = '(none)';
const named = of => `coalesce(${of}, '${NONE}')`;
const every = (name, label, of) => variable(name, label, `
	SELECT DISTINCT ${named(`u.${of}`)} AS __text, ${named(`u.${of}`)} AS __value FROM perfhouse.run_cost u
	UNION SELECT '${NONE}', '${NONE}' WHERE NOT EXISTS (SELECT FROM perfhouse.run_cost) ORDER BY 1`,
{multi: true, all: true, current: {text: ['All'], value: ['$__all']}});
const HERE = `$__timeFilter(u.measured_at) AND ${named('u.queue')} IN ($queue) AND ${named('u.project')} IN ($project)
				AND ${named('u.user_name')} IN ($user)`;

// Of runs whose efficiency is known, weighted by what they cost.
const EFFICIENCY = '1 - sum(u.lost_node_hours) / nullif(sum(u.node_hours) FILTER (WHERE u.lost_node_hours IS '
	+ 'NOT NULL), 0)';
const STEPS = [{value: null, color: 'red'}, {value: 0.6, color: 'orange'}, {value: 0.8, color: 'green'}];
const SHARE = {unit: 'percentunit', decimals: 1, cell: GAUGE, min: 0, max: 1};
const HOURS = {decimals: 1, cell: GAUGE};
const SIZE = "'up to ' || u.ranks_up_to || ' ranks'";
const KEYS = {queue: 'u.queue', project: 'u.project', user: 'u.user_name', size: SIZE, application: 'u.application',
	cluster: 'u.cluster'};
const KEY = `CASE '$by' ${Object.entries(KEYS).map(([name, of]) => `WHEN '${name}' THEN ${of}`).join(' ')} END`;
const SERIES = 8;

// A value of sums of each day and of what the dashboard is split by: the largest by node-hours, the others together.
const perDay = value => `
	WITH used AS MATERIALIZED (
		SELECT date_trunc('day', u.measured_at) AS time, ${named(KEY)} AS key, sum(u.node_hours) AS hours,
			sum(u.node_hours) FILTER (WHERE u.lost_node_hours IS NOT NULL) AS known, sum(u.lost_node_hours) AS lost,
			sum(u.lost_to_waiting) FILTER (WHERE u.lost_node_hours IS NOT NULL) AS waiting
		FROM perfhouse.run_cost u WHERE ${HERE} GROUP BY 1, 2
	), top AS (
		SELECT d.key FROM used d GROUP BY 1 ORDER BY sum(d.hours) DESC NULLS LAST, 1 LIMIT ${SERIES}
	)
	SELECT d.time, CASE WHEN d.key IN (SELECT t.key FROM top t) THEN d.key ELSE 'others' END AS metric, ${value} AS value
	FROM used d GROUP BY 1, 2 HAVING ${value} IS NOT NULL ORDER BY 1, 2`;
const by = (of, name, order = '2 DESC NULLS LAST, 1') => `
	SELECT ${named(of)} AS ${name}, sum(u.node_hours) AS node_hours, ${EFFICIENCY} AS efficiency,
		sum(u.lost_node_hours) AS lost_node_hours,
		sum(u.lost_to_waiting) AS waiting, count(*) AS runs, max(u.measured_at) AS last_run
	FROM perfhouse.run_cost u WHERE ${HERE} GROUP BY 1 ORDER BY ${order} LIMIT 200`;
const COLUMNS = [column('node_hours', HOURS), column('efficiency', SHARE), column('lost_node_hours', {decimals: 1}),
	column('waiting', {decimals: 1})];
const WAITED = 'Processes waited for one another: for the one with most work, and, where events are stored, for who '
	+ 'sends late or comes late to a collective.';
const LOST = 'Node-hours in which processors did not compute: node-hours x (1 - parallel efficiency).';

export default dashboard({
	name: 'machine',
	title: 'perfhouse / Machine',
	description: 'Who used the machine for what - users, projects, queues, sizes of jobs - and how much of it '
		+ 'computed.',
	variables: [every('queue', 'queue', 'queue'), every('project', 'project', 'project'),
		every('user', 'user', 'user_name'), choice('by', 'trends by', Object.keys(KEYS))],
	panels: [
		stat('node-hours', 'Of all measured runs in the chosen time, queues, projects and users.',
			`SELECT sum(u.node_hours) AS node_hours FROM perfhouse.run_cost u WHERE ${HERE}`),
		stat('efficiency of the machine', 'Share of the node-hours that was spent computing, over runs of which '
			+ 'it is known.',
			`SELECT ${EFFICIENCY} AS efficiency FROM perfhouse.run_cost u WHERE ${HERE}`, {unit: 'percentunit', steps: STEPS}),
		stat('node-hours lost', LOST, `SELECT sum(u.lost_node_hours) AS lost FROM perfhouse.run_cost u WHERE ${HERE}`),
		stat('share of node-hours with known efficiency', 'How much of the machine the efficiencies on this page speak of.', `
			SELECT sum(u.node_hours) FILTER (WHERE u.lost_node_hours IS NOT NULL) / nullif(sum(u.node_hours), 0) AS share
			FROM perfhouse.run_cost u WHERE ${HERE}`, {unit: 'percentunit'}),
		stat('users', 'Different users among these runs.',
			`SELECT count(*) AS users FROM (SELECT DISTINCT u.user_name FROM perfhouse.run_cost u WHERE ${HERE} AND u.user_name IS NOT NULL) u`),
		stat('projects', 'Different projects among these runs.',
			`SELECT count(*) AS projects FROM (SELECT DISTINCT u.project FROM perfhouse.run_cost u WHERE ${HERE} AND u.project IS NOT NULL) u`),
		timeseries('node-hours per day by $by', 'What the machine worked for; the eight largest, and the others '
			+ 'together. Queues are the batch system\'s partitions, as the runs\' metadata name them.',
			perDay('sum(d.hours)'), {stacked: true}),
		timeseries('efficiency per day by $by', 'Share of the node-hours that was spent computing, weighted '
			+ 'by node-hours, of runs of which it is known.',
			perDay('1 - sum(d.lost) / nullif(sum(d.known), 0)'), {unit: 'percentunit', points: true}),
		timeseries('waiting per day by $by', `Share of the node-hours. ${WAITED}`,
			perDay('sum(d.waiting) / nullif(sum(d.known), 0)'), {unit: 'percentunit', points: true}),
		timeseries('node-hours lost per day by cause',
			'Waiting for the process with most work (imbalance), in communication, and of threads. They add up to the loss.', `
			WITH day AS (
				SELECT date_trunc('day', u.measured_at) AS time, sum(u.lost_to_imbalance) AS imbalance, sum(u.lost_to_communication) AS communication,
					sum(u.lost_to_threads) AS threads
				FROM perfhouse.run_cost u WHERE ${HERE} AND u.lost_node_hours IS NOT NULL GROUP BY 1
			)
			SELECT d.time, c.cause AS metric, c.node_hours AS value
			FROM day d, LATERAL (VALUES ('communication', d.communication), ('imbalance', d.imbalance), ('threads', d.threads)) c (cause, node_hours)
			WHERE c.node_hours IS NOT NULL ORDER BY 1, 2`,
			{stacked: true}),
		barchart('node-hours by size of the job', 'Ranks up to a power of eight: what the machine is used for, and '
			+ 'how much of that is lost.', `
			SELECT coalesce(${SIZE}, '${NONE}') AS size, sum(u.node_hours) AS node_hours, sum(u.lost_node_hours) AS lost
			FROM perfhouse.run_cost u WHERE ${HERE} GROUP BY u.ranks_up_to ORDER BY u.ranks_up_to`, 'size'),
		table('sizes of jobs', 'Ranks up to a power of eight. A low efficiency of the largest is scaling that does '
			+ 'not hold.',
			by(SIZE, 'size', 'min(u.ranks_up_to) NULLS LAST, 1'), {columns: COLUMNS}),
		table('queues', 'Partitions of the batch system. Where processes wait most, look at the sizes of jobs first.',
			by('u.queue', 'queue'), {columns: COLUMNS}),
		row('Who'),
		table('users', 'Dearest first. A low efficiency with many node-hours is whom to talk to first.',
			by('u.user_name', '"user"'),
			{h: 11, columns: COLUMNS}),
		table('projects', 'As runs were loaded with --set project=NAME, or for a project.', by('u.project', 'project'),
			{h: 11, columns: COLUMNS}),
		row('What'),
		table('what to tune first', `${LOST} The application's largest cause names where to look; its history says since when.`, `
			SELECT ${named('u.application')} AS application, sum(u.lost_node_hours) AS lost_node_hours, sum(u.node_hours) AS node_hours,
				${EFFICIENCY} AS efficiency, sum(u.lost_to_imbalance) AS to_imbalance, sum(u.lost_to_communication) AS to_communication,
				sum(u.lost_to_threads) AS to_threads, max(u.n_ranks) AS most_ranks, count(*) AS runs
			FROM perfhouse.run_cost u WHERE ${HERE} GROUP BY 1 HAVING sum(u.lost_node_hours) > 0 ORDER BY 2 DESC, 1 LIMIT 100`, {
			w: 24, h: 11, columns: [
				column('lost_node_hours', HOURS), column('node_hours', {decimals: 1}), column('efficiency', SHARE),
				column('to_imbalance', {decimals: 1}), column('to_communication', {decimals: 1}),
					column('to_threads', {decimals: 1}),
				column('application',
					{links: [toDashboard('history', 'its history', 'var-application=${__value.raw:percentencode}')]}),
			],
		}),
	],
});
