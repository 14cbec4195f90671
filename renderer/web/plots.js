// plots.js - pictures of many runs on a canvas: one number over another, boxes of groups, parallel coordinates. A run
// is a
// mark that can be pointed at and chosen; runs that a brush leaves out step back.
//
// Everything is drawn through a context of shapes, so that the same drawing is saved as SVG.
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';
import {alike} from './format.js';
import {SvgContext} from './svg_canvas.js';
import {lettersScale} from './theme.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {css} from './viewer_colors.js';

const FONT = '11px "DejaVu Sans", Verdana, sans-serif';
const NEAR = 8; // pixels from a mark that still mean it
const FAINT = 0.12;

const look = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Numbers that people count by, about so many, that hold a range.
export function ticks(low, high, wanted = 5)
{
	const span = high - low || Math.abs(high) || 1;
	const power = 10 ** Math.floor(Math.log10(span / wanted));
	const step = [1, 2, 5, 10].map(one => one * power).find(one => span / one <= wanted) ?? power * 10;
	const out = [];
	for (let at = Math.ceil(low / step - 1e-9) * step; at <= high + step * 1e-9; at += step)
		out.push(Number(at.toPrecision(12)));
	return out;
}

function rangeOf(values)
{
	const known = values.filter(Number.isFinite);
	const [low, high] = [Math.min(...known), Math.max(...known)];
	const room = (high - low) * 0.04 || Math.abs(high) * 0.05 || 1;
	return known.length === 0 ? [0, 1] : [low - room, high + room];
}

// A canvas with marks of runs. Those who extend it draw and say where the marks are.
class Plot
{
	// options: {label, tell(run) -> text, picked(run)}
	constructor(options)
	{
		this.options = options;
		this.canvas = h('canvas', {tabindex: 0, role: 'img', 'aria-label': options.label});
		this.host = h('div', {class: 'plot'}, this.canvas);
		Object.assign(this, {data: null, marks: [], scale: 1});
		this.canvas.addEventListener('pointermove', event => this.pointed(event));
		this.canvas.addEventListener('pointerleave', hideTooltip);
		this.canvas.addEventListener('click', event => this.clicked(event));
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	// data: {runs: [run], of(run, key), color(run) -> channels, isIn(run), chosen: run or null, ...}
	show(data)
	{
		this.data = data;
		this.draw();
	}

	draw()
	{
		const [width, height] = [this.host.clientWidth, this.host.clientHeight];
		if (this.data === null || width === 0 || height === 0)
			return;
		Object.assign(this.canvas, {width: Math.round(width * devicePixelRatio),
			height: Math.round(height * devicePixelRatio)});
		const context = this.canvas.getContext('2d');
		this.scale = lettersScale();
		context.scale(devicePixelRatio * this.scale, devicePixelRatio * this.scale);
		this.paint(context, width / this.scale, height / this.scale);
		this.canvas.dataset.marks = String(this.marks.length);
	}

	svg()
	{
		const [width, height] = [this.host.clientWidth, this.host.clientHeight];
		const context = new SvgContext(width, height);
		context.fillStyle = look('--card');
		context.fillRect(0, 0, width, height);
		this.paint(context, width, height);
		return context;
	}

	paint(context, width, height)
	{
		Object.assign(this, {context, width, height, marks: []});
		Object.assign(context, {font: FONT, textBaseline: 'middle', lineWidth: 1});
		this.shapes();
	}

	// isOver: lines end beside it.
	text(text, x, y, {color = '--ink', align = 'left', most = 1e9, isOver = false} = {})
	{
		const {context} = this;
		const measure = one => context.measureText?.(one).width ?? one.length * 6.6;
		let shown = String(text);
		while (shown.length > 2 && measure(shown) > most)
			shown = `${shown.slice(0, -2)}…`;
		const wide = measure(shown);
		const left = align === 'right' ? x - wide : align === 'middle' ? x - wide / 2 : x;
		if (isOver)
		{
			context.fillStyle = look('--card');
			context.fillRect(left - 2, y - 7, wide + 4, 14);
		}
		context.fillStyle = look(color);
		context.fillText(shown, left, y);
	}

	line(x1, y1, x2, y2, color)
	{
		const {context} = this;
		context.strokeStyle = color;
		context.beginPath();
		context.moveTo(x1, y1);
		context.lineTo(x2, y2);
		context.stroke();
	}

	// A run at a place: a square, with a frame when it is chosen.
	mark(run, x, y, size = 3.5)
	{
		const {context, data} = this;
		const isIn = data.isIn(run);
		context.globalAlpha = isIn ? 0.85 : FAINT;
		context.fillStyle = css(data.color(run));
		context.fillRect(x - size, y - size, 2 * size, 2 * size);
		context.globalAlpha = 1;
		if (run === data.chosen)
		{
			context.strokeStyle = look('--ink');
			context.lineWidth = 2;
			context.strokeRect(x - size - 3, y - size - 3, 2 * size + 6, 2 * size + 6);
			context.lineWidth = 1;
		}
		if (isIn)
			this.marks.push({run, x, y});
	}

	// The pointer among what is drawn.
	at({offsetX, offsetY}) { return {x: offsetX / this.scale, y: offsetY / this.scale}; }

	nearest(event)
	{
		const {x, y} = this.at(event);
		let best = null;
		for (const one of this.marks)
		{
			const away = Math.hypot(one.x - x, one.y - y);
			if (away <= NEAR && away < (best?.away ?? Infinity))
				best = {...one, away};
		}
		return best?.run ?? null;
	}

	pointed(event)
	{
		const run = this.nearest(event);
		this.canvas.style.cursor = run === null ? 'default' : 'pointer';
		if (run === null)
			hideTooltip();
		else
			showTooltip(this.options.tell(run), event.clientX, event.clientY);
	}

	clicked(event) { this.options.picked(this.nearest(event)); }

	// A vertical axis with its numbers at the left of x.
	axis(x, top, bottom, [low, high], say)
	{
		this.line(x + 0.5, top, x + 0.5, bottom, look('--soft'));
		const places = ticks(low, high);
		for (const [i, label] of alike(places.map(say)).entries())
			this.text(label, x - 6, bottom - (places[i] - low) / (high - low) * (bottom - top), {align: 'right',
				color: '--soft', isOver: true});
	}
}

const [LEFT, RIGHT, TOP, BOTTOM] = [72, 16, 28, 34];

// data: + {x, y: keys, say(key, value), name(key)}
export class Scatter extends Plot
{
	shapes()
	{
		const {data: {runs, of, x, y, say, name}, width, height} = this;
		const shown = runs.filter(run => Number.isFinite(of(run, x)) && Number.isFinite(of(run, y)));
		const [across, up] = [x, y].map(key => rangeOf(shown.map(run => of(run, key))));
		const bottom = height - BOTTOM;
		const placeX = value => LEFT + (value - across[0]) / (across[1] - across[0]) * (width - LEFT - RIGHT);
		const placeY = value => bottom - (value - up[0]) / (up[1] - up[0]) * (bottom - TOP);
		this.axis(LEFT, TOP, bottom, up, value => say(y, value));
		this.line(LEFT, bottom + 0.5, width - RIGHT, bottom + 0.5, look('--soft'));
		const places = ticks(...across, Math.max(2, Math.floor(width / 140)));
		for (const [i, label] of alike(places.map(at => say(x, at))).entries())
			this.text(label, placeX(places[i]), bottom + 10, {align: 'middle', color: '--soft'});
		this.text(name(y), 8, 12);
		this.text(name(x), width - RIGHT, height - 9, {align: 'right'});
		if (shown.length === 0)
			this.text('no run has both numbers', width / 2, height / 2, {align: 'middle', color: '--soft'});
		for (const run of shown)
			this.mark(run, placeX(of(run, x)), placeY(of(run, y)));
	}
}

// Quartiles by linear interpolation, fences at the last value within 1.5 times their distance.
export function boxOf(values)
{
	const sorted = Float64Array.from(values).sort();
	const at = share => {
		const place = share * (sorted.length - 1);
		const [low, high] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]];
		return low + (high - low) * (place - Math.floor(place));
	};
	const [first, median, third] = [at(0.25), at(0.5), at(0.75)];
	const reach = 1.5 * (third - first);
	return {first, median, third, low: sorted.find(one => one >= first - reach),
		high: sorted.findLast(one => one <= third + reach)};
}

// data: + {groups: [{name, runs}], y, say, name}: a box a group, its runs beside it
export class Boxes extends Plot
{
	shapes()
	{
		const {data: {groups, of, y, say, name, color}, width, height, context} = this;
		const valuesOf = group => group.runs.map(run => of(run, y)).filter(Number.isFinite);
		const range = rangeOf(groups.flatMap(valuesOf));
		const bottom = height - BOTTOM;
		const placeY = value => bottom - (value - range[0]) / (range[1] - range[0]) * (bottom - TOP);
		const wide = (width - LEFT - RIGHT) / Math.max(1, groups.length);
		this.axis(LEFT, TOP, bottom, range, value => say(y, value));
		this.text(name(y), 8, 12);
		for (const [i, group] of groups.entries())
		{
			const [values, middle] = [valuesOf(group), LEFT + (i + 0.5) * wide];
			const half = Math.min(24, wide / 5);
			this.text(`${group.name} (${values.length})`, middle, bottom + 12, {align: 'middle', most: wide - 6});
			if (values.length === 0)
				continue;
			const box = boxOf(values);
			const ink = look('--ink');
			context.fillStyle = css(color(group.runs[0]));
			context.globalAlpha = 0.35;
			context.fillRect(middle - half, placeY(box.third), 2 * half, Math.max(1,
				placeY(box.first) - placeY(box.third)));
			context.globalAlpha = 1;
			context.strokeStyle = ink;
			context.strokeRect(middle - half, placeY(box.third), 2 * half, Math.max(1, placeY(box.first)
				- placeY(box.third)));
			this.line(middle - half, placeY(box.median), middle + half, placeY(box.median), ink);
			this.line(middle, placeY(box.third), middle, placeY(box.high), ink);
			this.line(middle, placeY(box.first), middle, placeY(box.low), ink);
			for (const [k, run] of group.runs.entries())
				if (Number.isFinite(of(run, y)))
					this.mark(run, middle + half + 10 + k * 7 % Math.max(8, wide / 2 - half - 20), placeY(of(run, y)),
						2.5);
		}
	}
}

// data: + {axes: keys, brushes: {key: [low, high]}, say, name}; options: + brushed(key, [low, high] or null)
export class Parallel extends Plot
{
	#from = null;

	constructor(options)
	{
		super(options);
		this.canvas.addEventListener('pointerdown', event => {
			const axis = this.#axisAt(event);
			this.#from = axis === null ? null : {axis, y: this.at(event).y};
			if (axis !== null)
				this.canvas.setPointerCapture(event.pointerId);
		});
		this.canvas.addEventListener('pointerup', event => this.#release(event));
	}

	#axisAt(event)
	{
		const at = this.at(event).x;
		const found = this.places?.findIndex(x => Math.abs(x - at) < 14) ?? -1;
		return found >= 0 ? found : null;
	}

	#release(event)
	{
		if (this.#from === null)
			return;
		const {axis, y} = this.#from;
		const [low, high] = this.ranges[axis];
		const value = at => low + (this.bottom - at) / (this.bottom - this.top) * (high - low);
		this.#from = null;
		const end = this.at(event).y;
		this.options.brushed(this.data.axes[axis], Math.abs(end - y) < 3 ? null
			: [value(Math.max(y, end)), value(Math.min(y, end))]);
	}

	shapes()
	{
		const {data: {runs, of, axes, brushes, say, name, color, isIn, chosen}, width, height, context} = this;
		const [top, bottom] = [TOP + 16, height - 16];
		const wide = (width - LEFT - 48) / Math.max(1, axes.length - 1);
		this.places = axes.map((_, i) => LEFT + i * wide);
		this.ranges = axes.map(key => rangeOf(runs.map(run => of(run, key))));
		Object.assign(this, {top, bottom});
		const y = (i, value) => bottom - (value - this.ranges[i][0]) / (this.ranges[i][1] - this.ranges[i][0])
			* (bottom - top);
		// those that stand out are drawn last
		const order = [...runs].sort((a, b) => (isIn(a) - isIn(b)) || ((a === chosen) - (b === chosen)));
		for (const run of order)
		{
			const at = axes.map((key, i) => [this.places[i], y(i, of(run, key))]);
			context.strokeStyle = run === chosen ? look('--ink') : css(color(run));
			context.globalAlpha = isIn(run) ? run === chosen ? 1 : 0.7 : FAINT;
			context.lineWidth = run === chosen ? 3 : 1.3;
			context.beginPath();
			let isDown = false;
			for (const [x, where] of at)
			{
				if (Number.isFinite(where))
					context[isDown ? 'lineTo' : 'moveTo'](x, where);
				isDown = Number.isFinite(where);
			}
			context.stroke();
			if (isIn(run))
				this.marks.push(...at.filter(([, where]) => Number.isFinite(where)).map(([x, where]) => ({run, x,
					y: where})));
		}
		Object.assign(context, {globalAlpha: 1, lineWidth: 1});
		for (const [i, key] of axes.entries())
		{
			this.axis(Math.round(this.places[i]), top, bottom, this.ranges[i], value => say(key, value));
			this.text(name(key), this.places[i], i % 2 === 0 ? 12 : 26, {align: 'middle', most: 2 * wide - 16});
			const brush = brushes[key];
			if (brush !== undefined)
			{
				context.strokeStyle = look('--accent');
				context.lineWidth = 2;
				context.strokeRect(this.places[i] - 7, y(i, brush[1]), 14, y(i, brush[0]) - y(i, brush[1]));
				context.lineWidth = 1;
			}
		}
	}
}
