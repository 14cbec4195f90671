// stored_trace.js - what the server answers about a trace, counted from its calls: for bundles, whose pages have no
// server. Of each question the same rows as its query in sql/queries/serve has; shares are those of trace_raster
// before it rounds them.
//
// calls: what sql/queries/bundle/trace.sql has, each section as columns: calls by location, enter, depth, whose
// region is a place in regions.
// SPDX-License-Identifier: PostgreSQL

const BINS = 256;
const ROWS = 128;
const MOST_HITS = 10000;
const MOST_MESSAGES = 4000;
const STACK_BINS = 512;
const LEAST_DISTANCE = 16;

const number = text => Number(String(text).replace(/ns$/, ''));
const columnsOf = rows => rows.length === 0 ? []
	: [Object.fromEntries(Object.keys(rows[0]).map(key => [key, rows.map(row => row[key])]))];

// With where the calls of each location begin; made once.
function indexed(answer)
{
	if (answer.dump !== undefined)
		return answer.dump;
	const only = name => answer[name]?.[0] ?? null;
	const none = {location: [], region: [], depth: [], enter: [], leave: []};
	const dump = answer.dump = {regions: only('regions')?.name ?? [], calls: only('calls') ?? none,
		messages: only('messages'), waits: only('waits'), steps: only('steps')};
	const {location, enter, leave, depth} = dump.calls;
	dump.first = new Map();
	for (let i = 0; i < location.length; i++)
		if (i === 0 || location[i] !== location[i - 1])
			dump.first.set(location[i], i);
	dump.end = new Map();
	for (let i = 0; i < location.length; i++)
		dump.end.set(location[i], i + 1);
	// own time: less that of the calls one deeper, which follow
	dump.exclusive = leave.map((to, i) => to - enter[i]);
	const stack = [];
	for (let i = 0; i < location.length; i++)
	{
		stack.length = Math.min(stack.length, depth[i]);
		if (stack.length > 0 && location[stack.at(-1)] === location[i])
			dump.exclusive[stack.at(-1)] -= leave[i] - enter[i];
		stack[depth[i]] = i;
	}
	return dump;
}

// use(region, from, to, depth) for stretches in which one call of a location is the innermost one.
function stretches(dump, location, from, to, use)
{
	const {enter, leave, region} = dump.calls;
	const stack = [];
	let at = from;
	const until = time => {
		for (; stack.length > 0 && leave[stack.at(-1)] <= time; stack.pop())
		{
			const end = leave[stack.at(-1)];
			if (end > at)
				use(region[stack.at(-1)], at, Math.min(end, to), stack.length);
			at = Math.max(at, end);
		}
		if (stack.length > 0 && time > at)
			use(region[stack.at(-1)], at, Math.min(time, to), stack.length);
		at = Math.max(at, time);
	};
	for (let i = dump.first.get(location) ?? 0; i < (dump.end.get(location) ?? 0) && enter[i] < to; i++)
	{
		if (leave[i] <= from)
			continue;
		if (enter[i] > at)
			until(enter[i]);
		else
			while (stack.length > 0 && leave[stack.at(-1)] <= enter[i])
				stack.pop();
		stack.push(i);
	}
	if (at < to)
		until(to);
}

// ---- rasters

// What time in a region is: 0 communication, 1 waiting, 2 device, 3 compute; as tiles/classes.c has it, by families.
function activities(viewer, dump)
{
	const [colors = null] = viewer.colors ?? [];
	const families = new Map((colors?.name ?? []).map((name, i) => [name, colors.family[i]]));
	dump.activity ??= dump.regions.map(name => {
		const family = families.get(name) ?? 'compute';
		if (family === 'wait' || /barrier/i.test(name) || name === 'Idle')
			return 1;
		return family === 'device' ? 2 : ['point-to-point', 'collective', 'mpi'].includes(family) ? 0 : 3;
	});
	return dump.activity;
}

// One location in 256 bins: ns by region and bin.
function binsOf(dump, location, level, x)
{
	const width = 2 ** level;
	const from = x * BINS * width;
	const bins = Array.from({length: BINS}, () => new Map());
	stretches(dump, location, from, from + BINS * width, (region, begin, end) => {
		for (let bin = Math.floor((begin - from) / width); bin < BINS && from + bin * width < end; bin++)
		{
			const ns = Math.min(end, from + (bin + 1) * width) - Math.max(begin, from + bin * width);
			bins[bin].set(region, (bins[bin].get(region) ?? 0) + ns);
		}
	});
	return bins;
}

function sharesOf(bin, width, kinds)
{
	const shares = [0, 0, 0, 0];
	let inside = 0;
	let best = -1;
	for (const [region, ns] of bin)
	{
		if (kinds[region] < 3)
			shares[kinds[region]] += ns / width;
		inside += ns / width;
		if (best < 0 || ns > bin.get(best) || (ns === bin.get(best) && region < best))
			best = region;
	}
	shares[3] = Math.max(0, 1 - inside);
	return {shares, best, share: best < 0 ? 0 : bin.get(best) / width};
}

function emptyRaster(rows)
{
	const n = rows * BINS;
	const bytes = () => new Uint8Array(n);
	return {rows, region: new Uint16Array(n), share: bytes(), activity: [bytes(), bytes(), bytes(), bytes()],
		distance: bytes(), deviant: new Uint16Array(n), location: [bytes(), bytes(), bytes()],
		deviantActivity: [bytes(), bytes(), bytes(), bytes()], bytes: 46 * n, pictures: [null, null]};
}

const step = share => Math.round(share * 15) * 17;

function meanOf(found)
{
	const regions = new Map();
	const shares = [0, 0, 0, 0];
	for (const one of found)
	{
		one.shares.forEach((share, i) => { shares[i] += share / found.length; });
		if (one.best >= 0)
			regions.set(one.best, (regions.get(one.best) ?? 0) + one.share / found.length);
	}
	const best = [...regions].sort((a, b) => b[1] - a[1] || a[0] - b[0])[0] ?? [-1, 0];
	return {shares, best: best[0], share: best[1], regions};
}

function putCell(raster, at, found, placeOf)
{
	const mean = meanOf(found);
	const {shares, best} = mean;
	raster.region[at] = best < 0 ? 0 : placeOf(best);
	raster.share[at] = step(mean.share);
	shares.forEach((share, i) => { raster.activity[i][at] = step(share); });
	let most = LEAST_DISTANCE - 1;
	found.forEach((one, i) => {
		const computing = of => 1 - of.reduce((sum, share) => sum + share, 0);
		const far = (one.shares.reduce((sum, share, k) => sum + Math.abs(share - shares[k]), 0)
			+ Math.abs(computing(one.shares) - computing(shares))) / 2;
		const own = one.best < 0 ? 0 : Math.abs(one.share - (mean.regions.get(one.best) ?? 0));
		const distance = Math.min(255, Math.floor(255 * Math.max(far, own)));
		if (found.length === 1 || distance <= most)
			return;
		most = distance;
		raster.distance[at] = distance;
		raster.deviant[at] = one.best < 0 ? 0 : placeOf(one.best);
		raster.location[0][at] = i & 255;
		raster.location[1][at] = i >> 8 & 255;
		one.shares.forEach((share, k) => { raster.deviantActivity[k][at] = step(share); });
	});
}

// The rasters of one question, as readRaster of viewer_data.js has them; placeOf: of a function's name.
export function storedRasters(viewer, calls, params, tiles, placeOfName)
{
	const dump = indexed(calls);
	const placeOf = region => placeOfName(dump.regions[region]);
	const kinds = activities(viewer, dump);
	const [level, first, each, block] = ['level', 'x', 'each', 'block'].map(name => Number(params[name] ?? 0));
	const n = viewer.locations[0].rank.length;
	const rows = Math.max(1, Math.min(ROWS, Math.ceil(n / each) - block * ROWS));
	return Array.from({length: tiles}, (_, tile) => {
		const raster = emptyRaster(rows);
		for (let row = 0; row < rows; row++)
		{
			const from = (block * ROWS + row) * each;
			const all = Array.from({length: Math.min(each, n - from)}, (__, i) => binsOf(dump, from + i, level,
				first + tile));
			for (let bin = 0; bin < BINS; bin++)
			{
				const found = all.map(bins => sharesOf(bins[bin], 2 ** level, kinds));
				if (found.some(one => one.best >= 0))
					putCell(raster, row * BINS + bin, found, placeOf);
			}
		}
		return raster;
	});
}

// ---- rows

// The calls of a location that meet a window: their places.
function* callsIn(dump, from, to, first, last)
{
	const {location, enter, leave} = dump.calls;
	for (let at = first; at <= last; at++)
		for (let i = dump.first.get(at) ?? 0; i < (dump.end.get(at) ?? 0) && enter[i] < to; i++)
			if (leave[i] >= from && location[i] === at)
				yield i;
}

// In each of 512 bins and depth the call with most time there; those of one call follow as one.
function stacks(viewer, calls, {location, from, to})
{
	const dump = indexed(calls);
	const {depth, enter, leave, region} = dump.calls;
	const [begin, end] = [number(from), number(to)];
	const width = (end - begin) / STACK_BINS;
	const best = new Map(); // depth and bin: the place of the call with most of it
	for (const i of callsIn(dump, begin, end, Number(location), Number(location)))
		for (let bin = Math.max(0, Math.floor((enter[i] - begin) / width));
			bin < STACK_BINS && begin + bin * width < leave[i]; bin++)
		{
			const part = one => Math.min(leave[one], begin + (bin + 1) * width)
				- Math.max(enter[one], begin + bin * width);
			const key = `${depth[i]} ${bin}`;
			if (!best.has(key) || part(i) > part(best.get(key)))
				best.set(key, i);
		}
	const shown = [...new Set(best.values())].sort((a, b) => depth[a] - depth[b] || enter[a] - enter[b]);
	return {rows: columnsOf(shown.map(i => ({depth: depth[i] + 1, region: dump.regions[region[i]],
		t_start: Math.max(begin, enter[i]), t_end: Math.min(end, leave[i]), calls: 1})))};
}

function call(viewer, calls, {location, at})
{
	const dump = indexed(calls);
	const {depth, enter, leave, region} = dump.calls;
	const [where, time] = [Number(location), number(at)];
	const {rank, thread} = viewer.locations[0];
	const open = [...callsIn(dump, time, time + 1, where, where)].sort((a, b) => depth[a] - depth[b]);
	const rows = open.map(i => ({rank: rank[where], thread: thread[where], depth: depth[i],
		region: dump.regions[region[i]], enter: enter[i], leave: leave[i], inclusive: leave[i] - enter[i],
		exclusive: dump.exclusive[i]}));
	const inner = rows.at(-1);
	const messages = inner === undefined ? [] : messagesOf(dump).filter(one =>
		(one.sender_location === where && one.send_time >= inner.enter && one.send_time <= inner.leave)
		|| (one.receiver_location === where && one.receive_time >= inner.enter && one.receive_time <= inner.leave))
		.slice(0, 20).map(one => ({...one, sender: rank[one.sender_location], receiver: rank[one.receiver_location],
			is_sent: one.sender_location === where && one.send_time >= inner.enter && one.send_time <= inner.leave}));
	return {rows, messages};
}

function rowsOf(columns)
{
	const keys = Object.keys(columns ?? {});
	return (columns?.[keys[0]] ?? []).map((_, i) => Object.fromEntries(keys.map(key => [key, columns[key][i]])));
}

function messagesOf(dump)
{
	dump.messageRows ??= rowsOf(dump.messages);
	return dump.messageRows;
}

function waitsOf(dump)
{
	dump.waitRows ??= rowsOf(dump.waits);
	return dump.waitRows;
}

// What a window has of the waits.
const clipped = (dump, from, to) => waitsOf(dump).filter(one => one.t_to > from && one.t_from < to)
	.map(one => ({...one, t_from: Math.max(one.t_from, from), t_to: Math.min(one.t_to, to)}))
	.map(one => ({...one, ns: one.t_to - one.t_from}));

const callWaits = (viewer, calls, {location, from, to}) => ({rows: clipped(indexed(calls), number(from), number(to))
	.filter(one => one.location === Number(location)).sort((a, b) => b.ns - a.ns || a.t_from - b.t_from).slice(0, 10)});

function messagesIn(viewer, calls, {from, to, first_location: first, last_location: last})
{
	const [low, high] = [Number(first ?? 0), Number(last ?? Infinity)];
	const within = location => location >= low && location <= high;
	return {rows: columnsOf(messagesOf(indexed(calls)).filter(one => one.receive_time >= number(from)
		&& one.send_time < number(to) && (within(one.sender_location) || within(one.receiver_location)))
		.slice(0, MOST_MESSAGES))};
}

function hits(viewer, calls, {name, from, to})
{
	const dump = indexed(calls);
	const {location, enter, leave, region} = dump.calls;
	const wanted = dump.regions.indexOf(name);
	const found = [];
	for (let i = 0; i < enter.length; i++)
		if (region[i] === wanted && enter[i] < number(to) && leave[i] >= number(from))
			found.push({location: location[i], enter: enter[i], inclusive: leave[i] - enter[i]});
	return {rows: columnsOf(found.sort((a, b) => a.enter - b.enter || a.location - b.location).slice(0, MOST_HITS))};
}

// Exclusive ns of a window by region, and of each location what is no communication or waiting.
function spentIn(viewer, dump, from, to, first, last)
{
	const kinds = activities(viewer, dump);
	const byRegion = new Map();
	const useful = [];
	for (let location = first; location <= last; location++)
	{
		let own = 0;
		stretches(dump, location, from, to, (region, begin, end) => {
			byRegion.set(region, (byRegion.get(region) ?? 0) + end - begin);
			own += kinds[region] >= 2 ? end - begin : 0;
		});
		useful.push(own);
	}
	return {byRegion, useful};
}

function timeProfile(viewer, calls, {from, to, first_location: first, last_location: last})
{
	const dump = indexed(calls);
	const n = viewer.locations[0].rank.length;
	const [begin, end] = [Math.max(0, number(from)), Math.min(number(to), viewer.rows[0].duration)];
	const [low, high] = [Number(first ?? 0), Math.min(n - 1, Number(last ?? n - 1))];
	const {byRegion} = spentIn(viewer, dump, begin, end, low, high);
	const all = Math.max(1, (end - begin) * (high - low + 1));
	return {rows: [...byRegion].map(([region, exclusive]) => ({region: dump.regions[region], exclusive,
		share: exclusive / all}))
		.sort((a, b) => b.exclusive - a.exclusive || (a.region < b.region ? -1 : 1)).slice(0, 200)};
}

// Of the parts of efficiency those that need no replay.
function windowEfficiency(viewer, calls, {from, to})
{
	const dump = indexed(calls);
	const [begin, end] = [Math.max(0, number(from)), Math.min(number(to), viewer.rows[0].duration)];
	const {useful} = spentIn(viewer, dump, begin, end, 0, viewer.locations[0].rank.length - 1);
	const busy = useful.filter(ns => ns > 0);
	const mean = busy.reduce((sum, ns) => sum + ns, 0) / Math.max(1, busy.length);
	const most = Math.max(1, ...busy);
	const kinds = new Map();
	for (const {kind, ns} of clipped(dump, begin, end))
	{
		const known = kinds.get(kind) ?? {kind, n: 0, ns: 0};
		kinds.set(kind, {kind, n: known.n + 1, ns: known.ns + ns});
	}
	return {rows: busy.length === 0 || end <= begin ? [] : [{parallel: mean / (end - begin), load_balance: mean / most,
		communication: most / (end - begin), serialisation: null, transfer: null, aligned: null}],
	waits: [...kinds.values()].sort((a, b) => b.ns - a.ns)};
}

// ---- overlays
function blameCells(viewer, calls, {level, x, each})
{
	const width = 2 ** Number(level);
	const first = Number(x) * BINS;
	const cells = new Map();
	for (const one of clipped(indexed(calls), first * width, (first + BINS) * width))
	{
		const location = one.origin ?? one.awaited;
		if (location === null || location === undefined)
			continue;
		for (let bin = Math.floor(one.t_from / width); bin * width < one.t_to; bin++)
		{
			const key = `${location} ${bin}`;
			const known = cells.get(key) ?? {row: Math.floor(location / Number(each)), bin: bin - first, value: 0,
				location};
			known.value += Math.min(one.t_to, (bin + 1) * width) - Math.max(one.t_from, bin * width);
			cells.set(key, known);
		}
	}
	return {rows: columnsOf([...cells.values()])};
}

function stepRows(dump)
{
	dump.stepRows ??= rowsOf(dump.steps).map(one => ({...one, region: dump.regions[one.region]}));
	return dump.stepRows;
}

function stepCells(viewer, calls, {level, x, each})
{
	const width = 2 ** Number(level);
	const [from, to] = [Number(x) * BINS * width, (Number(x) + 1) * BINS * width];
	return {rows: columnsOf(stepRows(indexed(calls))
		.filter(one => one.lateness > 0 && one.leave > from && one.enter < to)
		.map(one => {
			const bin = Math.max(0, Math.floor((one.enter - from) / width));
			return {row: Math.floor(one.location / Number(each)), bin,
				n_bins: Math.max(1, Math.ceil((one.leave - from) / width) - bin), value: one.lateness,
				location: one.location};
		}))};
}

// Of each location and bin of steps the latest event.
function stepEvents(viewer, calls, {from, to, first = 0, last = Infinity, each = 1, bins = 512})
{
	const within = stepRows(indexed(calls)).filter(one => one.leave >= number(from) && one.enter < number(to)
		&& one.step >= Number(first) && one.step <= Number(last));
	if (within.length === 0)
		return {rows: []};
	const [least, stop] = within.reduce(([low, high], one) => [Math.min(low, one.step), Math.max(high, one.step + 1)],
		[Infinity, 0]);
	const per = Math.ceil((stop - least) / Number(bins));
	const found = new Map();
	for (const one of within)
	{
		const key = `${Math.floor(one.location / Number(each))} ${Math.floor((one.step - least) / per)}`;
		if (!found.has(key) || found.get(key).lateness < one.lateness)
			found.set(key, one);
	}
	return {rows: columnsOf([...found.values()]), bins: [{first: least, stop, per}]};
}

export const TRACE_ANSWERS = {stacks, call, call_waits: callWaits, messages: messagesIn, hits, window: timeProfile,
	window_efficiency: windowEfficiency, blame_cells: blameCells, step_cells: stepCells, step_events: stepEvents};
