// controls.mjs - that the checks themselves are right: Grafana's golden macros (T1, T2), quoting, and for every
// contract
// something that breaks it.
// SPDX-License-Identifier: PostgreSQL

import {spawnSync} from 'node:child_process';
import {cpSync, mkdtempSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import * as contracts from './contracts.mjs';
import {run} from './database.mjs';
import {expandMacros, replaceVariables} from './grafana.mjs';
import {structure} from './structure.mjs';

const RANGE = {from: new Date('2018-04-12T18:00:00Z'), to: new Date('2018-04-12T18:05:00Z')};
const GOLDEN = [
	['$__time(c)', 'c AS "time"'],
	['$__timeEpoch(c)', 'extract(epoch from c) as "time"'],
	['$__timeFilter(c)', "c BETWEEN '2018-04-12T18:00:00Z' AND '2018-04-12T18:05:00Z'"],
	['$__timeFrom()', "'2018-04-12T18:00:00Z'"],
	['$__timeTo()', "'2018-04-12T18:05:00Z'"],
	["$__timeGroup(c,'5m')", 'floor(extract(epoch from c)/300)*300'],
	["$__timeGroup(c , '5m')", 'floor(extract(epoch from c)/300)*300'],
	["$__timeGroup(c,'5m'),", 'floor(extract(epoch from c)/300)*300 AS "time",'],
	["$__timeGroup(c,'5m', NULL),", 'floor(extract(epoch from c)/300)*300 AS "time",'],
	["$__timeGroupAlias(c,'5m')", 'floor(extract(epoch from c)/300)*300 AS "time"'],
	['$__unixEpochFilter(c)', 'c >= 1523556000 AND c <= 1523556300'],
	['$__unixEpochNanoFilter(c)', 'c >= 1523556000000000000 AND c <= 1523556300000000000'],
	['$__unixEpochFrom() $__unixEpochTo()', '1523556000 1523556300'],
	['$__unixEpochNanoFrom() $__unixEpochNanoTo()', '1523556000000000000 1523556300000000000'],
	["$__unixEpochGroup(c,'5m')", 'floor((c)/300)*300'],
	["$__unixEpochGroupAlias(c,'5m')", 'floor((c)/300)*300 AS "time"'],
	["SELECT '--', \"/*\" -- $__none(c)\n/* $__none(c) */ $$--$$", "SELECT '--', \"/*\" \n $$--$$"],
];

const throws = action => {
	try { action(); return false; }
	catch { return true; }
};

function* macros()
{
	for (const [input, output] of GOLDEN)
		yield [`macro ${input}`, expandMacros(input, RANGE) === output];
	yield ['macro $__interval', expandMacros('$__interval $__interval_ms', RANGE,
		{text: '10m', ms: 600000}) === '10m 600000'];
	yield ['fractions of seconds', expandMacros('$__timeFrom()', {...RANGE, from: new Date('2018-04-12T18:00:00.500Z')})
		=== "'2018-04-12T18:00:00.5Z'"];
	yield ['an unknown macro', throws(() => expandMacros('$__other(c)', RANGE))
		&& throws(() => expandMacros('$foo(c)', RANGE))];
	yield ['a macro without argument', throws(() => expandMacros('$__timeFilter()', RANGE))];
	yield ['a call in an argument', throws(() => expandMacros('$__timeFilter(coalesce(a, b))', RANGE))];
	yield ['an interval of nothing', throws(() => expandMacros("$__timeGroup(c,'0m')", RANGE))];
}

function* quoting()
{
	const variables = {one: {value: "it's", quoted: false}, many: {value: ["it's", 'b'], quoted: true},
		single: {value: 'a', quoted: true}, none: {value: [], quoted: true}};
	yield ['quotes of one value', replaceVariables("'$one' '${one}' '[[one]]'",
		variables) === "'it''s' 'it''s' 'it''s'"];
	yield ['quotes of several values', replaceVariables('IN ($many) IN ($single) IN ($none)',
		variables) === "IN ('it''s','b') IN ('a') IN ()"];
	yield ['formats', replaceVariables('${many:csv} ${one:percentencode} $other', variables) === "it's,b it's $other"];
	yield ['an apostrophe that is not doubled', run(`SELECT '${variables.one.value}' AS x`).error !== undefined];
}

const frame = (columns, ...rows) => ({columns: columns.map(([name, kind, type]) => ({name, kind, type: type ?? kind})),
	rows});
const TIME = ['time', 'time', 'timestamp with time zone'];
const SERIES = [TIME, ['metric', 'string'], ['value', 'number']];
const DAY = d => `2026-01-0${d} 00:00:00+00`;
const FLAME = [['level', 'number'], ['label', 'string'], ['value', 'number'], ['self', 'number']];
const DIFF = [...FLAME, ['valueRight', 'number'], ['selfRight', 'number']];
const NODES = [['id', 'string'], ['title', 'string'], ['mainstat', 'number'], ['arc__a', 'number'],
	['arc__b', 'number'], ['fixedx', 'number'], ['fixedy', 'number']];
const EDGES = [['id', 'string'], ['source', 'string'], ['target', 'string']];
const of = (type, format, ...frames) => contracts.panel({type, options: {xField: 'x'},
	targets: frames.map(() => ({format})), fieldConfig: {overrides: []}}, frames, 'http://pages');
const good = faults => faults.length === 0;
const bad = faults => faults.length > 0;

function* series()
{
	yield ['a sound series', good(of('timeseries', 'time_series', frame(SERIES, [DAY(1), 'a', 1], [DAY(2), 'a', 1])))];
	yield ['times in disorder',
		bad(of('timeseries', 'time_series', frame(SERIES, [DAY(2), 'a', 1], [DAY(1), 'a', 1])))];
	yield ['a time that is null', bad(of('timeseries', 'time_series', frame(SERIES, [null, 'a', 1])))];
	yield ['a time of another type',
		bad(of('timeseries', 'time_series', frame([['time', 'time', 'date'], ['value', 'number']])))];
	yield ['no time',
		bad(of('timeseries', 'time_series', frame([['at', 'time', 'timestamp with time zone'], ['value', 'number']])))];
	yield ['a fourth column beside metric',
		bad(of('timeseries', 'time_series', frame([...SERIES, ['other', 'number']])))];
	yield ['a cell twice', bad(of('heatmap', 'time_series', frame(SERIES, [DAY(1), '1', 1], [DAY(1), '1', 2])))];
	yield ['cells of different width',
		bad(of('heatmap', 'time_series', frame(SERIES, [DAY(1), '1', 1], [DAY(2), '1', 2], [DAY(5), '1', 2])))];
	yield ['a sound heat map',
		good(of('heatmap', 'time_series', frame(SERIES, [DAY(1), '1', 1], [DAY(1), '2', 1], [DAY(2), '1', null],
		[DAY(2), '2', 2])))];
}

function* tables()
{
	yield ['two columns of one name', bad(of('table', 'table', frame([['a', 'string'], ['a', 'number']])))];
	yield ['a column without a name', bad(of('table', 'table', frame([['?column?', 'number']])))];
	yield ['a stat of two rows', bad(of('stat', 'table', frame([['a', 'number']], [1], [2])))];
	yield ['bars without names', bad(of('barchart', 'table', frame([['a', 'string'], ['b', 'number']])))];
	yield ['bars of texts', bad(of('barchart', 'table', frame([['x', 'string'], ['b', 'string']])))];
	yield ['bins in disorder',
		bad(of('histogram', 'table', frame([['xMin', 'number'], ['xMax', 'number'], ['n', 'number']], [1, 2, 3],
		[0, 1, 3])))];
	yield ['bins in lower case',
		bad(of('histogram', 'table', frame([['xmin', 'number'], ['xmax', 'number'], ['n', 'number']], [1, 2, 3])))];
	yield ['a chart of one number', bad(of('xychart', 'table', frame([['a', 'number']])))];
	yield ['states without times', bad(of('state-timeline', 'table', frame([['a', 'string']])))];
	yield ['an unknown kind of panel', bad(of('piechrat', 'table', frame([['a', 'number']])))];
	yield ['a variable of one column', bad(contracts.variable(frame([['name', 'string']], ['a'])))];
	yield ['a variable with one text twice',
		bad(contracts.variable(frame([['__text', 'string'], ['__value', 'number']], ['a', 1], ['a', 2])))];
	yield ['an annotation without text', bad(contracts.annotation(frame([TIME], [DAY(1)])))];
	const svg = text => `data:image/svg+xml;base64,${Buffer.from(text).toString('base64')}`;
	yield ['a sound image', good(contracts.imageCell(svg('<svg width="1"><g/></svg>'), 'http://pages'))];
	yield ['an image of two lines', bad(contracts.imageCell(`${svg('<svg/>')}\n`, 'http://pages'))];
	yield ['an image that is no SVG', bad(contracts.imageCell(svg('<svg><g></svg>'), 'http://pages'))
		&& bad(contracts.imageCell('http://other/x.svg', 'http://pages'))];
}

function* graphs()
{
	const rows = [[0, 'main', 10, 1], [1, 'a', 6, 2], [2, 'c', 4, 4], [1, 'b', 3, 3]];
	yield ['a sound flame graph', good(of('flamegraph', 'table', frame(FLAME, ...rows)))];
	yield ['two roots', bad(of('flamegraph', 'table', frame(FLAME, [0, 'a', 1, 1], [0, 'b', 1, 1])))];
	yield ['a level left out', bad(of('flamegraph', 'table', frame(FLAME, [0, 'a', 1, 0], [2, 'b', 1, 1])))];
	yield ['costs that do not add up', bad(of('flamegraph', 'table', frame(FLAME, [0, 'a', 1, 0.5], [1, 'b', 1, 1])))];
	yield ['a sound differential flame graph',
		good(of('flamegraph', 'table', frame(DIFF, [0, 'a', 1, 0, 2, 2], [1, 'b', 1, 1, 0, 0])))];
	yield ['a right side that does not add up',
		bad(of('flamegraph', 'table', frame(DIFF, [0, 'a', 1, 0, 2, 2], [1, 'b', 1, 1, 1, 1])))];
	yield ['a right side in lower case',
		bad(of('flamegraph', 'table', frame([...FLAME, ['valueright', 'number'], ['selfright', 'number']])))];
	const node = id => [id, id, 1, 0.25, 0.75, 0, 0];
	yield ['a sound node graph',
		good(contracts.nodeGraph(frame(NODES, node('a'), node('b')), frame(EDGES, ['e', 'a', 'b'])))];
	yield ['an edge to nowhere', bad(contracts.nodeGraph(frame(NODES, node('a')), frame(EDGES, ['e', 'a', 'b'])))];
	yield ['arcs that do not add up',
		bad(contracts.nodeGraph(frame(NODES, ['a', 'a', 1, 0.25, 0.7, 0, 0]), frame(EDGES)))];
	yield ['half a position', bad(contracts.nodeGraph(frame(NODES, ['a', 'a', 1, 0.25, 0.75, 0, null]), frame(EDGES)))];
	yield ['too many nodes',
		bad(contracts.nodeGraph(frame(NODES, ...Array.from({length: 201}, (_, i) => node(`n${i}`))), frame(EDGES)))];
}

function* structures(dashboards, source)
{
	const all = Object.values(dashboards);
	const broken = (name, change) => {
		const copy = structuredClone(dashboards.run);
		change(copy);
		return [name, bad(structure(copy, source, all.map(d => d.uid === copy.uid ? copy : d)))];
	};
	yield broken('two panels of one id', d => { d.panels[1].id = d.panels[0].id; });
	yield broken('panels that overlap', d => { d.panels[1].gridPos = {...d.panels[0].gridPos}; });
	yield broken('a panel that sticks out', d => { d.panels[0].gridPos.w = 25; });
	yield broken('another schema', d => { d.schemaVersion = 41; });
	yield broken('another data source', d => { d.panels[0].targets[0].datasource = {...source, uid: 'other'}; });
	yield broken('a variable that is not there', d => { d.panels[0].targets[0].rawSql += ' $nothing'; });
	yield broken('a link to nowhere', d => { d.panels[0].fieldConfig.defaults.links = [{url: '/d/perfhouse-nowhere?x'}];
		});
	yield broken('a link that sets what is not there',
		d => { d.panels[0].fieldConfig.defaults.links = [{url: '/d/perfhouse-run?var-nothing=1'}]; });
	yield broken('an unknown kind of panel in the JSON', d => { d.panels[0].type = 'piechrat'; });
}

// JSON that is not what src/ makes.
function* stale()
{
	const copy = mkdtempSync(join(tmpdir(), 'perfhouse-dashboards-'));
	cpSync(join(dirname(fileURLToPath(import.meta.url)), '../../dashboards'), copy, {recursive: true});
	rmSync(join(copy, 'run.json'));
	yield ['JSON that is out of date', spawnSync('node', [join(copy, 'build.mjs'), '--check']).status === 1];
	rmSync(copy, {recursive: true});
}

// Pairs of a name and whether it is as it must be.
export function* controls(dashboards, source)
{
	for (const part of [macros(), quoting(), series(), tables(), graphs(), structures(dashboards, source), stale()])
		yield* part;
	yield ['SQL that fails', /42703/.test(run('SELECT no_column FROM perfhouse.run').error)];
	yield ['a role that is not there', run('SELECT 1 AS one', {user: 'nobody_at_all'}).error !== undefined];
}

// The compiler finds a wrong type, a misspelt key, a wrong word, and a wrong option of a panel.
export function typeControls(dashboards, typeFaults, folder)
{
	const wrong = {
		'control-type': d => { d.panels[0].id = 'one'; },
		'control-key': d => { d.shemaVersion = 42; },
		'control-word': d => { d.templating.list[0].type = 'qery'; },
		'control-option': d => { d.panels.find(p => p.type === 'nodeGraph').options.layoutAlgorithm = 'round'; },
	};
	const copies = Object.fromEntries(Object.entries(wrong).map(([name, change]) => {
		const copy = structuredClone(dashboards.run);
		change(copy);
		return [name, copy];
	}));
	const faults = typeFaults(folder, copies);
	return Object.keys(wrong).map(name => [name, faults.some(([copy]) => copy === name)]);
}
