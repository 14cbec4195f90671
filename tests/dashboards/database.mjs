// database.mjs - run texts through psql as Grafana would, each a simple query: columns with types, and rows.
// SPDX-License-Identifier: PostgreSQL

import {spawnSync} from 'node:child_process';

const NULL = '\u0001null';
const NEXT = '\u0001next';
const MARK = '\u0001rows';

// Fields are texts, or null.
function parseCsv(text)
{
	const rows = [];
	let row = [];
	for (const [, quoted, plain, end] of text.matchAll(/(?:"((?:[^"]|"")*)"|([^",\n]*))(,|\n)/g))
	{
		const field = quoted === undefined ? plain : quoted.replaceAll('""', '"');
		row.push(field === NULL ? null : field);
		if (end === '\n')
		{
			rows.push(row);
			row = [];
		}
	}
	return rows;
}

const NUMBER = /^(smallint|integer|bigint|real|double precision|numeric)/;
const TIME = /^(timestamp|date$)/;

// What Grafana makes of a PostgreSQL type.
export function kindOf(type)
{
	if (NUMBER.test(type))
		return 'number';
	if (TIME.test(type))
		return 'time';
	return type === 'boolean' ? 'boolean' : 'string';
}

const OPTIONS = ['-X', '-q', '--csv', '-v', 'VERBOSITY=sqlstate', '-P', `null=${NULL}`, '-f', '-'];

// Parts of the output: types, rows, what psql says of the end.
function frameOf(output)
{
	const [types, rest = ''] = output.split(`${MARK}\n`);
	// eslint-disable-next-line no-control-regex
	const [, state, message] = /\u0001end (\S+) ([\s\S]*)\n$/.exec(rest) ?? [null, 'unfinished', output];
	if (state !== '00000')
		return {error: `${state}: ${message}`};
	const body = rest.slice(0, rest.indexOf('\u0001end '));
	const columns = parseCsv(types).slice(1).map(([name, type]) => ({name, type, kind: kindOf(type)}));
	const timed = /Time: ([\d.]+) ms[^\n]*\n$/.exec(body);
	const rows = parseCsv(body.slice(0, timed?.index ?? body.length)).slice(1);
	return {columns,
		rows: rows.map(row => row.map((value, i) => value !== null && columns[i]?.kind === 'number'
		? Number(value) : value)), seconds: timed ? timed[1] / 1000 : 0};
}

// Each text in a transaction of its own: {columns: [{name, type, kind}], rows: [[...]], seconds, again()} or
// {error: 'SQLSTATE: message'}.
export function runAll(texts, {user = 'grafana', options = ''} = {})
{
	const env = {...process.env, PGUSER: user, PGOPTIONS: options, PGTZ: 'UTC', PGCLIENTENCODING: 'UTF8'};
	const input = texts.map(sql =>
		`\\echo '${NEXT}'\n${sql}\n\\gdesc\n\\echo '${MARK}'\n\\timing on\n${sql}\n;\n\\timing off\n`
		+ `\\set message ''\n\\if :ERROR\n\\set message :LAST_ERROR_MESSAGE\n\\endif\n\\echo '\u0001end' :SQLSTATE :message\n`).join('');
	const result = spawnSync('psql', OPTIONS, {input, env, encoding: 'utf8', maxBuffer: 1 << 28, timeout: 600000});
	if (result.status !== 0)
		return texts.map(() => ({error: (result.stderr || String(result.error ?? 'psql failed')).trim()}));
	return result.stdout.split(`${NEXT}\n`).slice(1).map((output, i) =>
		({...frameOf(output), again: () => runAll([texts[i]], {user, options})[0]}));
}

export const run = (sql, settings) => runAll([sql], settings)[0];
