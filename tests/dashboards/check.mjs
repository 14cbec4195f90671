// check.mjs BUILD [NAME...] - every dashboard against a warehouse: each panel's, variable's and annotation's SQL
// expanded as Grafana
// does it and executed as the reading role, its columns held against what the panel needs. run.pl makes the warehouse
// and sets PG*, PAGES (address of perfhouse serve), EMPTY (a database
// without runs) SAVED (the dashboard of saved queries) UNLIKE (values of variables to try) and ALSO (sets of values).
// SPDX-License-Identifier: PostgreSQL

import {spawnSync} from 'node:child_process';
import {readFileSync} from 'node:fs';
import {dirname, join, resolve as absolute} from 'node:path';
import {fileURLToPath} from 'node:url';
import {alertFaults, alertFrameFaults} from './alerts.mjs';
import {ask, askAll, resolve} from './ask.mjs';
import * as contracts from './contracts.mjs';
import {controls, typeControls} from './controls.mjs';
import {run} from './database.mjs';
import {replaceVariables} from './grafana.mjs';
import {grafanasFlamegraph, install, typeFaults} from './npm.mjs';
import {provisionedSource, structure} from './structure.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '../..');
const folder = join(absolute(process.argv[2]), 'npm');
const NAMES = ['fleet', 'history', 'run', 'compare', 'trace', 'gpu', 'machine', 'warehouse'];
const SLOWEST = 1; // seconds
const ALWAYS = {from: new Date('2001-10-01T00:00:00Z'), to: new Date(Date.now() + 86400000)};
const NEVER = {from: new Date('2001-09-10T00:00:00Z'), to: new Date('2001-09-11T00:00:00Z')};

const count = {passed: 0, failed: 0, skipped: 0};
function report(name, faults)
{
	count[faults.length === 0 ? 'passed' : 'failed']++;
	for (const fault of [...new Set(faults)].slice(0, 4))
		console.log(`not ok: ${name}: ${fault}`);
}

function skip(name, why)
{
	count.skipped++;
	console.log(`skipped: ${name}: ${why}`);
}

const rowsSeen = new Map();
let flameFaults = () => [];
let slowest = {seconds: 0};

function see(key, frames, nothing)
{
	const shown = frames.some(frame => frame.rows?.some(row => row.some(value => !nothing.includes(value))));
	rowsSeen.set(key, rowsSeen.get(key) || shown);
}

// What takes long on a machine that is busy with something else is asked again: the least of several.
function quickest(frame)
{
	for (let i = 0; i < 5 && frame.seconds > SLOWEST; i++)
		frame.seconds = Math.min(frame.seconds, frame.again().seconds ?? frame.seconds);
	return frame;
}

function checkPanel(dashboard, panel, frames, where)
{
	const failed = frames.find(frame => frame.error);
	const faults = failed ? [failed.error] : contracts.panel(panel, frames, process.env.PAGES);
	if (!failed && panel.type === 'flamegraph')
		faults.push(...flameFaults(frames[0]));
	const key = `${dashboard.uid} "${panel.title}"`;
	for (const {seconds} of frames.filter(f => !f.error).map(quickest))
	{
		if (seconds > slowest.seconds)
			slowest = {seconds, where: key};
		if (seconds > SLOWEST)
			faults.push(`took ${seconds.toFixed(2)} s`);
	}
	see(key, frames, panel.type === 'stat' ? [null, ''] : [null, '', 0]);
	report(`${key} ${where}`, faults);
}

function checkDashboard(dashboard, chosen, range, where)
{
	const {variables, faults} = resolve(dashboard, chosen, range, contracts.variable);
	report(`${dashboard.uid} variables ${where}`, faults);
	const panels = dashboard.panels.filter(p => p.targets);
	const annotations = dashboard.annotations.list;
	const frames = askAll([...panels.flatMap(p => p.targets.map(t => t.rawSql)),
		...annotations.map(a => a.target.rawSql)], variables, range);
	for (const panel of panels)
		checkPanel(dashboard, panel, frames.splice(0, panel.targets.length), where);
	annotations.forEach(({name}, i) => {
		report(`${dashboard.uid} annotation ${name} ${where}`,
			frames[i].error ? [frames[i].error] : contracts.annotation(frames[i]));
		see(`${dashboard.uid} annotation ${name}`, [frames[i]], []);
	});
	return variables;
}

// Every word of a choice, the runs and applications that are unlike others, and of the rest one.
function alternatives(dashboard, name, options)
{
	if (dashboard.templating.list.find(v => v.name === name).type !== 'query')
		return options;
	const unlike = JSON.parse(process.env.UNLIKE).filter(value => options.includes(value));
	return unlike.length > 0 ? unlike : options.slice(0, 1);
}

// Once as it opens, then with every other value of a variable.
function checkVariants(dashboard)
{
	const first = checkDashboard(dashboard, {}, ALWAYS, 'as it opens');
	for (const [name, {value, options}] of Object.entries(first))
		for (const other of alternatives(dashboard, name, options.filter(o => o !== value && !Array.isArray(value))))
			checkDashboard(dashboard, {[name]: other}, ALWAYS, `with ${name} = ${other}`);
	for (const chosen of JSON.parse(process.env.ALSO)[dashboard.uid] ?? [])
		checkDashboard(dashboard, chosen, ALWAYS, `with ${JSON.stringify(chosen)}`);
	checkDashboard(dashboard, {}, NEVER, 'at a time without runs');
	return first;
}

// ---- pictures and links to pages are answered
const get = address => fetch(address, {headers: {connection: 'close'}});

// Pictures of named runs are asked for by their version, so that browsers keep them.
const keptFaults = (address, response) => /[?&]run=/.test(address)
	&& !/immutable/.test(response.headers.get('cache-control')) ? ['browsers ask for it again each time'] : [];

async function checkPages(dashboard, variables)
{
	const text = dashboard.panels.filter(p => p.type === 'text').map(p => p.options.content).join('\n');
	const addresses = [...replaceVariables(text, variables).matchAll(/(src|href)="([^"]*)"/g)];
	for (const [, attribute, address] of addresses)
	{
		const response = await get(address.replaceAll('&amp;', '&'));
		const type = response.headers.get('content-type') ?? '';
		const body = await response.text();
		const good = response.status === 200 && type.startsWith(attribute === 'src' ? 'image/svg+xml' : 'text/html');
		report(`${dashboard.uid} page ${address}`,
			good ? attribute === 'src' ? keptFaults(address, response) : [] : [`${response.status} ${type} ${body.replace(/<[^>]*>/g, ' ').trim().slice(0, 200)}`]);
	}
}

async function checkImages(dashboard, variables)
{
	for (const panel of dashboard.panels)
	{
		const image = panel.fieldConfig?.overrides.find(o =>
			o.properties.some(p => p.value?.type === 'image'))?.matcher.options;
		if (!image)
			continue;
		const frame = ask(panel.targets[0].rawSql, variables, ALWAYS);
		for (const address of (frame.rows ?? []).map(row => row[frame.columns.findIndex(c => c.name === image)])
			.filter(a => a.startsWith('http')))
		{
			const response = await get(address);
			report(`${dashboard.uid} image ${address}`, response.status === 200 && response.headers.get('content-type')
				.startsWith('image/') ? keptFaults(address, response) : [`status ${response.status}`]);
		}
	}
}

// ---- the role (T14, T16)
function checkRole()
{
	const refused = (name, sql, pattern, settings) => {
		const result = run(sql, settings);
		report(`role: ${name}`, pattern.test(result.error ?? '') ? [] : [result.error ?? 'it was allowed']);
	};
	refused('deletes no run', 'DELETE FROM perfhouse.run', /^(25006|42501)/);
	refused('deletes no run in a transaction that writes', 'BEGIN READ WRITE; DELETE FROM perfhouse.run',
		/^(25P02|42501)/);
	refused('removes no run', 'SELECT perfhouse.drop_run(1)', /^(25006|42501)/);
	refused('reads no file of the server', "SELECT pg_read_file('postgresql.conf')", /^42501/);
	refused('a cross join ends at the timeout',
		'SELECT count(*) FROM perfhouse.profile_summary a, perfhouse.profile_summary b, perfhouse.profile_summary c',
		/^57014/,
		{options: '-c statement_timeout=300'});
	const settings = run("SELECT current_setting('statement_timeout') AS timeout,"
		+ " current_setting('default_transaction_read_only') AS read_only");
	report('role: settings', settings.rows?.[0]?.join() === '30s,on' ? [] : [settings.error ?? settings.rows.join()]);
}

// Each rule as it is, its question as the role, and that it finds something in a warehouse with trouble.
function checkAlerts(rules, contacts)
{
	for (const [name, faults] of alertFaults(rules, contacts))
		report(`alert rule ${name}`, faults);
	for (const {uid, data: [{model}]} of rules.groups.flatMap(group => group.rules))
	{
		const frame = run(model.rawSql);
		report(`alert rule ${uid} asks`, frame.error ? [frame.error] : alertFrameFaults(frame));
		see(`alert rule ${uid}`, [frame], [null, '', 0]);
	}
}

function checkTypes(dashboards)
{
	const faults = typeFaults(folder, dashboards);
	for (const name of Object.keys(dashboards))
		report(`types of ${name}.json`, faults.filter(([of]) => of === name).map(([, text]) => text));
	for (const [name, wrong] of typeControls(dashboards, typeFaults, folder))
		report(`control: ${name}`, wrong ? [] : ['nothing was found wrong']);
}

async function main()
{
	const dashboards =
		Object.fromEntries(NAMES.map(name => [name,
		JSON.parse(readFileSync(join(root, `dashboards/${name}.json`), 'utf8'))]));
	const all = Object.values(dashboards);
	const asked = process.argv.length > 3 ? all.filter(d => process.argv.slice(3).some(name => d.uid.endsWith(name)))
		: all;
	const source = provisionedSource(readFileSync(join(root, 'dashboards/provisioning/datasources/perfhouse.yaml'),
		'utf8'));
	const built = spawnSync('node', [join(root, 'dashboards/build.mjs'), '--check'], {encoding: 'utf8'});
	report('the JSON is what src/ makes', built.status === 0 ? [] : [built.stdout || built.stderr]);
	// what `perfhouse query dashboard` wrote of the queries that run.pl saved
	const saved = JSON.parse(readFileSync(process.env.SAVED, 'utf8'));
	report(`${saved.uid} structure`, structure(saved, source, [...all, saved]));
	for (const dashboard of all)
		report(`${dashboard.uid} structure`, structure(dashboard, source, all));
	for (const [name, good] of controls(dashboards, source))
		report(`control: ${name}`, good ? [] : ['failed']);

	const missing = install(folder);
	if (missing)
		skip("types and Grafana's flame graph", missing);
	else
	{
		flameFaults = grafanasFlamegraph(folder);
		report("control: Grafana's flame graph finds a missing column",
			flameFaults({columns: [{name: 'level', kind: 'number'}], rows: []}).length > 0 ? [] : ['failed']);
		const two = [['level', 'number'], ['label', 'string'], ['value', 'number'],
			['self', 'number']].map(([name, kind]) => ({name, kind}));
		report("control: Grafana's flame graph finds a second root",
			flameFaults({columns: two, rows: [[0, 'a', 1, 1], [0, 'b', 2, 2]]}).length > 0 ? [] : ['failed']);
		checkTypes({...dashboards, queries: saved});
	}
	checkRole();
	checkAlerts(JSON.parse(readFileSync(join(root, 'dashboards/provisioning/alerting/rules.json'), 'utf8')),
		readFileSync(join(root, 'dashboards/provisioning/alerting/contact-points.yaml'), 'utf8'));
	for (const dashboard of asked)
	{
		const variables = checkVariants(dashboard);
		await checkPages(dashboard, variables);
		await checkImages(dashboard, variables);
	}
	for (const [name, seen] of rowsSeen)
		report(`${name} shows something`, seen ? [] : ['it was always empty']);
	process.env.PGDATABASE = process.env.EMPTY;
	for (const dashboard of all)
		checkDashboard(dashboard, {}, ALWAYS, 'of an empty warehouse');
	console.log(`slowest: ${slowest.where}, ${slowest.seconds.toFixed(2)} s`);
	console.log(`dashboards: ${count.passed} passed, ${count.failed} failed, ${count.skipped} skipped`);
	process.exit(count.failed > 0 ? 1 : 0);
}
await main();
