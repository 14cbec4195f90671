// warehouse.mjs - the warehouse itself: loads, failures, sizes, retention. SPDX-License-Identifier: PostgreSQL

import {barchart, column, dashboard, row, stat, table, timeseries, toDashboard} from './panels.mjs';

export default dashboard({
	name: 'warehouse',
	title: 'perfhouse / Warehouse',
	description: 'What was loaded, what failed, how large it is, what is rolled up.',
	from: 'now-30d',
	panels: [
		stat('runs',
			'Runs that are completely loaded.', "SELECT count(*) AS runs FROM perfhouse.run WHERE state = 'ready'"),
		stat('loading now',
			'Runs whose load has not ended.', "SELECT count(*) AS loading FROM perfhouse.run WHERE state = 'loading'"),
		stat('failed loads',
			'In the chosen time. The reasons are listed below.',
			"SELECT count(*) AS failed FROM perfhouse.load_log l WHERE l.outcome = 'failed' AND $__timeFilter(l.at)",
			{steps: [{value: null, color: 'green'}, {value: 1, color: 'red'}]}),
		stat('size of the database',
			'Tables and indexes on disk.', 'SELECT pg_database_size(current_database()) AS size', {unit: 'bytes'}),
		stat('call paths',
			'Different call paths of all runs: the dictionary that runs share.',
			'SELECT count(*) AS callpaths FROM perfhouse.callpath'),
		stat('rolled-up runs',
			'Runs of which distributions over processes are kept in place of values.',
			'SELECT count(*) AS rolled_up FROM perfhouse.run WHERE rolled_up_at IS NOT NULL'),
		timeseries('loads per day by outcome',
			'Loaded, replaced, appended, skipped (already there), failed.', `
			SELECT date_trunc('day', l.at) AS time, l.outcome AS metric, count(*) AS value FROM perfhouse.load_log l
			WHERE $__timeFilter(l.at) GROUP BY 1, 2 ORDER BY 1, 2`, {w: 12, h: 9}),
		timeseries('bytes loaded per day',
			'Size of the files that were read.', `
			SELECT date_trunc('day', l.at) AS time, sum(l.bytes) AS bytes FROM perfhouse.load_log l
			WHERE $__timeFilter(l.at) AND l.outcome IN ('loaded', 'replaced', 'appended') GROUP BY 1 ORDER BY 1`, {unit: 'bytes', w: 12, h: 9}),
		table('failures',
			'What could not be loaded and why.', `
			SELECT l.at, l.source, l.message, l.by_user FROM perfhouse.load_log l
			WHERE l.outcome = 'failed' AND $__timeFilter(l.at) ORDER BY l.at DESC LIMIT 200`, {w: 12, h: 10}),
		barchart('sizes of tables',
			'With their indexes and large values.', `
			SELECT c.relname AS "table", pg_total_relation_size(c.oid) AS size
			FROM pg_class c WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relkind = 'r' ORDER BY 2 DESC, 1 LIMIT 12`, 'table', {unit: 'bytes', w: 12, h: 10}),
		row('Upkeep'),
		table('loads',
			'The last 300.', `
			SELECT l.at, l.outcome, l.run_id, l.source, l.bytes, l.seconds, l.by_user FROM perfhouse.load_log l
			WHERE $__timeFilter(l.at) ORDER BY l.load_id DESC LIMIT 300`, {
			w: 14, h: 10, columns: [column('bytes', {unit: 'bytes'}), column('seconds', {unit: 's'}),
				column('run_id', {links: [toDashboard('run', 'dashboard', 'var-run=${__value.raw}')]})],
		}),
		table('retention',
			'What perfhouse retention apply does to old runs.',
			"SELECT p.name, p.action, p.older_than, p.filter, array_to_string(p.keep_tags, ', ') AS keeps, p.enabled"
				+ ' FROM perfhouse.retention_policy p ORDER BY 1', {w: 10, h: 10}),
	],
});
