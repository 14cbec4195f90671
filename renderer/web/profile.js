// profile.js - the profile workspace: a flame, tables and the chosen function's callers, callees, ranks and lines
// beside
// each other, with one selection. The tree is read once; all that is done with it happens here.
// SPDX-License-Identifier: PostgreSQL

import {rows, sections, viewUrl} from './api.js';
import {calleesOf, callersOf, CallTree, inPieces, inverted} from './call_tree.js';
import {h, problem, replaceChildren, select} from './dom.js';
import {Explanation} from './explanation.js';
import {saveCsv, savePng, saveSvg} from './export.js';
import {Flame} from './flame.js';
import {percent, quantity} from './format.js';
import {installPalette} from './palette.js';
import {RankGrid} from './rank_grid.js';
import {link, shell} from './shell.js';
import {PageState} from './state.js';
import {pageRun, stored} from './stored.js';
import {colorsOf} from './viewer_colors.js';
import {shortName} from './viewer_names.js';
import {VirtualTable} from './virtual_table.js';

const run = pageRun();
const state = new PageState();
const main = shell(`Profile ${run}`);
const SHAPES = [['flame', 'flame'], ['icicle', 'icicle'], ['inverted', 'inverted: own cost first']];
const TABLES = [['hot', 'hot spots'], ['tree', 'top down'], ['callers', 'bottom up'], ['lines', 'source lines']];
const INVERTED_LEAST = 1e-5; // of the whole: lower own costs are no boxes of an inverted flame
const MOST_PARTNERS = 12;
const KEYS = [['click', 'choose a function'], ['Z', 'zoom to what is chosen'], ['0', 'all of it'], ['/', 'search'],
	['arrows', 'go through the flame'], ['drag over ranks', 'the profile of these ranks'], ['Esc', 'choose nothing']];

let facts = null;
let tree = null; // of the run
let trees = {}; // by shape, made when they are shown
let functions = [];
let colors = new Map();
const unfolded = new Set();

const unit = () => facts.unit;
const cost = value => quantity(value, unit());
const share = value => percent(tree.total > 0 ? value / tree.total : 0);
const say = shortName;
const colorOf = name => colors.get(name) ?? [136, 136, 136];
const byName = name => functions.find(one => one.name === name) ?? null;
const chosen = () => state.get('function');
const choose = name => state.set({function: name});

const tell = (of, node) => `${say(of.name[node])}\n${cost(of.inclusive[node])} (${percent(of.total > 0
	? of.inclusive[node] / of.total : 0)}), own ${cost(of.exclusive[node])}`;

// ---- panes
const flame = new Flame({label: 'flame: a box a call path, as wide as its cost', colorOf, say, tell,
	picked: node => { unfoldTo(node); choose(shownTree().name[node]); }});
const callers = new Flame({label: 'callers', colorOf, say, tell, isUp: true,
	picked: (node, {tree: of}) => choose(of.name[node])});
const callees = new Flame({label: 'callees', colorOf, say, tell, picked: (node, {tree: of}) => choose(of.name[node])});
const grid = new RankGrid({tell: i => `${ranks.name[i]}: ${cost(ranks.value[i])}`, brushed: brushRanks});
let ranks = {name: [], value: [], rank: []};

const tablePane = h('div', {class: 'pane'});
const details = h('div', {class: 'pane details', 'aria-live': 'polite'});
const found = h('span', {class: 'soft', 'aria-live': 'polite'});
const search = h('input', {type: 'search', name: 'search', placeholder: 'search functions',
	'aria-label': 'search functions', oninput: () => state.set({q: search.value}, {quiet: true})});

const shape = () => SHAPES.some(([key]) => key === state.get('shape')) ? state.get('shape') : 'flame';

function shownTree()
{
	if (shape() === 'inverted')
		trees.inverted ??= inverted(tree, tree.total * INVERTED_LEAST);
	return shape() === 'inverted' ? trees.inverted : tree;
}

function drawFlame()
{
	flame.options.isUp = shape() === 'flame';
	const node = Number(state.get('zoom') ?? -1);
	if (flame.tree !== shownTree())
		flame.show(shownTree());
	flame.zoom(node >= 0 && node < shownTree().n ? node : -1);
}

function drawSearch()
{
	const text = (state.get('q') ?? '').toLowerCase();
	if (search.value !== (state.get('q') ?? ''))
		search.value = state.get('q') ?? '';
	const names = functions.filter(({name}) => name.toLowerCase().includes(text));
	flame.found = text === '' ? null : new Set(names.map(({name}) => name));
	replaceChildren(found, text === '' ? '' : `${names.length} functions, ${share(names.reduce((sum, one) =>
		sum + one.exclusive, 0))} own`);
	flame.draw();
	drawTable();
}

// ---- tables
const numbers = [{key: 'inclusive', label: 'inclusive', number: true, show: row => cost(row.inclusive)},
	{key: 'exclusive', label: 'own', number: true, show: row => cost(row.exclusive)},
	{key: 'part', label: 'own %', number: true, show: row => share(row.exclusive)}];
const nameColumn = {key: 'name', label: 'function', show: row => say(row.name), title: row => row.name};
const picked = row => choose(row.name);
const hot = new VirtualTable([nameColumn, ...numbers, {key: 'module', label: 'module', show: row => row.module ?? ''}],
	{label: 'hot spots', sort: state.get('sort') ?? '-exclusive', key: row => row.name, picked,
		sorted: sort => state.set({sort}, {quiet: true})});
const lines = new VirtualTable([{key: 'key', label: 'file and line'}, {key: 'exclusive', label: 'own', number: true,
	show: row => cost(row.exclusive)}, {key: 'part', label: '%', number: true, show: row => share(row.exclusive)},
{key: 'text', label: 'functions', show: row => [...row.names].map(say).join(', ')}],
{label: 'source lines', sort: '-exclusive', key: row => row.key, picked: row => choose([...row.names][0])});
const topDown = new VirtualTable([{key: 'name', label: 'call path', show: treeLabel, title: row => row.name},
	...numbers],
	{label: 'call paths', key: row => row.node, picked: toggle});

function treeLabel(row)
{
	const sign = row.of.firstChild[row.node] < 0 ? '' : unfolded.has(`${row.which} ${row.node}`) ? '▾ ' : '▸ ';
	return `${'\u00a0\u00a0\u00a0'.repeat(row.of.depth[row.node])}${sign}${say(row.name)}`;
}

function toggle(row)
{
	const key = `${row.which} ${row.node}`;
	if (row.of.firstChild[row.node] >= 0)
		unfolded[unfolded.has(key) ? 'delete' : 'add'](key);
	choose(row.name);
	drawTable();
}

function unfoldTo(node)
{
	if (shape() !== 'inverted')
		for (const one of tree.path(node).slice(0, -1))
			unfolded.add(`tree ${one}`);
}

// Rows of what is unfolded, in the order of the tree.
function treeRows(of, which)
{
	const out = [];
	const stack = [...of.roots].reverse();
	for (let node = stack.pop(); node !== undefined; node = stack.pop())
	{
		out.push({node, of, which, name: of.name[node], inclusive: of.inclusive[node], exclusive: of.exclusive[node]});
		if (unfolded.has(`${which} ${node}`))
			stack.push(...[...of.children(node)].reverse());
	}
	return out;
}

const tableShown = () => TABLES.some(([key]) => key === state.get('table')) ? state.get('table') : 'hot';

function fillTable(which)
{
	const text = (state.get('q') ?? '').toLowerCase();
	if (which === 'hot')
		hot.show(functions.filter(({name}) => name.toLowerCase().includes(text)));
	else if (which === 'lines')
		lines.show(trees.lines ??= tree.lines().map(one => ({...one, part: one.exclusive})));
	else
		topDown.show(treeRows(which === 'tree' ? tree : trees.inverted ??= inverted(tree, tree.total * INVERTED_LEAST),
			which), {isOrdered: true});
	return {hot, lines}[which] ?? topDown;
}

function drawTable()
{
	const which = tableShown();
	const shown = fillTable(which);
	shown.chosen = which === 'hot' ? chosen() : null;
	shown.draw();
	if (!shown.element.isConnected)
		replaceChildren(tablePane, h('header', {}, select('table', TABLES, which, table => state.set({table})),
			h('span', {class: 'grow'}), h('button', {type: 'button', onclick: saveTable}, 'CSV')), shown.element);
	shown.draw();
}

function saveTable()
{
	const which = tableShown();
	const list = which === 'lines' ? lines.rows : which === 'hot' ? hot.rows : topDown.rows;
	saveCsv(`run-${run}-${which}`, which === 'lines' ? ['file', 'line', 'exclusive'] : ['name', 'inclusive',
		'exclusive'],
		list);
}

// ---- the chosen function
function partners(of)
{
	const [root] = of.roots;
	const list = root === undefined ? [] : [...of.children(root)].slice(0, MOST_PARTNERS);
	return h('table', {}, list.map(node => h('tr', {}, h('td', {title: of.name[node]},
		h('button', {type: 'button', class: 'plain', onclick: () => choose(of.name[node])}, say(of.name[node]))),
	h('td', {class: 'number'}, cost(of.inclusive[node])))));
}

function sourceOf(one)
{
	const known = one.nodes.map(node => [tree.rest.file?.[node], tree.rest.line?.[node]]).find(([file]) => file);
	return known === undefined ? null : h('p', {class: 'soft'}, `${known[0]}${known[1] ? `:${known[1]}` : ''}`);
}

let asking = null;

async function drawDetails()
{
	const one = chosen() === null ? null : byName(chosen());
	asking?.abort();
	if (one === null)
	{
		replaceChildren(details, h('h2', {}, 'nothing chosen'), h('p', {class: 'soft'},
			'A click on a box or a row shows its callers, callees, ranks and source.'));
		return;
	}
	const [up, down] = [callersOf(tree, one.name), calleesOf(tree, one.name)];
	callers.show(up);
	callees.show(down);
	const gridPlace = h('div', {}, h('p', {class: 'soft'}, 'reading ranks …'));
	replaceChildren(details, h('h2', {title: one.name}, say(one.name)), sourceOf(one),
		h('p', {},
			`${cost(one.inclusive)} (${share(one.inclusive)}), own ${cost(one.exclusive)} (${share(one.exclusive)}), `
			+ `in ${one.nodes.length} call path${one.nodes.length === 1 ? '' : 's'}`),
		h('h2', {}, 'own cost by rank'), gridPlace, h('h2', {}, 'callers'), callers.host, partners(up),
		h('h2', {}, 'callees'), callees.host, partners(down),
		stored === null ? h('h2', {}, 'iterations') : null, iterationsLink());
	const {signal} = asking = new AbortController();
	try
	{
		const [values = null] = await rows('rank_values', {run, metric: state.get('metric'), name: one.name,
			version: facts.version}, signal);
		showRanks(values, gridPlace);
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(gridPlace, problem(error));
	}
}

function showRanks(values, place)
{
	ranks = values ?? {name: [], value: [], rank: []};
	grid.brush = null;
	const most = ranks.value.reduce((best, value, i) => value > ranks.value[best] ? i : best, 0);
	replaceChildren(place, ranks.value.length === 0 ? h('p', {class: 'soft'}, 'no values of single ranks are kept')
		: [grid.host, h('p', {class: 'soft'}, `most: ${ranks.name[most]}, ${cost(ranks.value[most])}`),
			h('label', {}, 'laid out ', select('grid', [['square', 'as a square'], ['host', 'a line a host']],
				state.get('grid', 'square'), one => state.set({grid: one === 'square' ? null : one})))]);
	grid.show(ranks.value, state.get('grid') === 'host' ? mostOfHost() : 0);
	place.dataset.most = String(most);
}

// So many ranks and threads has the fullest host.
function mostOfHost()
{
	const times = new Map();
	for (const host of ranks.host ?? [])
		times.set(host, (times.get(host) ?? 0) + 1);
	return Math.max(1, ...times.values());
}

const iterationsLink = () => stored !== null ? null : h('p', {}, h('a', {href: viewUrl('iterations', {run,
	metric: state.get('metric')})}, 'iterations × call paths'), ' · ', h('a', {href: `/run/${run}`}, 'super graph'));

function brushRanks(first, last)
{
	const all = ranks.rank.slice(first, last + 1).filter(rank => rank !== null);
	if (all.length > 0)
		state.set({ranks: `${Math.min(...all)}-${Math.max(...all)}`});
}

// ---- the page
const metricNames = () => (facts.metrics ?? []).map(({name}) => [name, name]);

function bar()
{
	const button = (text, onclick, title) => h('button', {type: 'button', onclick, title}, text);
	return h('div', {class: 'bar'}, h('h1', {title: facts.title}, `Profile ${run}: ${facts.title ?? ''}`),
		h('label', {}, 'metric', select('metric', metricNames(), facts.metric, metric => state.set({metric}))),
		select('shape', SHAPES, shape(), one => state.set({shape: one, zoom: null})), search, found,
		state.get('ranks') === null ? null : button(`ranks ${state.get('ranks')} ✕`, () => state.set({ranks: null}),
			'all ranks'), h('span', {class: 'grow'}), button('zoom', zoomToChosen, 'Z'), button('all', zoomOut, '0'),
		button('PNG', () => savePng(`run-${run}-${shape()}`, flame.canvas), 'save the flame'),
		button('SVG', () => saveSvg(`run-${run}-${shape()}`, flame.svg()), 'save the flame as shapes and texts'),
		stored === null ? link(`/run/${run}`, 'super graph') : null, facts.has_trace ? link(`/viewer/${run}`, 'trace')
			: null);
}

function zoomToChosen()
{
	const of = shownTree();
	const node = flame.pinned >= 0 ? flame.pinned : of.name.reduce((best, name, i) => name === chosen()
		&& (best < 0 || of.inclusive[i] > of.inclusive[best]) ? i : best, -1);
	state.set({zoom: node < 0 ? null : node});
}

const zoomOut = () => state.set({zoom: null});

async function load()
{
	const answer = await sections('tree', {run, metric: state.get('metric'), ranks: state.get('ranks')});
	const {rows: [known], nodes: [columns] = [null], colors: [kept] = [null]} = answer;
	facts = known;
	tree = await CallTree.inPieces(columns ?? {parent: [], name: [], inclusive: [], exclusive: []});
	trees = {};
	functions = (await inPieces(tree.functions())).map(one => ({...one, part: one.exclusive}));
	const names = functions.map(({name}) => name);
	colors = new Map(colorsOf(names, kept).map((color, i) => [names[i], color]));
	unfolded.clear();
	for (const root of tree.roots)
		unfolded.add(`tree ${root}`);
}

function drawAll()
{
	main.querySelector('.bar')?.replaceWith(bar());
	drawFlame();
	drawSearch();
	drawDetails();
}

async function changed(names)
{
	const any = (...wanted) => wanted.some(name => names.has(name));
	if (any('metric', 'ranks'))
	{
		await load();
		drawAll();
		return;
	}
	if (any('shape', 'zoom'))
		drawFlame();
	if (any('q'))
		drawSearch();
	if (any('table', 'function'))
		drawTable();
	if (any('function', 'grid'))
		drawDetails();
}

function pressed(event)
{
	if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
		return;
	const act = {z: zoomToChosen, 0: zoomOut, '/': () => search.focus(),
		escape: () => state.set({function: null, q: null})}[event.key.toLowerCase()];
	if (act === undefined)
		return;
	act();
	event.preventDefault();
}

const entries = () => [...functions.map(({name}) => ({text: say(name), kind: 'function', act: () => choose(name)})),
	...SHAPES.map(([one, text]) => ({text, kind: 'shape', act: () => state.set({shape: one, zoom: null})})),
	...TABLES.map(([table, text]) => ({text, kind: 'table', act: () => state.set({table})})),
	...metricNames().map(([metric]) => ({text: metric, kind: 'metric', act: () => state.set({metric})})),
	{text: 'zoom to what is chosen', kind: 'action', keys: 'Z', act: zoomToChosen},
	{text: 'save the table as CSV', kind: 'action', act: saveTable},
	{text: 'save the flame as SVG', kind: 'action', act: () => saveSvg(`run-${run}-${shape()}`, flame.svg())}];

try
{
	await load();
	const explanation = new Explanation();
	main.append(bar(), h('details', {class: 'verdict', open: true}, h('summary', {}, 'what stands out'),
		explanation.host),
		h('div', {class: 'panes'}, h('div', {class: 'pane'}, flame.host), details, tablePane));
	explanation.show('explain', {run});
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
