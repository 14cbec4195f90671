// trace.js - one trace: overview, logical time, clusters and physical time, linked by steps, phase and rank.
//
// The overview's brush sets the steps; the logical picture shows them, the timeline the time they took, the
// clusters their phase. A click on an event marks its process and step everywhere.
// SPDX-License-Identifier: PostgreSQL

import {rows, sections} from './api.js';
import {brushSteps} from './brush.js';
import {chip} from './controls.js';
import {h, orTell, problem, replaceChildren} from './dom.js';
import {Explanation} from './explanation.js';
import {count, moment, quantity} from './format.js';
import {Options, viewsOf} from './options.js';
import {installPalette, PICTURE_KEYS} from './palette.js';
import {PagedTable} from './paged_table.js';
import {Picture} from './picture.js';
import {card, shell, tabs} from './shell.js';
import {parseRanks} from './ranks.js';
import {PageState} from './state.js';

const run = Number(location.pathname.split('/')[2]);
const MORE = viewsOf('trace-more');
const GPU = viewsOf('trace-gpu');
const OF_MESSAGES = ['comm-matrix', 'message-sizes'];
const SHARED = ['ranks', 'from', 'to', 'palette'];

const state = new PageState();
const NO_BRANCH = {cluster: null, unfold: null, fold: null}; // of the tree of clusters
const BRANCH = Object.keys(NO_BRANCH);
const controls = settings => new Options(state, {elsewhere: SHARED, ...settings,
	shared: [...SHARED, ...settings.shared ?? []]});
const common = controls({only: SHARED, elsewhere: [], also: {from: {steps: null}, to: {steps: null}}});
const overviewOptions = controls({prefix: 'overview_', shared: ['summary']});
const logicalOptions = controls({prefix: 'logical_', shared: ['color', 'range', 'aggregates'],
	also: {color: NO_BRANCH}});
const timelineOptions = controls({prefix: 'time_', without: ['from', 'to']}); // the window follows the steps
const clustersOptions = controls({prefix: 'clusters_', shared: ['color', 'clusters', 'focus', 'radius'],
	elsewhere: [...SHARED, 'color']});
const moreOptions = controls({prefix: 'more_'});
const gpuOptions = controls({prefix: 'gpu_'});
let total = null; // of the phases; null: not known
let facts = null;

const picture = (options = {}) => new Picture(h('div'), {hit: '[data-rank], [data-step], [data-phase]', pick: choose,
	zoomed: () => {}, drawn: mark, ...options});
const overview = picture({drawn: svg => { brushSteps(svg, setSteps); mark(); }});
const logical = picture({drawn: svg => { brushSteps(svg, setSteps, event => event.shiftKey); mark(); }});
const timeline = picture();
const clusters = picture({hit: '[data-rank], [data-step], [data-cluster]', pick: chooseInClusters,
	drawn: () => { fillBranch(); mark(); }});
const more = picture();
const gpu = picture();
const MARKED = [logical, timeline, clusters];

const branch = h('span', {class: 'tools'});
const trail = h('span', {class: 'tools'});

// ---- what is chosen
function setSteps(first, last)
{
	state.set({steps: `${first}-${last}`, from: null, to: null});
}

function choose(element)
{
	const {rank, step, phase} = element?.dataset ?? {};
	if (element === null)
		state.set({rank: null, step: null});
	else if (step === undefined && rank === undefined && phase !== undefined)
		findPhase(Number(phase));
	else
		state.set({rank: rank ?? null, step: step ?? null, phase: phase ?? state.get('phase')});
}

async function findPhase(phase)
{
	choosePhase((await orTell(rows('phases', {run, phase}), 'the steps of the phase are missing', []))[0]);
}

function choosePhase(phase)
{
	if (phase)
		state.set({phase: phase.phase, steps: `${phase.first_step}-${phase.last_step}`, from: null, to: null,
			...NO_BRANCH});
}

// ---- clusters: one is chosen, branches of their tree are unfolded and folded
const numbers = name => state.get(name, '').split(',').filter(text => text !== '');

const branchOf = cluster =>
	clusters.svg?.querySelector(`.cluster[data-cluster="${cluster}"], .join[data-cluster="${cluster}"]`) ?? null;

function chooseInClusters(element, event)
{
	const cluster = element?.dataset.cluster;
	if (cluster === undefined)
		choose(element);
	else if (event?.shiftKey)
		turn(cluster);
	else
		state.set({cluster: cluster === state.get('cluster') ? null : cluster, rank: null, step: null});
}

const canUnfold = element => element?.dataset.folded === 'true';
const canFold = element => element?.classList.contains('join') ?? false;

// Unfolds a cluster that is a row, folds one that is not.
function turn(cluster)
{
	const element = branchOf(cluster);
	const [from, to] = canUnfold(element) ? ['fold', 'unfold'] : ['unfold', 'fold'];
	if (canUnfold(element) || canFold(element))
		state.set({[from]: numbers(from).filter(one => one !== cluster).join(','),
			[to]: [...numbers(to), cluster].join(',')});
}

function fillBranch()
{
	const cluster = state.get('cluster');
	const element = cluster === null ? null : branchOf(cluster);
	replaceChildren(branch, [
		cluster === null ? null : chip(`cluster ${cluster}`, () => state.set({cluster: null})),
		canUnfold(element) || canFold(element)
			? h('button', {type: 'button', onclick: () => turn(cluster)}, canUnfold(element) ? 'unfold' : 'fold')
			: null,
		state.get('unfold') === null && state.get('fold') === null ? null
			: h('button', {type: 'button', onclick: () => state.set({unfold: null, fold: null})}, 'the tree as it was'),
	]);
}

// The clusters below one that are rows, and it if it is one.
function rowsBelow(cluster)
{
	const element = branchOf(cluster);
	if (element === null || !canFold(element))
		return element === null ? [] : [element];
	return [...clusters.svg.querySelectorAll(`[data-parent="${cluster}"]`)].flatMap(child =>
		rowsBelow(child.dataset.cluster));
}

// Members of the chosen cluster stand out in all views.
function markCluster(cluster)
{
	const below = rowsBelow(cluster);
	const inside = new Set(below.map(({dataset}) => dataset.cluster));
	const ranks = new Set(below.flatMap(({dataset}) => [...parseRanks(dataset.members)]).map(String));
	for (const shown of [logical, timeline])
		shown.choose(ranks.size === 0 ? null : ({dataset}) => ranks.has(dataset.rank),
			({dataset}) => dataset.phase !== undefined && dataset.rank === undefined);
	clusters.choose(({dataset}) => dataset.cluster === undefined ? ranks.has(dataset.rank) : dataset.cluster === cluster
		|| inside.has(dataset.cluster));
}

function mark()
{
	const rank = state.get('rank');
	const step = state.get('step');
	const same = (value, wanted) => wanted === null || value === wanted;
	for (const shown of MARKED)
		shown.choose(rank === null && step === null ? null
			: ({dataset}) => same(dataset.rank, rank) && (dataset.step === undefined || same(dataset.step, step)),
		({dataset}) => dataset.step !== undefined && dataset.step === step);
	overview.choose(step === null ? null : ({dataset}) => dataset.step === step);
	if (rank === null && step === null && state.get('cluster') !== null)
		markCluster(state.get('cluster'));
	if (rank === null && step === null && state.get('steps') !== null)
		markWindow();
}

// The steps that the other pictures show.
function markWindow()
{
	const [first, last = first] = state.get('steps').split('-').map(Number);
	overview.choose(({dataset}) => dataset.step !== undefined && Number(dataset.step) >= first
		&& Number(dataset.step) <= last,
		({dataset}) => dataset.phase !== undefined);
}

// ---- drawing
async function timeWindow()
{
	const [first, last = first] = state.get('steps', '').split('-').map(Number);
	if (state.get('steps') === null || !facts.logical)
		return {from: state.get('from'), to: state.get('to')};
	const [span] = await rows('span', {run, first, last});
	return span?.t_from === null || span === undefined ? {} : {from: `${span.t_from}ns`, to: `${span.t_to}ns`};
}

async function drawTimeline()
{
	try
	{
		await timeline.show('timeline', [['run', run], ...Object.entries(await timeWindow()),
			...timelineOptions.values('timeline')]);
	}
	catch (error)
	{
		timeline.clear(problem(error));
	}
}

function drawClusters()
{
	const phase = state.get('phase') ?? total?.worst ?? null;
	if (phase !== null)
		clusters.show('logical-clusters', [['run', run], ['phase', phase],
			...BRANCH.map(name => [name, state.get(name)]), ...clustersOptions.values('logical-clusters')]);
}

// Where only devices were recorded nobody sent messages: the first view that does not ask for them.
const hasMessages = () => !facts?.has_devices || facts.has_messages;
const moreShown = () => state.get('more', MORE.find(([name]) => hasMessages() || !OF_MESSAGES.includes(name))?.[0]);

function drawMore()
{
	moreTabs.mark(moreShown());
	moreOptions.show(moreShown());
	more.show(moreShown(), [['run', run], ...moreOptions.values(moreShown())]);
}

const gpuShown = () => state.get('gpu', GPU[0]?.[0]);

function drawGpu()
{
	gpuTabs.mark(gpuShown());
	gpuOptions.show(gpuShown());
	gpu.show(gpuShown(), [['run', run], ...gpuOptions.values(gpuShown())]);
}

function draw(names = null)
{
	const any = (...wanted) => names === null || wanted.some(name => names.has(name));
	const asks = (options, view) => names === null || options.concern(view, names);
	if (facts.logical && asks(overviewOptions, 'step-overview'))
		overview.show('step-overview', [['run', run], ...overviewOptions.values('step-overview')]);
	if (facts.logical && (any('steps') || asks(logicalOptions, 'logical')))
		logical.show('logical', [['run', run], ['steps', state.get('steps')], ...logicalOptions.values('logical')]);
	if (any('steps', 'from', 'to') || asks(timelineOptions, 'timeline'))
		drawTimeline();
	if (facts.logical && (any('phase', ...BRANCH) || asks(clustersOptions, 'logical-clusters')))
		drawClusters();
	if (any('more') || asks(moreOptions, moreShown()))
		drawMore();
	if (facts.has_devices && (any('gpu') || asks(gpuOptions, gpuShown())))
		drawGpu();
	if (facts.logical && (any('phase', 'steps') || phaseList.concerned(names)))
		phaseList.show({run});
	drawTrail();
	mark();
}

function drawTrail()
{
	const taken = (text, change) => chip(text, () => state.set(change));
	replaceChildren(trail, [
		state.get('steps') !== null ? taken(`steps ${state.get('steps')}`, {steps: null}) : null,
		state.get('ranks') !== null ? taken(`ranks ${state.get('ranks')}`, {ranks: null}) : null,
		state.get('rank') !== null
		? taken(`rank ${state.get('rank')}${state.get('step') === null ? '' : `, step ${state.get('step')}`}`,
			{rank: null, step: null}) : null,
	]);
}

const phaseList = new PagedTable('phases', [
	{key: 'phase', label: 'phase', number: true,
		show: row => h('button', {type: 'button', onclick: () => choosePhase(row)}, row.phase)},
	{key: 'first_step', label: 'steps', show: row => `${row.first_step}–${row.last_step}`},
	{key: 'n_events', label: 'events', number: true, show: row => count(row.n_events)},
	{key: 'n_locations', label: 'processes', number: true},
	{key: 'pattern', label: 'exchange'},
	{key: 'max_lateness', label: 'worst lateness', number: true, show: row => quantity(row.max_lateness, 'ns')},
	{key: 'merge_reason', label: 'one phase by'},
], {state, prefix: 'phases', sorts: ['phase', 'n_events', 'n_locations', 'max_lateness'], noun: 'phases',
	row: row => ({'aria-selected': String(row.phase) === state.get('phase')}), empty: 'no phases'});

const gpuTabs = tabs('devices', GPU, gpuShown(), key => state.set({gpu: key}));
const moreTabs = tabs('more about the trace', MORE, moreShown(), key => state.set({more: key}));

// ---- the page
const isDropped = () => !facts.has_trace && (facts.events_dropped_at ?? null) !== null;

const main = shell(`Trace ${run}`);
try
{
	[facts] = await rows('run', {run});
	if (facts.has_trace)
		[total] = (await orTell(sections('phases', {run, limit: 1}), 'logical time is missing', {total: [null]})).total;
	facts.logical = total !== null && total.rows > 0;
}
catch (error)
{
	main.append(problem(error));
}
if (facts !== null)
{
	document.title = `Trace ${run} ${facts.title ?? ''} · perfhouse`;
	const explanation = new Explanation();
	main.append(h('div', {class: 'title-row'}, h('h1', {}, `Trace ${run}: ${facts.title ?? ''}`),
		h('span', {class: 'soft'}, facts.has_trace ? `${count(facts.n_events)} events` : isDropped()
			? `its ${count(facts.n_events)} events were dropped, ${moment(facts.events_dropped_at)}`
			: 'this run has no trace'),
			facts.has_trace ? h('a', {href: `/viewer/${run}`}, 'viewer →') : null, h('a', {href: `/run/${run}`},
				'profile →')),
		explanation.element);
	explanation.show('explain', {run});
}
if (facts !== null && !facts.has_trace)
	main.append(h('section', {class: 'card'},
		h('div', {class: 'empty'}, isDropped()
			? ['What was found in them is kept: profile, waits, efficiencies, phases. Loading the run again brings the '
				+ 'events back: ', h('code', {}, 'perfhouse load --if-exists replace FOLDER')]
			: ['Traces come from OTF2 archives and logs of Projections: ', h('code', {}, 'perfhouse load FOLDER')])));
if (facts?.has_trace)
{
	installPalette({keys: [['drag over the overview', 'choose steps'], ['Shift and drag',
		'choose steps in logical time'],
		['Shift and click', 'unfold or fold a cluster'], ...PICTURE_KEYS]});
	common.show('timeline');
	overviewOptions.show('step-overview');
	logicalOptions.show('logical');
	timelineOptions.show('timeline');
	clustersOptions.show('logical-clusters');
	main.append(h('section', {class: 'card'}, h('header', {}, common.element, trail)));
	if (facts.logical)
		main.append(
			card('Overview: drag over steps to look closer', {body: [overviewOptions.element, overview.host]}),
			card('Logical time', {tools: h('span', {class: 'soft'}, 'Shift and drag chooses steps'),
				body: [logicalOptions.element, logical.host]}));
	main.append(card('Physical time', {body: [timelineOptions.element, timeline.host]}));
	if (total?.rows === 0 && (!facts.has_devices || facts.communicates))
		main.append(h('section', {class: 'card', 'aria-label': 'no logical time'}, h('div', {class: 'empty'},
			'No logical time is stored of this trace: ', h('code', {}, `SELECT assign_logical_steps(${run})`), ' finds it.')));
	if (facts.has_devices)
		main.append(h('section', {class: 'card', 'aria-label': 'devices'},
			h('header', {}, h('h2', {}, 'GPU'), gpuTabs.list),
				h('div', {class: 'body'}, gpuOptions.element, gpu.host)));
	if (facts.logical)
		main.append(card('Processes that behave alike in the phase', {tools: [branch,
			h('span', {class: 'soft'}, 'choose a cluster or a join; Shift unfolds and folds')],
		body: [clustersOptions.element, clusters.host]}), card('Phases', {body: phaseList.element}));
	main.append(h('section', {class: 'card', 'aria-label': 'more about the trace'}, h('header', {}, moreTabs.list),
		h('div', {class: 'body'}, moreOptions.element, more.host)));
	state.addEventListener('change', ({detail: {names}}) => draw(names));
	draw();
}
