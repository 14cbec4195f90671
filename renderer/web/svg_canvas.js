// svg_canvas.js - what is drawn on a canvas as SVG: shapes and texts as they are, small pictures as rows of rectangles
// of one colour. It has of CanvasRenderingContext2D what this product's pages use, and nothing else.
// SPDX-License-Identifier: PostgreSQL

const escaped = text => String(text).replace(/[&<>"]/g, one => `&#${one.charCodeAt(0)};`);
// "rgb(1 2 3)" as older readers of SVG know it.
const paintOf = color => escaped(String(color).replace(/^rgb\((\d+) (\d+) (\d+)\)$/, 'rgb($1,$2,$3)'));
const short = number => String(Math.round(number * 100) / 100);

const FRESH = {fillStyle: '#000', strokeStyle: '#000', globalAlpha: 1, lineWidth: 1, font: '10px sans-serif',
	textBaseline: 'alphabetic', imageSmoothingEnabled: true, clipped: null};
const SHIFT = {middle: 0.35, top: 0.8, alphabetic: 0};

export class SvgContext
{
	#out = [];
	#kept = [];
	#path = [];
	#box = null; // what rect() said last
	#clips = 0;

	constructor(width, height) { Object.assign(this, FRESH, {width, height}); }

	get #look()
	{
		return `${this.globalAlpha < 1 ? ` opacity="${short(this.globalAlpha)}"` : ''}${this.clipped === null ? ''
			: ` clip-path="url(#c${this.clipped})"`}`;
	}

	save() { this.#kept.push(Object.fromEntries(Object.keys(FRESH).map(key => [key, this[key]]))); }

	restore() { Object.assign(this, this.#kept.pop() ?? {}); }

	beginPath() { this.#path = []; this.#box = null; }

	moveTo(x, y) { this.#path.push(`M${short(x)} ${short(y)}`); }

	lineTo(x, y) { this.#path.push(`L${short(x)} ${short(y)}`); }

	closePath() { this.#path.push('Z'); }

	rect(x, y, width, height) { this.#box = [x, y, width, height]; }

	// Of the last rect(), which is all that is ever clipped to.
	clip()
	{
		const [x, y, width, height] = this.#box;
		this.clipped = ++this.#clips;
		this.#out.push(`<clipPath id="c${this.clipped}"><rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${
			short(height)}"/></clipPath>`);
	}

	stroke()
	{
		if (this.#path.length > 0)
			this.#out.push(`<path d="${this.#path.join('')}" fill="none" stroke="${paintOf(this.strokeStyle)}" stroke-width="${
				short(this.lineWidth)}"${this.#look}/>`);
	}

	fill()
	{
		if (this.#path.length > 0)
			this.#out.push(`<path d="${this.#path.join('')}" fill="${paintOf(this.fillStyle)}"${this.#look}/>`);
	}

	#rectangle(x, y, width, height, paint)
	{
		this.#out.push(`<rect x="${short(x)}" y="${short(y)}" width="${short(width)}" height="${short(height)}" ${paint}${
			this.#look}/>`);
	}

	fillRect(x, y, width, height)
	{
		if (width > 0 && height > 0)
			this.#rectangle(x, y, width, height, `fill="${paintOf(this.fillStyle)}"`);
	}

	strokeRect(x, y, width, height)
	{
		this.#rectangle(x, y, Math.abs(width), Math.abs(height),
			`fill="none" stroke="${paintOf(this.strokeStyle)}" stroke-width="${short(this.lineWidth)}"`);
	}

	fillText(text, x, y)
	{
		const size = Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 10);
		this.#out.push(`<text x="${short(x)}" y="${short(y + size * SHIFT[this.textBaseline])}" font-family="DejaVu Sans, `
			+ `Verdana, sans-serif" font-size="${short(size)}" fill="${paintOf(this.fillStyle)}"${this.#look}>${
				escaped(text)}</text>`);
	}

	// A part of a small canvas, a pixel a cell: cells of one colour beside each other are one rectangle, and equal rows
	// one row.
	drawImage(canvas, ...where)
	{
		const [sx, sy, sw, sh, x, y, width, height] = where.length === 4
			? [0, 0, canvas.width, canvas.height, ...where] : where;
		const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
		const cells = new Uint32Array(data.buffer);
		const [first, end] = [Math.floor(sy), Math.min(canvas.height, Math.ceil(sy + sh))];
		const row = at => cells.subarray(at * canvas.width + sx, at * canvas.width + sx + sw);
		const isLike = (a, b) => a.every((value, i) => value === b[i]);
		for (let at = first; at < end;)
		{
			let next = at + 1;
			while (next < end && isLike(row(at), row(next)))
				next++;
			const [top, bottom] = [Math.max(sy, at), Math.min(sy + sh, next)].map(one => y + (one - sy) / sh * height);
			this.#cells(row(at), x, width / sw, top, bottom - top);
			at = next;
		}
	}

	#cells(row, x, width, top, height)
	{
		const bytes = new Uint8Array(row.slice().buffer);
		for (let from = 0; from < row.length;)
		{
			let to = from + 1;
			while (to < row.length && row[to] === row[from])
				to++;
			if (bytes[4 * from + 3] > 0)
				this.#rectangle(x + from * width, top, (to - from) * width, height,
					`fill="rgb(${bytes[4 * from]},${bytes[4 * from + 1]},${bytes[4 * from + 2]})" shape-rendering="crispEdges"`);
			from = to;
		}
	}

	toString()
	{
		return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" viewBox="0 0 ${this.width} ${
			this.height}">${this.#out.join('\n')}</svg>\n`;
	}
}
