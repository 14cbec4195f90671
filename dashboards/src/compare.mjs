// compare.mjs - one run against another. SPDX-License-Identifier: PostgreSQL

import {GROUPINGS, RELATIVE, choice, column, dashboard, flamegraph, picture, row, runOf, stat,
	table, versionOf} from './panels.mjs';
import {runVariable} from './run.mjs';

const [A, B] = [runOf('a'), runOf('b')];
const DIFF = `perfhouse.diff(perfhouse.profile(${A}), perfhouse.profile(${B}))`;
const cost = (title, description, run) => stat(title, description, `SELECT r.seconds FROM perfhouse.run_cost r WHERE r.run_id = ${run}`,
	{unit: 's', w: 3});
const only = (title, description, status) => stat(title, description,
	`SELECT count(*) AS nodes FROM perfhouse.nodes_diff(${DIFF}) d WHERE d.status = '${status}'`);
const values = run =>
	`SELECT m.key, m.value FROM perfhouse.run_overview r, jsonb_each_text(to_jsonb(r) - 'meta' || r.meta) m WHERE r.run_id = ${run}`;

export default dashboard({
	name: 'compare',
	title: 'perfhouse / Compare',
	description: 'Run B against run A: what became slower or faster, and where.',
	variables: [
		runVariable('b', 'B (after)'),
		// what can be compared with B; the run before it first
		runVariable('a', 'A (before)', {
			where: `EXISTS (
				SELECT FROM perfhouse.run_cost b JOIN perfhouse.run_cost a ON a.application IS NOT DISTINCT FROM b.application AND (a.metric, a.unit) IS NOT DISTINCT FROM (b.metric, b.unit)
				WHERE b.run_id = ${B} AND a.run_id = r.run_id) AND r.run_id <> ${B}`,
			order: `r.run_id < ${B} DESC, r.run_id DESC`,
		}),
		choice('group_by', 'super nodes by', GROUPINGS),
		versionOf(A, B),
	],
	panels: [
		cost('A', 'Time per process of the run before.', A), cost('B', 'Time per process of the run after.', B),
		stat('change',
			'B over A, less one. Whether that is more than noise says the panel beside it, and perfhouse explain A B.',
			`SELECT b.seconds / nullif(a.seconds, 0) - 1 AS change FROM perfhouse.run_cost a, perfhouse.run_cost b WHERE a.run_id = ${A} AND b.run_id = ${B}`,
			{unit: 'percentunit', w: 3}),
		stat('change over noise',
			'By how many standard deviations of a difference of two runs B differs from A, as runs of the experiment '
				+ 'of A scatter: from 3 on it is hardly chance. Where fewer than three runs are known, 5 % are '
				+ 'assumed, as perfhouse explain does.',
			`SELECT round(((b.seconds / nullif(a.seconds, 0) - 1)
				/ nullif(sqrt(2) * coalesce(k.relative, 0.05), 0))::numeric, 1)::float8 AS deviations
			FROM perfhouse.run_cost a JOIN perfhouse.run_cost b ON b.run_id = ${B}
			LEFT JOIN perfhouse.known_noise(${A}) k ON k.callpath_id IS NULL
			WHERE a.run_id = ${A}`,
			{w: 3, steps: [{value: null, color: 'blue'}, {value: -3, color: 'green'}, {value: 3, color: 'red'}]}),
		only('call paths only in A', 'Call paths that B no longer has.', 'only before'),
		only('call paths only in B', 'Call paths that are new in B.', 'only after'),
		stat('ranks of A and B',
			'Times per process compare only when these are equal, or the work is.',
			`SELECT a.n_ranks || ' / ' || b.n_ranks AS ranks FROM perfhouse.run_cost a, perfhouse.run_cost b WHERE a.run_id = ${A} AND b.run_id = ${B}`),
		picture('super graphs: B minus A',
			'Red became slower, blue faster. Drawn by perfhouse serve; click for the interactive page.',
			'/view/sankey-diff.svg?run=$a&vs=$b&group_by=$group_by&version=$version',
			{link: '/compare?a=$a&b=$b&group_by=$group_by', h: 18}),
		row('Call paths'),
		flamegraph('differential flame graph',
			'Widths are A and B together, colours the change of the share.', `
			SELECT level, label, value, self, value_right AS "valueRight", self_right AS "selfRight"
			FROM perfhouse.flame_diff(perfhouse.profile(${A}), perfhouse.profile(${B}))`, {h: 18}),
		table('what changed most',
			'Own time of each call path, mean over processes, by the size of the change. noise: by how much single '
				+ 'runs vary there, where runs of the experiment of A have shown it.', `
			SELECT d.name, d.delta_exclusive, d.before_exclusive, d.after_exclusive, d.relative, k.relative AS noise, d.delta_inclusive,
				d.status, d.path
			FROM perfhouse.nodes_diff(${DIFF}) d LEFT JOIN perfhouse.known_noise(${A}) k ON k.path = d.path
			ORDER BY abs(d.delta_exclusive) DESC, d.node LIMIT 200`, {w: 14, h: 14, columns: [column('relative', RELATIVE), column('noise', {unit: 'percentunit'})]}),
		table('metadata that differs',
			'Compiler, libraries, host, input: what else may explain a change.', `
			SELECT coalesce(x.key, y.key) AS key, x.value AS a, y.value AS b
			FROM (${values(A)}) x FULL JOIN (${values(B)}) y ON y.key = x.key
			WHERE x.value IS DISTINCT FROM y.value ORDER BY 1`, {w: 10, h: 14}),
	],
});
