// viewer_pictures.js - rasters and overlays as small pictures, a cell a pixel: what a frame scales.
//
// Colours are looked up in tables of whole pixels, made once for a way of colouring; a picture is made when it is
// first drawn in it.
// SPDX-License-Identifier: PostgreSQL

import {activityColors, faint, heat, less, strength} from './viewer_colors.js';
import {BINS} from './viewer_data.js';
import {overlayOf} from './viewer_overlays.js';

export const TALL = 4; // rows of a picture for a row of the screen: three for the most common, one for the deviant
export const CLEAR_DEVIANT = 34; // of 255: drawn where a row has room for both
const LOUD_DEVIANT = 68; // drawn in place of the most common where it has not
const LESS_BY = 128; // of 255: so much less than the others' share is coloured apart
const LEAST_LATENESS = 100; // ns
const SHARE_STEP = 17; // of rasters' shares

// A colour as the bytes of an ImageData have it; 0: nothing is there.
const little = new Uint8Array(new Uint32Array([1]).buffer)[0] === 1;
const pixel = ([red, green, blue]) => (little ? 0xff000000 | blue << 16 | green << 8 | red
	: red << 24 | green << 16 | blue << 8 | 0xff) >>> 0;

const HEAT = [false, true].map(isDark => Uint32Array.from({length: 16}, (_, i) => pixel(heat(i / 15, isDark))));
const LESS = [false, true].map(isDark => pixel(less(isDark)));
const ACTIVITIES = Uint32Array.from(activityColors, pixel);

const SHARES = {communication: 0, waiting: 1, device: 2};

// The pixels of a way of colouring.
export class Palette
{
	constructor({color, functionColors, found, isDark})
	{
		const isOver = overlayOf(color) !== null; // it stands before what all do
		const isShown = place => !isOver && (found === null || found.has(place));
		const shown = (place, hue) => pixel(isShown(place) ? hue : faint(hue, isDark));
		Object.assign(this, {color, share: SHARES[color], heat: HEAT[isDark ? 1 : 0], less: LESS[isDark ? 1 : 0]});
		this.ofPlace = Uint32Array.from(functionColors, (hue, place) => place === 0 ? 0 : shown(place, hue));
		this.faintActivities = Uint32Array.from(activityColors, hue => pixel(faint(hue, isDark)));
		this.isFound = Uint8Array.from(functionColors, (_, place) => isShown(place) ? 1 : 0);
	}

	#activity(planes, i, place)
	{
		const [communication, waiting, device, outside] = planes;
		let most = 255 - communication[i] - waiting[i] - device[i] - outside[i];
		let which = 0;
		for (let kind = 0; kind < 3; kind++)
			if (planes[kind][i] > most)
			{
				most = planes[kind][i];
				which = kind + 1;
			}
		return this.isFound[place] === 1 ? ACTIVITIES[which] : this.faintActivities[which];
	}

	common(raster, i)
	{
		const place = raster.region[i];
		if (place === 0 || (this.share === undefined && this.color !== 'activity'))
			return this.ofPlace[place];
		return this.share === undefined ? this.#activity(raster.activity, i, place)
			: this.heat[raster.activity[this.share][i] / SHARE_STEP];
	}

	deviant(raster, i)
	{
		const place = raster.deviant[i];
		const planes = raster.deviantActivity;
		if (place === 0 || (this.share === undefined && this.color !== 'activity'))
			return this.ofPlace[place];
		if (this.share === undefined)
			return this.#activity(planes, i, place);
		const own = planes[this.share][i];
		return raster.activity[this.share][i] - own >= LESS_BY ? this.less : this.heat[own / SHARE_STEP];
	}
}

function paint(raster, tall, palette)
{
	const lines = tall ? TALL : 1;
	const image = new ImageData(BINS, raster.rows * lines);
	const pixels = new Uint32Array(image.data.buffer);
	const least = tall ? CLEAR_DEVIANT : LOUD_DEVIANT;
	for (let row = 0; row < raster.rows; row++)
	{
		const first = row * lines * BINS;
		const last = first + (lines - 1) * BINS;
		for (let bin = 0, i = row * BINS; bin < BINS; bin++, i++)
		{
			const common = palette.common(raster, i);
			for (let at = first + bin; at < last; at += BINS)
				pixels[at] = common;
			pixels[last + bin] = raster.distance[i] < least ? common : palette.deviant(raster, i) || common;
		}
	}
	return image;
}

function asCanvas(image, canvas = document.createElement('canvas'))
{
	canvas.width = image.width;
	canvas.height = image.height;
	canvas.getContext('2d').putImageData(image, 0, 0);
	return canvas;
}

// The picture of a raster; tall: with room for deviants. limit {ms} is lowered by what making one takes; null: there
// is nothing of it left, and nothing that could be drawn meanwhile.
export function pictureOf(raster, tall, look, palette, limit = {ms: Infinity})
{
	const kept = raster.pictures[tall ? 1 : 0];
	if (kept?.look === look)
		return kept.canvas;
	if (limit.ms <= 0)
	{
		limit.isShort = true;
		return kept?.canvas ?? null;
	}
	const start = performance.now();
	const canvas = asCanvas(paint(raster, tall, palette), kept?.canvas);
	limit.ms -= performance.now() - start;
	raster.pictures[tall ? 1 : 0] = {canvas, look};
	return canvas;
}

// A function (cells, cell) that gives a pixel; 0: nothing is there. range: of the values that are shown.
function overlayPixels({color, isDark, view, level, range})
{
	const heats = HEAT[isDark ? 1 : 0];
	const shade = share => heats[Math.round(15 * share)];
	if (color === 'blame') // ns of waits in ns of the bin: how many wait
		return (cells, i) => cells.values[i] / 2 ** level < 0.5 ? 0
			: shade(Math.max(0.2, strength(cells.values[i] / 2 ** level, 1, view.n)));
	if (color === 'lateness')
		return (cells, i) => cells.values[i] < LEAST_LATENESS ? 0 : shade(strength(cells.values[i], LEAST_LATENESS,
			view.duration));
	const width = range.most - range.least;
	return (cells, i) => shade(width > 0 ? Math.max(0, Math.min(1, (cells.values[i] - range.least) / width)) : 0.5);
}

// The picture of an overlay: nothing but its cells.
export function pictureOfCells(cells, look, of)
{
	const kept = cells.pictures[0];
	if (kept?.look === look)
		return kept.canvas;
	const image = new ImageData(BINS, cells.rows);
	const pixels = new Uint32Array(image.data.buffer);
	const pixelOf = overlayPixels(of);
	for (let i = 0; i < cells.values.length; i++)
		if (!Number.isNaN(cells.values[i]))
			pixels[i] = pixelOf(cells, i);
	const canvas = asCanvas(image, kept?.canvas);
	cells.pictures[0] = {canvas, look};
	return canvas;
}
