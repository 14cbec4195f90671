// viewer_waited.js - the ranks that others waited for most, where some stand out: a band around their lanes, their
// names beside them, a line in the map. A row of many lanes shows what most of them do; who made
// all of them wait is told.
// SPDX-License-Identifier: PostgreSQL

import {rows} from './api.js';
import {h, orTell} from './dom.js';
import {percent, quantity} from './format.js';
import {app, button, nameOf} from './viewer_app.js';
import {toRank} from './viewer_moves.js';
import {MAP, NAME} from './viewer_view.js';

const MOST = 8; // more are no exception, nor is more than a quarter of all
const LEAST_BAND = 7; // pixels
const MOST_BAND = 12; // higher lanes are found by their names

const FEW = 32; // lanes: the map needs no line

// Once all that is shown is there: nothing waits for it. {locations, ranks, seconds, share}
export async function askWaited()
{
	const {facts, scene, run} = app;
	if (scene.waited !== null)
		return;
	scene.waited = [];
	const [found = null] = await orTell(rows('waited_for', {run, version: facts.version}),
		'for whom others waited is not known', []);
	const shown = found === null || found.ranks.length > Math.min(MOST, facts.n_ranks / 4) ? [] : found.ranks;
	scene.waited = shown.map(rank => facts.locations.rank.indexOf(rank)).filter(location => location >= 0);
	app.waits = found;
	app.tell();
	app.schedule();
}

// Upper and lower edge of a location's lane, or of the row that it is in, of a height that is seen.
function bandOf(view, location)
{
	const lane = view.laneOf[location];
	const first = Math.floor(lane / view.each) * view.each;
	const [y0, y1] = [Math.round(view.y(first)), Math.round(view.y(first) + view.lane * view.each)];
	const more = Math.max(0, Math.round((LEAST_BAND * view.ratio - (y1 - y0)) / 2));
	return [y0 - more, y1 + more];
}

// A line that is seen on any colours.
function rule({context, view, theme}, y, left, width)
{
	context.fillStyle = theme.card;
	context.fillRect(left, y - view.hair, width, 4 * view.hair);
	context.fillStyle = theme.bad;
	context.fillRect(left, y, width, 2 * view.hair);
}

function name(scene, location, y)
{
	const {context, view, theme} = scene;
	const high = 16 * view.ratio;
	context.fillStyle = theme.bad;
	context.beginPath();
	context.moveTo(2 * view.ratio, y - high / 2);
	context.lineTo(view.left - 8 * view.ratio, y - high / 2);
	context.lineTo(view.left, y);
	context.lineTo(view.left - 8 * view.ratio, y + high / 2);
	context.lineTo(2 * view.ratio, y + high / 2);
	context.fill();
	context.fillStyle = theme.card;
	context.font = `bold ${11 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
	context.textBaseline = 'middle';
	context.fillText(scene.fit(view.signOf(location) + nameOf(location), view.left - 18 * view.ratio), 6 * view.ratio,
		y);
}

// Where their names stand: other names there would be half covered.
export const flagsOf = ({view, waited}) => (waited ?? []).map(location => flagOf(view, location));

function flagOf(view, location)
{
	const [y0, y1] = bandOf(view, location);
	return y0 + Math.min(y1 - y0, NAME * view.ratio) / 2;
}

export function drawWaited(scene)
{
	const {view, context} = scene;
	for (const location of scene.waited ?? [])
	{
		const [y0, y1] = bandOf(view, location);
		if (y1 <= view.head || y0 >= view.height)
			continue;
		context.save();
		context.beginPath();
		context.rect(0, view.head, view.width, view.room);
		context.clip();
		if (y1 - y0 <= MOST_BAND * view.ratio)
		{
			rule(scene, y0 - 3 * view.hair, view.left, view.plot);
			rule(scene, y1 + view.hair, view.left, view.plot);
		}
		name(scene, location, flagOf(view, location));
		context.restore();
	}
}

export function drawWaitedInMap(scene)
{
	const {view} = scene;
	if (view.n < FEW)
		return;
	for (const location of scene.waited ?? [])
		rule(scene, Math.round(view.laneOf[location] / view.n * (MAP - 2) * view.ratio), view.left, view.plot);
}

// In words, for the side: null where none stands out.
export function tellWaited()
{
	const {scene, waits} = app;
	if (waits === null || scene.waited === null || waits.ranks.length > MOST)
		return null;
	const ranks = waits.ranks.map(rank => button(`rank ${rank}`, () => toRank(rank)));
	return h('p', {class: 'waited'}, h('span', {class: 'bad'}, '▶ '), 'Others wait for ',
		ranks.flatMap(one => [one, ' ']), `${quantity(waits.amount, 's')} in sum, ${percent(waits.amount
			/ waits.total)} of all waiting.`);
}
