// viewer_data.js - what the viewer draws, by need: rasters and rows from the server, kept up to a limit of bytes, the
// least recently drawn going first; what is asked for and not wanted any longer is cancelled.
// SPDX-License-Identifier: PostgreSQL

import {query, sections} from './api.js';

const MOST_BYTES = 150e6;
const AT_A_TIME = 5;
const PLANES = 17;

export const ROWS = 128;
export const BINS = 256;

// The bytes of /api/raster: planes of rows x bins cells; places in them are those of the viewer's list of functions.
export function readRaster(buffer, placeOf)
{
	const head = new DataView(buffer);
	const rows = head.getUint16(2, true);
	const regions = head.getUint16(6, true);
	const places = new Uint16Array(regions + 1);
	for (let i = 0; i < regions; i++)
		places[i + 1] = placeOf(head.getUint32(8 + 4 * i, true));
	const cells = rows * BINS;
	const planes = new Uint8Array(buffer, 8 + 4 * regions, PLANES * cells);
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
		bytes: buffer.byteLength + 8 * cells + 20 * cells, pictures: [null, null]};
}

// Cells of an overlay, rows {row, bin, n_bins?, value, location}: the value and its location by cell.
function readCells(columns, n)
{
	const values = new Float32Array(n * BINS);
	const locations = new Int32Array(n * BINS).fill(-1);
	for (let i = 0; i < (columns?.row.length ?? 0); i++)
	{
		const first = columns.row[i] * BINS + columns.bin[i];
		const end = Math.min(columns.row[i] * BINS + BINS, first + (columns.n_bins?.[i] ?? 1));
		for (let at = first; at < end; at++)
			if (columns.row[i] < n && columns.value[i] > values[at])
			{
				values[at] = columns.value[i];
				locations[at] = columns.location[i];
			}
	}
	return {rows: n, values, locations, bytes: 12 * n * BINS, pictures: [null, null]};
}

export class Store
{
	#kept = new Map(); // in the order of use
	#bytes = 0;
	#asked = new Map(); // key -> AbortController
	#failed = new Map();
	#wanted = [];

	// changed(): something came. problem(error): something never will.
	constructor(run, version, placeOf, {changed, problem})
	{
		Object.assign(this, {run, version, placeOf, changed, problem, requests: 0});
	}

	get bytes() { return this.#bytes; }

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

	// What the screen lacks, the most urgent first: {key, name, params}. The rest is cancelled.
	want(list)
	{
		this.#wanted = list.filter(({key}) => !this.#kept.has(key) && !this.#failed.has(key));
		const keys = new Set(this.#wanted.map(({key}) => key));
		for (const [key, control] of this.#asked)
			if (!keys.has(key))
			{
				control.abort();
				this.#asked.delete(key);
			}
		this.#ask();
	}

	#ask()
	{
		for (const one of this.#wanted)
		{
			if (this.#asked.size >= AT_A_TIME)
				return;
			if (!this.#asked.has(one.key) && !this.#kept.has(one.key) && !this.#failed.has(one.key))
				this.#load(one);
		}
	}

	async #load({key, name, params, cells = 0})
	{
		const control = new AbortController();
		this.#asked.set(key, control);
		this.requests++;
		try
		{
			const all = {run: this.run, ...params, version: this.version};
			const found = name === 'raster' ? await this.#raster(all, control.signal)
				: await this.#rows(name, all, control.signal);
			this.#keep(key, cells > 0 ? readCells(found.columns, cells) : found);
		}
		catch (error)
		{
			if (error.name === 'AbortError')
				return;
			this.#failed.set(key, error);
			this.problem(error);
		}
		this.#asked.delete(key);
		this.changed();
		this.#ask();
	}

	async #raster(params, signal)
	{
		const response = await fetch(`/api/raster${query(params)}`, {signal, credentials: 'same-origin'});
		if (!response.ok)
			throw new Error((await response.json().catch(() =>
				null))?.error?.message ?? `the server answered ${response.status}`);
		return readRaster(await response.arrayBuffer(), this.placeOf);
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
