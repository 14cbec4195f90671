// compare.mjs - one run against another. SPDX-License-Identifier: PostgreSQL

import {choice, column, dashboard, flamegraph, picture, row, stat, table} from './panels.mjs';
import {runVariable} from './run.mjs';

const DIFF = 'perfhouse.diff(perfhouse.profile($a), perfhouse.profile($b))';
const RED_GREEN = {unit: 'percentunit', decimals: 1, cell: {type: 'color-text'}, color: {mode: 'continuous-GrYlRd'}, min: -0.5, max: 0.5};

export default dashboard({
	name: 'compare',
	title: 'perfhouse / Compare',
	description: 'Run B against run A: what became slower or faster, and where.',
	variables: [runVariable('a', 'A (before)'), runVariable('b', 'B (after)'), choice('group_by', 'super nodes by', ['module', 'paradigm', 'library', 'file', 'function'])],
	panels: [
		stat('A', 'SELECT r.seconds FROM perfhouse.run_cost r WHERE r.run_id = $a', {unit: 's'}),
		stat('B', 'SELECT r.seconds FROM perfhouse.run_cost r WHERE r.run_id = $b', {unit: 's'}),
		stat('change', 'SELECT b.seconds / nullif(a.seconds, 0) - 1 AS change FROM perfhouse.run_cost a, perfhouse.run_cost b WHERE a.run_id = $a AND b.run_id = $b',
			{unit: 'percentunit', steps: [{value: null, color: 'green'}, {value: 0.02, color: 'orange'}, {value: 0.1, color: 'red'}]}),
		stat('nodes only in A', `SELECT count(*) AS nodes FROM perfhouse.nodes_diff(${DIFF}) d WHERE d.status = 'only before'`),
		stat('nodes only in B', `SELECT count(*) AS nodes FROM perfhouse.nodes_diff(${DIFF}) d WHERE d.status = 'only after'`),
		stat('ranks of A and B', "SELECT a.n_ranks || ' / ' || b.n_ranks AS ranks FROM perfhouse.run_cost a, perfhouse.run_cost b WHERE a.run_id = $a AND b.run_id = $b"),
		picture('super graphs: B minus A', '/view/sankey-diff.svg?run=$a&vs=$b&group_by=$group_by', {link: '/compare?a=$a&b=$b&group_by=$group_by', h: 18}),
		row('Call paths'),
		flamegraph('differential flame graph', `
			SELECT level, label, value, self, value_right AS "valueRight", self_right AS "selfRight"
			FROM perfhouse.flame_diff(perfhouse.profile($a), perfhouse.profile($b))`, {h: 18}),
		table('what changed most', `
			SELECT d.name, d.delta_exclusive, d.before_exclusive, d.after_exclusive, d.relative, d.delta_inclusive, d.status
			FROM perfhouse.nodes_diff(${DIFF}) d ORDER BY abs(d.delta_exclusive) DESC, d.node LIMIT 200`, {w: 14, h: 14, columns: [column('relative', RED_GREEN)]}),
		table('metadata that differs', `
			SELECT coalesce(x.key, y.key) AS key, x.value AS a, y.value AS b
			FROM (SELECT m.* FROM perfhouse.run_overview r, jsonb_each_text(r.meta) m WHERE r.run_id = $a) x
			FULL JOIN (SELECT m.* FROM perfhouse.run_overview r, jsonb_each_text(r.meta) m WHERE r.run_id = $b) y ON y.key = x.key
			WHERE x.value IS DISTINCT FROM y.value ORDER BY 1`, {w: 10, h: 14}),
	],
});
