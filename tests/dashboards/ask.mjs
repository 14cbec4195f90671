// ask.mjs - a dashboard's questions with values of its variables, asked as Grafana does.
// SPDX-License-Identifier: PostgreSQL

import {runAll} from './database.mjs';
import {expandMacros, replaceVariables} from './grafana.mjs';

// Frames of texts, or {error}.
export function askAll(texts, variables, range)
{
	const expanded = texts.map(sql => {
		try { return {sql: expandMacros(replaceVariables(sql, variables), range)}; }
		catch (error) { return {error: error.message}; }
	});
	const frames = runAll(expanded.filter(e => e.sql).map(e => e.sql));
	return expanded.map(e => e.sql ? frames.shift() : e);
}
export const ask = (sql, variables, range) => askAll([sql], variables, range)[0];

function optionsOf(variable, known, range, check)
{
	if (variable.type !== 'query')
		return {values: variable.type === 'custom' ? variable.query.split(',') : [variable.query], faults: []};
	const frame = ask(variable.query, known, range);
	if (frame.error)
		return {values: [], faults: [frame.error]};
	const at = frame.columns.findIndex(c => c.name === '__value');
	return {values: frame.rows.map(row => String(row[at])), faults: check(frame)};
}

// Values in the order of the variables, as later ones depend on earlier ones; chosen: {name: value};
// check: faults of a frame of options.
export function resolve(dashboard, chosen, range, check = () => [])
{
	const variables = {};
	const faults = [];
	for (const v of dashboard.templating.list)
	{
		const options = optionsOf(v, variables, range, check);
		faults.push(...options.faults.map(fault => `variable ${v.name}: ${fault}`));
		const all = v.multi && v.current?.value?.includes('$__all');
		variables[v.name] = {value: chosen[v.name] ?? (all ? options.values : options.values[0] ?? ''),
			quoted: v.multi || v.includeAll, options: options.values};
	}
	return {variables, faults};
}
