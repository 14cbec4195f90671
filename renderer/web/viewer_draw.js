// viewer_draw.js - one frame of the viewer on a canvas: rasters, call stacks, messages, axis, labels, marks.
//
// A raster becomes a small picture once for each way of colouring (viewer_pictures.js); a frame only scales those
// pictures, without smoothing, so that no cell is blended with another.
// SPDX-License-Identifier: PostgreSQL

import {css, inkOn} from './viewer_colors.js';
import {drawCounters} from './viewer_counters.js';
import {BINS, ROWS} from './viewer_data.js';
import {overlayKey, overlayNeed, overlayOf} from './viewer_overlays.js';
import {CLEAR_DEVIANT, Palette, pictureOf, pictureOfCells, TALL} from './viewer_pictures.js';
import {AXIS, DEPTH, MAP, NAME} from './viewer_view.js';
import {drawWaited, drawWaitedInMap, flagsOf} from './viewer_waited.js';

const PAINTING_MS = 2; // of a frame, for pictures of rasters that came: the others follow in the next ones
const NEARLY = 3; // levels
export const LETTER = 6.6; // its width, in pixels of the page
const TICK = 90; // pixels of the page, from one to the next at least
const STEPS = [1, 2, 5];
const UNITS = [['s', 1e9], ['ms', 1e6], ['µs', 1e3], ['ns', 1]];

// ---- what is on the screen

const rasterKey = (level, x, each, block) => `r ${level} ${x} ${each} ${block}`;

const rasterNeed = (level, x, each, block) =>
	({key: rasterKey(level, x, each, block), name: 'raster', params: {level, x, each, block}});

// Levels of call stacks: 512 bins a window.
export const stackNeed = (level, x, location) => ({key: `s ${level} ${x} ${location}`, name: 'stacks',
	params: {location, from: `${x * 512 * 2 ** level}ns`, to: `${(x + 1) * 512 * 2 ** level}ns`}});

export class Scene
{
	constructor(canvas, view, store, facts)
	{
		Object.assign(this, {canvas, view, store, ...facts, color: 'function', found: null, foundKey: '', marks: [],
			selection: null, region: null, hits: null, messages: null, needs: [], theme: {}, steps: null, morph: 0,
			sql: null, range: null, counters: [], whole: null, waited: null});
		this.context = canvas.getContext('2d');
		this.readTheme();
	}

	readTheme()
	{
		const style = getComputedStyle(document.documentElement);
		for (const name of ['ink', 'soft', 'line', 'card', 'accent', 'page', 'bad'])
			this.theme[name] = style.getPropertyValue(`--${name}`).trim();
		this.isDark = document.documentElement.dataset.theme === 'dark';
	}

	get base()
	{
		let level = 0;
		while (this.view.duration / 2 ** level >= BINS)
			level++;
		let each = 1;
		while (this.view.n / each > ROWS)
			each *= 2;
		return {level, each};
	}

	draw()
	{
		const {context, view, theme} = this;
		this.needs.length = 0;
		this.isDrawn = false; // anything of the trace is
		this.limit = {ms: PAINTING_MS, isShort: false};
		const look = `${this.color} ${this.isDark} ${this.foundKey}`;
		if (look !== this.look)
			Object.assign(this, {look, palette: new Palette(this)});
		context.imageSmoothingEnabled = false;
		context.fillStyle = theme.card;
		context.fillRect(0, 0, view.width, view.height);
		if (this.morph < 1 && !this.steps?.isPair)
		{
			context.globalAlpha = 1 - this.morph;
			this.#rasters();
			this.#overlay();
			context.globalAlpha = 1;
		}
		if (this.morph === 0 && !this.steps?.isPair)
			this.#inTime();
		else
			this.steps.draw(this, this.morph);
		if (!this.steps?.isPair)
		{
			this.#labels();
			drawWaited(this);
		}
		if (this.morph === 0)
		{
			this.#axis();
			this.#map();
			drawCounters(this);
		}
		return this.needs;
	}

	#inTime()
	{
		this.#stacks();
		this.#drawMessages();
		this.#drawHits();
		this.#chosen();
	}

	// ---- what stands before the rasters: cells of rows of all lanes, in one or two pieces
	get overlayLevel() { return Math.max(0, Math.ceil(Math.log2((this.view.t1 - this.view.t0) / BINS))); }

	#overlay()
	{
		const {view, context} = this;
		if (overlayOf(this.color) === null || (this.color === 'sql' && this.sql === null))
			return;
		const level = this.overlayLevel;
		const [first, last] = this.#span(level);
		context.save();
		context.beginPath();
		context.rect(view.left, view.head, view.plot, view.room);
		context.clip();
		for (let x = first; x <= last; x++)
		{
			const cells = this.store.get(overlayKey(this, level, x));
			if (cells === null)
				this.needs.push(overlayNeed(this, level, x));
			else
				this.#placeCells(cells, level, x);
		}
		context.restore();
	}

	#placeCells(cells, level, x)
	{
		const {view} = this;
		const {color, isDark} = this;
		const range = this.range = this.range?.of === color ? this.range
			: {of: color, least: Infinity, most: -Infinity};
		range.least = Math.min(range.least, cells.least);
		range.most = Math.max(range.most, cells.most);
		const picture = pictureOfCells(cells, `${color} ${isDark} ${range.least} ${range.most}`, {color, isDark, view, level,
			range});
		const width = BINS * 2 ** level;
		this.#pieces({picture, x0: Math.round(view.x(x * width)), x1: Math.round(view.x((x + 1) * width)),
			each: view.each, lines: 1}, 0, view.n);
	}

	// Places of functions that the sharp rasters of the window show, those with most cells first.
	shownFunctions()
	{
		const {view, base} = this;
		const cells = new Float64Array(this.functionColors.length);
		for (const [level, each] of [[Math.min(view.level, base.level), view.each], [base.level, base.each]])
		{
			const [first, last] = this.#span(level);
			for (const block of this.#blocks(each))
				for (let x = first; x <= last; x++)
					this.#tally(this.store.get(rasterKey(level, x, each, block)), level, x, cells);
			if (cells.some(n => n > 0))
				break;
		}
		return [...cells.keys()].filter(place => place > 0 && cells[place] > 0).sort((a, b) => cells[b] - cells[a]);
	}

	#tally(raster, level, x, cells)
	{
		const width = 2 ** level;
		const first = Math.max(0, Math.floor(this.view.t0 / width) - x * BINS);
		const end = Math.min(BINS, Math.ceil(this.view.t1 / width) - x * BINS);
		for (let row = 0; row < (raster?.rows ?? 0); row++)
			for (let i = row * BINS + first; i < row * BINS + end; i++)
			{
				cells[raster.region[i]] += raster.share[i];
				if (raster.distance[i] >= CLEAR_DEVIANT)
					cells[raster.deviant[i]] += 1;
			}
	}

	// Coarse ones first, under the sharp ones, as long as those are not all there.
	#rasters()
	{
		const {view, base} = this;
		const level = Math.min(view.level, base.level);
		const each = view.each;
		const lacks = this.#need(level, each);
		if (lacks)
		{
			this.#layer(base.level, base.each);
			const coarse = Math.min(level + 2, base.level);
			if (base.level - level > NEARLY || each !== base.each)
			{
				if (base.level - level > NEARLY) // what is little sharper than the whole costs as much as sharp ones
					this.#need(coarse, each, true);
				for (let under = Math.min(level + 4, base.level); under > level; under--)
					this.#layer(under, each);
			}
		}
		this.#layer(level, each);
	}

	#span(level)
	{
		const {view} = this;
		const width = BINS * 2 ** level;
		return [Math.max(0, Math.floor(view.t0 / width)), Math.floor(Math.min(view.t1, view.duration) / width)];
	}

	// Asks for what a layer lacks, from the middle of the screen on; true: something.
	#need(level, each, isFirst = false)
	{
		const lacking = [];
		const [first, last] = this.#span(level);
		for (const block of this.#blocks(each))
			for (let x = first; x <= last; x++)
				if (this.store.get(rasterKey(level, x, each, block)) === null)
					lacking.push(rasterNeed(level, x, each, block));
		const middle = (first + last) / 2;
		lacking.sort((a, b) => Math.abs(a.params.x - middle) - Math.abs(b.params.x - middle));
		if (isFirst)
			this.needs.unshift(...lacking);
		else
			this.needs.push(...lacking);
		return lacking.length > 0;
	}

	#blocks(each)
	{
		const {view} = this;
		const [first, last] = view.shownLanes;
		const blocks = new Set();
		for (const [from, end] of view.parts)
		{
			const begin = Math.max(from, first);
			const stop = Math.min(end - 1, last);
			if (begin <= stop)
				for (let block = Math.floor(view.lanes[begin] / each / ROWS);
					block <= Math.floor(view.lanes[stop] / each / ROWS); block++)
					blocks.add(block);
		}
		return blocks;
	}

	#layer(level, each)
	{
		const {view, context} = this;
		const [first, last] = this.#span(level);
		const tall = each * view.lane >= 4 && each > 1;
		context.save();
		context.beginPath();
		context.rect(view.left, view.head, view.plot, view.room);
		context.clip();
		for (const block of this.#blocks(each))
			for (let x = first; x <= last; x++)
			{
				const raster = this.store.get(rasterKey(level, x, each, block));
				if (raster !== null)
					this.#place(raster, level, x, each, block, tall);
			}
		context.restore();
	}

	// A raster's rows to where their lanes are: in one piece, but for parts of the order and open lanes.
	#place(raster, level, x, each, block, tall)
	{
		const {view} = this;
		const picture = pictureOf(raster, tall, this.look, this.palette, this.limit);
		if (picture === null)
			return;
		const width = BINS * 2 ** level;
		const x0 = Math.round(view.x(x * width));
		const x1 = Math.round(view.x((x + 1) * width));
		const from = block * ROWS * each;
		this.#pieces({picture, x0, x1, each, lines: tall ? TALL : 1}, from, Math.min(from + raster.rows * each,
			view.n));
	}

	// Locations from `from` up to `end`, of which the picture is.
	#pieces(what, from, end)
	{
		const {view} = this;
		for (const [begin, stop] of view.parts)
		{
			const first = Math.max(from, view.lanes[begin]);
			const last = Math.min(end, view.lanes[stop - 1] + 1);
			if (first < last)
				this.#piece(what, begin + first - view.lanes[begin], first - from, last - first);
		}
	}

	// n locations from a lane on, of the picture from `offset` locations on; cut at lanes that are open.
	#piece({picture, x0, x1, each, lines}, lane, offset, n)
	{
		const {view, context} = this;
		this.isDrawn = true;
		const open = [...view.open.keys()].map(location => view.laneOf[location]).filter(at => at >= lane
			&& at < lane + n)
			.sort((a, b) => a - b);
		let done = 0;
		for (const stop of [...open.map(at => at + 1 - lane), n])
		{
			const rows = stop - done;
			if (rows <= 0)
				continue;
			const y0 = Math.round(view.y(lane + done));
			const y1 = Math.round(view.y(lane + done) + rows * view.lane);
			const gap = view.lane * each > 9 * view.ratio && rows === 1 ? view.hair : 0;
			if (y1 > view.head && y0 < view.height)
				context.drawImage(picture, 0, (offset + done) / each * lines, BINS, rows / each * lines, x0, y0,
					x1 - x0,
					Math.max(1, y1 - y0 - gap));
			done = stop;
		}
	}

	// ---- call stacks: of open lanes, and of all where lanes are high
	get stripHeight() { return Math.round(14 * this.view.ratio); }

	stackLanes()
	{
		const {view} = this;
		const [first, last] = view.shownLanes;
		const all = view.lane >= 64 * view.ratio && last - first < 40;
		const out = [];
		if (!all)
			return [...view.open.keys()].map(location => view.laneOf[location]).filter(lane => lane >= first
				&& lane <= last);
		for (let lane = first; lane <= last; lane++)
			out.push(lane);
		return out;
	}

	#stacks()
	{
		const {view, context} = this;
		const level = Math.max(0, Math.floor(Math.log2(Math.max(1, view.perPixel))));
		const width = 512 * 2 ** level;
		const first = Math.max(0, Math.floor(view.t0 / width));
		const last = Math.floor(Math.min(view.t1, view.duration) / width);
		context.save();
		context.beginPath();
		context.rect(view.left, view.head, view.plot, view.room);
		context.clip();
		for (const lane of this.stackLanes())
		{
			const location = view.lanes[lane];
			const isOpen = view.open.has(location);
			const top = Math.round(view.y(lane) + (isOpen ? view.lane : this.stripHeight));
			const room = isOpen ? view.open.get(location) : view.lane - this.stripHeight - view.hair;
			context.fillStyle = this.theme.card;
			context.fillRect(view.left, top, view.plot, room);
			for (let x = first; x <= last; x++)
			{
				const need = stackNeed(level, x, location);
				const found = this.store.get(need.key);
				if (found === null)
					this.needs.push(need);
				else if (found.columns !== null)
					this.#stack(found.columns, top, room);
			}
		}
		context.restore();
	}

	#stack(spans, top, room)
	{
		const {view, context} = this;
		const high = Math.round(DEPTH * view.ratio);
		context.font = `${11 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'middle';
		for (let i = 0; i < spans.depth.length; i++)
		{
			const y = top + spans.depth[i] * high;
			const x0 = Math.max(view.left, Math.round(view.x(spans.t_start[i])));
			const x1 = Math.min(view.width, Math.round(view.x(spans.t_end[i])));
			if (y + high > top + room || x1 <= view.left || x0 >= view.width)
				continue;
			const place = this.placeOfName.get(spans.region[i]) ?? 0;
			const paint = this.functionColors[place];
			context.globalAlpha = this.found === null || this.found.has(place) ? 1 : 0.25;
			context.fillStyle = css(paint);
			context.fillRect(x0, y, Math.max(1, x1 - x0 - (x1 - x0 > 4 ? view.hair : 0)), high - view.hair);
			if (x1 - x0 > 34 * view.ratio)
			{
				context.fillStyle = inkOn(paint);
				context.fillText(this.fit(this.say(spans.region[i]), x1 - x0 - 8 * view.ratio), x0 + 3 * view.ratio, y
					+ high / 2);
			}
		}
		context.globalAlpha = 1;
	}

	// A text cut to a width.
	fit(text, width)
	{
		const most = Math.floor(width / (LETTER * this.view.ratio));
		return text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`;
	}

	// ---- messages and hits
	#drawMessages()
	{
		const {view, context, messages} = this;
		if (messages === null)
			return;
		context.save();
		context.beginPath();
		context.rect(view.left, view.head, view.plot, view.room);
		context.clip();
		context.strokeStyle = this.theme.ink;
		context.globalAlpha = messages.send_time.length > 200 ? 0.3 : 0.6;
		context.lineWidth = view.hair;
		context.beginPath();
		const middle = Math.min(view.lane, this.stripHeight) / 2;
		for (let i = 0; i < messages.send_time.length; i++)
		{
			context.moveTo(view.x(messages.send_time[i]), view.y(view.laneOf[messages.sender_location[i]]) + middle);
			context.lineTo(view.x(messages.receive_time[i]), view.y(view.laneOf[messages.receiver_location[i]])
				+ middle);
		}
		context.stroke();
		context.restore();
	}

	// Ticks below the axis where calls of the searched function begin.
	#drawHits()
	{
		const {view, context, hits} = this;
		if (hits === null)
			return;
		context.fillStyle = this.theme.bad;
		let before = -1;
		for (let i = 0; i < hits.enter.length; i++)
		{
			const x = Math.round(view.x(hits.enter[i]));
			if (x !== before && x >= view.left)
				context.fillRect(x, view.head - 5 * view.hair, view.hair, 5 * view.hair);
			before = x;
		}
	}

	// ---- what is chosen
	#chosen()
	{
		const {view, context, selection, region, theme} = this;
		context.save();
		context.beginPath();
		context.rect(view.left, view.head - AXIS * view.ratio, view.plot, view.room + AXIS * view.ratio);
		context.clip();
		if (region !== null)
		{
			const [y0, y1] = [view.y(region.first), view.y(region.last) + view.lane];
			const x0 = view.x(region.from);
			context.fillStyle = theme.accent;
			context.globalAlpha = 0.16;
			context.fillRect(x0, y0, view.x(region.to) - x0, y1 - y0);
			context.globalAlpha = 1;
			context.strokeStyle = theme.accent;
			context.lineWidth = view.hair;
			context.strokeRect(x0, y0, view.x(region.to) - x0, y1 - y0);
		}
		if (selection !== null)
		{
			const y = view.y(view.laneOf[selection.location]);
			const x0 = view.x(selection.from);
			context.strokeStyle = theme.ink;
			context.lineWidth = 2 * view.ratio;
			context.strokeRect(x0, y, Math.max(3 * view.ratio, view.x(selection.to) - x0), Math.max(4 * view.ratio,
				view.lane));
		}
		context.font = `${11 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'top';
		for (const {time, text} of this.marks)
		{
			const x = Math.round(view.x(time));
			context.fillStyle = theme.bad;
			context.fillRect(x, view.head - AXIS * view.ratio, view.hair, view.height);
			context.fillText(text, x + 3 * view.ratio, view.head + 2 * view.ratio);
		}
		context.restore();
	}

	// ---- labels, axis, map
	#labels()
	{
		const {view, context, theme} = this;
		const [first, last] = view.shownLanes;
		const step = 2 ** Math.max(0, Math.ceil(Math.log2(16 * view.ratio / view.lane)));
		const flagged = flagsOf(this);
		context.fillStyle = theme.card;
		context.fillRect(0, view.head, view.left, view.room);
		context.fillStyle = theme.soft;
		context.font = `${11 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'middle';
		for (let lane = Math.ceil(first / step) * step; lane <= last; lane += step)
		{
			const y = view.y(lane) + (step > 1 ? view.lane : Math.min(view.lane, NAME * view.ratio)) / 2;
			const isFree = flagged.every(flag => Math.abs(flag - y) >= 14 * view.ratio);
			if (isFree && y > view.head + 6 * view.ratio)
				context.fillText(this.fit(view.signOf(view.lanes[lane]) + this.laneName(view.lanes[lane]),
					view.left - 8 * view.ratio), 6 * view.ratio, y);
		}
	}

	// Ticks at least so many pixels apart: {step, unit, textAt(time)}.
	#ticks(pixels)
	{
		const least = this.view.perPixel * pixels;
		const power = 10 ** Math.floor(Math.log10(least));
		const step = power * (STEPS.find(one => one * power >= least) ?? 10);
		const [unit, size] = UNITS.find(([, ns]) => step >= ns * 0.999) ?? UNITS.at(-1);
		const digits = Math.max(0, -Math.floor(Math.log10(step / size) + 1e-9));
		return {step, unit, textAt: time => (time / size).toFixed(digits)};
	}

	#axis()
	{
		const {view, context, theme} = this;
		const y = view.head - AXIS * view.ratio;
		context.fillStyle = theme.page;
		context.fillRect(0, y, view.width, AXIS * view.ratio);
		context.fillStyle = theme.soft;
		context.font = `${11 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'middle';
		const width = of => (of.textAt(view.t1).length + 2) * LETTER * view.ratio;
		const near = this.#ticks(TICK * view.ratio);
		const {step, unit, textAt} = width(near) > near.step / view.perPixel ? this.#ticks(width(near)) : near;
		context.fillText(`time [${unit}]`, 6 * view.ratio, y + AXIS * view.ratio / 2);
		for (let i = Math.ceil(Math.max(0, view.t0) / step); i * step <= view.t1; i++)
		{
			const x = Math.round(view.x(i * step));
			const text = textAt(i * step);
			context.fillRect(x, view.head - 6 * view.hair, view.hair, 6 * view.hair);
			if (x + (text.length + 1) * LETTER * view.ratio < view.width)
				context.fillText(text, x + 4 * view.ratio, y + AXIS * view.ratio / 2);
		}
	}

	// Where the window showed all of the trace, little sharper than the map: reading that costs as much, and would have
	// come first. Rasters that are there, or are asked for, make the map.
	#mapOfRasters(height, scale)
	{
		const {view, base} = this;
		if (view.t0 <= 0 && view.t1 >= view.duration && view.isWhole && base.level - view.level <= NEARLY)
			this.whole = {level: Math.min(view.level, base.level), each: view.each,
				blocks: [...this.#blocks(view.each)]};
		else if (!this.whole?.isThere)
			return false;
		const {level, each, blocks} = this.whole;
		const tall = each * view.lane >= 4 && each > 1;
		const last = Math.floor(view.duration / (BINS * 2 ** level));
		this.whole.isThere = true;
		for (const block of blocks)
			for (let x = 0; x <= last; x++)
			{
				const raster = this.store.get(rasterKey(level, x, each, block));
				this.whole.isThere &&= raster !== null;
				if (raster !== null)
					this.#placeInMap(raster, tall, [level, x, each, block], height, scale);
			}
		return true;
	}

	#placeInMap(raster, tall, [level, x, each, block], height, scale)
	{
		const {view, context} = this;
		const picture = pictureOf(raster, raster.pictures[0] === null && tall, this.look, this.palette, this.limit);
		if (picture === null)
			return;
		const from = block * ROWS * each;
		const end = Math.min(view.n, from + raster.rows * each);
		const [y0, y1] = [from, end].map(at => Math.round(at / view.n * height));
		const [x0, x1] = [x, x + 1].map(at => Math.round(view.left + at * BINS * 2 ** level * scale));
		context.drawImage(picture, x0, y0, x1 - x0, y1 - y0);
	}

	// All of the trace, and where the window is in it.
	#map()
	{
		const {view, context, theme, base} = this;
		const [height, width] = [Math.round(MAP * view.ratio), BINS * 2 ** base.level];
		const raster = this.store.get(rasterKey(base.level, 0, base.each, 0));
		const scale = view.plot / view.duration;
		context.fillStyle = theme.card;
		context.fillRect(0, 0, view.width, height);
		if (raster === null && !this.#mapOfRasters(height - 2 * view.hair, scale))
			this.needs.unshift(rasterNeed(base.level, 0, base.each, 0));
		else if (raster !== null)
			context.drawImage(pictureOf(raster, false, this.look, this.palette), view.left, 0, width * scale,
				height - 2 * view.hair);
		drawWaitedInMap(this);
		context.fillStyle = theme.soft;
		context.font = `${11 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'middle';
		context.fillText('whole trace', 6 * view.ratio, height / 2);
		const x0 = view.left + Math.max(0, view.t0) * scale;
		const x1 = view.left + Math.min(view.duration, view.t1) * scale;
		context.fillStyle = theme.card;
		context.globalAlpha = 0.6;
		context.fillRect(view.left, 0, x0 - view.left, height);
		context.fillRect(x1, 0, view.width - x1, height);
		context.globalAlpha = 1;
		context.strokeStyle = theme.accent;
		context.lineWidth = 2 * view.ratio;
		context.strokeRect(x0 + view.ratio, view.ratio, Math.max(2 * view.ratio, x1 - x0 - 2 * view.ratio),
			height - 3 * view.ratio);
	}
}

// What an overlay says of a lane and a time: {value, location, ns of the bin}; null: nothing.
export function overlayAt(scene, lane, time)
{
	const {view} = scene;
	const level = scene.overlayLevel;
	const bin = Math.floor(time / 2 ** level);
	const cells = overlayOf(scene.color) !== null && bin >= 0
		? scene.store.get(overlayKey(scene, level, Math.floor(bin / BINS))) : null;
	const i = Math.floor(view.lanes[lane] / view.each) * BINS + bin % BINS;
	return cells === null || Number.isNaN(cells.values[i]) ? null
		: {value: cells.values[i], location: cells.locations[i], bin: 2 ** level};
}

// What a cell says: of the row at a lane and the bin at a time, from the sharpest raster that is there; null:
// nothing.
export function cellAt(scene, lane, time)
{
	const {view, store, base} = scene;
	const each = view.each;
	const location = view.lanes[lane];
	for (const [level, of] of [[Math.min(view.level, base.level), each], [base.level, base.each]])
	{
		const bin = Math.floor(time / 2 ** level);
		const row = Math.floor(location / of);
		const raster = bin < 0 ? null : store.get(rasterKey(level, Math.floor(bin / BINS), of,
			Math.floor(row / ROWS)));
		const i = row % ROWS * BINS + bin % BINS;
		if (raster !== null && raster.region[i] > 0)
			return {each: of, first: row * of, level, place: raster.region[i], share: raster.share[i] / 255,
				activity: raster.activity.map(plane => plane[i] / 255), distance: raster.distance[i] / 255,
				deviant: raster.distance[i] === 0 ? null : row * of + raster.location[0][i]
					+ 256 * raster.location[1][i]
					+ 65536 * raster.location[2][i],
				deviantPlace: raster.deviant[i], deviantActivity: raster.deviantActivity.map(plane =>
					plane[i] / 255)};
	}
	return null;
}
