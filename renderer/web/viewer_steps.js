// viewer_steps.js - events between two axes: at the clock's times, at logical steps, or on the way from one to the
// other. Of one run on the lanes of the viewer; of two runs above each other, whose equal steps share a column and
// whose equal phases are joined by lines. Where there are more steps than a screen has room for, an event stands for
// a bin of them, the latest one; a closer look asks for smaller bins.
// SPDX-License-Identifier: PostgreSQL

import {css, heat, strength} from './viewer_colors.js';

const GAP = 40; // between two runs, in pixels of the page
const LEAST_LATENESS = 100; // ns

const ease = m => m * m * (3 - 2 * m);

// The first place whose value is not below another, in a list that rises.
function placeOf(list, value)
{
	let [low, high] = [0, list.length];
	while (low < high)
	{
		const middle = (low + high) >> 1;
		if (list[middle] < value)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

export class Steps
{
	#isDense = false; // every step has a column

	// sides: one run, or two: {run, events, bins, each, laneOf, laneCount, duration, paints}. pairs: of two, as
	// /api/step_pairs has them.
	constructor(sides, pairs = null)
	{
		Object.assign(this, {sides, pairs, isPair: sides.length > 1});
		this.first = sides[0].bins?.first ?? 0;
		this.#isDense = !this.isPair && (sides[0].bins?.per ?? 1) > 1;
		this.columns = pairs?.rows?.status.length ?? 0;
		for (const [which, side] of sides.entries())
		{
			this.#readColumns(side, which);
			this.fill(which, side);
		}
	}

	// Steps of a run that have a column each, and those columns; both rise. Of one run: steps with events, unless these
	// stand for several.
	#readColumns(side, which)
	{
		const steps = this.isPair ? this.pairs.rows?.[which === 0 ? 'step_a' : 'step_b'] ?? []
			: this.#isDense ? [] : [...new Set(side.events?.step)].sort((a, b) => a - b);
		const known = steps.map((step, column) => [step, column]).filter(([step]) => step !== null)
			.sort(([a], [b]) => a - b);
		side.steps = known.map(([step]) => step);
		side.columnOf = known.map(([, column]) => column);
		if (!this.isPair)
			this.columns = this.#isDense ? (side.bins?.stop ?? 0) - this.first : steps.length;
	}

	// The column where a step begins.
	#columnAt(side, step)
	{
		if (this.#isDense)
			return step - this.first;
		return side.columnOf[placeOf(side.steps, step)] ?? this.columns;
	}

	// Other events of a side, of a part of its steps perhaps.
	fill(which, {events, bins, paints})
	{
		const side = Object.assign(this.sides[which], {events, bins, paints});
		const n = side.n = events?.step.length ?? 0;
		const {first, per} = bins ?? {first: 0, per: 1};
		side.per = per;
		side.column = new Float64Array(n);
		side.end = new Float64Array(n);
		side.lane = new Int32Array(n);
		side.startOf = new Int32Array(this.columns).fill(-1);
		side.byPlace = new Map();
		for (let i = 0; i < n; i++)
		{
			const from = first + Math.floor((events.step[i] - first) / per) * per;
			const isKnown = this.#isDense || per > 1 || side.steps[placeOf(side.steps, from)] === from;
			side.column[i] = isKnown ? this.#columnAt(side, from) : -1;
			side.end[i] = per === 1 ? side.column[i] + 1 : Math.max(side.column[i] + 1, this.#columnAt(side, from
				+ per));
			const lane = side.laneOf[events.location[i]];
			side.lane[i] = lane - lane % side.each;
			if (side.column[i] >= 0)
				side.startOf.fill(side.column[i], side.column[i], side.end[i]);
			side.byPlace.set(`${side.lane[i]} ${side.column[i]}`, i);
		}
	}

	// The steps of a side between two columns, [first, last]; null: there are none.
	stepsBetween(which, from, to)
	{
		const [low, high] = [Math.max(0, Math.floor(from)), Math.min(this.columns, Math.ceil(to))];
		if (!this.isPair)
			return [this.first + low, this.first + high - 1];
		const steps = (this.pairs.rows?.[which === 0 ? 'step_a' : 'step_b'] ?? []).slice(low, high)
			.filter(step => step !== null);
		return steps.length === 0 ? null : [steps.reduce((a, b) => Math.min(a, b)), steps.reduce((a, b) => Math.max(a,
			b))];
	}

	// Functions of events whose columns are seen, those with most events first: [name, colour].
	shownFunctions(view)
	{
		const found = new Map();
		for (const {n, column, end, events, paints} of this.sides)
			for (let i = 0; i < n; i++)
				if (column[i] >= 0 && end[i] > view.c0 && column[i] < view.c1)
				{
					const one = found.get(events.region[i]) ?? {count: 0, color: paints[i]};
					found.set(events.region[i], one);
					one.count++;
				}
		return [...found].sort(([, a], [, b]) => b.count - a.count).map(([name, {color}]) => [name, color]);
	}

	// Where the lanes of a side are: {top, lane}.
	#rows(scene, which)
	{
		const {view} = scene;
		if (!this.isPair)
			return {y: lane => view.y(lane), lane: view.lane * this.sides[0].each, each: this.sides[0].each};
		const gap = GAP * view.ratio;
		const room = (view.room - gap) / 2;
		const lane = room / this.sides[which].laneCount;
		const top = view.head + which * (room + gap);
		const {each} = this.sides[which];
		return {y: at => top + at * lane, lane: lane * each, of: lane, each, top, room};
	}

	#timeX(scene, side, time)
	{
		const {view} = scene;
		return this.isPair ? view.left + time / this.sides.reduce((most, one) => Math.max(most, one.duration),
			1) * view.plot
			: view.x(time);
	}

	// m: 0 at the clock's times, 1 at steps.
	draw(scene, m)
	{
		const {view, context} = scene;
		context.save();
		context.beginPath();
		context.rect(view.left, view.head, view.plot, view.room);
		context.clip();
		this.sides.forEach((side, which) => this.#drawSide(scene, side, which, ease(m)));
		if (this.isPair)
			this.#drawPhases(scene, ease(m));
		this.#drawChosen(scene, ease(m));
		context.restore();
		if (this.isPair)
			this.#sideLabels(scene);
		if (m > 0)
			this.#axis(scene);
	}

	// The box of an event: [x0, x1].
	#box(scene, side, i, m)
	{
		const {view} = scene;
		const {enter, leave} = side.events;
		const [c0, c1] = [view.xOfColumn(side.column[i] + 0.06), view.xOfColumn(side.end[i] - 0.06)];
		const [t0, t1] = [this.#timeX(scene, side, enter[i]), this.#timeX(scene, side, leave[i])];
		return [t0 + (c0 - t0) * m, Math.max(t1 + (c1 - t1) * m, t0 + (c0 - t0) * m + 1)];
	}

	#drawSide(scene, side, which, m)
	{
		const {view, context} = scene;
		const {events} = side;
		const rows = this.#rows(scene, which);
		const isLate = scene.color === 'lateness';
		const high = Math.max(1, rows.lane - (rows.lane > 5 * view.ratio ? view.ratio : 0));
		let fill = null;
		for (let i = 0; i < side.n; i++)
		{
			const y = rows.y(side.lane[i]);
			if (side.column[i] < 0 || y + high < view.head || y > view.height)
				continue;
			const [x0, x1] = this.#box(scene, side, i, m);
			if (x1 < view.left || x0 > view.width)
				continue;
			const color = isLate ? css(heat(strength(events.lateness[i], LEAST_LATENESS, side.duration), scene.isDark))
				: side.paints[i];
			if (color !== fill)
				context.fillStyle = fill = color;
			context.fillRect(Math.round(x0), Math.round(y), Math.max(1, Math.round(x1) - Math.round(x0)),
				Math.ceil(high));
		}
	}

	// Of two runs: where phases begin and end in each, and lines between those of equal ones.
	#drawPhases(scene, m)
	{
		const {view, context, theme} = scene;
		const {phases} = this.pairs;
		const [a, b] = [this.#rows(scene, 0), this.#rows(scene, 1)];
		const edges = [a.top + a.room, b.top];
		const ends = (which, i) => {
			const [first, last] = which === 0 ? [phases.first_a[i], phases.last_a[i]] : [phases.first_b[i],
				phases.last_b[i]];
			const columns = this.#phaseColumns(which === 0 ? 'phase_a' : 'phase_b', (which === 0 ? phases.phase_a
				: phases.phase_b)[i]);
			return [[first, columns[0]], [last, columns[1]]].map(([time, column]) => {
				const x = this.#timeX(scene, this.sides[which], time);
				return x + (view.xOfColumn(column) - x) * m;
			});
		};
		context.lineWidth = view.ratio;
		for (let i = 0; i < (phases?.status.length ?? 0); i++)
		{
			const sides = phases.status[i] === 'both' ? [0, 1] : [phases.status[i] === 'only a' ? 0 : 1];
			const [from, to] = [ends(sides[0], i), ends(sides.at(-1), i)];
			context.fillStyle = sides.length === 2 ? theme.line : theme.bad;
			context.globalAlpha = sides.length === 2 ? 0.55 : 0.35;
			context.beginPath();
			context.moveTo(from[0], edges[sides[0]]);
			context.lineTo(from[1], edges[sides[0]]);
			const y = sides.length === 2 ? edges[1] : edges[sides[0]] + (sides[0] === 0 ? 1
				: -1) * GAP * view.ratio / 3;
			context.lineTo(to[1], y);
			context.lineTo(to[0], y);
			context.closePath();
			context.fill();
			context.globalAlpha = 1;
			context.strokeStyle = theme.soft;
			context.stroke();
		}
	}

	#phaseColumns(key, phase)
	{
		this.spans ??= {};
		if (this.spans[key] === undefined)
		{
			const found = this.spans[key] = new Map();
			(this.pairs.rows?.[key] ?? []).forEach((one, i) => {
				const before = found.get(one);
				found.set(one, [before?.[0] ?? i, i + 1]);
			});
		}
		return this.spans[key].get(phase) ?? [0, 0];
	}

	#drawChosen(scene, m)
	{
		const {view, context, selection, theme} = scene;
		const [side] = this.sides;
		if (selection === null || this.isPair)
			return;
		for (let i = 0; i < side.n; i++)
			if (side.events.location[i] === selection.location && side.events.enter[i] <= selection.to
				&& side.events.leave[i] >= selection.from)
			{
				const [x0, x1] = this.#box(scene, side, i, m);
				context.strokeStyle = theme.ink;
				context.lineWidth = 2 * view.ratio;
				context.strokeRect(x0, view.y(side.lane[i]), Math.max(3, x1 - x0), Math.max(4, view.lane));
			}
	}

	#sideLabels(scene)
	{
		const {view, context, theme} = scene;
		context.fillStyle = theme.card;
		context.fillRect(0, view.head, view.left, view.room);
		context.fillStyle = theme.ink;
		context.font = `${12 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'top';
		this.sides.forEach((side, which) => {
			const {top} = this.#rows(scene, which);
			context.fillText(`run ${side.run}`, 6 * view.ratio, top + 4 * view.ratio);
			context.fillText(`${side.laneCount} ranks`, 6 * view.ratio, top + 22 * view.ratio);
		});
	}

	#axis(scene)
	{
		const {view, context, theme} = scene;
		context.fillStyle = theme.page;
		context.fillRect(0, 0, view.width, view.head);
		context.fillStyle = theme.soft;
		context.font = `${11 * view.ratio}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'middle';
		const y = view.head - 12 * view.ratio;
		const per = Math.max(...this.sides.map(side => side.per));
		const title = `${this.isPair ? 'common' : 'logical'} steps${per > 1 ? `, ${per} a mark` : ''}`;
		context.fillText(title, 6 * view.ratio, y);
		const free = Math.max(view.left, 14 * view.ratio + context.measureText(title).width);
		const each = Math.max(1, Math.ceil((view.c1 - view.c0) / (view.plot / (60 * view.ratio))));
		for (let column = Math.ceil(view.c0 / each) * each; column < Math.min(view.c1, this.columns); column += each)
		{
			const x = view.xOfColumn(column + 0.5);
			if (x > free && x < view.width - 20 * view.ratio)
				context.fillText(String(column), x, y);
		}
	}

	// The event at a place of the canvas: {side, i}; null: none.
	at(scene, x, y)
	{
		const {view} = scene;
		const column = Math.floor(view.columnAt(x));
		for (const [which, side] of this.sides.entries())
		{
			const rows = this.#rows(scene, which);
			if (this.isPair && (y < rows.top || y > rows.top + rows.room))
				continue;
			const lane = this.isPair ? Math.floor((y - rows.top) / rows.of) : view.laneAt(y);
			for (let back = 0; back < rows.each; back++)
			{
				const i = side.byPlace.get(`${lane - back} ${side.startOf[column]}`);
				if (i !== undefined)
					return {side, i};
			}
		}
		return null;
	}
}
