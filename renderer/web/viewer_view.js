// viewer_view.js - where times and locations are on the screen: the window that is shown, lanes and their heights.
//
// All in pixels of the device, of which sizes have `ratio` for each that they would have on a laptop's screen.
// Lanes are locations in the order rank, thread, streams; open ones are taller by their call stack.
// SPDX-License-Identifier: PostgreSQL

export const GUTTER = 132; // for names of ranks
export const AXIS = 24;
export const MAP = 30;
export const STRIP = 44; // of a counter
export const NAME = 28; // of a high lane, at its top, where its name stands
export const DEPTH = 15; // of a level of an open stack
const LEAST_SPAN = 50; // ns
const LEAST_PART = 2 ** -42; // of the duration: numbers of 53 bits tell apart no times of a smaller window
const MOST_LANE = 240;
const FITTING_LANE = 56; // few lanes leave some of the height: higher ones would be filled with call stacks
const OWN_ORDER = 1024; // locations: so many have a row each, in any order
const MANY = 8192; // locations: rows of 64 are high enough

export class View
{
	constructor(locations, duration)
	{
		const n = locations.rank.length;
		Object.assign(this, {n, duration: Math.max(1, duration), t0: 0, t1: Math.max(1, duration), top: 0, lane: 1,
			width: 100, height: 100, ratio: 1, open: new Map(), isSteps: false, strips: 0, columns: 1, c0: 0, c1: 1,
			gutter: GUTTER});
		const order = Array.from({length: n}, (_, i) => i);
		const stream = i => locations.thread[i] === null ? 1 : 0;
		this.lanes = n > OWN_ORDER ? order : order.sort((a, b) => locations.rank[a] - locations.rank[b]
			|| stream(a) - stream(b) || locations.thread[a] - locations.thread[b] || a - b);
		this.laneOf = new Int32Array(n);
		this.lanes.forEach((location, i) => { this.laneOf[location] = i; });
		this.parts = this.#parts();
	}

	// Lanes whose locations follow one another: [first lane, end].
	#parts()
	{
		const parts = [];
		let first = 0;
		for (let i = 1; i <= this.n; i++)
			if (i === this.n || this.lanes[i] !== this.lanes[i - 1] + 1)
			{
				parts.push([first, i]);
				first = i;
			}
		return parts;
	}

	resize(width, height, ratio)
	{
		const fits = this.isWhole;
		Object.assign(this, {width, height, ratio});
		if (fits)
			this.fitLanes();
		this.clamp();
	}

	get left() { return Math.round(this.gutter * this.ratio); }

	get head() { return Math.round((AXIS + MAP + STRIP * this.strips) * this.ratio); }

	// The width of a line.
	get hair() { return Math.max(1, Math.round(this.ratio)); }

	get plot() { return Math.max(1, this.width - this.left); }

	get room() { return Math.max(1, this.height - this.head); }

	get leastSpan() { return Math.max(LEAST_SPAN, this.duration * LEAST_PART); }

	get perPixel() { return (this.t1 - this.t0) / this.plot; }

	// Before the name of a lane that is high enough to open: whether it is.
	signOf(location) { return this.lane < 10 * this.ratio ? '' : this.open.has(location) ? '▾ ' : '▸ '; }

	get isWhole() { return this.n * this.lane <= this.room * 1.001 && this.top <= 0; }

	get total() { return this.n * this.lane + [...this.open.values()].reduce((sum, more) => sum + more, 0); }

	fitLanes()
	{
		this.top = 0;
		this.lane = Math.min(FITTING_LANE * this.ratio, this.room / this.n);
	}

	clamp()
	{
		const span = Math.min(this.duration * 1.02, Math.max(this.leastSpan, this.t1 - this.t0));
		const least = -this.duration * 0.01;
		this.t0 = Math.max(least, Math.min(this.t0, this.duration * 1.01 - span));
		this.t1 = this.t0 + span;
		this.lane = Math.min(MOST_LANE * this.ratio, Math.max(Math.min(FITTING_LANE * this.ratio, this.room / this.n),
			this.lane));
		this.top = Math.max(0, Math.min(this.top, this.total - this.room));
	}

	x(time) { return this.left + (time - this.t0) / this.perPixel; }

	time(x) { return this.t0 + (x - this.left) * this.perPixel; }

	extra(before)
	{
		let sum = 0;
		for (const [location, more] of this.open)
			if (this.laneOf[location] < before)
				sum += more;
		return sum;
	}

	// The upper edge of a lane.
	y(lane) { return this.head - this.top + lane * this.lane + this.extra(lane); }

	// The lane at a height; -1: none.
	laneAt(y)
	{
		let rest = y - this.head + this.top;
		const open = [...this.open].map(([location, more]) => [this.laneOf[location], more]).sort((a, b) =>
			a[0] - b[0]);
		for (const [lane, more] of open)
		{
			if (rest < (lane + 1) * this.lane)
				break;
			if (rest < (lane + 1) * this.lane + more)
				return lane;
			rest -= more;
		}
		const lane = Math.floor(rest / this.lane);
		return y < this.head || lane < 0 || lane >= this.n ? -1 : lane;
	}

	// ---- logical time: columns of steps in place of times
	xOfColumn(column) { return this.left + (column - this.c0) / (this.c1 - this.c0) * this.plot; }

	columnAt(x) { return this.c0 + (x - this.left) / this.plot * (this.c1 - this.c0); }

	clampColumns()
	{
		const span = Math.min(this.columns, Math.max(2, this.c1 - this.c0));
		this.c0 = Math.max(0, Math.min(this.c0, this.columns - span));
		this.c1 = this.c0 + span;
	}

	zoomColumns(factor, x)
	{
		const at = this.columnAt(x);
		const span = Math.min(this.columns, Math.max(2, (this.c1 - this.c0) * factor));
		this.c0 = at - (x - this.left) / this.plot * span;
		this.c1 = this.c0 + span;
		this.clampColumns();
	}

	zoom(factor, x)
	{
		if (this.isSteps)
		{
			this.zoomColumns(factor, x);
			return;
		}
		const at = this.time(x);
		const span = Math.max(this.leastSpan, (this.t1 - this.t0) * factor);
		const share = (x - this.left) / this.plot;
		this.t0 = at - share * span;
		this.t1 = this.t0 + span;
		this.clamp();
	}

	zoomLanes(factor, y)
	{
		const lane = (y - this.head + this.top) / this.lane;
		this.lane *= factor;
		this.clamp();
		this.top = lane * this.lane - (y - this.head);
		this.clamp();
	}

	pan(x, y)
	{
		const by = x * (this.isSteps ? (this.c1 - this.c0) / this.plot : this.perPixel);
		if (this.isSteps)
		{
			this.c0 += by;
			this.c1 += by;
			this.clampColumns();
		}
		else
		{
			this.t0 += by;
			this.t1 += by;
		}
		this.top += y;
		this.clamp();
	}

	// Locations that a row stands for: so many that rows are at least two pixels high. Groups of 64 are what tiles
	// have: 32 of them would cost as much again.
	get each()
	{
		let each = 1;
		while (each * this.lane < 1.99 && each < this.n && this.n > OWN_ORDER)
			each *= 2;
		return each === 32 && this.n > MANY ? 64 : each;
	}

	// Bins of at least a pixel, so that none is left out; of two where a row stands for so many that they cost most.
	get level()
	{
		const pixels = this.each >= 64 ? 2 : 1;
		return Math.max(0, Math.ceil(Math.log2(this.perPixel * pixels * 0.999)));
	}

	get shownLanes()
	{
		const first = this.laneAt(this.head + 1);
		const last = this.laneAt(this.height - 1);
		return [Math.max(0, first), last < 0 ? this.n - 1 : last];
	}
}
