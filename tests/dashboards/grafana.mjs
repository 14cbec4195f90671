// grafana.mjs - what Grafana's PostgreSQL data source does to a dashboard's SQL: variables are replaced in the
// browser, comments are dropped and macros expanded in the server.
// SPDX-License-Identifier: PostgreSQL

// ---- variables: {name: {value: text or list of texts, quoted: multi or with All}}
const literal = text => `'${String(text).replaceAll("'", "''")}'`;

function interpolated({value, quoted}, format)
{
	const values = Array.isArray(value) ? value : [value];
	if (format === 'csv')
		return values.join(',');
	if (format === 'raw')
		return values.join(',');
	if (format === 'percentencode')
		return encodeURIComponent(values.join(','));
	if (format === 'queryparam')
		return values.map(v => `var-${encodeURIComponent(v)}`).join('&');
	if (format)
		throw new Error(`unknown format of a variable: ${format}`);
	return Array.isArray(value) || quoted ? values.map(literal).join(',') : String(value).replaceAll("'", "''");
}

// $name, ${name}, ${name:format}, [[name]]; unknown names stay, as macros do.
export function replaceVariables(text, variables)
{
	return text.replace(/\$(\w+)|\$\{(\w+)(?::(\w+))?\}|\[\[(\w+)(?::(\w+))?\]\]/g,
		(whole, plain, braced, format, old, oldFormat) => {
		const variable = variables[plain ?? braced ?? old];
		return variable ? interpolated(variable, format ?? oldFormat) : whole;
	});
}

// ---- macros
const UNITS = {ms: 1e-3, s: 1, m: 60, h: 3600, d: 86400, w: 604800, M: 30 * 86400, y: 365 * 86400};

function seconds(interval)
{
	const [, number, unit] = /^'?(\d+)(ms|[smhdwMy])'?$/.exec(interval.trim()) ?? [];
	const value = Number(number) * (UNITS[unit] ?? NaN);
	if (!(value > 0))
		throw new Error(`invalid interval ${interval}`);
	return value;
}

const iso = date => date.toISOString().replace(/\.000Z$/, 'Z').replace(/(\.\d*?)0+Z$/, '$1Z');
const epoch = date => Math.floor(date.getTime() / 1000);

function fill(mode)
{
	if (mode !== undefined && !/^(null|previous|-?\d+(\.\d+)?)$/i.test(mode))
		throw new Error(`invalid fill ${mode}`);
}

function group(args, expression)
{
	if (args.length < 2)
		throw new Error('a group macro needs a column and an interval');
	fill(args[2]);
	const width = seconds(args[1]);
	return `floor(${expression}/${width})*${width}`;
}

const MACROS = {
	__time: args => `${args[0]} AS "time"`,
	__timeEpoch: args => `extract(epoch from ${args[0]}) as "time"`,
	__timeFilter: (args, range) => `${args[0]} BETWEEN '${iso(range.from)}' AND '${iso(range.to)}'`,
	__timeFrom: (args, range) => `'${iso(range.from)}'`,
	__timeTo: (args, range) => `'${iso(range.to)}'`,
	__timeGroup: args => group(args, `extract(epoch from ${args[0]})`),
	__timeGroupAlias: args => `${group(args, `extract(epoch from ${args[0]})`)} AS "time"`,
	__unixEpochFilter: (args, range) => `${args[0]} >= ${epoch(range.from)} AND ${args[0]} <= ${epoch(range.to)}`,
	__unixEpochNanoFilter: (args, range) =>
	`${args[0]} >= ${epoch(range.from)}000000000 AND ${args[0]} <= ${epoch(range.to)}000000000`,
	__unixEpochFrom: (args, range) => `${epoch(range.from)}`,
	__unixEpochTo: (args, range) => `${epoch(range.to)}`,
	__unixEpochNanoFrom: (args, range) => `${epoch(range.from)}000000000`,
	__unixEpochNanoTo: (args, range) => `${epoch(range.to)}000000000`,
	__unixEpochGroup: args => group(args, `(${args[0]})`),
	__unixEpochGroupAlias: args => `${group(args, `(${args[0]})`)} AS "time"`,
};
const NEEDS_ARGUMENT = /^__(time|timeEpoch|timeFilter|unixEpochFilter|unixEpochNanoFilter)$/;

// Quotes and dollar quotes are left as they are.
export function withoutComments(sql)
{
	return sql.replace(/'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\w*)\$[\s\S]*?\$\1\$|--[^\n]*|\/\*[\s\S]*?\*\//g,
		part => part.startsWith('--') || part.startsWith('/*') ? '' : part);
}

// range: {from, to} as Date.
export function expandMacros(sql, range, interval = {text: '1m', ms: 60000})
{
	const text = withoutComments(sql).replaceAll('$__interval_ms', String(interval.ms)).replaceAll('$__interval',
		interval.text)
		.replace(/\$__timeGroup\(([^)]*)\),/g, '$__timeGroupAlias($1),').replace(/\$__unixEpochGroup\(([^)]*)\),/g,
			'$__unixEpochGroupAlias($1),');
	return text.replace(/\$([_a-zA-Z0-9]+)\(([^)]*)\)/g, (whole, name, list) => {
		const args = list.split(',').map(arg => arg.trim());
		if (list.includes('('))
			// Grafana goes on, with another meaning
			throw new Error(`macro "${name}" ends inside of its argument ${list}`);
		if (!Object.hasOwn(MACROS, name))
			throw new Error(`unknown macro "${name}"`);
		if (NEEDS_ARGUMENT.test(name) && args[0] === '')
			throw new Error(`missing argument of macro "${name}"`);
		return MACROS[name](args, range);
	});
}
