// rank_grid.js - one number a rank or thread as a grid of cells on a canvas; dragging chooses ranks.
//
// The range of colours is that of all but the most extreme hundredth on both sides; what is beyond has the end's
// colour, and what is far beyond a ring, so that one rank among thousands is seen.
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';
import {linesOf, planesOf} from './grid_places.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {css, heat} from './viewer_colors.js';

// Bounds of a list's middle 98 %, wide enough to have a range.
export function robustRange(values)
{
	const sorted = Float64Array.from(values).sort();
	const at = share => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
	const [low, high] = [at(0.01), at(0.99)];
	if (high > low)
		return [low, high];
	const [least, most] = [sorted[0] ?? 0, sorted.at(-1) ?? 1];
	return [least, most > least ? most : least + Math.max(Math.abs(least), 1e-30)];
}

const MOST_RINGS = 40;

// Values as far beyond the range as it is wide, the farthest first.
export function outliers(values)
{
	const [low, high] = robustRange(values);
	const beyond = i => Math.max(values[i] - high, low - values[i]);
	return Array.from(values, (_, i) => i).filter(i => beyond(i) > high - low).sort((a, b) => beyond(b) - beyond(a))
		.slice(0, MOST_RINGS);
}

export class RankGrid
{
	#at = new Map(); // x and y of a cell -> its place in values

	// options: {tell(i) -> text, brushed([i, ...])}
	constructor(options)
	{
		this.options = options;
		this.canvas = h('canvas', {role: 'img', 'aria-label': 'cost by rank', tabindex: 0});
		this.host = h('div', {class: 'rank-grid'}, this.canvas);
		Object.assign(this, {values: [], places: linesOf(0, 1), wanted: 0, brush: [], from: null});
		this.canvas.addEventListener('pointerdown', event => {
			this.canvas.setPointerCapture(event.pointerId);
			this.from = this.#cell(event);
		});
		this.canvas.addEventListener('pointermove', event => this.#move(event));
		this.canvas.addEventListener('pointerup', event => this.#release(event));
		this.canvas.addEventListener('pointerleave', hideTooltip);
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	// layout: cells a line (0: as the room is), or {coordinates: by value, sizes, dimensions} of a Cartesian grid.
	show(values, layout = 0)
	{
		Object.assign(this, {values, wanted: layout, brush: []});
		const worst = outliers(values).length;
		this.canvas.setAttribute('aria-label', `cost by rank: ${values.length} cells${worst > 0
			? `, ${worst} far from the others` : ''}`);
		this.draw();
	}

	#lay(ratio)
	{
		this.places = typeof this.wanted === 'number' ? linesOf(this.values.length, ratio, this.wanted)
			: planesOf(this.wanted, ratio);
		this.#at = new Map(this.values.map((_, i) => [this.places.y[i] * this.places.across + this.places.x[i], i]));
	}

	draw()
	{
		const {host, canvas, values} = this;
		const [width, height] = [Math.max(1, host.clientWidth), Math.max(1, host.clientHeight)];
		const ratio = devicePixelRatio;
		Object.assign(canvas, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
		this.#lay(width / height);
		const {x, y, across, down, planes} = this.places;
		Object.assign(canvas.dataset, {across, down, planes: planes.length});
		const isDark = document.documentElement.dataset.theme === 'dark';
		const [low, high] = robustRange(values);
		const context = canvas.getContext('2d');
		context.clearRect(0, 0, canvas.width, canvas.height);
		const [wide, tall] = [canvas.width / across, canvas.height / down];
		// cells that share a pixel: the greatest is drawn last
		const order = Array.from(values, (_, i) => i).sort((a, b) => values[a] - values[b]);
		for (const i of order)
		{
			context.fillStyle = css(heat(Math.max(0, Math.min(1, (values[i] - low) / (high - low))), isDark));
			context.fillRect(Math.floor(x[i] * wide), Math.floor(y[i] * tall), Math.max(1, Math.ceil(wide)
				- (wide > 6 ? 1 : 0)), Math.max(1, Math.ceil(tall) - (tall > 6 ? 1 : 0)));
		}
		context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
		context.lineWidth = 2 * ratio;
		for (const i of outliers(values))
		{
			context.beginPath();
			context.arc((x[i] + 0.5) * wide, (y[i] + 0.5) * tall, Math.max(6 * ratio, Math.min(wide, tall) / 2), 0,
				2 * Math.PI);
			context.stroke();
		}
		for (const i of this.brush)
			context.strokeRect(x[i] * wide, y[i] * tall, wide, tall);
	}

	// The cell of an event, [x, y].
	#cell(event)
	{
		const box = this.canvas.getBoundingClientRect();
		return [Math.floor((event.clientX - box.left) / box.width * this.places.across),
			Math.floor((event.clientY - box.top) / box.height * this.places.down)];
	}

	#valueAt([x, y])
	{
		const {across} = this.places;
		return x >= 0 && x < across ? this.#at.get(y * across + x) ?? -1 : -1;
	}

	// What lies from one cell to another: of a grid the rectangle, of lines all between.
	#between(a, b)
	{
		const {x, y, planes} = this.places;
		const all = this.values.map((_, i) => i);
		if (planes.length > 0)
			return all.filter(i => x[i] >= Math.min(a[0], b[0]) && x[i] <= Math.max(a[0], b[0])
				&& y[i] >= Math.min(a[1], b[1]) && y[i] <= Math.max(a[1], b[1]));
		const [first, last] = [this.#valueAt(a), this.#valueAt(b)];
		return first < 0 || last < 0 ? [] : all.slice(Math.min(first, last), Math.max(first, last) + 1);
	}

	#move(event)
	{
		const cell = this.#cell(event);
		const i = this.#valueAt(cell);
		if (this.from !== null)
		{
			this.brush = this.#between(this.from, cell);
			this.draw();
		}
		if (i < 0)
			hideTooltip();
		else
			showTooltip(this.options.tell(i), event.clientX, event.clientY);
	}

	#release(event)
	{
		const chosen = this.from === null ? [] : this.#between(this.from, this.#cell(event));
		this.from = null;
		if (chosen.length > 0)
			this.options.brushed(chosen);
	}
}
