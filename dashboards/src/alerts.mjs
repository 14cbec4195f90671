// alerts.mjs - what somebody should be told without looking: Grafana's alert rules, as its provisioning reads them.
//
// A rule asks the warehouse for time series of one moment (columns time, value and texts, which become labels) and
// fires for each whose value is above the limit. No $ in SQL and texts: Grafana's provisioning replaces it.
// SPDX-License-Identifier: PostgreSQL

import {SOURCE, target} from './panels.mjs';

export const RECEIVER = 'perfhouse'; // of provisioning/alerting/contact-points.yaml
const DAY = 86400;
const EXPRESSION = {type: '__expr__', uid: '__expr__'};

const query = sql => ({refId: 'A', queryType: '', relativeTimeRange: {from: DAY, to: 0}, datasourceUid: SOURCE.uid,
	model: {...target(sql, 'time_series'), intervalMs: 1000, maxDataPoints: 1000}});
const expression = (refId, model) => ({refId, queryType: '', relativeTimeRange: {from: 0, to: 0},
	datasourceUid: EXPRESSION.uid, model: {refId, datasource: EXPRESSION, expression: 'A', ...model}});

function rule(name, title, {sql, above, summary, description, wait = '0s', severity = 'warning'})
{
	return {
		uid: `perfhouse-${name}`, title, condition: 'C', for: wait, noDataState: 'OK', execErrState: 'Error',
		isPaused: false, labels: {severity, product: 'perfhouse'},
		annotations: {summary, description},
		notification_settings: {receiver: RECEIVER},
		data: [query(sql), expression('B', {type: 'reduce', reducer: 'last'}),
			expression('C', {type: 'threshold', expression: 'B',
				conditions: [{type: 'query', evaluator: {type: 'gt', params: [above]}}]})],
	};
}

// A column of runs by application: the mean of the last week and that of the seven weeks before, where both have five
// runs or more.
function weekAgainstSeven(column, value)
{
	const week = `u.measured_at > now() - interval '7 days'`, before = `u.measured_at <= now() - interval '7 days'`;
	const mean = (when) => `avg(u.${column}) FILTER (WHERE ${when})`;
	return `
			SELECT now() AS time, u.application AS application,
				${value(mean(week), mean(before))} AS value
			FROM perfhouse.run_cost u
			WHERE u.application IS NOT NULL AND u.${column} IS NOT NULL AND u.measured_at > now() - interval '60 days'
			GROUP BY u.application
			HAVING count(*) FILTER (WHERE ${week}) >= 5
				AND count(*) FILTER (WHERE ${before}) >= 5 ORDER BY u.application`;
}

const RULES = [
	rule('stale', 'Nothing was loaded for two days', {
		sql: `
			SELECT now() AS time, extract(epoch FROM now() - max(l.at))::float8 / 3600 AS value
			FROM perfhouse.load_log l WHERE l.outcome <> 'failed' HAVING count(*) > 0`,
		above: 48, severity: 'critical',
		summary: 'No run has arrived in the warehouse for more than two days.',
		description: 'Look at the jobs that load (perfhouse status, the spool, the batch system\'s epilog).',
	}),
	rule('failed-loads', 'More than a tenth of the loads of a day failed', {
		sql: `
			SELECT now() AS time, (count(*) FILTER (WHERE l.outcome = 'failed'))::float8 / count(*) AS value
			FROM perfhouse.load_log l WHERE l.at > now() - interval '1 day' HAVING count(*) > 0`,
		above: 0.1,
		summary: 'More than a tenth of the files offered since yesterday could not be loaded.',
		description: 'The table of failures on the dashboard Warehouse has file, place and reason of each.',
	}),
	rule('stuck-load', 'A load has not ended for hours', {
		sql: `
			SELECT now() AS time, count(*)::float8 AS value FROM perfhouse.run r
			WHERE r.state = 'loading' AND r.loaded_at < now() - interval '6 hours'`,
		above: 0, wait: '10m',
		summary: 'A run has been loading for more than six hours.',
		description: 'perfhouse doctor says whether its loader is alive; --repair removes what a dead one left.',
	}),
	rule('regression', 'A call path became slower', {
		sql: `
			SELECT now() AS time, g.application AS application, count(*)::float8 AS value
			FROM perfhouse.regression_overview g WHERE g.state = 'new' AND g.relative > 0 GROUP BY 2 ORDER BY 2`,
		above: 0,
		summary: '{{ .Labels.application }} became slower.',
		description: 'perfhouse regressions lists the call paths and commits; perfhouse explain says why. '
			+ 'The alert ends when each is accepted, fixed or found to be none.',
	}),
	rule('slow-host', 'A host is slow whatever runs on it', {
		sql: `
			SELECT now() AS time, h.host AS host, avg(h.relative)::float8 AS value
			FROM perfhouse.host_residual(now() - interval '14 days') h
			GROUP BY h.host HAVING avg(h.z) > 3 AND count(*) >= 3 ORDER BY h.host`,
		above: 0.03,
		summary: 'Ranks on {{ .Labels.host }} take longer than the other ranks of the same runs.',
		description: 'By more than 3 % and three robust deviations over at least three runs of the last two '
			+ 'weeks. Drain and test it.',
	}),
	rule('efficiency', 'An application computes a smaller share of its time', {
		sql: weekAgainstSeven('parallel_efficiency', (week, before) => `1 - ${week}
					/ nullif(${before}, 0)`),
		above: 0.1,
		summary: '{{ .Labels.application }} computes in a smaller share of its time than before.',
		description: 'The mean parallel efficiency of the last week is more than a tenth below that of the '
			+ 'seven weeks before.',
	}),
	rule('waiting', 'Processes of an application wait more for one another', {
		sql: weekAgainstSeven('waiting_share', (week, before) => `${week}
					- ${before}`),
		above: 0.1,
		summary: 'Processes of {{ .Labels.application }} wait more for one another than before.',
		description: 'The mean share of the time in which they wait is more than a tenth above that of the seven '
			+ 'weeks before. perfhouse explain names for whom.',
	}),
];

export default {
	apiVersion: 1,
	groups: [{orgId: 1, name: 'perfhouse', folder: 'perfhouse', interval: '10m', rules: RULES}],
};
