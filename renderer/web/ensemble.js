// ensemble.js - many runs beside each other: filtered and grouped by what they say of themselves; parallel
// coordinates, one
// number over another, boxes of groups, the super graph of all; a click chooses a run, a brush some.
// SPDX-License-Identifier: PostgreSQL

import {Latest, rows, sections} from './api.js';
import {chip, field} from './controls.js';
import {h, orTell, problem, replaceChildren, select} from './dom.js';
import {EnsembleData, statistics} from './ensemble_data.js';
import {saveCsv, savePng, saveSvg} from './export.js';
import {count, moment, percent, quantity, shortCommit} from './format.js';
import {installPalette} from './palette.js';
import {Picture} from './picture.js';
import {Boxes, Parallel, Scatter} from './plots.js';
import {link, noRuns, shell} from './shell.js';
import {PageState} from './state.js';
import {drillDown, splitCaller, splitEntry, stepLabel, stepParams} from './steps.js';
import {isDark} from './theme.js';
import {cycle} from './viewer_colors.js';
import {shortName} from './viewer_names.js';
import {VirtualTable} from './virtual_table.js';

const VIEWS = [['parallel', 'parallel coordinates'], ['scatter', 'one number over another'], ['box', 'boxes of groups'],
	['graph', 'super graph']];
const KEYS = [['click', 'choose a run'], ['drag along an axis', 'keep the runs in this range'], ['1 2 3 4',
	'the pictures'],
	['Enter', 'open the chosen run'], ['S C D', 'split the chosen supernode by entry or caller, drill down'],
	['U', 'undo a split'], ['Esc', 'choose nothing']];
const NEXT = {'group-by': {module: 'file', file: 'function'}};
const LONGEST_LIST = 5000; // characters of an address

const state = new PageState();
const main = shell('Ensemble');
let data = null;
const asking = {runs: new Latest(), guides: new Latest()};
let guides = []; // of the super graph: bins of runs by supernode

const viewShown = () => VIEWS.some(([key]) => key === state.get('view')) ? state.get('view') : 'parallel';
const grouping = () => data.groupings().includes(state.get('group')) ? state.get('group') : null;
const chosen = () => data.byRun.has(Number(state.get('run'))) ? Number(state.get('run')) : null;
const choose = run => state.set({run});
const say = shortName;
const nameOf = key => data.nameOf(key, say);

// ---- numbers in words
function told(key, value)
{
	if (value === null || value === undefined)
		return '';
	if (key === 'total' || key.startsWith('own:'))
		return quantity(value, data.unit);
	if (/efficiency|balance/.test(key))
		return percent(value);
	return key === 'started_at' ? moment(new Date(value * 1000).toISOString()) : typeof value === 'number'
		? quantity(value)
		: key === 'commit_id' ? shortCommit(value) : String(value);
}

function tell(run)
{
	const row = data.byRun.get(run);
	return [`run ${run}: ${row.title ?? row.application ?? ''}`, ...axesShown().map(key => `${nameOf(key)}: ${
		told(key, data.of(run, key))}`), ...grouping() === null ? [] : [`${nameOf(grouping())}: ${data.of(run,
			grouping())
		?? 'not known'}`]].join('\n');
}

// ---- what is shown
const axesShown = () => {
	const known = data.axes();
	const asked = state.list('axis').filter(key => known.includes(key));
	return asked.length > 1 ? asked : data.firstAxes();
};

// "key=low..high" of each brushed axis.
const brushes = () => Object.fromEntries(state.list('brush').map(text => /^(.*)=([^=]*)\.\.([^=]*)$/.exec(text))
	.filter(Boolean).map(([, key, low, high]) => [key, [Number(low), Number(high)]]));

function brushed(key, range)
{
	const all = {...brushes(), [key]: range};
	state.set({brush: Object.entries(all).filter(([, one]) => one !== null).map(([one, [low, high]]) =>
		`${one}=${Number(low.toPrecision(6))}..${Number(high.toPrecision(6))}`)});
}

// Runs in all brushes.
function runsIn()
{
	const all = Object.entries(brushes());
	return data.runs.filter(run => all.every(([key, [low, high]]) => {
		const value = data.of(run, key);
		return value !== null && value >= low && value <= high;
	}));
}

const options = {tell, picked: run => choose(run === chosen() ? null : run)};
const plots = {parallel: new Parallel({...options, label: 'parallel coordinates: a line a run', brushed}),
	scatter: new Scatter({...options, label: 'runs by two numbers'}), box: new Boxes({...options,
		label: 'boxes of groups of runs'})};
const graphPlace = h('div', {class: 'graph'});
const graph = new Picture(graphPlace, {hit: '.bar', pick: bar => state.set({node: bar === null
	|| bar.dataset.node === state.get('node') ? null : bar.dataset.node}), zoomed: zoom => state.set({zoom},
		{quiet: true}),
drawn: () => { markNode(); orTell(readGuides(), 'where runs lie is missing'); }});

const picturePane = h('div', {class: 'pane'});
const details = h('div', {class: 'pane details', 'aria-live': 'polite'});
const tablePane = h('div', {class: 'pane'});

const keyAt = (name, fallback) => data.axes().includes(state.get(name)) ? state.get(name) : fallback;
const xKey = () => keyAt('x', data.axes().includes('n_ranks') ? 'n_ranks' : axesShown()[0] ?? 'total');
const yKey = () => keyAt('y', data.axes().includes('total') ? 'total' : axesShown().at(-1) ?? 'total');

function common()
{
	const within = new Set(runsIn());
	const groups = data.groups(grouping());
	const places = new Map(groups.flatMap((group, i) => group.runs.map(run => [run, i])));
	return {runs: data.runs, of: (run, key) => data.of(run, key) ?? NaN, color: run => cycle(places.get(run), isDark()),
		isIn: run => within.has(run), chosen: chosen(), say: told, name: nameOf, groups, axes: axesShown(),
			brushes: brushes(),
		x: xKey(), y: yKey()};
}

// The runs that the super graph is of: those in all brushes, where an address holds their list.
function graphParams()
{
	const list = runsIn().join(',');
	const isPart = state.list('brush').length > 0 && list.length <= LONGEST_LIST;
	return [['application', isPart ? null : state.get('application')], ['filter', null], ['run_filter', isPart ? null
		: state.get('filter')], ['runs', isPart ? list : state.get('runs')], ['metric', state.get('metric')], ['run',
			chosen()],
	['group_by', state.get('group_by')], ...stepParams(state.list('step'))].filter(([name, value]) => name !== 'filter'
		&& value !== null);
}

const drawGraph = () => graph.show('sankey-ensemble', graphParams(), {zoom: state.get('zoom') ?? ''});

async function readGuides()
{
	guides = (await sections('../view/sankey-ensemble.json', graphParams(), asking.guides.begin())).guides ?? [];
	drawDetails();
}

const markNode = () => graph.choose(state.get('node') === null ? null : bar => bar.dataset.node === state.get('node'));

function pictureTools(which)
{
	const list = (name, value) => select(name, data.axes().map(key => [key, nameOf(key)]), value, key =>
		state.set({[name]: key}));
	const plot = plots[which];
	return h('header', {}, select('view', VIEWS, which, view => state.set({view})),
		which === 'scatter' ? [h('label', {}, 'x', list('x', xKey())), h('label', {}, 'y', list('y', yKey()))] : null,
		which === 'box' ? h('label', {}, 'of', list('y', yKey())) : null, which === 'parallel' ? axesMenu() : null,
		which === 'graph' ? [h('label', {}, 'grouped by', select('group_by', [['', 'what can be read'], 'module',
			'file',
			'function'], state.get('group_by', ''), one => state.set({group_by: one || null, step: null, node: null}))),
		state.list('step').map((step, i) => chip(stepLabel(step), () => state.set({step: state.list('step').slice(0,
			i)})))]
			: null, h('span', {class: 'grow'}),
		plot === undefined ? null : [h('button', {type: 'button', onclick: () => savePng(`ensemble-${which}`,
			plot.canvas)},
			'PNG'), h('button', {type: 'button', onclick: () => saveSvg(`ensemble-${which}`, plot.svg())}, 'SVG')]);
}

function axesMenu()
{
	const shown = axesShown();
	const change = (key, on) => state.set({axis: on ? [...shown, key] : shown.filter(one => one !== key)});
	return h('details', {class: 'axes'}, h('summary', {}, 'axes'), h('div', {}, data.axes().map(key => h('label',
		{title: key}, h('input', {type: 'checkbox', checked: shown.includes(key), onchange: event => change(key,
			event.target.checked)}), nameOf(key)))));
}

function drawPicture()
{
	const which = viewShown();
	const host = which === 'graph' ? graphPlace : plots[which].host;
	const isOpen = picturePane.querySelector('.axes')?.open ?? false;
	replaceChildren(picturePane, pictureTools(which), host);
	const menu = picturePane.querySelector('.axes');
	if (menu !== null)
		menu.open = isOpen;
	if (which === 'graph')
		drawGraph();
	else
		plots[which].show(common());
}

// ---- details: groups, the chosen run, the chosen supernode
function groupTable()
{
	const key = yKey();
	const {color} = common();
	return [h('h2', {}, `${nameOf(key)} by group`), h('table', {class: 'groups'}, h('tr', {}, ['group', 'runs',
		'median', 'mean',
		'± sd'].map((text, i) => h('th', {class: i > 0 ? 'number' : 'text', scope: 'col'}, text))),
	data.groups(grouping(), runsIn()).map(group => {
		const one = statistics(group.runs.map(run => data.of(run, key)));
		const swatch = h('span', {class: 'swatch'});
		swatch.style.background = `rgb(${color(group.runs[0]).join(' ')})`;
		return h('tr', {}, h('td', {title: group.name}, swatch, group.name), [count(one.n), told(key, one.median),
			told(key, one.mean), told(key, one.deviation)].map(text => h('td', {class: 'number'}, text)));
	})), h('button', {type: 'button', onclick: saveGroups}, 'CSV')];
}

// Every number of every group, as Thicket's aggregated statistics.
function saveGroups()
{
	const keys = ['n', 'mean', 'deviation', 'least', 'median', 'greatest'];
	saveCsv('ensemble-groups', ['group', 'of', ...keys], data.groups(grouping(), runsIn()).flatMap(group => data.axes()
		.map(key => ({group: group.name, of: key, ...statistics(group.runs.map(run => data.of(run, key)))}))));
}

function nodeDetails()
{
	const node = state.get('node');
	const bins = guides.filter(one => one.node === node);
	return node === null || viewShown() !== 'graph' ? [] : [h('h2', {}, say(node)), h('p', {class: 'soft'},
		'where the runs lie, from the least to the most; S, C and D split it'), h('table', {}, bins.map(bin => h('tr',
			{},
		h('td', {class: 'number'}, quantity(bin.low, data.unit)), h('td', {class: 'text'}, bin.runs.map(run =>
			[h('button',
			{type: 'button', class: 'plain link', onclick: () => choose(Number(run))}, run), ' ']))))),
	bins.length === 0 ? h('p', {class: 'soft'}, 'looking …') : null];
}

function runDetails()
{
	const run = chosen();
	if (run === null)
		return h('p', {class: 'soft'}, 'A click on a mark, a line or a row chooses a run.');
	const row = data.byRun.get(run);
	const others = runsIn().filter(one => one !== run);
	return [h('h2', {}, `run ${run}: ${row.title ?? ''}`), h('p', {}, link(`/run/${run}`, 'super graph'), ' · ',
		link(`/profile/${run}`, 'profile'), others.length === 0 ? null : [' · ', h('a', {href:
			`/compare?a=${others.at(-1)}&b=${run}`}, `compare with run ${others.at(-1)}`)]),
	h('table', {}, h('tr', {}, ['', 'this run', 'median of the others'].map((text, i) => h('th', {class: i > 0
		? 'number'
		: 'text', scope: 'col'}, text))), axesShown().map(key => h('tr', {}, h('td', {title: nameOf(key)}, nameOf(key)),
		h('td', {class: 'number'}, told(key, data.of(run, key))), h('td', {class: 'number'}, told(key,
			statistics(others.map(
			one => data.of(one, key))).median)))))];
}

function drawDetails()
{
	replaceChildren(details, nodeDetails(), runDetails(), groupTable());
}

// ---- the table of runs
let runTable = null;
let columnsOf = null;

function drawTable()
{
	const keys = [...new Set([...grouping() === null ? [] : [grouping()], ...axesShown(), ...state.list('column')])];
	if (columnsOf !== keys.join('\n'))
	{
		columnsOf = keys.join('\n');
		runTable = new VirtualTable([{key: 'run_id', label: 'run', number: true, width: '4rem'}, {key: 'title',
			label: 'title', title: row => row.title}, ...keys.map(key => ({key, label: nameOf(key),
				width: 'minmax(5rem, 9rem)',
			number: typeof data.of(data.runs[0], key) === 'number', show: row => told(key, row[key])}))],
		{label: 'runs', key: row => row.run_id, sort: state.get('sort') ?? '-run_id', sorted: sort => state.set({sort},
			{quiet: true}), picked: row => choose(row.run_id === chosen() ? null : row.run_id)});
	}
	const list = runsIn().map(run => ({...data.byRun.get(run), ...Object.fromEntries(keys.map(key => [key, data.of(run,
		key)]))}));
	runTable.chosen = chosen();
	runTable.show(list);
	if (!runTable.element.isConnected)
		replaceChildren(tablePane, h('header', {}, h('h2', {}, 'runs'), h('span', {class: 'grow'}), h('button',
			{type: 'button', onclick: () => saveCsv('ensemble', ['run_id', 'title', ...data.axes(),
				...data.groupings()],
				runsIn().map(run => ({...data.byRun.get(run), ...Object.fromEntries([...data.axes(),
					...data.groupings()]
					.map(key => [key, data.of(run, key)]))})))}, 'CSV')), runTable.element);
	runTable.draw();
}

// ---- the page
const summary = h('span', {class: 'soft', 'aria-live': 'polite'});
const groupPlace = h('span', {class: 'tools'});

function drawBar()
{
	const within = runsIn().length;
	const {runs, with_metric: known} = data.total;
	replaceChildren(summary, `${count(data.runs.length)} run${data.runs.length === 1 ? '' : 's'}${runs > known
		? `, ${count(runs - known)} without the metric or older are left out` : ''}${within < data.runs.length
		? `, ${count(within)} in the brushes` : ''}`);
	replaceChildren(groupPlace, h('label', {}, 'grouped by', select('group', [['', 'nothing'],
		...data.groupings().map(key =>
		[key, nameOf(key)])], grouping() ?? '', group => state.set({group: group || null}))),
	state.list('brush').length === 0 ? null : chip(`${state.list('brush').length} brushed`, () =>
		state.set({brush: null})));
}

function drawAll()
{
	if (data.runs.length === 0)
	{
		replaceChildren(picturePane, ['application', 'filter', 'runs'].some(name => state.get(name))
			? h('p', {class: 'empty'}, 'no run fits: choose another application or filter') : noRuns());
		replaceChildren(details);
		replaceChildren(tablePane);
		replaceChildren(groupPlace);
		replaceChildren(summary, '0 runs');
		return;
	}
	drawBar();
	drawPicture();
	drawDetails();
	drawTable();
}

async function load()
{
	data = new EnsembleData(await sections('ensemble', {application: state.get('application'),
		filter: state.get('filter'),
		runs: state.get('runs'), metric: state.get('metric')}, asking.runs.begin()));
}

async function changed(names)
{
	const any = (...wanted) => wanted.some(name => names.has(name));
	if (any('application', 'filter', 'runs', 'metric'))
	{
		columnsOf = null;
		try { await load(); }
		catch (error)
		{
			if (error.name !== 'AbortError')
				replaceChildren(picturePane, problem(error));
			return;
		}
	}
	if (names.size === 1 && any('zoom', 'sort'))
		return;
	if (names.size === 1 && any('node'))
	{
		markNode();
		drawDetails();
		return;
	}
	drawAll();
}

function split(make)
{
	const node = state.get('node');
	if (node !== null && viewShown() === 'graph')
		state.set({step: [...state.list('step'), make(node)], node: null});
}

const shows = view => () => state.set({view});
const acts = {1: shows('parallel'), 2: shows('scatter'), 3: shows('box'), 4: shows('graph'),
	s: () => split(splitEntry), c: () => split(splitCaller), d: () => split(node => drillDown(node,
		NEXT['group-by'][state.get('group_by') ?? 'module'] ?? 'function')),
	u: () => state.set({step: state.list('step').slice(0, -1)}), escape: () => state.set({run: null, node: null}),
	enter: () => chosen() !== null && location.assign(`/profile/${chosen()}`)};

function pressed(event)
{
	const act = acts[event.key.toLowerCase()];
	if (act === undefined || event.ctrlKey || event.metaKey || event.altKey
		|| /^(INPUT|SELECT|TEXTAREA|BUTTON|A|SUMMARY)$/.test(event.target.tagName))
		return;
	act();
	event.preventDefault();
}

const entries = () => [...VIEWS.map(([view, text], i) => ({text, kind: 'picture', keys: String(i + 1),
	act: shows(view)})),
	...data.groupings().map(key => ({text: `group by ${nameOf(key)}`, kind: 'group', act: () =>
		state.set({group: key})})),
	...data.axes().map(key => ({text: `y: ${nameOf(key)}`, kind: 'number', act: () => state.set({y: key})})),
	...data.runs.slice(-200).map(run => ({text: `choose run ${run}: ${data.byRun.get(run).title ?? ''}`, kind: 'choice',
		act: () => choose(run)}))];

try
{
	const applications = (await rows('applications')).map(({application}) => application);
	if (!['application', 'filter', 'runs'].some(name => state.get(name)) && applications.length > 0)
		state.set({application: applications[0]}, {quiet: true});
	await load();
	main.append(h('div', {class: 'bar'}, h('h1', {}, 'Ensemble'), h('label', {}, 'application', select('application',
		[['', 'all'], ...applications], state.get('application', ''), application => state.set({application: application
			|| null,
			brush: null, run: null, axis: null, group: null, step: null, node: null}))),
	field(state, 'filter', 'filter', {hint: 'n_ranks >= 64', size: 24, title: 'a run filter'}),
		groupPlace,
	summary), h('div', {class: 'panes ensemble'}, picturePane, details, tablePane));
	drawAll();
	state.addEventListener('change', ({detail}) => changed(detail.names).catch(error =>
		details.append(problem(error))));
	document.addEventListener('keydown', pressed);
	new MutationObserver(drawAll).observe(document.documentElement, {attributeFilter: ['data-theme']});
	installPalette({entries, keys: KEYS});
}
catch (error)
{
	main.append(problem(error));
}
