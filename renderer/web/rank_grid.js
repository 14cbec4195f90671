// rank_grid.js - one number a rank or thread as a grid of cells on a canvas; dragging chooses ranks.
//
// The range of colours is that of all but the most extreme hundredth on both sides; what is beyond has the end's
// colour,
// and what is far beyond a ring, so that one rank among thousands is seen.
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {css, heat} from './viewer_colors.js';

// Bounds of a list's middle 98 %, wide enough to have a range.
export function robustRange(values)
{
	const sorted = Float64Array.from(values).sort();
	const at = share => sorted[Math.round(share * (sorted.length - 1))] ?? 0;
	const [low, high] = [at(0.01), at(0.99)];
	return high > low ? [low, high] : [sorted[0] ?? 0, Math.max(sorted.at(-1) ?? 1, (sorted[0] ?? 0) + 1e-30)];
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
	// options: {tell(i) -> text, brushed(first, last)}
	constructor(options)
	{
		this.options = options;
		this.canvas = h('canvas', {role: 'img', 'aria-label': 'cost by rank', tabindex: 0});
		this.host = h('div', {class: 'rank-grid'}, this.canvas);
		Object.assign(this, {values: [], across: 1, brush: null, from: -1});
		this.canvas.addEventListener('pointerdown', event => {
			this.canvas.setPointerCapture(event.pointerId);
			this.from = this.#at(event);
		});
		this.canvas.addEventListener('pointermove', event => this.#move(event));
		this.canvas.addEventListener('pointerup', event => this.#release(event));
		this.canvas.addEventListener('pointerleave', hideTooltip);
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	// across: cells a line, or 0: as the room is.
	show(values, across = 0)
	{
		Object.assign(this, {values, wanted: across});
		this.draw();
	}

	draw()
	{
		const {host, canvas, values, wanted} = this;
		const [width, height] = [Math.max(1, host.clientWidth), Math.max(1, host.clientHeight)];
		const n = values.length;
		this.across = wanted > 0 ? wanted : Math.max(1, Math.ceil(Math.sqrt(n * width / height)));
		const down = Math.max(1, Math.ceil(n / this.across));
		const ratio = devicePixelRatio;
		Object.assign(canvas, {width: Math.round(width * ratio), height: Math.round(height * ratio)});
		const isDark = document.documentElement.dataset.theme === 'dark';
		const [low, high] = robustRange(values);
		const context = canvas.getContext('2d');
		context.clearRect(0, 0, canvas.width, canvas.height);
		const [wide, tall] = [canvas.width / this.across, canvas.height / down];
		// cells that share a pixel: the greatest is drawn last
		const order = Array.from({length: n}, (_, i) => i).sort((a, b) => values[a] - values[b]);
		for (const i of order)
		{
			const [x, y] = [i % this.across * wide, Math.floor(i / this.across) * tall];
			context.fillStyle = css(heat(Math.max(0, Math.min(1, (values[i] - low) / (high - low))), isDark));
			context.fillRect(Math.floor(x), Math.floor(y), Math.max(1, Math.ceil(wide) - (wide > 6 ? 1 : 0)),
				Math.max(1, Math.ceil(tall) - (tall > 6 ? 1 : 0)));
		}
		context.strokeStyle = getComputedStyle(document.documentElement).getPropertyValue('--accent').trim();
		context.lineWidth = 2 * ratio;
		for (const i of outliers(values))
		{
			context.beginPath();
			context.arc((i % this.across + 0.5) * wide, (Math.floor(i / this.across) + 0.5) * tall,
				Math.max(6 * ratio, Math.min(wide, tall) / 2), 0, 2 * Math.PI);
			context.stroke();
		}
		if (this.brush !== null)
		{
			for (let i = this.brush[0]; i <= this.brush[1]; i++)
				context.strokeRect(i % this.across * wide, Math.floor(i / this.across) * tall, wide, tall);
		}
	}

	#at(event)
	{
		const box = this.canvas.getBoundingClientRect();
		const down = Math.max(1, Math.ceil(this.values.length / this.across));
		const column = Math.floor((event.clientX - box.left) / box.width * this.across);
		const row = Math.floor((event.clientY - box.top) / box.height * down);
		const i = row * this.across + column;
		return column >= 0 && column < this.across && i >= 0 && i < this.values.length ? i : -1;
	}

	#move(event)
	{
		const i = this.#at(event);
		if (this.from >= 0 && i >= 0)
		{
			this.brush = [Math.min(this.from, i), Math.max(this.from, i)];
			this.draw();
		}
		if (i < 0)
			hideTooltip();
		else
			showTooltip(this.options.tell(i), event.clientX, event.clientY);
	}

	#release(event)
	{
		const i = this.#at(event);
		const from = this.from;
		this.from = -1;
		if (from >= 0 && i >= 0)
			this.options.brushed(Math.min(from, i), Math.max(from, i));
	}
}
