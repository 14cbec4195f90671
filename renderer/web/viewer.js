// viewer.js - the trace viewer: lanes of all locations, zoomed and moved without a seam, with what is under the
// pointer,
// what is chosen, search, regions of time and lanes, and marks. All of that is in the address.
// SPDX-License-Identifier: PostgreSQL

import {rows, sections} from './api.js';
import {h, problem, replaceChildren, select} from './dom.js';
import {count, percent, quantity} from './format.js';
import {shell} from './shell.js';
import {PageState} from './state.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {ACTIVITIES, activityColors, colorsOf, css} from './viewer_colors.js';
import {Store} from './viewer_data.js';
import {cellAt, Scene} from './viewer_draw.js';
import {DEPTH, MAP, View} from './viewer_view.js';

const run = Number(location.pathname.split('/')[2]);
const COLORS = [['function', 'function'], ['activity', 'kind of time'], ['waiting', 'waiting'],
	['communication', 'communication'], ['device', 'devices']];
const OPEN_DEPTH = 10; // levels of an open stack
const QUIET_MS = 250;
const MOST_LINES = 500; // messages: more hide what is below them
const SHARP_MS = 60; // the window rests so long before what is sharp is asked for
const KEYS = [['W, S or wheel', 'zoom in, out'], ['A, D or drag', 'earlier, later'], ['Ctrl and wheel',
	'taller, flatter lanes'],
	['Shift and wheel, ↑ ↓', 'other lanes'], ['click', 'the call there'], ['Shift and drag',
		'choose times and lanes: measured, with its profile'],
	['label', 'call stacks of a lane'], ['F', 'zoom to what is chosen'], ['0', 'all of it'], ['/',
		'search functions'],
	['N, P', 'next, previous call of the searched function'], ['M', 'mark the time under the pointer'], ['Esc',
		'choose nothing'], ['?', 'these keys']];

const state = new PageState();
const main = shell(`Viewer ${run}`);
let view = null;
let scene = null;
let store = null;
let facts = null;
let names = [];
let scheduled = false;
let movedAt = 0;
let pointer = null; // on the canvas, in pixels of the device

const canvas = h('canvas', {tabindex: 0, role: 'application',
	'aria-label': 'timeline: W, A, S, D zoom and move; question mark lists all keys'});
const lanes = h('div', {class: 'lanes'}, canvas);
const side = h('aside', {class: 'side', 'aria-label': 'what is chosen', 'aria-live': 'polite'});
const search = h('input', {type: 'search', name: 'search', placeholder: 'search functions',
	'aria-label': 'search functions',
	onchange: () => state.set({q: search.value}), onkeydown: event => {
		if (event.key === 'Enter')
			canvas.focus();
		event.stopPropagation();
	}});
const places = h('span', {class: 'soft', 'aria-live': 'polite'});

// ---- frames
function schedule()
{
	if (scheduled || scene === null)
		return;
	scheduled = true;
	requestAnimationFrame(frame);
}

function frame()
{
	scheduled = false;
	const needs = scene.draw();
	if (performance.now() - movedAt < SHARP_MS)
		setTimeout(schedule, SHARP_MS);
	else
		store.want(needs);
	canvas.dataset.ready = String(needs.length === 0 && !store.isBusy);
}

let saving = null;

// The window went elsewhere.
function moved()
{
	movedAt = performance.now();
	canvas.dataset.ready = 'false';
	clearTimeout(saving);
	saving = setTimeout(saveWindow, QUIET_MS);
	schedule();
}

function saveWindow()
{
	const isAll = view.t0 <= 0 && view.t1 >= view.duration;
	state.set({from: isAll ? null : Math.round(view.t0), to: isAll ? null : Math.round(view.t1),
		lane: view.isWhole ? null : (view.lane / view.ratio).toPrecision(5),
		top: view.isWhole ? null : Math.round(view.top / view.ratio)}, {quiet: true});
	askMessages();
	askHits();
}

function readWindow()
{
	const number = (name, otherwise) => Number(state.get(name) ?? otherwise);
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

// ---- words
const nameOf = location => {
	const {rank, thread, name} = facts.locations;
	return thread[location] === null ? name[location] ?? `location ${location}`
		: facts.threads > 1 ? `rank ${rank[location]} · ${thread[location]}` : `rank ${rank[location]}`;
};

const time = ns => quantity(ns, 'ns') === '' ? '' : ns >= 1e9 ? `${(ns / 1e9).toFixed(6)} s` : ns >= 1e6
	? `${(ns / 1e6).toFixed(4)} ms`
: ns >= 1e3 ? `${(ns / 1e3).toFixed(3)} µs` : `${ns} ns`;

function kinds([communication, waiting, device, outside])
{
	const compute = 1 - communication - waiting - device - outside;
	return [['computing', compute], ['communicating', communication], ['waiting', waiting], ['on devices', device],
		['outside of calls', outside]].filter(([, share]) => share > 0.03).map(([name, share]) =>
			`${percent(share)} ${name}`)
		.join(', ');
}

function tellCell(event)
{
	const lane = pointer === null ? -1 : view.laneAt(pointer.y);
	const cell = lane < 0 || pointer.x < view.left ? null : cellAt(scene, lane, view.time(pointer.x));
	if (cell === null)
	{
		hideTooltip();
		return;
	}
	const last = Math.min(cell.first + cell.each, view.n) - 1;
	const who = cell.each === 1 ? nameOf(cell.first)
		: `${nameOf(cell.first)} to ${nameOf(last)} (${last - cell.first + 1})`;
	const lines = [`${who} at ${time(Math.round(view.time(pointer.x)))}, in ${quantity(2 ** cell.level, 'ns')}`,
		kinds(cell.activity)];
	if (cell.deviant !== null && cell.each > 1)
		lines.push(`most deviant: ${nameOf(cell.deviant)}: ${names[cell.deviantPlace] || 'outside of calls'} (${kinds(cell.deviantActivity)})`);
	showTooltip([`${names[cell.place]} ${percent(cell.share)}`, ...lines].join('\n'), event.clientX, event.clientY);
}

// ---- the panel
const row = (name, ...values) => h('tr', {}, h('td', {title: name}, name), values.map(value => h('td',
	{class: 'number'}, value)));

const button = (text, onclick) => h('button', {type: 'button', onclick}, text);

let telling = null;

async function tellSelection()
{
	const [location, at] = (state.get('sel') ?? '').split('@').map(Number);
	scene.selection = null;
	if (state.get('sel') === null || !(location < view.n))
	{
		schedule();
		return;
	}
	telling?.abort();
	const {signal} = telling = new AbortController();
	try
	{
		const found = await sections('call', {run, location, at: `${at}ns`, version: facts.version}, signal);
		showCall(location, at, found);
		const call = found.rows.at(-1);
		if (call !== undefined)
			showWaits(await rows('call_waits', {run, location, from: `${call.enter}ns`, to: `${call.leave + 1}ns`,
				version: facts.version}, signal));
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			side.append(problem(error));
	}
}

function showCall(location, at, {rows: stack, messages = []})
{
	const call = stack.at(-1);
	scene.selection = {location, from: call?.enter ?? at, to: call?.leave ?? at};
	schedule();
	const partner = one => one.is_sent ? one.receiver_location : one.sender_location;
	replaceChildren(side, h('h2', {}, call === undefined ? 'outside of calls' : call.region),
		h('p', {class: 'soft'}, `${nameOf(location)} at ${time(at)}`),
		call === undefined ? null : [
			h('table', {class: 'facts'}, row('duration', time(call.inclusive)), row('without its calls',
				time(call.exclusive)),
				row('from', time(call.enter)), row('to', time(call.leave)), row('depth', call.depth)),
			h('p', {class: 'tools'}, button('zoom to it', zoomToChosen), stack.length < 2 ? null
				: button('to its caller', () => choose(location, stack.at(-2).enter)),
			button('next of the name', () => { find(call.region); step(1, call.enter, location); })),
			h('h2', {}, 'call path'),
			h('table', {class: 'path'}, stack.map(one => row(one.region, time(one.inclusive)))),
			messages.length === 0 ? null : [h('h2', {}, 'messages'), h('table', {class: 'messages'},
				messages.map(one =>
				h('tr', {}, h('td', {}, button(`${one.is_sent ? 'to' : 'from'} ${nameOf(partner(one))}`,
					() => jump(partner(one), one.is_sent ? one.receive_time : one.send_time))),
				h('td', {class: 'number'}, `${count(one.bytes)} B`),
				h('td', {class: 'number'}, one.receive_time === null || one.send_time === null ? ''
					: time(one.receive_time - one.send_time)))))],
			h('div', {class: 'waits'}),
		]);
}

function showWaits(waits)
{
	const place = side.querySelector('.waits');
	if (place !== null && waits.length > 0)
		replaceChildren(place, h('h2', {}, 'waited'), h('table', {}, waits.map(one => h('tr', {},
			h('td', {}, `${one.kind}: `, button(`for ${nameOf(one.awaited)}`, () => jump(one.awaited, one.t_to)),
				one.origin === null ? '' : [h('br'), button(`caused by ${nameOf(one.origin)}`, () => jump(one.origin,
					one.t_from)),
				h('div', {class: 'soft'}, (one.origin_path ?? '').replaceAll('/', ' / '))]), h('td',
					{class: 'number'}, time(one.ns))))));
}

// times and lanes that were chosen by dragging: how long, and what happened there.
async function tellRegion()
{
	const numbers = /^(\d+)-(\d+)@(\d+)-(\d+)$/.exec(state.get('region') ?? '');
	scene.region = null;
	schedule();
	if (numbers === null)
		return;
	const [from, to, first, last] = numbers.slice(1).map(Number);
	scene.region = {from, to, first: Math.min(first, view.n - 1), last: Math.min(last, view.n - 1)};
	const locations = view.lanes.slice(first, last + 1);
	const low = Math.min(...locations.length > 5000 ? [locations[0]] : locations);
	const window = {run, from: `${from}ns`, to: `${to}ns`, version: facts.version};
	telling?.abort();
	const {signal} = telling = new AbortController();
	const profile = h('div', {}, h('p', {class: 'soft'}, 'adding up …'));
	const whole = h('div');
	replaceChildren(side, h('h2', {}, time(to - from)),
		h('p', {class: 'soft'}, `${time(from)} to ${time(to)}, ${nameOf(view.lanes[first])}${last > first ? ` to ${nameOf(view.lanes[last])}` : ''}`),
		h('p', {class: 'tools'}, button('zoom to it', zoomToChosen)), h('h2', {}, 'time by function'), profile,
			whole);
	try
	{
		const found = await rows('window', {...window, first_location: low, last_location: low + last - first},
			signal);
		replaceChildren(profile, h('table', {class: 'profile'}, found.slice(0, 40).map(one => row(one.region,
			time(one.exclusive), percent(one.share)))));
		const {rows: [efficiency], waits = []} = await sections('window_efficiency', window, signal);
		replaceChildren(whole, efficiency?.parallel === null || efficiency === undefined ? null : [h('h2', {},
			'efficiency, all ranks'), h('table', {class: 'efficiency'},
			['parallel', 'load_balance', 'communication', 'serialisation', 'transfer'].filter(name =>
				efficiency[name] !== null)
				.map(name => row(name.replace('_', ' '), percent(efficiency[name]))))],
		waits.length === 0 ? null : [h('h2', {}, 'waits, all ranks'), h('table', {class: 'kinds'}, waits.map(one =>
			row(one.kind, count(one.n), time(one.ns))))]);
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(profile, problem(error));
	}
}

function tellLegend()
{
	const square = (color, name) => h('span', {}, h('span', {class: 'square', style: null, dataset: {color}}),
		` ${name}`);
	const known = facts.colors?.name ?? [];
	const shown = scene.color === 'function'
		? names.map((name, place) => [name, place]).filter(([name]) => known.includes(name)).slice(0, 40)
			.map(([name, place]) => square(css(scene.functionColors[place]), name.replace(/\(.*$/s, '')))
		: scene.color === 'activity' ? ACTIVITIES.map(([name], i) => square(css(activityColors[i]), name))
			: [h('p', {}, `the stronger, the larger the share of time ${COLORS.find(([name]) => name === scene.color)[1]}`)];
	replaceChildren(side, h('h2', {}, 'colours'), h('div', {class: 'legend'}, shown),
		view.each > 1 ? h('p', {class: 'soft'},
			`A row stands for ${view.each} locations: most of it shows what most of them do, its lowest `
			+ 'line the one that deviates most.') : null,
		h('h2', {}, 'keys'), h('table', {class: 'keys'}, KEYS.map(([keys, what]) => h('tr', {}, h('td', {}, h('kbd',
			{}, keys)), h('td', {class: 'text'}, what)))));
	for (const one of side.querySelectorAll('.square'))
		one.style.background = one.dataset.color;
}

function tell()
{
	if (state.get('region') !== null)
		tellRegion();
	else if (state.get('sel') !== null)
		tellSelection();
	else
	{
		scene.selection = scene.region = null;
		tellLegend();
		schedule();
	}
}

// ---- what users do
const choose = (location, at) => state.set({sel: `${location}@${Math.round(at)}`, region: null});

function show(location, from, to)
{
	const y = view.y(view.laneOf[location]);
	if (y < view.head || y > view.height - view.lane)
		view.top += y - view.head - view.room / 2;
	if (from < view.t0 || to > view.t1)
	{
		const span = Math.max(view.t1 - view.t0, (to - from) * 1.5);
		view.t0 = (from + to - span) / 2;
		view.t1 = view.t0 + span;
	}
	view.clamp();
	moved();
}

function jump(location, at)
{
	show(location, at, at);
	choose(location, at);
}

function zoomToChosen()
{
	const chosen = scene.region ?? scene.selection;
	if (chosen === null)
		return;
	const rest = Math.max(20, (chosen.to - chosen.from) * 0.15);
	view.t0 = chosen.from - rest;
	view.t1 = chosen.to + rest;
	view.clamp();
	moved();
}

function all()
{
	view.t0 = 0;
	view.t1 = view.duration;
	view.fitLanes();
	view.clamp();
	moved();
}

// ---- search
const find = text => state.set({q: text});

function search_()
{
	const text = (state.get('q') ?? '').toLowerCase();
	search.value = state.get('q') ?? '';
	const found = text === '' ? null : new Set(names.map((name, place) => [name, place])
		.filter(([name, place]) => place > 0 && name.toLowerCase().includes(text)).map(([, place]) => place));
	scene.found = found;
	scene.foundKey = text;
	replaceChildren(places, found === null ? '' : found.size === 1 ? names[[...found][0]]
		: `${found.size} functions`);
	scene.hits = null;
	askHits();
	schedule();
}

let asking = null;

// The calls of the one function that is searched for, of the window.
async function askHits()
{
	const name = scene.found?.size === 1 ? names[[...scene.found][0]] : [...scene.found ?? []].map(place =>
		names[place])
		.find(one => one.toLowerCase() === scene.foundKey);
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
		schedule();
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(places, error.message);
	}
}

// The next call of the searched function, or the one before.
function step(by, from = null, lane = null)
{
	const hits = scene.hits;
	if (hits === null)
		return;
	const at = from ?? scene.selection?.from ?? (by > 0 ? view.t0 : view.t1);
	const own = lane ?? scene.selection?.location ?? null;
	const ordered = hits.enter.map((enter, i) => [enter, hits.location[i], hits.inclusive[i]]);
	const next = by > 0 ? ordered.find(([enter, location]) => enter > at || (enter === at && own !== null
		&& location > own))
		: ordered.findLast(([enter, location]) => enter < at || (enter === at && own !== null && location < own));
	if (next !== undefined)
	{
		show(next[1], next[0], next[0] + Math.min(next[2], view.t1 - view.t0));
		choose(next[1], next[0]);
	}
}

// ---- messages of the window, where lanes are high enough to follow them
let messaging = null;

async function askMessages()
{
	messaging?.abort();
	const wanted = state.get('messages') !== 'no' && view.lane >= 6 * view.ratio;
	if (!wanted)
	{
		scene.messages = null;
		return schedule();
	}
	const {signal} = messaging = new AbortController();
	try
	{
		const [first, last] = view.shownLanes;
		const shown = view.lanes.slice(first, last + 1);
		const [found = null] = await rows('messages', {run, from: `${Math.max(0, Math.round(view.t0))}ns`,
			to: `${Math.max(1, Math.round(view.t1))}ns`,
			first_location: Math.min(...shown), last_location: Math.max(...shown), version: facts.version}, signal);
		scene.messages = found === null || found.send_time.length > MOST_LINES ? null : found;
	}
	catch { /* the picture is whole without them */ }
	return schedule();
}

// ---- pointer and keys
const at = event => {
	const box = canvas.getBoundingClientRect();
	return {x: (event.clientX - box.left) * view.ratio, y: (event.clientY - box.top) * view.ratio};
};

let dragging = null;

function press(event)
{
	canvas.focus();
	const where = at(event);
	dragging = {where, last: where, far: false, shift: event.shiftKey, map: where.y < MAP * view.ratio
		&& where.x > view.left};
	canvas.setPointerCapture(event.pointerId);
	if (dragging.map)
		moveMap(where.x);
}

function moveMap(x)
{
	const span = view.t1 - view.t0;
	view.t0 = (x - view.left) / view.plot * view.duration - span / 2;
	view.t1 = view.t0 + span;
	view.clamp();
	moved();
}

function move(event)
{
	pointer = at(event);
	if (dragging === null)
		return tellCell(event);
	hideTooltip();
	dragging.far = dragging.far || Math.hypot(pointer.x - dragging.where.x,
		pointer.y - dragging.where.y) > 4 * view.ratio;
	if (dragging.map)
		moveMap(pointer.x);
	else if (dragging.shift)
	{
		scene.region = rubber();
		schedule();
	}
	else if (dragging.far)
	{
		view.pan(dragging.last.x - pointer.x, dragging.last.y - pointer.y);
		moved();
	}
	dragging.last = pointer;
	return undefined;
}

function rubber()
{
	const within = y => Math.max(view.head + 1, Math.min(view.height - 1, y));
	const times = [dragging.where.x, pointer.x].map(x => Math.max(0, Math.min(view.duration,
		Math.round(view.time(Math.max(view.left, x))))));
	const ends = [dragging.where.y, pointer.y].map(y => view.laneAt(within(y))).map(lane => lane < 0 ? view.n - 1
		: lane);
	return {from: Math.min(...times), to: Math.max(...times), first: Math.min(...ends), last: Math.max(...ends)};
}

function release(event)
{
	const drag = dragging;
	pointer = at(event);
	if (drag?.shift && drag.far && !drag.map)
	{
		const {from, to, first, last} = rubber();
		dragging = null;
		if (to > from)
			state.set({region: `${from}-${to}@${first}-${last}`, sel: null});
		return;
	}
	dragging = null;
	if (drag === null || drag.far || drag.map)
		return;
	const lane = view.laneAt(pointer.y);
	if (lane >= 0 && pointer.x < view.left)
		toggleLane(view.lanes[lane]);
	else if (lane >= 0)
		choose(view.lanes[lane], Math.max(0, view.time(pointer.x)));
}

function toggleLane(location)
{
	const open = [...view.open.keys()];
	const next = open.includes(location) ? open.filter(one => one !== location) : [...open, location];
	state.set({open: next.join(',')});
}

function wheel(event)
{
	event.preventDefault();
	const where = at(event);
	const by = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
	if (event.ctrlKey)
		view.zoomLanes(Math.exp(-by / 400), where.y);
	else if (event.shiftKey)
		view.pan(0, (by || event.deltaX) * view.ratio);
	else if (Math.abs(event.deltaX) > Math.abs(by))
		view.pan(event.deltaX * view.ratio, 0);
	else
		view.zoom(Math.exp(by / 400), Math.max(view.left, where.x));
	hideTooltip();
	moved();
}

const middle = () => pointer !== null && pointer.x > view.left ? pointer.x : view.left + view.plot / 2;

const ACTIONS = {
	w: () => view.zoom(0.8, middle()), s: () => view.zoom(1.25, middle()),
	a: () => view.pan(-view.plot / 8, 0), d: () => view.pan(view.plot / 8, 0),
	ArrowLeft: () => view.pan(-view.plot / 8, 0), ArrowRight: () => view.pan(view.plot / 8, 0),
	ArrowUp: () => view.pan(0, -view.room / 8), ArrowDown: () => view.pan(0, view.room / 8),
	'+': () => view.zoomLanes(1.25, view.head + view.room / 2), '-': () => view.zoomLanes(0.8, view.head
		+ view.room / 2),
};

const COMMANDS = {
	f: zoomToChosen, 0: all, n: () => step(1), p: () => step(-1), '/': () => search.focus(),
	m: () => {
		const marks = state.list('mark');
		state.set({mark: [...marks, `${Math.max(0, Math.round(view.time(middle())))}:${marks.length + 1}`]});
	},
	Escape: () => state.set({sel: null, region: null, q: null}), '?': () => state.set({sel: null, region: null}),
};

function key(event)
{
	if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLInputElement)
		return;
	const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
	if (ACTIONS[name] !== undefined)
	{
		ACTIONS[name]();
		moved();
	}
	else
		COMMANDS[name]?.();
	if (ACTIONS[name] !== undefined || COMMANDS[name] !== undefined)
		event.preventDefault();
}

// ---- the page
function readMarks()
{
	scene.marks = state.list('mark').map(text => /^(\d+):(.*)$/.exec(text)).filter(found => found !== null)
		.map(([, ns, text]) => ({time: Number(ns), text}));
}

function changed(changes)
{
	const any = (...wanted) => wanted.some(name => changes.has(name));
	if (any('from', 'to', 'lane', 'top', 'open'))
		readWindow();
	if (any('color'))
		scene.color = state.get('color', 'function');
	if (any('q'))
		search_();
	if (any('mark'))
		readMarks();
	if (any('messages'))
		askMessages();
	if (any('sel', 'region', 'color'))
		tell();
	schedule();
}

function resized()
{
	const ratio = devicePixelRatio;
	canvas.width = Math.max(1, Math.round(lanes.clientWidth * ratio));
	canvas.height = Math.max(1, Math.round(lanes.clientHeight * ratio));
	view.resize(canvas.width, canvas.height, ratio);
	moved();
}

function begin({rows: [found], regions: [regions] = [null], locations: [locations] = [null],
	colors: [colors] = [null]})
{
	const byId = new Map((regions?.local_id ?? []).map((id, i) => [id, i + 1]));
	names = ['', ...regions?.name ?? []];
	facts = {...found, locations, colors, threads: new Set(locations.thread.filter(thread => thread !== null)).size};
	view = new View(locations, found.duration);
	store = new Store(run, found.version, id => byId.get(id) ?? 0, {changed: schedule,
		problem: error => side.append(problem(error))});
	main.append(
		h('div', {class: 'bar'}, h('h1', {title: found.title}, `Trace ${run}: ${found.title ?? ''}`),
			h('label', {}, 'colour', select('color', COLORS, state.get('color', 'function'), color =>
				state.set({color}))),
			h('label', {}, h('input', {type: 'checkbox', name: 'messages', checked: state.get('messages') !== 'no',
				onchange: event => state.set({messages: event.target.checked ? null : 'no'})}), 'messages'),
			search, places, h('span', {class: 'grow'}), h('button', {type: 'button', onclick: all}, 'whole trace'),
			h('button', {type: 'button', onclick: COMMANDS['?']}, 'keys'), h('a', {href: `/trace/${run}`},
				'logical time'),
			h('a', {href: `/run/${run}`}, 'profile')),
		h('div', {class: 'stage'}, lanes, side));
	scene = new Scene(canvas, view, store, {functionColors: colorsOf(names, colors), laneName: nameOf,
		placeOfName: new Map(names.map((name, place) => [name, place]))});
	scene.color = state.get('color', 'function');
	resized();
	readWindow();
	readMarks();
	search_();
	tell();
	moved();
}

function listen()
{
	new ResizeObserver(resized).observe(lanes);
	new MutationObserver(() => { scene.readTheme(); schedule(); }).observe(document.documentElement,
		{attributeFilter: ['data-theme']});
	canvas.addEventListener('pointerdown', press);
	canvas.addEventListener('pointermove', move);
	canvas.addEventListener('pointerup', release);
	canvas.addEventListener('pointerleave', () => { pointer = null; hideTooltip(); });
	canvas.addEventListener('wheel', wheel, {passive: false});
	document.addEventListener('keydown', key);
	state.addEventListener('change', ({detail}) => changed(detail.names));
}

try
{
	const found = await sections('viewer', {run});
	document.title = `Viewer ${run} ${found.rows[0].title ?? ''} · perfhouse`;
	begin(found);
	listen();
}
catch (error)
{
	main.append(problem(error));
}
