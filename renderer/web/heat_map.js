// heat_map.js - numbers in rows and columns as cells on a canvas: a row a function, a column an iteration.
//
// Cells have whole device pixels, so that none is wider than others because of rounding; the range of colours is that
// of all but the most extreme hundredth, and what is far beyond it has a ring.
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';
import {outliers, robustRange} from './rank_grid.js';
import {lettersScale} from './theme.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {css, heat} from './viewer_colors.js';

const ROW = 18;
const LABEL_SHARE = 0.3;
const WIDEST_LABEL = 260;
const AXIS = 18;

export class HeatMap
{
	// options: {label, say(name) -> text, tell(row, column) -> text, picked(row)}
	constructor(options)
	{
		this.options = options;
		this.canvas = h('canvas', {role: 'img', 'aria-label': options.label, tabindex: 0});
		this.host = h('div', {class: 'heat-map'}, this.canvas);
		this.data = null;
		this.canvas.addEventListener('pointermove', event => this.#point(event));
		this.canvas.addEventListener('pointerleave', hideTooltip);
		this.canvas.addEventListener('click', event => {
			const {row} = this.#at(event);
			if (row !== null)
				options.picked(row);
		});
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	// names: of the rows; row, column, value: cells, in any order; columns: their number; ticks: texts by column.
	show({names, row, column, value, columns, ticks})
	{
		this.data = {names, row, column, value, columns, ticks};
		this.canvas.dataset.cells = String(value.length);
		this.draw();
	}

	draw()
	{
		if (this.data === null || this.host.clientWidth === 0)
			return;
		const {names, row, column, value, columns} = this.data;
		const [ratio, width] = [devicePixelRatio * lettersScale(), this.host.clientWidth];
		const tall = Math.round(ROW * ratio);
		const left = Math.round(Math.min(WIDEST_LABEL * ratio, width * devicePixelRatio * LABEL_SHARE));
		// as many device pixels a column as all have room for; more columns than pixels share them, the greatest on top
		const room = Math.round(width * devicePixelRatio) - left;
		const wide = Math.max(1, Math.floor(room / columns));
		Object.assign(this, {left, wide, room, tall});
		Object.assign(this.canvas, {width: Math.round(width * devicePixelRatio),
			height: names.length * tall + Math.round(AXIS * ratio)});
		this.canvas.style.height = `${this.canvas.height / devicePixelRatio}px`;
		const isDark = document.documentElement.dataset.theme === 'dark';
		const style = getComputedStyle(document.documentElement);
		const context = this.canvas.getContext('2d');
		// every row has a range of its own: what changes in a cheap function is seen as well
		const ranges = names.map((_, i) => robustRange(value.filter((__, k) => row[k] === i)));
		const order = value.map((_, k) => k).sort((a, b) => value[a] - value[b]);
		for (const k of order)
		{
			const [low, high] = ranges[row[k]];
			context.fillStyle = css(heat(Math.max(0, Math.min(1, (value[k] - low) / (high - low))), isDark));
			context.fillRect(left + this.#x(column[k]), row[k] * tall, wide, tall - devicePixelRatio);
		}
		this.#rings(context, names, ratio, style.getPropertyValue('--accent').trim());
		this.#texts(context, ratio, style.getPropertyValue('--ink').trim());
	}

	#x(column)
	{
		const {columns} = this.data;
		return columns * this.wide <= this.room ? column * this.wide : Math.floor(column / columns * this.room);
	}

	#rings(context, names, ratio, accent)
	{
		const {row, column, value} = this.data;
		context.strokeStyle = accent;
		context.lineWidth = 2 * ratio;
		for (const [i] of names.entries())
		{
			const own = value.map((_, k) => k).filter(k => row[k] === i);
			for (const k of outliers(own.map(one => value[one])).slice(0, 3).map(at => own[at]))
			{
				context.beginPath();
				context.arc(this.left + this.#x(column[k]) + this.wide / 2, (i + 0.5) * this.tall,
					this.tall / 2 - 2 * ratio, 0, 2 * Math.PI);
				context.stroke();
			}
		}
	}

	#texts(context, ratio, ink)
	{
		const {names, columns, ticks} = this.data;
		context.fillStyle = ink;
		context.font = `${11 * ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'middle';
		for (const [i, name] of names.entries())
		{
			let text = this.options.say(name);
			while (text.length > 3 && context.measureText(text).width > this.left - 8 * ratio)
				text = `${text.slice(0, -2)}…`;
			context.fillText(text, 2 * ratio, (i + 0.5) * this.tall);
		}
		const y = names.length * this.tall + AXIS / 2 * ratio;
		const end = this.left + this.#x(columns - 1) + this.wide;
		context.fillText(String(ticks[0] ?? ''), this.left, y);
		context.fillText(String(ticks.at(-1) ?? ''), Math.max(this.left + 60 * ratio, end - context.measureText(
			String(ticks.at(-1) ?? '')).width), y);
		context.fillText(ticks.length > 1 ? 'iteration' : '', this.left - context.measureText('iteration').width
			- 8 * ratio, y);
	}

	#at(event)
	{
		const box = this.canvas.getBoundingClientRect();
		const x = (event.clientX - box.left) * devicePixelRatio - this.left;
		const row = Math.floor((event.clientY - box.top) * devicePixelRatio / this.tall);
		const {columns, names} = this.data;
		const column = Math.floor(columns * this.wide <= this.room ? x / this.wide : x / this.room * columns);
		return {row: row >= 0 && row < names.length ? row : null, column: x >= 0 && column < columns ? column : null};
	}

	#point(event)
	{
		const {row, column} = this.#at(event);
		if (row === null)
			hideTooltip();
		else
			showTooltip(this.options.tell(row, column), event.clientX, event.clientY);
	}
}
