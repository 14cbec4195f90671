// viewer.js - the trace viewer: lanes of all locations, zoomed and moved without a seam, with what is under the
// pointer,
// what is chosen, search, windows of times and lanes, and marks. All of that is in the address.
// SPDX-License-Identifier: PostgreSQL

import {rows, sections} from './api.js';
import {showSql} from './copy_sql.js';
import {h, problem, replaceChildren, select} from './dom.js';
import {savePng, saveSvg} from './export.js';
import {count, percent} from './format.js';
import {installPalette} from './palette.js';
import {link, shell} from './shell.js';
import {pageUrl, stored} from './stored.js';
import {SvgContext} from './svg_canvas.js';
import {lettersScale} from './theme.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {app, kinds, nameOf, say, span, time} from './viewer_app.js';
import {COLORS, colorsOf} from './viewer_colors.js';
import {Store} from './viewer_data.js';
import {cellAt, LETTER, overlayAt, Scene} from './viewer_draw.js';
import {COMMANDS, listenToPointer} from './viewer_input.js';
import {KEYS} from './viewer_keys.js';
import {tellLegend} from './viewer_legend.js';
import {readAxis, refineSteps, tellStep, turnAxis} from './viewer_logical.js';
import {all, choose, find, toRank} from './viewer_moves.js';
import {shortNames} from './viewer_names.js';
import {tellCall, tellRegion} from './viewer_panel.js';
import {tellValue} from './viewer_overlays.js';
import {askSql, readOwn} from './viewer_own.js';
import {shownSql} from './viewer_sql.js';
import {DEPTH, GUTTER, View} from './viewer_view.js';
import {askWaited} from './viewer_waited.js';

const {run, state, canvas, side} = app;
const OPEN_DEPTH = 10; // levels of an open stack
const BESIDE_NAMES = 10;
const QUIET_MS = 250;
const MOST_LINES = 500; // messages: more hide what is below them
const MOST_MESSAGES = 4000; // that the server sends
const SHARP_MS = 60; // the window rests so long before what is sharp is asked for

const main = shell(`Viewer ${run}`);
const lanes = h('div', {class: 'lanes'}, canvas);
const search = app.search = h('input', {type: 'search', name: 'search', placeholder: 'search functions',
	'aria-label': 'search functions', onchange: () => state.set({q: search.value}), onkeydown: event => {
		if (event.key === 'Enter')
		{
			state.set({q: search.value}); // a window in the background gets no change event
			canvas.focus();
		}
	}});
const places = h('span', {class: 'soft', 'aria-live': 'polite'});
const crowd = h('span', {class: 'soft', 'aria-live': 'polite'}); // why messages are not drawn

// ---- frames
let scheduled = false;
let frames = 0;
let movedAt = 0;
let saving = null;

app.schedule = () => {
	if (scheduled || app.scene === null)
		return;
	scheduled = true;
	requestAnimationFrame(frame);
};

function frame()
{
	scheduled = false;
	const {scene, store} = app;
	const needs = scene.draw();
	if (performance.now() - movedAt < SHARP_MS)
		setTimeout(app.schedule, SHARP_MS);
	else
		store.want(needs);
	if (scene.limit.isShort)
		app.schedule();
	const mine = ++frames;
	if (needs.length > 0 || store.isBusy || scene.limit.isShort)
		canvas.dataset.ready = 'false';
	else if (canvas.dataset.ready !== 'true')
		setTimeout(() => mine === frames && allIsThere()); // no frame waits for the panel
	canvas.dataset.drawn = String(scene.isDrawn);
	canvas.dataset.axis = scene.morph === 0 ? 'clock' : scene.morph === 1 ? 'steps' : 'turning';
}

function allIsThere()
{
	if (isLegend())
		tellLegend();
	canvas.dataset.ready = 'true';
	askWaited();
}

app.moved = () => {
	movedAt = performance.now();
	canvas.dataset.ready = canvas.dataset.saved = 'false';
	clearTimeout(saving);
	saving = setTimeout(saveWindow, QUIET_MS);
	app.schedule();
};

function saveWindow()
{
	const {view} = app;
	const isAll = view.t0 <= 0 && view.t1 >= view.duration;
	const isWide = view.c0 <= 0 && view.c1 >= view.columns;
	state.set({from: isAll ? null : Math.round(view.t0), to: isAll ? null : Math.round(view.t1),
		lane: view.isWhole ? null : (view.lane / view.ratio).toPrecision(5),
		top: view.isWhole ? null : Math.round(view.top / view.ratio),
		columns: !view.isSteps || isWide ? null : `${view.c0.toFixed(1)}-${view.c1.toFixed(1)}`}, {quiet: true});
	askMessages();
	askHits();
	refineSteps();
	canvas.dataset.saved = 'true';
}

function readWindow()
{
	const {view} = app;
	const number = (name, otherwise) => Number.isFinite(Number(state.get(name) ?? NaN)) ? Number(state.get(name))
		: otherwise;
	view.t0 = number('from', 0);
	view.t1 = number('to', view.duration);
	view.open = new Map((state.get('open') ?? '').split(',').filter(text => text !== '').map(Number)
		.filter(at => at >= 0 && at < view.n).map(at => [at, OPEN_DEPTH * DEPTH * view.ratio]));
	view.fitLanes();
	if (state.get('lane') !== null)
	{
		view.lane = number('lane', 1) * view.ratio;
		view.top = number('top', 0) * view.ratio;
	}
	view.clamp();
}

// ---- what is under the pointer
function tellOverlay(lane, at)
{
	const found = overlayAt(app.scene, lane, at);
	if (found === null)
		return null;
	return `${nameOf(found.location)}: ${tellValue(app.scene, app.facts, found)}`;
}

function cellLines(cell, lane, at)
{
	const {view, names} = app;
	const last = Math.min(cell.first + cell.each, view.n) - 1;
	const who = cell.each === 1 ? nameOf(cell.first)
		: `${nameOf(cell.first)} to ${nameOf(last)} (${last - cell.first + 1})`;
	const over = tellOverlay(lane, at);
	return [over, `${say(names[cell.place])} ${percent(cell.share)}`,
		`${who} at ${time(Math.round(at))}, in ${span(2 ** cell.level)}`, kinds(cell.activity),
		cell.deviant === null || cell.each === 1 ? null : `most deviant: ${nameOf(cell.deviant)}: ${
			say(names[cell.deviantPlace]) || 'outside of calls'} (${kinds(cell.deviantActivity)})`];
}

app.tellPlace = (pointer, event) => {
	const {view, scene} = app;
	const lane = view.laneAt(pointer.y);
	const at = view.time(pointer.x);
	const isLogical = view.isSteps || scene.steps?.isPair;
	const cell = isLogical || lane < 0 || pointer.x < view.left ? null : cellAt(scene, lane, at);
	const text = isLogical ? tellStep(pointer) : cell === null ? null
		: cellLines(cell, lane, at).filter(line => line !== null).join('\n');
	if (text === null)
		hideTooltip();
	else
		showTooltip(text, event.clientX, event.clientY);
};

app.pick = (lane, x) => {
	const {view, scene} = app;
	const y = view.y(lane) + 1;
	const found = view.isSteps && !scene.steps?.isPair ? scene.steps?.at(scene, x, y) : null;
	if (found)
		choose(found.side.events.location[found.i], found.side.events.enter[found.i]);
	else if (!view.isSteps)
		choose(view.lanes[lane], Math.max(0, view.time(x)));
};

const isLegend = () => state.get('region') === null && state.get('sel') === null;

function tell()
{
	const {scene} = app;
	if (state.get('region') !== null)
		tellRegion();
	else if (state.get('sel') !== null)
		tellCall();
	else
	{
		scene.selection = scene.region = null;
		tellLegend();
		app.schedule();
	}
}

// ---- search
function readSearch()
{
	const {scene, names, short} = app;
	const text = (state.get('q') ?? '').toLowerCase();
	search.value = state.get('q') ?? '';
	const found = text === '' ? null : new Set(names.map((name, place) => [name, place]).filter(([name, place]) =>
		place > 0 && (name.toLowerCase().includes(text) || short[place].toLowerCase().includes(text)))
		.map(([, place]) => place));
	scene.found = found;
	scene.foundKey = text;
	replaceChildren(places, found === null ? '' : found.size === 1 ? short[[...found][0]] : `${found.size} functions`);
	scene.hits = null;
	askHits();
	app.schedule();
}

let asking = null;

// The calls of the one function that is searched for, of the window.
async function askHits()
{
	const {scene, names, view, facts} = app;
	const found = [...scene.found ?? []].map(place => names[place]);
	const name = found.length === 1 ? found[0] : found.find(one => one.toLowerCase() === scene.foundKey);
	asking?.abort();
	if (name === undefined)
		return;
	const {signal} = asking = new AbortController();
	try
	{
		const [hits = null] = await rows('hits', {run, name, from: `${Math.max(0, Math.round(view.t0))}ns`,
			to: `${Math.max(1, Math.round(view.t1))}ns`, version: facts.version}, signal);
		scene.hits = hits;
		replaceChildren(places, hits === null ? 'no calls in the window'
			: `${count(hits.enter.length)}${hits.enter.length === 10000 ? ' or more' : ''} calls in the window`);
		app.schedule();
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(places, error.message);
	}
}

// ---- messages of the window, where lanes are high enough to follow them
let messaging = null;

async function askMessages()
{
	const {view, scene, facts} = app;
	messaging?.abort();
	replaceChildren(crowd);
	if (state.get('messages') === 'no' || view.lane < 6 * view.ratio)
	{
		scene.messages = null;
		app.schedule();
		return;
	}
	const {signal} = messaging = new AbortController();
	try
	{
		const [first, last] = view.shownLanes;
		const shown = view.lanes.slice(first, last + 1);
		const [found = null] = await rows('messages', {run, from: `${Math.max(0, Math.round(view.t0))}ns`,
			to: `${Math.max(1, Math.round(view.t1))}ns`, first_location: Math.min(...shown),
			last_location: Math.max(...shown), version: facts.version}, signal);
		const n = found?.send_time.length ?? 0;
		scene.messages = n === 0 || n > MOST_LINES ? null : found;
		if (n > MOST_LINES)
			replaceChildren(crowd, `${count(n)}${n === MOST_MESSAGES ? ' or more' : ''} messages: zoom in to see them`);
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(crowd, `no messages: ${error.message}`);
	}
	app.schedule();
}

// ---- commands
function saveDrawing()
{
	const {scene, view} = app;
	const {context} = scene;
	scene.context = new SvgContext(view.width, view.height);
	try
	{
		scene.draw();
		saveSvg(`run-${run}-trace`, scene.context);
	}
	finally { scene.context = context; }
}

const colorChoices = () => [...COLORS.filter(([name]) => name !== 'lateness' || app.facts.has_lateness),
	...app.facts.counters.map(({name}) => [`counter:${name}`, `counter ${name}`]), ...app.facts.own];

// At logical steps functions are the same in all lanes; who is late is what that axis is for.
const colorShown = () => state.get('color',
	state.get('axis') === 'steps' && state.get('vs') === null && app.facts.has_lateness ? 'lateness' : 'function');

const chooseColor = name => name === 'sql' ? askSql() : state.set({color: name});

const colorEntries = () => colorChoices().map(([name, text]) => ({text: `colour by ${text}`, kind: 'colour',
	act: () => chooseColor(name)}));

const laneEntries = () => app.facts.counters.map(({name}) => ({text: `lane of ${name}`, kind: 'counter',
	act: () => toggleCounter(name)}));

function toggleCounter(name)
{
	const shown = state.list('counter');
	state.set({counter: shown.includes(name) ? shown.filter(one => one !== name) : [...shown, name]});
}

const MOST_COUNTERS = 6;

function readCounters()
{
	const {scene, view, facts} = app;
	scene.counters = state.list('counter').map(name => facts.counters.find(one => one.name === name))
		.filter(one => one !== undefined).slice(0, MOST_COUNTERS);
	view.strips = scene.counters.length;
	view.clamp();
}

function actions()
{
	const key = (text, keys, act) => ({text, kind: 'action', keys, act});
	const leads = (text, address) => pageUrl(address) === null ? null
		: key(text, '', () => location.assign(pageUrl(address)));
	return [key('show the whole trace', '0', all), key('zoom to what is chosen', 'F', COMMANDS.f),
		app.facts.has_lateness ? key('logical time or clock', 'L', turnAxis) : null,
		state.get('vs') === null ? null : key('this run alone', '', () => state.set({vs: null})),
		key('mark this time', 'M', COMMANDS.m), key('remove all marks', '', () => state.set({mark: []})),
		key('choose nothing', 'Esc', COMMANDS.Escape), key('next call of the searched function', 'N', COMMANDS.n),
		key('previous call of the searched function', 'P', COMMANDS.p),
		key('messages on or off', '', () => state.set({messages: state.get('messages') === 'no' ? null : 'no'})),
		key('save the picture as PNG', '', () => savePng(`run-${run}-trace`, canvas)),
		key('save the picture as SVG', '', saveDrawing),
		key('show this as SQL', '', () => showSql(shownSql())),
		key('copy the address of this view', '', () => navigator.clipboard?.writeText(location.href)),
		leads('the profile of this run', `/run/${run}`), leads('pictures in logical time', `/trace/${run}`)]
		.filter(one => one !== null);
}

const MOST_RANKS = 200000;

function paletteEntries(number)
{
	const {names, short, facts} = app;
	const rank = number !== null && number < MOST_RANKS && facts.locations.rank.includes(number)
		? [{text: `rank ${number}`, kind: 'go to', act: () => toRank(number)}] : [];
	const other = number !== null && facts.has_lateness ? [{text: `run ${number} below this one, on common steps`,
		kind: 'two runs', act: () => state.set({vs: number, axis: 'steps'})}] : [];
	return [...actions(), ...colorEntries(), ...laneEntries(), ...rank, ...other,
		...names.map((name, place) => ({text: short[place],
		kind: 'function',
		act: () => find(name)})).slice(1)];
}

// ---- the page
function readMarks()
{
	app.scene.marks = state.list('mark').map(text => /^(\d+):(.*)$/.exec(text)).filter(found => found !== null)
		.map(([, ns, text]) => ({time: Number(ns), text}));
}

function changed(changes)
{
	const any = (...wanted) => wanted.some(name => changes.has(name));
	const {scene} = app;
	if (any('from', 'to', 'lane', 'top', 'open'))
		readWindow();
	if (any('color', 'axis', 'vs'))
	{
		scene.color = colorShown();
		main.querySelector('select[name=color]').value = scene.color;
		if (scene.color === 'sql' && scene.sql === null)
			askSql();
		canvas.dataset.ready = 'false';
	}
	if (any('q'))
		readSearch();
	if (any('mark'))
		readMarks();
	if (any('counter'))
		readCounters();
	if (any('messages'))
		askMessages();
	if (any('axis', 'vs'))
		readAxis();
	if (any('sel', 'region', 'color', 'counter', 'mark'))
		tell();
	app.schedule();
}

// Streams of a device have long names that differ at their ends: where there is room, lanes begin behind them.
function gutterFor(width)
{
	const longest = app.facts.locations.rank.reduce((most, rank, location) =>
		Math.max(most, `▸ ${nameOf(location)}`.length), 0);
	return Math.max(GUTTER, Math.min(longest * LETTER + BESIDE_NAMES, width / 5));
}

function resized()
{
	canvas.width = Math.max(1, Math.round(lanes.clientWidth * devicePixelRatio));
	canvas.height = Math.max(1, Math.round(lanes.clientHeight * devicePixelRatio));
	const unit = devicePixelRatio * lettersScale();
	canvas.dataset.unit = String(unit);
	app.view.gutter = gutterFor(lanes.clientWidth / lettersScale());
	app.view.resize(canvas.width, canvas.height, unit);
	app.moved();
}

function bar({title, has_lateness: hasLateness})
{
	const button = (text, onclick, hint) => h('button', {type: 'button', onclick, title: hint}, text);
	return h('div', {class: 'bar'}, h('h1', {title}, `Trace ${run}: ${title ?? ''}`),
		h('label', {}, 'colour', select('color', colorChoices(), colorShown(), chooseColor)),
		h('label', {}, h('input', {type: 'checkbox', name: 'messages', checked: state.get('messages') !== 'no',
			onchange: event => state.set({messages: event.target.checked ? null : 'no'})}), 'messages'),
		crowd, search, places, h('span', {class: 'grow'}), hasLateness ? button('clock ⇄ steps', turnAxis,
			'logical time in place of the clock: L') : null, button('whole trace', all, '0'),
		button('SQL', () => showSql(shownSql()), 'what is shown, as SQL'),
		button('PNG', () => savePng(`run-${run}-trace`, canvas), 'save the picture'),
		button('SVG', saveDrawing, 'save the picture as shapes and texts'),
		button('keys', () => app.palette.help(), '?'), link(`/trace/${run}`, 'logical time'), link(`/run/${run}`, 'profile'));
}

// Part of the picture could not be had; the lanes show what is there.
function tellHole(error)
{
	lanes.querySelector('.hole')?.remove();
	const again = h('button', {type: 'button', onclick: () => {
		hole.remove();
		app.store.retry();
		app.schedule();
	}}, 'try again');
	const hole = h('div', {class: 'hole problem', role: 'alert'}, h('div', {}, `Part of the picture is missing: ${error.message}`),
		h('div', {class: 'tools'}, again));
	lanes.append(hole);
}

function begin(own, {rows: [found], counters = [], regions: [regions] = [null], locations: [locations] = [null],
	colors: [colors] = [null]})
{
	const byId = new Map((regions?.local_id ?? []).map((id, i) => [id, i + 1]));
	app.names = ['', ...regions?.name ?? []];
	app.short = shortNames(app.names);
	app.placeOf = new Map(app.names.map((name, place) => [name, place]));
	app.facts = {...found, locations, colors, counters: stored === null ? counters : [], own,
		hasRanks: locations.rank.some(one => one !== locations.rank[0]),
		threads: new Set(locations.thread.filter(thread => thread !== null)).size};
	app.view = new View(locations, found.duration);
	app.store = new Store(run, found.version, {placeOf: id => byId.get(id) ?? 0,
		placeOfName: name => app.placeOf.get(name) ?? 0}, {changed: app.schedule,
		problem: tellHole});
	Object.assign(app, {turnAxis, toggleCounter, tell});
	main.append(bar(found), h('div', {class: 'stage'}, lanes, side));
	app.scene = new Scene(canvas, app.view, app.store, {functionColors: colorsOf(app.names, colors), laneName: nameOf,
		placeOfName: app.placeOf, say});
	app.scene.color = colorShown();
	app.palette = installPalette({entries: paletteEntries, keys: KEYS.slice(0, -1)});
	resized();
	readWindow();
	readCounters();
	readMarks();
	readSearch();
	tell();
	if (app.scene.color === 'sql')
		askSql();
	if (state.get('axis') !== null || state.get('vs') !== null)
		readAxis();
	app.moved();
	movedAt = -SHARP_MS; // nobody is moving yet
}

function listen()
{
	new ResizeObserver(resized).observe(lanes);
	new MutationObserver(() => { app.scene.readTheme(); tell(); app.schedule(); }).observe(document.documentElement,
		{attributeFilter: ['data-theme']});
	listenToPointer();
	state.addEventListener('change', ({detail}) => changed(detail.names));
}

try
{
	const [found, own] = await Promise.all([sections('viewer', {run}), readOwn()]);
	document.title = `Viewer ${run} ${found.rows[0].title ?? ''} · perfhouse`;
	begin(own, found);
	listen();
}
catch (error)
{
	main.append(problem(error), h('p', {class: 'tools'}, link(`/profile/${run}`, 'the profile of this run')));
}
