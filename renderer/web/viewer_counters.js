// viewer_counters.js - lanes of counters below the map: over all locations the mean, and a band from the least to the
// largest value; of open lanes and of what is chosen their own lines. SPDX-License-Identifier: PostgreSQL

import {quantity} from './format.js';
import {MAP, STRIP} from './viewer_view.js';

const BINS = 512;
const MOST_OWN = 4; // lines of single locations

const needOf = (metric, level, x, location) => ({key: `c ${metric} ${level} ${x} ${location ?? ''}`, name: 'counter',
	params: {metric, location, from: `${x * BINS * 2 ** level}ns`, to: `${(x + 1) * BINS * 2 ** level}ns`}});

// Rows of a counter that the window shows, in order of time; what is not there is asked for.
function rowsOf(scene, metric, location)
{
	const {view} = scene;
	const level = Math.max(0, Math.ceil(Math.log2(Math.max(1, view.perPixel))));
	const width = BINS * 2 ** level;
	const out = [];
	for (let x = Math.max(0, Math.floor(view.t0 / width)); x * width < Math.min(view.t1, view.duration); x++)
	{
		const need = needOf(metric, level, x, location);
		const found = scene.store.get(need.key);
		if (found === null)
			scene.needs.push(need);
		else if (found.columns !== null)
			for (let i = 0; i < found.columns.mean.length; i++)
				out.push({from: found.columns.bin_start[i], to: found.columns.bin_end[i], mean: found.columns.mean[i],
					least: found.columns.min[i], most: found.columns.max[i]});
	}
	return out;
}

function line(scene, rows, yOf, key)
{
	const {context, view} = scene;
	context.beginPath();
	let before = null;
	for (const row of rows)
	{
		const [x0, x1, y] = [view.x(row.from), view.x(row.to), yOf(row[key])];
		if (before !== row.from)
			context.moveTo(x0, y);
		else
			context.lineTo(x0, y);
		context.lineTo(x1, y);
		before = row.to;
	}
	context.stroke();
}

function drawOne(scene, {name, unit, accumulated}, top)
{
	const {context, view, theme} = scene;
	const high = (STRIP - 6) * view.ratio;
	const rows = rowsOf(scene, name, null);
	const own = [...new Set([...view.open.keys(), ...scene.selection === null ? [] : [scene.selection.location]])]
		.slice(0, MOST_OWN).map(location => rowsOf(scene, name, location));
	const least = Math.min(0, ...rows.map(row => row.least));
	const most = Math.max(least + Number.MIN_VALUE, ...rows.map(row => row.most));
	const yOf = value => top + 3 * view.ratio + high * (1 - (value - least) / (most - least));
	context.save();
	context.beginPath();
	context.rect(view.left, top, view.plot, STRIP * view.ratio);
	context.clip();
	context.fillStyle = theme.accent;
	context.globalAlpha = 0.25;
	for (const row of rows)
	{
		const [x0, x1] = [Math.round(view.x(row.from)), Math.round(view.x(row.to))];
		context.fillRect(x0, yOf(row.most), Math.max(1, x1 - x0), Math.max(view.ratio, yOf(row.least) - yOf(row.most)));
	}
	context.globalAlpha = 1;
	context.lineWidth = 1.5 * view.ratio;
	context.strokeStyle = theme.accent;
	line(scene, rows, yOf, 'mean');
	context.strokeStyle = theme.bad;
	for (const one of own)
		line(scene, one, yOf, 'mean');
	context.restore();
	context.fillStyle = theme.soft;
	context.font = `${10 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
	context.textBaseline = 'middle';
	context.fillText(scene.fit(name, view.left - 8 * view.ratio), 6 * view.ratio, top + 12 * view.ratio);
	context.fillText(scene.fit(`to ${rows.length === 0 ? '?' : quantity(most, unit)}${accumulated ? ' a bin' : ''}`,
		view.left - 8 * view.ratio), 6 * view.ratio, top + 28 * view.ratio);
}

export function drawCounters(scene)
{
	const {context, view, theme} = scene;
	scene.counters.forEach((counter, i) => {
		const top = (MAP + i * STRIP) * view.ratio;
		context.fillStyle = theme.card;
		context.fillRect(0, top, view.width, STRIP * view.ratio);
		drawOne(scene, counter, top);
		context.fillStyle = theme.line;
		context.fillRect(0, top + STRIP * view.ratio - view.ratio, view.width, view.ratio);
	});
}
