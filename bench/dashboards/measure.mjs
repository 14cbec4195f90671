// measure.mjs LIMIT [NAME...] - what every panel, variable and annotation of the dashboards costs in the warehouse of
// PG*: the least CPU time of the server's process, without parallel workers, and the least time that passed, in ms, of
// three.
// Fails where the first is above LIMIT seconds.
// SPDX-License-Identifier: PostgreSQL

import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {resolve} from '../../tests/dashboards/ask.mjs';
import {expandMacros, replaceVariables} from '../../tests/dashboards/grafana.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const NAMES = ['fleet', 'history', 'run', 'compare', 'machine', 'warehouse', 'trace', 'gpu'];
const TIMES = 3;
const DAYS = {'now-30d': 30, 'now-90d': 90, 'now-1y': 365};
const WIDEST = 365;
const NEXT = '\u0001next';

const [limit, ...asked] = process.argv.slice(2);

// psql that says before and after each text, TIMES times, what the server's process used.
function scriptOf(texts)
{
	const used = '\\! cat /proc/$SERVER_PID/schedstat\n\\! date +%s%N\n';
	return `SET max_parallel_workers_per_gather = 0;\nSELECT pg_backend_pid() AS pid \\gset\n\\setenv SERVER_PID :pid\n${
		texts.map(sql => `\\echo ${NEXT}\n${`\\o /dev/null\n${used}${sql}\n;\n${used}\\o\n`.repeat(TIMES)}`).join('')}`;
}

// {cpu, wall} in ms of each text, or {error}.
function costs(texts)
{
	const {stdout, stderr, status} = spawnSync('psql', ['-Xq', '-v', 'ON_ERROR_STOP=1', '-f', '-'], {
		input: scriptOf(texts), env: {...process.env, PGUSER: 'grafana'}, encoding: 'utf8', maxBuffer: 1 << 28});
	if (status !== 0)
		throw new Error(stderr);
	return stdout.split(`${NEXT}\n`).slice(1).map(part => {
		const numbers = part.trim().split('\n').map(line => Number(line.split(' ')[0]));
		const took = (i, at) => numbers[4 * i + 2 + at] - numbers[4 * i + at];
		const least = at => Math.min(...Array.from({length: TIMES}, (_, i) => took(i, at))) / 1e6;
		return {cpu: least(0), wall: least(1)};
	});
}

function questions(dashboard, variables)
{
	const some = dashboard.panels.filter(panel => panel.targets).flatMap(({title, targets}) =>
		targets.map(({rawSql}) => ['panel', title, rawSql]));
	const choices = dashboard.templating.list.filter(({type}) => type === 'query').map(({name, query}) =>
		['variable', name, query]);
	const notes = dashboard.annotations.list.map(({name, target}) => ['annotation', name, target.rawSql]);
	return [...choices, ...some, ...notes].map(([kind, title, sql]) => ({kind,
		title: replaceVariables(title, variables), sql: replaceVariables(sql, variables)}));
}

let slow = 0;
for (const name of NAMES.filter(one => asked.length === 0 || asked.includes(one)))
{
	const dashboard = JSON.parse(readFileSync(join(root, `dashboards/${name}.json`), 'utf8'));
	for (const days of new Set([DAYS[dashboard.time.from], WIDEST]))
	{
		const range = {from: new Date(Date.now() - days * 86400000), to: new Date()};
		const {variables} = resolve(dashboard, {}, range);
		const all = questions(dashboard, variables);
		const found = costs(all.map(({sql}) => expandMacros(sql, range)));
		found.forEach(({cpu, wall}, i) => {
			const isSlow = cpu > 1000 * limit;
			slow += isSlow ? 1 : 0;
			console.log(`${cpu.toFixed(1).padStart(8)} ${wall.toFixed(1).padStart(8)}  ${isSlow ? 'SLOW ' : ''}${name}, ${
				days} days, ${all[i].kind}: ${all[i].title}`);
		});
	}
}
console.log(`dashboards: ${slow} above ${limit} s`);
process.exit(slow > 0 ? 1 : 0);
