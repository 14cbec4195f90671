// npm.mjs - checks with Grafana's own code at the versions of package-lock.json: the dashboards' JSON against the types
// of
// @grafana/schema (T15), flame graphs with checkFields and getLevels of @grafana/flamegraph.
// SPDX-License-Identifier: PostgreSQL

import {spawnSync} from 'node:child_process';
import {copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync} from 'node:fs';
import Module, {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));

// '' when the packages are in folder, else why not.
export function install(folder)
{
	const lock = 'package-lock.json';
	const installed = join(folder, 'installed.json');
	const wanted = readFileSync(join(here, lock), 'utf8');
	if (existsSync(installed) && readFileSync(installed, 'utf8') === wanted)
		return '';
	mkdirSync(folder, {recursive: true});
	for (const name of ['package.json', lock])
		copyFileSync(join(here, name), join(folder, name));
	const result = spawnSync('npm', ['ci', '--ignore-scripts', '--legacy-peer-deps', '--no-audit', '--no-fund',
		'--fetch-retries=1', '--fetch-timeout=20000'],
		{cwd: folder, encoding: 'utf8', timeout: 120000});
	if (result.status !== 0)
		return result.error?.code === 'ENOENT'
			? 'npm is not installed'
			: `npm could not fetch the packages: ${/npm (?:error|ERR!) (.*)/.exec(result.stderr)?.[1] ?? result.error ?? ''}`;
	writeFileSync(installed, wanted);
	return '';
}

// ---- T15
// String enums may be written as their words; queries carry fields of their data source.
const RELAX = `
type Relax<T> = T extends string ? \`\${T}\` : T extends number | boolean | null | undefined ? T
	: T extends DataQuery ? T & Record<string, unknown>
	: T extends Array<infer U> ? Array<Relax<U>> : { [K in keyof T]: Relax<T[K]> };
type Deep<T> = T extends object ? { [K in keyof T]?: Deep<T[K]> } : T;
`;
const OPTIONS = {barchart: 'BarChart', heatmap: 'Heatmap', histogram: 'Histogram', nodeGraph: 'NodeGraph', stat: 'Stat',
	'state-timeline': 'StateTimeline', table: 'Table', text: 'Text',
	timeseries: 'TimeSeries', xychart: 'XYChart'};

function source(dashboard)
{
	const kinds = [...new Set(dashboard.panels.map(p => p.type))].filter(kind => OPTIONS[kind]);
	const imports = kinds.map(kind => {
		const name = OPTIONS[kind];
		return `import type * as ${name} from "@grafana/schema/dist/esm/raw/composable/${name.toLowerCase()}/panelcfg/x/${name}PanelCfg_types.gen";`;
	});
	const options = dashboard.panels.filter(p => OPTIONS[p.type])
		.map(p => `export const o${p.id}: Deep<Relax<${OPTIONS[p.type]}.Options>> = ${JSON.stringify(p.options)};`);
	return `import type { Dashboard, DataQuery } from "@grafana/schema";\n${imports.join('\n')}${RELAX}`
		+ `export const dashboard: Relax<Dashboard> = ${JSON.stringify(dashboard, null, '\t')};\n${options.join('\n')}\n`;
}

// dashboards: {name: model}; returns the compiler's complaints as [name, text].
export function typeFaults(folder, dashboards)
{
	const names = Object.keys(dashboards);
	for (const name of names)
		writeFileSync(join(folder, `${name}.ts`), source(dashboards[name]));
	const result = spawnSync(join(folder, 'node_modules/.bin/tsc'), ['--noEmit', '--strict', '--skipLibCheck',
		'--module', 'nodenext', ...names.map(name => `${name}.ts`)],
		{cwd: folder, encoding: 'utf8'});
	const faults = [...(result.stdout ?? '').matchAll(/^([\w-]+)\.ts\(.*$/gm)].map(([text, name]) => [name, text]);
	return result.status !== 0 && faults.length === 0
		? names.map(name => [name, `tsc failed: ${result.error ?? result.stdout}`]) : faults;
}

// ---- flame graphs
// Of @grafana/data (177 MB with all it needs) dataTransform uses names of field types, and formats that no check needs.
const DATA = {FieldType: {number: 'number', string: 'string', enum: 'enum'}, createTheme: () => ({}),
	getDisplayProcessor: () => value => ({text: String(value), numeric: value})};

export function grafanasFlamegraph(folder)
{
	const load = Module._load;
	Module._load = (name, ...rest) => name === '@grafana/data' ? DATA : load(name, ...rest);
	const {checkFields, FlameGraphDataContainer} = createRequire(import.meta.url)(join(folder,
		'node_modules/@grafana/flamegraph/dist/cjs/FlameGraph/dataTransform.cjs'));
	Module._load = load;
	return frame => {
		const fields = frame.columns.map((c, i) => ({name: c.name, type: c.kind, values: frame.rows.map(row => row[i]),
			config: {}}));
		const data = {fields, length: frame.rows.length};
		const wrong = checkFields(data);
		if (wrong)
			return [`checkFields: missing ${wrong.missingFields}, wrong ${wrong.wrongTypeFields.map(f => f.name)}`];
		if (data.length === 0)
			return [];
		const outside = new FlameGraphDataContainer(data, {collapsing: true}, {}).getLevels().flat().filter(item => {
			const parent = item.parents?.[0];
			const slack = 1e-9 * frame.rows[0].reduce((most, x) => typeof x === 'number'
				? Math.max(most, Math.abs(x)) : most, 0);
			return parent && (item.start < parent.start - slack || item.start + item.value > parent.start + parent.value
				+ slack);
		});
		return outside.map(item => `getLevels: row ${item.itemIndexes[0]} is wider than its caller`).slice(0, 3);
	};
}
