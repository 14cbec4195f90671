// viewer_input.js - pointer, wheel and keys on the lanes. SPDX-License-Identifier: PostgreSQL

import {hideTooltip} from './tooltip.js';
import {app} from './viewer_app.js';
import {all, mark, step, zoomToChosen} from './viewer_moves.js';
import {MAP} from './viewer_view.js';

const {canvas, state} = app;

let dragging = null;
let pointer = null; // on the canvas, in pixels of the device

const at = event => {
	const box = canvas.getBoundingClientRect();
	return {x: (event.clientX - box.left) * devicePixelRatio, y: (event.clientY - box.top) * devicePixelRatio};
};

function press(event)
{
	const {view} = app;
	canvas.focus();
	const where = at(event);
	const isMap = where.y < MAP * view.ratio && where.x > view.left && !view.isSteps;
	dragging = {where, last: where, far: false, shift: event.shiftKey && !view.isSteps, map: isMap};
	canvas.setPointerCapture(event.pointerId);
	if (isMap)
		moveMap(where.x);
}

function moveMap(x)
{
	const {view} = app;
	const span = view.t1 - view.t0;
	view.t0 = (x - view.left) / view.plot * view.duration - span / 2;
	view.t1 = view.t0 + span;
	view.clamp();
	app.moved();
}

function move(event)
{
	pointer = at(event);
	if (dragging === null)
	{
		app.tellPlace(pointer, event);
		return;
	}
	hideTooltip();
	const {view, scene} = app;
	dragging.far = dragging.far || Math.hypot(pointer.x - dragging.where.x,
		pointer.y - dragging.where.y) > 4 * view.ratio;
	if (dragging.map)
		moveMap(pointer.x);
	else if (dragging.shift)
	{
		scene.region = rubber();
		app.schedule();
	}
	else if (dragging.far)
	{
		view.pan(dragging.last.x - pointer.x, dragging.last.y - pointer.y);
		app.moved();
	}
	dragging.last = pointer;
}

function rubber()
{
	const {view} = app;
	const within = y => Math.max(view.head + 1, Math.min(view.height - 1, y));
	const times = [dragging.where.x, pointer.x].map(x => Math.max(0, Math.min(view.duration,
		Math.round(view.time(Math.max(view.left, x))))));
	const ends = [dragging.where.y, pointer.y].map(y => view.laneAt(within(y))).map(lane => lane < 0 ? view.n - 1
		: lane);
	return {from: Math.min(...times), to: Math.max(...times), first: Math.min(...ends), last: Math.max(...ends)};
}

function release(event)
{
	const {view} = app;
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
		app.pick(lane, pointer.x);
}

function toggleLane(location)
{
	const open = [...app.view.open.keys()];
	const next = open.includes(location) ? open.filter(one => one !== location) : [...open, location];
	state.set({open: next.join(',')});
}

function wheel(event)
{
	const {view} = app;
	event.preventDefault();
	const where = at(event);
	const by = event.deltaMode === 1 ? event.deltaY * 16 : event.deltaY;
	if (event.ctrlKey)
		view.zoomLanes(Math.exp(-by / 400), where.y);
	else if (event.shiftKey)
		view.pan(0, (by || event.deltaX) * devicePixelRatio);
	else if (Math.abs(event.deltaX) > Math.abs(by))
		view.pan(event.deltaX * devicePixelRatio, 0);
	else
		view.zoom(Math.exp(by / 400), Math.max(view.left, where.x));
	hideTooltip();
	app.moved();
}

const middle = () => pointer !== null && pointer.x > app.view.left ? pointer.x : app.view.left + app.view.plot / 2;

const ACTIONS = {
	w: view => view.zoom(0.8, middle()), s: view => view.zoom(1.25, middle()),
	a: view => view.pan(-view.plot / 8, 0), d: view => view.pan(view.plot / 8, 0),
	ArrowLeft: view => view.pan(-view.plot / 8, 0), ArrowRight: view => view.pan(view.plot / 8, 0),
	ArrowUp: view => view.pan(0, -view.room / 8), ArrowDown: view => view.pan(0, view.room / 8),
	'+': view => view.zoomLanes(1.25, view.head + view.room / 2),
	'-': view => view.zoomLanes(0.8, view.head + view.room / 2),
};

export const COMMANDS = {
	f: zoomToChosen, 0: all, n: () => step(1), p: () => step(-1), '/': () => app.search.focus(),
	m: () => mark(middle()), l: () => app.turnAxis(),
	Escape: () => state.set({sel: null, region: null, q: null}),
};

function key(event)
{
	if (event.ctrlKey || event.metaKey || event.altKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName))
		return;
	const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
	if (ACTIONS[name] !== undefined)
	{
		ACTIONS[name](app.view);
		app.moved();
	}
	else if (COMMANDS[name] === undefined)
		return;
	else
		COMMANDS[name]();
	event.preventDefault();
}

export function listenToPointer()
{
	canvas.addEventListener('pointerdown', press);
	canvas.addEventListener('pointermove', move);
	canvas.addEventListener('pointerup', release);
	canvas.addEventListener('pointerleave', () => { pointer = null; hideTooltip(); });
	canvas.addEventListener('wheel', wheel, {passive: false});
	document.addEventListener('keydown', key);
}
