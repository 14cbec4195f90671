// viewer_data.js - what the viewer draws, by need: rasters and rows from the server, kept up to a limit of bytes, the
// least recently drawn going first; what is asked for and not wanted any longer is cancelled.
// SPDX-License-Identifier: PostgreSQL

import {query, TAB, sections} from './api.js';
import {stored, storedTrace} from './stored.js';
import {storedRasters} from './stored_trace.js';

const MOST_BYTES = 150e6;
const AT_A_TIME = 5;
const PLANES = 17;
const TILES_AT_ONCE = 8; // of /api/raster: events are read once for all of them

export const ROWS = 128;
export const BINS = 256;

// One of the rasters of /api/raster, from a byte on: planes of rows x bins cells; places in them are those of the
// viewer's list of functions.
function readRaster(buffer, from, placeOf)
{
	const head = new DataView(buffer, from);
	const rows = head.getUint16(2, true);
	const regions = head.getUint16(6, true);
	const places = new Uint16Array(regions + 1);
	for (let i = 0; i < regions; i++)
		places[i + 1] = placeOf(head.getUint32(8 + 4 * i, true));
	const cells = rows * BINS;
	const size = 8 + 4 * regions + PLANES * cells;
	const planes = new Uint8Array(buffer.slice(from + 8 + 4 * regions, from + size));
	const plane = i => planes.subarray(i * cells, (i + 1) * cells);
	const list = (low, high) => {
		const out = new Uint16Array(cells);
		for (let i = 0; i < cells; i++)
			out[i] = places[low[i] | high[i] << 8];
		return out;
	};
	return {rows, region: list(plane(0), plane(1)), share: plane(2), activity: [3, 4, 5, 6].map(plane),
		distance: plane(7),
		deviant: list(plane(8), plane(9)), location: [10, 11, 12].map(plane), deviantActivity: [13, 14, 15,
			16].map(plane),
		size, bytes: size + 8 * cells + 20 * cells, pictures: [null, null]};
}

// n of them, one after the other.
export function readRasters(buffer, n, placeOf)
{
	const found = [];
	let from = 0;
	for (let i = 0; i < n; i++)
	{
		found.push(readRaster(buffer, from, placeOf));
		from += found[i].size;
	}
	return found;
}

// Those of the same rows whose bins follow one another are asked for together.
function grouped(needs)
{
	const groups = new Map();
	const single = [];
	for (const need of needs)
	{
		const {level, each, block} = need.params;
		const of = need.name === 'raster' ? `${level} ${each} ${block}` : null;
		if (of === null)
			single.push({keys: [need.key], need});
		else if (groups.has(of))
			groups.get(of).push(need);
		else
			groups.set(of, [need]);
	}
	return [...single, ...[...groups.values()].flatMap(runsOf)];
}

function runsOf(needs)
{
	const runs = [];
	for (const need of needs.sort((a, b) => a.params.x - b.params.x))
	{
		const last = runs.at(-1);
		const {x} = need.params;
		if (last !== undefined && last.keys.length < TILES_AT_ONCE && x === last.need.params.x + last.keys.length)
			last.keys.push(need.key);
		else
			runs.push({keys: [need.key], need});
	}
	return runs;
}

// Cells of an overlay, rows {row, bin, n_bins?, value, location}: the value and its location by cell.
function readCells(columns, n)
{
	const values = new Float32Array(n * BINS).fill(Number.NaN);
	const locations = new Int32Array(n * BINS).fill(-1);
	for (let i = 0; i < (columns?.row.length ?? 0); i++)
	{
		const first = columns.row[i] * BINS + columns.bin[i];
		const end = Math.min(columns.row[i] * BINS + BINS, first + (columns.n_bins?.[i] ?? 1));
		for (let at = first; at < end; at++)
			if (columns.row[i] < n && !(columns.value[i] <= values[at]))
			{
				values[at] = columns.value[i];
				locations[at] = columns.location[i];
			}
	}
	const known = values.filter(value => !Number.isNaN(value));
	return {rows: n, least: known.reduce((a, b) => Math.min(a, b), Infinity),
		most: known.reduce((a, b) => Math.max(a, b), -Infinity), values, locations, bytes: 12 * n * BINS,
		pictures: [null, null]};
}

export class Store
{
	#kept = new Map(); // in the order of use
	#bytes = 0;
	#asked = new Map(); // key -> {keys, control} of a request under way
	#failed = new Map();
	#wanted = [];

	// changed(): something came. problem(error): something never will.
	// placeOf: of a region's number; placeOfName.
	constructor(run, version, {placeOf, placeOfName}, {changed, problem})
	{
		Object.assign(this, {run, version, placeOf, placeOfName, changed, problem, requests: 0});
	}

	get bytes() { return this.#bytes; }

	// What could not be had is asked for again.
	retry() { this.#failed.clear(); }

	get isBusy() { return this.#asked.size > 0; }

	get(key)
	{
		const found = this.#kept.get(key);
		if (found === undefined)
			return null;
		this.#kept.delete(key);
		this.#kept.set(key, found);
		return found;
	}

	// What the screen lacks, the most urgent first: {key, name, params}. What nobody wants any longer is cancelled.
	want(list)
	{
		const lacking = list.filter(({key}) => !this.#kept.has(key) && !this.#failed.has(key));
		const keys = new Set(lacking.map(({key}) => key));
		for (const asked of new Set(this.#asked.values()))
			if (!asked.keys.some(key => keys.has(key)))
			{
				asked.control.abort();
				this.#forget(asked);
			}
		this.#wanted = lacking.filter(({key}) => !this.#asked.has(key));
		this.#ask();
	}

	#forget({keys})
	{
		for (const key of keys)
			this.#asked.delete(key);
	}

	#ask()
	{
		for (const one of grouped(this.#wanted))
		{
			if (new Set(this.#asked.values()).size >= AT_A_TIME)
				return;
			this.#load(one);
		}
		this.#wanted = [];
	}

	async #load({keys, need: {name, params, cells = 0, isOwn = false, toCells = null}})
	{
		const asked = {keys, control: new AbortController()};
		for (const key of keys)
			this.#asked.set(key, asked);
		this.#wanted = this.#wanted.filter(({key}) => !keys.includes(key));
		this.requests++;
		try
		{
			const all = isOwn ? params : {run: this.run, ...params, version: this.version};
			const {signal} = asked.control;
			if (name === 'raster')
				await this.#rasters(keys, all, signal);
			else if (toCells !== null)
				this.#keep(keys[0], readCells(toCells(await sections(name, all, signal)), cells));
			else
			{
				const found = await this.#rows(name, all, signal);
				this.#keep(keys[0], cells > 0 ? readCells(found.columns, cells) : found);
			}
		}
		catch (error)
		{
			if (error.name === 'AbortError')
				return;
			for (const key of keys)
				this.#failed.set(key, error);
			this.problem(error);
		}
		this.#forget(asked);
		this.changed();
		this.#ask();
	}

	async #rasters(keys, params, signal)
	{
		if (stored !== null)
		{
			const found = storedRasters(...await storedTrace(this.run), params, keys.length, this.placeOfName);
			found.forEach((raster, i) => this.#keep(keys[i], raster));
			return;
		}
		const tiles = keys.length > 1 ? keys.length : null;
		const response = await fetch(`/api/raster${query({...params, tiles})}`, {signal, credentials: 'same-origin',
			headers: TAB});
		if (!response.ok)
			throw new Error((await response.json().catch(() =>
				null))?.error?.message ?? `the server answered ${response.status}`);
		readRasters(await response.arrayBuffer(), keys.length, this.placeOf).forEach((raster, i) =>
			this.#keep(keys[i], raster));
	}

	async #rows(name, params, signal)
	{
		const {rows: [columns = null]} = await sections(name, params, signal);
		return {columns, bytes: 200 + 60 * (Object.values(columns ?? {})[0]?.length ?? 0)};
	}

	#keep(key, value)
	{
		this.#kept.set(key, value);
		this.#bytes += value.bytes;
		for (const [oldest, {bytes}] of this.#kept)
		{
			if (this.#bytes <= MOST_BYTES)
				break;
			this.#kept.delete(oldest);
			this.#bytes -= bytes;
		}
	}
}
