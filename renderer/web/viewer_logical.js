// viewer_logical.js - turns the viewer from the clock to logical time and back, of one run or of two.
// SPDX-License-Identifier: PostgreSQL

import {sections} from './api.js';
import {problem, replaceChildren} from './dom.js';
import {app, nameOf, say, span, time} from './viewer_app.js';
import {colorsOf, css} from './viewer_colors.js';
import {Steps} from './viewer_steps.js';

const TURN_MS = 700;
const MOST_ROWS = 128; // of each of two runs
const MOST_BINS = 512; // of steps, each the latest event of a row: an event a pixel or two
const {state} = app;

let asking = null;
let turning = 0; // the animation that is under way

export const turnAxis = () => state.set({axis: state.get('axis') === 'steps' ? null : 'steps'});

const paintsOf = (events, facts, names) => {
	const colors = new Map(colorsOf(names, facts).map((color, i) => [names[i], css(color)]));
	return events?.region.map(region => colors.get(region) ?? '#888') ?? [];
};

// Locations a row, so that two runs have room for theirs.
const rowOf = n => 2 ** Math.max(0, Math.ceil(Math.log2(n / MOST_ROWS)));

// Events of a run, of some steps or all: {events, bins, paints}. of: {run, from, to, each, facts, names}.
async function ask(of, steps, signal)
{
	const {run, from, to, each, facts, names, version} = of;
	const {rows: [events = null], bins: [bins] = [null]} = await sections('step_events', {run, from: `${from}ns`,
		to: `${to}ns`,
		each, bins: MOST_BINS, first: steps?.[0], last: steps?.[1], version}, signal);
	return {events, bins, paints: paintsOf(events, facts.colors, names)};
}

function own(isPair)
{
	const {view, facts, names, run} = app;
	const [from, to] = isPair ? [0, facts.duration + 1] : [Math.max(0, Math.round(view.t0)), Math.max(1,
		Math.round(view.t1))];
	return {run, from, to, each: isPair ? rowOf(view.n) : view.each, facts, names, version: facts.version,
		laneOf: view.laneOf, laneCount: view.n, duration: facts.duration};
}

async function other(run, signal)
{
	const {rows: [found], locations: [locations] = [null], colors: [colors] = [null], regions: [regions] = [null]}
		= await sections('viewer', {run}, signal);
	const n = locations.rank.length;
	return {run, from: 0, to: found.duration + 1, each: rowOf(n), facts: {colors}, names: regions?.name ?? [],
		laneOf: Int32Array.from({length: n}, (_, i) => i), laneCount: n, duration: found.duration};
}

async function load(vs, signal)
{
	const isPair = vs !== null;
	const runs = [own(isPair), ...isPair ? [await other(vs, signal)] : []];
	const sides = await Promise.all(runs.map(async of => ({...of, ...await ask(of, null, signal)})));
	if (!isPair)
		return new Steps(sides);
	const pairs = await sections('step_pairs', {a: app.run, b: vs}, signal);
	return new Steps(sides, {rows: pairs.rows[0] ?? null, phases: pairs.phases?.[0] ?? null});
}

let shown = null; // columns that the events are of: [from, to]; null: all

// Smaller bins of steps where the screen shows less than the events are of, and what it shows where it has moved on.
export async function refineSteps()
{
	const {view, scene, canvas} = app;
	const {steps} = scene;
	if (steps === null || !view.isSteps || (shown === null && steps.sides.every(side => side.per === 1)))
		return;
	const [from, to] = shown ?? [0, steps.columns];
	const width = view.c1 - view.c0;
	const isWithin = view.c0 >= from && view.c1 <= to;
	if (isWithin && (to - from <= width * 2 || steps.sides.every(side => side.per === 1)))
		return;
	const wanted = [Math.max(0, view.c0 - width / 4), Math.min(steps.columns, view.c1 + width / 4)];
	asking?.abort();
	const {signal} = asking = new AbortController();
	canvas.dataset.ready = 'false';
	try
	{
		const found = await Promise.all(steps.sides.map((side, which) => {
			const some = steps.stepsBetween(which, ...wanted);
			return some === null ? {events: null, bins: null, paints: []} : ask(side, some, signal);
		}));
		found.forEach((one, which) => steps.fill(which, one));
		shown = wanted[0] <= 0 && wanted[1] >= steps.columns ? null : wanted;
		app.schedule();
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(app.side, problem(error));
	}
}

function animate(to)
{
	const {scene} = app;
	const from = scene.morph;
	const start = performance.now();
	const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches;
	const mine = ++turning;
	const frame = () => {
		if (mine !== turning)
			return;
		const done = isCalm ? 1 : Math.min(1, (performance.now() - start) / TURN_MS);
		scene.morph = from + (to - from) * done;
		if (done >= 1 && to === 0 && state.get('vs') === null)
			scene.steps = null;
		app.schedule();
		if (done < 1)
			requestAnimationFrame(frame);
		else
			app.canvas.dataset.ready = 'false'; // the panel tells of what is drawn now
	};
	frame();
}

// What the address says of the axis.
export async function readAxis()
{
	const {view, scene} = app;
	const isSteps = state.get('axis') === 'steps';
	const vs = state.get('vs') === null ? null : Number(state.get('vs'));
	asking?.abort();
	view.isSteps = isSteps;
	if (!isSteps && vs === null)
	{
		if (scene.steps?.isPair)
			scene.steps = null;
		if (scene.steps === null)
			scene.morph = 0;
		animate(0);
		return;
	}
	const {signal} = asking = new AbortController();
	app.canvas.dataset.ready = 'false';
	try
	{
		const steps = await load(vs, signal);
		scene.steps = steps;
		shown = null;
		view.columns = Math.max(2, steps.columns);
		[view.c0, view.c1] = /^\d+(\.\d+)?-\d+(\.\d+)?$/.test(state.get('columns') ?? '')
			? state.get('columns').split('-').map(Number) : [0, view.columns];
		view.clampColumns();
		app.canvas.dataset.columns = String(steps.columns);
		animate(isSteps ? 1 : 0);
		refineSteps();
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(app.side, problem(error));
	}
}

// What is under the pointer, in words.
export function tellStep(pointer)
{
	const found = app.scene.steps?.at(app.scene, pointer.x, pointer.y) ?? null;
	if (found === null)
		return null;
	const {events, run, laneCount} = found.side;
	const {i} = found;
	const who = app.scene.steps.isPair ? `run ${run}, location ${events.location[i]} of ${laneCount}`
		: nameOf(events.location[i]);
	const {per, bins} = found.side;
	const from = bins.first + Math.floor((events.step[i] - bins.first) / per) * per;
	return [`${say(events.region[i])} of ${who}`, `step ${events.step[i]}, phase ${events.phase[i]}${per > 1
		? `: the latest of steps ${from} to ${from + per - 1}` : ''}`,
		`${time(events.enter[i])}, for ${span(events.leave[i] - events.enter[i])}`,
		`${span(events.lateness[i])} later than the first of its step`].join('\n');
}
