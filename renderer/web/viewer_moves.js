// viewer_moves.js - ways to go and to choose: to a call, to what is chosen, to the next call of a function.
// SPDX-License-Identifier: PostgreSQL

import {app} from './viewer_app.js';

const {state} = app;

export const choose = (location, at) => state.set({sel: `${location}@${Math.round(at)}`, region: null});

export const find = text => state.set({q: text});

export function show(location, from, to)
{
	const {view} = app;
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
	app.moved();
}

export function jump(location, at)
{
	show(location, at, at);
	choose(location, at);
}

export function zoomToChosen()
{
	const {view, scene} = app;
	const chosen = scene.region ?? scene.selection;
	if (chosen === null)
		return;
	const rest = Math.max(20, (chosen.to - chosen.from) * 0.15);
	view.t0 = chosen.from - rest;
	view.t1 = chosen.to + rest;
	view.clamp();
	app.moved();
}

export function all()
{
	const {view} = app;
	view.t0 = 0;
	view.t1 = view.duration;
	view.fitLanes();
	view.clamp();
	app.moved();
}

// A lane of its own height, wherever it is.
export function toRank(rank)
{
	const {view, facts} = app;
	const location = facts.locations.rank.indexOf(rank);
	if (location < 0)
		return;
	view.lane = Math.max(view.lane, 12 * view.ratio);
	view.top = view.laneOf[location] * view.lane - view.room / 2;
	view.clamp();
	app.moved();
	choose(location, Math.max(0, (view.t0 + view.t1) / 2));
}

// The next call of the searched function, or the one before.
export function step(by, from = null, lane = null)
{
	const {scene, view} = app;
	const {hits} = scene;
	if (hits === null)
		return;
	const at = from ?? scene.selection?.from ?? (by > 0 ? view.t0 : view.t1);
	const own = lane ?? scene.selection?.location ?? null;
	const ordered = hits.enter.map((enter, i) => [enter, hits.location[i], hits.inclusive[i]]);
	const next = by > 0
		? ordered.find(([enter, location]) => enter > at || (enter === at && own !== null && location > own))
		: ordered.findLast(([enter, location]) => enter < at || (enter === at && own !== null && location < own));
	if (next !== undefined)
	{
		show(next[1], next[0], next[0] + Math.min(next[2], view.t1 - view.t0));
		choose(next[1], next[0]);
	}
}

// A time in the middle of the screen.
export function goTo(at)
{
	const {view} = app;
	const span = view.t1 - view.t0;
	view.t0 = at - span / 2;
	view.t1 = view.t0 + span;
	view.clamp();
	app.moved();
}

// Names a mark; null: removes it.
export function nameMark(which, text)
{
	const marks = state.list('mark');
	state.set({mark: text === null ? marks.filter((_, i) => i !== which)
		: marks.map((one, i) => i === which ? `${one.split(':')[0]}:${text}` : one)});
}

export function mark(x)
{
	const marks = state.list('mark');
	state.set({mark: [...marks, `${Math.max(0, Math.round(app.view.time(x)))}:${marks.length + 1}`]});
}
