// run.js - one run: its super graph, and panes that follow the chosen supernode.
// SPDX-License-Identifier: PostgreSQL

import {rows, viewRows, viewUrl} from './api.js';
import {brushBins} from './brush.js';
import {chip, slider} from './controls.js';
import {h, problem, replaceChildren, select} from './dom.js';
import {Explanation} from './explanation.js';
import {counted, moment, quantity, shortCommit} from './format.js';
import {metricChoices} from './metrics.js';
import {installPalette, PICTURE_KEYS} from './palette.js';
import {choicesOf, Options, viewsOf} from './options.js';
import {PagedTable} from './paged_table.js';
import {Picture} from './picture.js';
import {card, shell, tabs} from './shell.js';
import {PageState} from './state.js';
import {drillDown, saysNothing, splitCaller, splitEntry, stepJson, stepLabel, stepParams} from './steps.js';
import {table} from './table.js';
import {WholeRun} from './whole.js';

const run = Number(location.pathname.split('/')[2]);
const VIEW = 'sankey';
const LEVELS = choicesOf(VIEW, 'drill');
// What the pictures of a supernode have in common with the graph's.
const GRAPH = ['metric', 'group_by', 'filter', 'levels'];
const PANES = [...viewsOf('supernode'), ['entries', 'entry functions'], ['functions', 'functions'],
	['values', 'values']];

const state = new PageState();
let graph = null; // rows that the super graph is drawn from
let graphProblem = null; // why there are none
let facts = null;
let whole = null;

// ---- what the pictures are asked for
const AFRESH = {step: null, node: null, zoom: null};
const options = new Options(state, {without: ['ranks'], also: {group_by: AFRESH, filter: AFRESH, levels: AFRESH}});
const paneOptions = new Options(state, {prefix: 'pane_', shared: ['metric_y', 'palette'],
	without: ['ranks', ...GRAPH]});
const base = () => [['run', run], ...GRAPH.map(name => [name, state.get(name)]), ...stepParams(state.list('step'))];
const graphView = () => state.get('ranks') ? 'sankey-compare' : VIEW;
const graphParams = () => [['run', run], ...options.values(graphView()), ...stepParams(state.list('step')),
	['ranks', state.get('ranks')]];
const nodeParams = view => [...base().filter(([name]) => name !== 'levels'), ['levels', levelsDrawn()],
	['node', state.get('node')], ...paneOptions.values(view)];

// How many levels the graph was reduced to for its width; a supernode that is not in it is found among all.
function levelsDrawn()
{
	const node = state.get('node');
	const isDrawn = node === null || (graph?.supernodes ?? []).some(row => row.node === node);
	return isDrawn ? graph?.caption?.[0]?.levels ?? state.get('levels') : 0;
}


// ---- the super graph
const graphHost = h('div');
const graphPicture = new Picture(graphHost, {
	hit: '.bar',
	pick: bar => state.set({node: bar === null || bar.dataset.node === state.get('node') ? null : bar.dataset.node}),
	zoomed: text => state.set({zoom: text}, {quiet: true}),
	extra: callers,
	drawn: mark,
});

// The picture's own list of callers, which has no colours.
const CALLED_FROM = /\ncalled from(?:\n {2}.*)*/;

// Callers with the colour of the supernode that they are in.
function callers(element)
{
	const node = element.closest('.bar')?.dataset.node;
	const found = (graph?.callers ?? []).filter(row => row.node === node && row.caller !== null)
		.sort((a, b) => b.inclusive - a.inclusive).slice(0, 6);
	const color = name => [...graphHost.querySelectorAll('.bar')].find(bar =>
		bar.dataset.node === name)?.querySelector('rect')?.getAttribute('fill');
	if (found.length > 0)
		element.tip = element.tip.replace(CALLED_FROM, '');
	return found.map(row => h('div', {},
		swatch(color(row.caller_node)), ` ${row.caller} → ${row.function}`));
}

function swatch(color)
{
	const square = h('span', {class: 'square'});
	if (color)
		square.style.background = color;
	return square;
}

function mark()
{
	const node = state.get('node');
	const near = new Set();
	for (const band of graphHost.querySelectorAll('.band'))
	{
		const {source, target} = band.dataset;
		const touches = source === node || target === node;
		band.classList.toggle('dimmed', node !== null && !touches);
		if (touches)
			near.add(source).add(target);
	}
	graphPicture.choose(node === null ? null : bar => bar.dataset.node === node, bar => near.has(bar.dataset.node));
	dim();
}

// The sliders of the runtime range: what is outside fades.
function dim()
{
	const least = Number(state.get('least', '0')) / 100;
	const most = state.get('most') === null ? Infinity : Number(state.get('most')) / 100;
	const sum = Math.max(...(graph?.supernodes ?? []).map(row => row.inclusive), 0);
	for (const bar of graphHost.querySelectorAll('.bar'))
	{
		const value = Number(bar.dataset.value);
		bar.classList.toggle('dimmed', value < least * sum || value > most * sum);
	}
}

async function drawGraph()
{
	options.show(graphView());
	const drawn = graphPicture.show(graphView(), graphParams(), {zoom: state.get('zoom', '')});
	graphProblem = null;
	graph = await viewRows(VIEW, [...base(), ['width', graphPicture.width]]).catch(error => {
		graphProblem = error;
		return null;
	});
	if (await drawn)
		mark();
	if (saysNothing((graph?.supernodes ?? []).map(({label}) => label)) && state.get('group_by') === null)
		state.set({group_by: 'function'}, {quiet: true});
	else
		drawPane();
}

// ---- what can be done to the chosen supernode
const steps = h('span', {class: 'tools'});
const actions = h('span', {class: 'tools'});

const addStep = step => state.set({step: [...state.list('step'), step], node: null, zoom: null});

function drawSteps()
{
	const list = state.list('step');
	const chips = list.map((step, i) => chip(stepLabel(step), () => state.set({step: list.slice(0, i)})));
	const ranks = state.get('ranks');
	replaceChildren(steps, chips, ranks ? chip(`ranks ${ranks} against the others`, () => state.set({ranks: null}),
		'all ranks') : []);
}

function drawActions()
{
	const node = state.get('node');
	const button = (key, text, act) => h('button', {type: 'button', title: `key: ${key}`, disabled: node === null,
		'aria-keyshortcuts': key, onclick: act}, text);
	replaceChildren(actions,
		button('s', 'split by entry', () => addStep(splitEntry(node))),
		button('c', 'split by caller', () => addStep(splitCaller(node))),
		select('level', [['', 'drill down to …'], ...LEVELS], '', level => level && node !== null
			&& addStep(drillDown(node, level))));
	actions.querySelector('select').disabled = node === null;
}

addEventListener('keydown', event => {
	const node = state.get('node');
	if (event.target.matches('input, select, textarea') || event.ctrlKey || event.metaKey || event.altKey)
		return;
	const acts = {
		s: () => addStep(splitEntry(node)), c: () => addStep(splitCaller(node)),
		d: () => addStep(drillDown(node, 'function')),
		Escape: () => state.set({node: null}),
	};
	if (node !== null && acts[event.key])
		acts[event.key]();
	else if (event.key === 'u' && state.list('step').length > 0)
		state.set({step: state.list('step').slice(0, -1)});
});

// ---- panes that follow the supernode
const pane = h('div');
const paneTitle = h('h2');
const paneShown = () => PANES.some(([key]) => key === state.get('pane')) ? state.get('pane') : PANES[0][0];
const paneTabs = tabs('panes', PANES, paneShown(), key => state.set({pane: key}));
const panePicture = new Picture(h('div'), {hit: '[data-rank]', zoomed: () => {}});

const unit = () => graph?.metric?.[0]?.unit ?? '';

async function paneImage(view, drawn = () => {})
{
	panePicture.options.drawn = drawn;
	paneOptions.show(view);
	replaceChildren(pane, paneOptions.element, panePicture.host);
	await panePicture.show(view, nodeParams(view));
}

function drawEntries(node)
{
	const entries = (graph?.entries ?? []).filter(row => row.node === node);
	const marked = new Set();
	const split = h('button', {type: 'button', class: 'primary', disabled: true,
		onclick: () => addStep(splitEntry(node, [...marked]))}, 'split off the chosen');
	const box = row => h('input', {type: 'checkbox', 'aria-label': `choose ${row.function}`, onchange: event => {
		marked[event.target.checked ? 'add' : 'delete'](row.function);
		split.disabled = marked.size === 0;
	}});
	replaceChildren(pane, h('div', {class: 'tools'}, split), table([
		{key: 'choose', label: '', show: box},
		{key: 'function', label: 'function', text: true},
		{key: 'instances', label: 'instances', number: true},
		{key: 'inclusive', label: 'inclusive', number: true, show: row => quantity(row.inclusive, unit())},
	], entries, {sort: '-inclusive', empty: 'no entry functions', sql: viewUrl(VIEW, base(), 'sql')}));
}

async function drawFunctions(node)
{
	const asked = {run, metric: state.get('metric'), group_by: state.get('group_by'),
		filter: state.get('filter'), levels: levelsDrawn(),
		steps: stepJson(state.list('step')), node: node ?? ''};
	replaceChildren(pane, functionList.element);
	await functionList.show(asked);
}

const functionList = new PagedTable('members', [
	{key: 'name', label: 'function', text: true, show: row => functionLink(row.name)},
	{key: 'instances', label: 'nodes', number: true},
	{key: 'exclusive', label: 'exclusive', number: true, show: row => quantity(row.exclusive, unit())},
	{key: 'file', label: 'file', text: true},
], {state, prefix: 'functions', sorts: ['name', 'instances', 'exclusive'], noun: 'functions'});

function functionLink(name)
{
	const next = {whole: 'function-neighbourhood', function: name, path: null, zoom2: null};
	return h('a', {href: `?${state.with(next)}`, onclick: event => {
		event.preventDefault();
		state.set(next);
		whole.element.scrollIntoView({block: 'start'});
	}}, name);
}

async function drawValues()
{
	const found = (await viewRows('histogram', nodeParams('histogram'))).values[0];
	const list = found.inclusive.map((inclusive, i) => ({
		rank: found.rank[i], thread: found.thread[i], host: found.host[i], name: found.name[i], inclusive,
		exclusive: found.exclusive[i],
	}));
	replaceChildren(pane, table([
		{key: 'rank', label: 'rank', number: true, show: row => row.rank ?? row.name ?? ''},
		{key: 'host', label: 'host'},
		{key: 'inclusive', label: 'inclusive', number: true, show: row => quantity(row.inclusive, unit())},
		{key: 'exclusive', label: 'exclusive', number: true, show: row => quantity(row.exclusive, unit())},
	], list, {sort: '-inclusive', sql: viewUrl('histogram', nodeParams('histogram'), 'sql')}));
}

// What is drawn after a view, and the panes that are no views.
const DRAWN = {histogram: svg => brushBins(svg, ranks => state.set({ranks}))};
const PANE_DRAWERS = {entries: drawEntries, functions: drawFunctions, values: drawValues};

async function drawPane()
{
	const kind = paneShown();
	const node = state.get('node') ?? heaviest();
	paneTabs.mark(kind);
	paneTitle.textContent = node ?? 'no supernode';
	drawActions();
	if (graphProblem !== null)
	{
		replaceChildren(pane, problem(graphProblem));
		return;
	}
	try { await (PANE_DRAWERS[kind] ?? (() => paneImage(kind, DRAWN[kind])))(node); }
	catch (error) { replaceChildren(pane, problem(error)); }
}

function heaviest()
{
	const list = [...graph?.supernodes ?? []].sort((a, b) => b.exclusive - a.exclusive);
	return list[0]?.node ?? null;
}

// ---- the page
function graphTools()
{
	return [options.element,
		slider(state, 'fade below', 'least', {fallback: '0', min: 0, max: 100, step: 0.5,
			title: 'fade supernodes with a smaller share of the whole'}),
		slider(state, 'above', 'most', {fallback: '100', min: 0, max: 100, step: 0.5,
			title: 'fade supernodes with a larger share of the whole'}),
		h('a', {class: 'download', href: '#',
			onclick: event => { event.currentTarget.href = viewUrl(graphView(), graphParams(), 'png'); },
			download: `run-${run}.png`}, 'PNG')];
}

function titleRow()
{
	const words = [facts.application, facts.commit_id ? `commit ${shortCommit(facts.commit_id)}` : null,
		facts.n_ranks ? counted(facts.n_ranks, 'rank') : null, facts.cluster, moment(facts.started_at)].filter(Boolean);
	return h('div', {class: 'title-row'},
		h('h1', {}, `Run ${run}: ${facts.title ?? ''}`),
		h('span', {class: 'soft'}, words.join(' · ')),
		h('span', {class: 'soft', title: facts.experiment ?? ''}, facts.application
			? `${facts.n_comparable} comparable ${facts.n_comparable === 1 ? 'run' : 'runs'}`
			: 'of unknown application: comparable with no other run'),
		facts.has_trace ? [h('a', {href: `/viewer/${run}`}, 'viewer →'), h('a', {href: `/trace/${run}`}, 'trace →')]
			: facts.events_dropped_at ? h('span', {class: 'soft'}, `events of its trace dropped ${moment(facts.events_dropped_at)}`)
				: null,
		h('a', {href: `/profile/${run}`}, 'profile workspace →'), h('a', {href: `/compare?a=${run}`},
			'compare with …'));
}

async function start()
{
	const main = shell(`Run ${run}`);
	try
	{
		[facts] = await rows('run', {run});
	}
	catch (error)
	{
		main.append(problem(error));
		return;
	}
	shell(`Run ${run} ${facts.title ?? ''}`);
	options.settings.metrics = paneOptions.settings.metrics = metricChoices(facts);
	installPalette({keys: [['click', 'choose a supernode'], ['S', 'split it by entry functions'], ['C',
		'split it by callers'],
		['D', 'drill down'], ['U', 'take the last step back'], ['drag over a histogram',
			'compare these ranks with the others'],
		...PICTURE_KEYS]});
	whole = new WholeRun(run, state, facts);
	const paneCard = h('section', {class: 'card', 'aria-label': 'the chosen supernode'},
		h('header', {}, paneTitle, h('span', {class: 'grow'}), actions), h('div', {class: 'body'}, paneTabs.list,
			pane));
	const explanation = new Explanation();
	main.append(titleRow(), explanation.element,
		h('div', {class: 'split'},
			card('Super graph', {tools: [steps], body: [h('div', {class: 'tools'}, graphTools()), graphHost]}),
			paneCard),
		whole.element);
	state.addEventListener('change', ({detail: {names}}) => changed(names));
	drawSteps();
	drawGraph();
	whole.draw();
	explanation.show('explain', {run});
}

function changed(names)
{
	const any = (...wanted) => wanted.some(name => names.has(name));
	drawSteps();
	if (any('step', 'ranks') || options.concern(graphView(), names))
		drawGraph();
	else if (any('node'))
	{
		mark();
		drawPane();
	}
	else if (any('pane') || functionList.concerned(names) || paneOptions.concern(paneShown(), names))
		drawPane();
	if (any('least', 'most'))
		dim();
	if (any('zoom') && !any('step'))
		graphPicture.zoom?.restore(state.get('zoom', ''));
	if (whole.concerned(names))
		whole.draw();
}

start();
