// profile.js - the profile workspace: a flame, tables and the chosen function's callers, callees, ranks and lines
// beside each other, with one selection. The tree is read once; all that is done with it happens here.
// SPDX-License-Identifier: PostgreSQL

import {rows, sections} from './api.js';
import {calleesOf, callersOf, CallTree, inPieces, inverted} from './call_tree.js';
import {h, orTell, problem, replaceChildren, select} from './dom.js';
import {Explanation} from './explanation.js';
import {saveCsv, savePng, saveSvg} from './export.js';
import {Flame} from './flame.js';
import {percent, quantity} from './format.js';
import {HeatMap} from './heat_map.js';
import {addsUp, metricChoices, tellCombining} from './metrics.js';
import {installPalette} from './palette.js';
import {RankGrid} from './rank_grid.js';
import {link, shell} from './shell.js';
import {SourcePane} from './source_pane.js';
import {PageState} from './state.js';
import {pageRun, stored} from './stored.js';
import {colorsOf} from './viewer_colors.js';
import {shortName} from './viewer_names.js';
import {VirtualTable} from './virtual_table.js';

const run = pageRun();
const state = new PageState();
const main = shell(`Profile ${run}`);
const SHAPES = [['flame', 'flame'], ['icicle', 'icicle'], ['inverted', 'inverted: own cost first']];
const TABLES = [['hot', 'hot spots'], ['tree', 'top down'], ['callers', 'bottom up'], ['lines', 'source lines'],
	['source', 'source'], ['iterations', 'iterations']];
const INVERTED_LEAST = 1e-5; // of the whole: lower own costs are no boxes of an inverted flame
const MOST_PARTNERS = 12;
const LONGEST_RANKS = 6000; // characters of an address
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
const share = value => addsUp(facts) ? percent(tree.total > 0 ? value / tree.total : 0) : '';
const inBrackets = text => text === '' ? '' : ` (${text})`;
const say = shortName;
const colorOf = name => colors.get(name) ?? [136, 136, 136];
const byName = name => functions.find(one => one.name === name) ?? null;
const chosen = () => state.get('function');
const choose = name => state.set({function: name, file: null, line: null});

const tell = (of, node) => `${say(of.name[node])}\n${cost(of.inclusive[node])} (${percent(of.total > 0
	? of.inclusive[node] / of.total : 0)}), own ${cost(of.exclusive[node])}`;

// ---- panes
const flame = new Flame({label: 'flame: a box a call path, as wide as its cost', colorOf, say, tell,
	picked: node => { unfoldTo(node); choose(shownTree().name[node]); }});
const callers = new Flame({label: 'callers', colorOf, say, tell, isUp: true,
	picked: (node, {tree: of}) => choose(of.name[node])});
const callees = new Flame({label: 'callees', colorOf, say, tell, picked: (node, {tree: of}) => choose(of.name[node])});
const grid = new RankGrid({tell: tellRank, brushed: brushRanks});
let ranks = {name: [], value: [], rank: []};
let topology = null; // of the run: {topology, dimensions, sizes, rank, coordinates}
let sourcePane = null;
let caused = null; // how long others waited because of lines, when it is known
const CAUSED = 'wait caused';
let iterations = null; // {iterations, each, names, cells}
const heat = new HeatMap({label: 'own cost of functions by iteration', say, tell: tellIteration,
	picked: row => choose(iterations.names[row])});

const flamePane = h('div', {class: 'pane'});
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
	const isFlow = addsUp(facts);
	replaceChildren(flamePane, isFlow ? flame.host : h('p', {class: 'empty'}, `${tellCombining(facts)}. There is no flame `
		+ 'of it: the table of call paths (top down) has its values.'));
	if (!isFlow)
		return;
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
	replaceChildren(found, text === '' ? '' : `${names.length} functions${addsUp(facts)
		? `, ${share(names.reduce((sum, one) => sum + one.exclusive, 0))} own` : ''}`);
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
{label: 'source lines', sort: '-exclusive', key: row => row.key, picked: row => state.set({
	function: [...row.names][0], table: 'source', file: row.file, line: row.line})});
const topDown = new VirtualTable([{key: 'name', label: 'call path', show: treeLabel, title: row => row.name},
	...numbers],
	{label: 'call paths', key: row => row.node, picked: toggle});
// A row is how much of the first function's own cost is due to calls along the path down to it.
const bottomUp = new VirtualTable([{key: 'name', label: 'function, below it its callers', show: treeLabel,
	title: row => row.name}, ...numbers.filter(({key}) => key !== 'inclusive')],
	{label: 'callers', key: row => row.node, picked: toggle});

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
		out.push({node, of, which, name: of.name[node], inclusive: of.inclusive[node],
			exclusive: which === 'callers' ? of.inclusive[node] : of.exclusive[node]});
		if (unfolded.has(`${which} ${node}`))
			stack.push(...[...of.children(node)].reverse());
	}
	return out;
}

// ---- source and iterations, which share the place of tables
const source = () => sourcePane ??= new SourcePane({run, cost, share, say,
	picked: names => names.length > 0 && choose(names[0]),
	hasCaused: (facts.metrics ?? []).some(({name}) => name === CAUSED)});

// Seconds by "file:line", of the metric of that name.
async function readCaused()
{
	const {nodes: [columns] = [null]} = await sections('tree', {run, metric: CAUSED, ranks: state.get('ranks')});
	const of = await CallTree.inPieces(columns ?? {parent: [], name: [], inclusive: [], exclusive: []});
	return new Map(of.lines().map(({key, exclusive}) => [key, exclusive]));
}

async function tellCaused()
{
	if (!source().options.hasCaused)
		return;
	caused ??= orTell(readCaused(), 'for which lines others waited is missing', new Map());
	source().tellCaused(await caused);
}

function fillSource()
{
	const one = chosen() === null ? null : byName(chosen());
	const [file = null, line = null] = state.get('file') === null ? one === null ? [] : fileOf(one) ?? []
		: [state.get('file'), state.get('line')];
	if (file === null)
		replaceChildren(source().title, one === null ? 'Choose a function, or a row of the source lines.'
			: `The profile names no file of ${say(one.name)}.`);
	else
		source().show(file, line, trees.lines ??= linesOfTree(), tree.total).then(tellCaused);
	return source().host;
}

function tellIteration(row, column)
{
	const {cells} = iterations;
	const k = cells.value.findIndex((_, i) => cells.function[i] === row && cells.cell[i] === column);
	return `${say(iterations.names[row])}${k < 0 ? '' : `\niteration ${cells.iteration[k]}${iterations.each > 1
		? ` to ${cells.iteration[k] + iterations.each - 1}, the greatest` : ''}: ${cost(cells.value[k])}`}`;
}

let readIterations = null;

// Read when they are looked at; they are of all ranks.
async function fillIterations(place)
{
	const of = JSON.stringify([run, state.get('metric')]);
	if (readIterations === of)
		return;
	readIterations = of;
	try
	{
		const {rows: [known = null], cells: [cells] = []} = await sections('iterations', {run,
			metric: state.get('metric'), version: facts.version});
		iterations = known === null || cells === undefined ? null : {...known, cells};
		if (iterations === null)
			replaceChildren(place, h('p', {class: 'soft'}, 'The profile was not measured by iteration: Caliper does '
				+ 'so for loops (attribute iteration#LOOP in the profile).'));
		else
		{
			const {function: row, cell: column, value, iteration} = iterations.cells;
			const columns = Math.max(...column) + 1;
			const ticks = [];
			column.forEach((at, i) => { ticks[at] = iteration[i]; });
			replaceChildren(place, heat.host);
			heat.show({names: iterations.names, row, column, value, columns, ticks});
		}
	}
	catch (error)
	{
		readIterations = null;
		replaceChildren(place, problem(error));
	}
}

const iterationsPlace = h('div', {class: 'scrolled'}, heat.host);

const linesOfTree = () => tree.lines().map(one => ({...one, part: one.exclusive}));

const tableShown = () => TABLES.some(([key]) => key === state.get('table')) ? state.get('table') : 'hot';

function fillTable(which)
{
	const text = (state.get('q') ?? '').toLowerCase();
	if (which === 'hot')
		hot.show(functions.filter(({name}) => name.toLowerCase().includes(text)));
	else if (which === 'lines')
		lines.show(trees.lines ??= linesOfTree());
	else if (which === 'tree')
		topDown.show(treeRows(tree, which), {isOrdered: true});
	else
		bottomUp.show(treeRows(trees.inverted ??= inverted(tree, tree.total * INVERTED_LEAST), which),
			{isOrdered: true});
	return {hot, lines, tree: topDown}[which] ?? bottomUp;
}

function putTable(which, element)
{
	if (element.isConnected && tablePane.dataset.which === which)
		return;
	tablePane.dataset.which = which;
	replaceChildren(tablePane, h('header', {}, select('table', TABLES, which, table => state.set({table, file: null,
		line: null})), h('span', {class: 'grow'}), h('button', {type: 'button', onclick: saveTable}, 'CSV'),
	which !== 'iterations' ? null : [h('button', {type: 'button', onclick: () => savePng(`run-${run}-iterations`,
		heat.canvas)}, 'PNG'), link(`/run/${run}?whole=iterations`, 'as a picture')]), element);
}

function drawTable()
{
	const which = tableShown();
	if (which === 'source')
	{
		putTable(which, source().host);
		fillSource();
		return;
	}
	if (which === 'iterations')
	{
		putTable(which, iterationsPlace);
		fillIterations(iterationsPlace);
		return;
	}
	if (which === 'callers' && !addsUp(facts))
	{
		putTable(which, h('p', {class: 'empty'}, `${tellCombining(facts)}: callers have no parts of it.`));
		return;
	}
	const shown = fillTable(which);
	shown.chosen = which === 'hot' ? chosen() : null;
	shown.draw();
	putTable(which, shown.element);
	shown.draw();
}

function saveTable()
{
	const which = tableShown();
	if (which === 'iterations')
	{
		const {cells} = iterations ?? {cells: {value: []}};
		saveCsv(`run-${run}-iterations`, ['function', 'iteration', 'value'], cells.value.map((value, i) => ({value,
			function: iterations.names[cells.function[i]], iteration: cells.iteration[i]})));
		return;
	}
	if (which === 'source')
	{
		saveCsv(`run-${run}-source`, ['line', 'exclusive', 'caused', 'text'], source().table.rows);
		return;
	}
	const list = ({hot, lines, tree: topDown}[which] ?? bottomUp).rows;
	const columns = {lines: ['file', 'line', 'exclusive'], callers: ['name', 'exclusive']};
	saveCsv(`run-${run}-${which}`, columns[which] ?? ['name', 'inclusive', 'exclusive'], list);
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

function neighbours(name)
{
	const [up, down] = [callersOf(tree, name), calleesOf(tree, name)];
	callers.show(up);
	callees.show(down);
	return [h('h2', {}, 'callers'), callers.host, partners(up), h('h2', {}, 'callees'), callees.host, partners(down)];
}

// File and line of a function; undefined: not known.
const fileOf = one => one.nodes.map(node => [tree.rest.file?.[node], tree.rest.line?.[node]]).find(([file]) => file);

function sourceOf(one)
{
	const known = fileOf(one);
	return known === undefined ? null : h('p', {}, h('button', {type: 'button', class: 'plain link', onclick: () =>
		state.set({table: 'source', file: known[0], line: known[1] ?? null})}, `${known[0]}${known[1] ? `:${known[1]}`
		: ''}`));
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
	const gridPlace = h('div', {}, h('p', {class: 'soft'}, 'reading ranks …'));
	replaceChildren(details, h('h2', {title: one.name}, say(one.name)), sourceOf(one),
		h('p', {},
			`${cost(one.inclusive)}${inBrackets(share(one.inclusive))}, own ${cost(one.exclusive)}${
				inBrackets(share(one.exclusive))}, in ${one.nodes.length} call path${one.nodes.length === 1 ? '' : 's'}`),
		h('h2', {}, 'own cost by rank'), gridPlace, addsUp(facts) ? neighbours(one.name) : null,
		stored === null ? h('p', {}, link(`/run/${run}`, 'super graph')) : null);
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
	const most = ranks.value.reduce((best, value, i) => value > ranks.value[best] ? i : best, 0);
	replaceChildren(place, ranks.value.length === 0 ? h('p', {class: 'soft'}, 'no values of single ranks are kept')
		: [grid.host, h('p', {class: 'soft'}, `most: ${ranks.name[most]}, ${cost(ranks.value[most])}`),
			h('label', {}, 'laid out ', select('grid', layouts(), layoutShown(), one => state.set({grid: one
				=== layouts()[0][0] ? null : one})))]);
	grid.show(ranks.value, layoutShown() === 'host' ? mostOfHost() : layoutShown() === 'planes' ? coordinatesOfRanks()
		: 0);
	place.dataset.most = String(most);
}

function tellRank(i)
{
	const at = topology?.coordinates[topology.rank.indexOf(ranks.rank[i])];
	return `${ranks.name[i]}: ${cost(ranks.value[i])}${at === undefined ? '' : `\n${at.map((one, k) =>
		`${topology.dimensions[k]} ${one}`).join(', ')}`}`;
}

// The grid of the run comes first, where it has one and every rank one value.
const layouts = () => [...coordinatesOfRanks() === null ? [] : [['planes', `${topology.topology}: ${topology.sizes.join(' × ')}`]],
	['square', 'as a square'], ['host', 'a line a host']];

const layoutShown = () => layouts().some(([key]) => key === state.get('grid')) ? state.get('grid') : layouts()[0][0];

function coordinatesOfRanks()
{
	if (topology === null)
		return null;
	const known = new Map(topology.rank.map((rank, i) => [rank, topology.coordinates[i]]));
	const coordinates = ranks.rank.map(rank => known.get(rank));
	return coordinates.includes(undefined) || new Set(ranks.rank).size < ranks.rank.length ? null
		: {coordinates, sizes: topology.sizes, dimensions: topology.dimensions};
}

// So many ranks and threads has the fullest host.
function mostOfHost()
{
	const times = new Map();
	for (const host of ranks.host ?? [])
		times.set(host, (times.get(host) ?? 0) + 1);
	return Math.max(1, ...times.values());
}

// Chosen ranks as the address has them: "0-3,8-11".
function brushRanks(chosenOnes)
{
	const all = [...new Set(chosenOnes.map(i => ranks.rank[i]).filter(rank => rank !== null))].sort((a, b) => a - b);
	const ranges = [];
	for (const rank of all)
		if (ranges.length > 0 && ranges.at(-1)[1] === rank - 1)
			ranges.at(-1)[1] = rank;
		else
			ranges.push([rank, rank]);
	const text = ranges.map(([first, last]) => first === last ? String(first) : `${first}-${last}`).join(',');
	if (all.length > 0 && text.length <= LONGEST_RANKS)
		state.set({ranks: text});
}

// ---- the page
const warning = () => addsUp(facts) ? null : h('span', {class: 'soft', title: tellCombining(facts)}, 'does not add up');

function bar()
{
	const button = (text, onclick, title) => h('button', {type: 'button', onclick, title}, text);
	return h('div', {class: 'bar'}, h('h1', {title: facts.title}, `Profile ${run}: ${facts.title ?? ''}`),
		h('label', {}, 'metric', select('metric', metricChoices(facts, facts.metric), facts.metric,
			metric => state.set({metric}))),
		warning(),
		select('shape', SHAPES, shape(), one => state.set({shape: one, zoom: null})), search, found,
		state.get('ranks') === null ? null : button(`ranks ${ranksInWords()} ✕`, () => state.set({ranks: null}),
			'all ranks'), h('span', {class: 'grow'}), button('zoom', zoomToChosen, 'Z'), button('all', zoomOut, '0'),
		button('PNG', () => savePng(`run-${run}-${shape()}`, flame.canvas), 'save the flame'),
		button('SVG', () => saveSvg(`run-${run}-${shape()}`, flame.svg()), 'save the flame as shapes and texts'),
		stored === null ? link(`/run/${run}`, 'super graph') : null, facts.has_trace ? link(`/viewer/${run}`, 'trace')
			: null);
}

const MOST_WORDS = 24;
const ranksInWords = () => state.get('ranks').length > MOST_WORDS ? `${state.get('ranks').slice(0, MOST_WORDS)}…`
	: state.get('ranks');

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
	tree = await CallTree.inPieces(columns ?? {parent: [], name: [], inclusive: [], exclusive: []}, facts);
	trees = {};
	caused = null;
	functions = (await inPieces(tree.functions())).map(one => ({...one, part: one.exclusive}));
	const names = functions.map(({name}) => name);
	colors = new Map(colorsOf(names, kept).map((color, i) => [names[i], color]));
	topology ??= (await orTell(rows('topology', {run, version: facts.version}), 'the grid of ranks is missing', []))[0]
		?? null;
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
	if (any('table', 'function', 'file', 'line'))
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
	...(facts.metrics ?? []).map(({name: metric}) => ({text: metric, kind: 'metric', act: () => state.set({metric})})),
	{text: 'zoom to what is chosen', kind: 'action', keys: 'Z', act: zoomToChosen},
	{text: 'save the table as CSV', kind: 'action', act: saveTable},
	{text: 'save the flame as SVG', kind: 'action', act: () => saveSvg(`run-${run}-${shape()}`, flame.svg())}];

const reading = h('p', {class: 'soft waiting'}, 'reading the call tree …');
main.append(reading);
try
{
	await load();
	reading.remove();
	const explanation = new Explanation();
	main.append(bar(), h('details', {class: 'verdict', open: true}, h('summary', {}, 'what stands out'),
		explanation.host),
		h('div', {class: 'panes'}, flamePane, details, tablePane));
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
	reading.remove();
	main.append(problem(error));
}
