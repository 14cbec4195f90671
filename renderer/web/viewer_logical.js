// viewer_logical.js - turns the viewer from the clock to logical time and back, of one run or of two.
// SPDX-License-Identifier: PostgreSQL

import {rows, sections} from './api.js';
import {problem, replaceChildren} from './dom.js';
import {app, nameOf, say, span, time} from './viewer_app.js';
import {colorsOf, css} from './viewer_colors.js';
import {Steps} from './viewer_steps.js';

const TURN_MS = 700;
const MOST_ROWS = 512; // of each of two runs
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

function ownSide(events, each)
{
	const {view, facts, names, run} = app;
	return {run, events, each, laneOf: view.laneOf, laneCount: view.n, duration: facts.duration,
		paints: paintsOf(events, facts.colors, names)};
}

async function otherSide(run, signal)
{
	const {rows: [found], locations: [locations] = [null], colors: [colors] = [null], regions: [regions] = [null]}
		= await sections('viewer', {run}, signal);
	const n = locations.rank.length;
	const [events = null] = await rows('step_events', {run, from: '0ns', to: `${found.duration + 1}ns`, each: rowOf(n)},
		signal);
	return {run, events, each: rowOf(n), laneOf: Int32Array.from({length: n}, (_, i) => i), laneCount: n,
		duration: found.duration,
		paints: paintsOf(events, colors, regions?.name ?? [])};
}

async function load(vs, signal)
{
	const {view, facts, run} = app;
	const isPair = vs !== null;
	const [from, to] = isPair ? [0, facts.duration + 1] : [Math.max(0, Math.round(view.t0)), Math.max(1,
		Math.round(view.t1))];
	const each = isPair ? rowOf(view.n) : view.each;
	const [events = null] = await rows('step_events', {run, from: `${from}ns`, to: `${to}ns`, each,
		version: facts.version},
		signal);
	if (!isPair)
		return new Steps([ownSide(events, each)]);
	const pairs = await sections('step_pairs', {a: run, b: vs}, signal);
	return new Steps([ownSide(events, each), await otherSide(vs, signal)],
		{rows: pairs.rows[0] ?? null, phases: pairs.phases?.[0] ?? null});
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
		view.columns = Math.max(2, steps.columns);
		[view.c0, view.c1] = /^\d+(\.\d+)?-\d+(\.\d+)?$/.test(state.get('columns') ?? '')
			? state.get('columns').split('-').map(Number) : [0, view.columns];
		view.clampColumns();
		app.canvas.dataset.columns = String(steps.columns);
		animate(isSteps ? 1 : 0);
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
	return [`${say(events.region[i])} of ${who}`, `step ${events.step[i]}, phase ${events.phase[i]}`,
		`${time(events.enter[i])}, for ${span(events.leave[i] - events.enter[i])}`,
		`${span(events.lateness[i])} later than the first of its step`].join('\n');
}
