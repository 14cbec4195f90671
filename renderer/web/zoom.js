// zoom.js - zooming and panning of an SVG through its viewBox; labels keep a readable size.
// SPDX-License-Identifier: PostgreSQL

const STEP = 1.25;
const DEEPEST = 400;
const SMALLEST_LABEL = 0.35;
const LARGEST_LABEL = 1.8;

const clamp = (value, low, high) => Math.min(Math.max(value, low), high);

export class Zoom
{
	// changed(text): called after the reader zoomed or panned, with what restore() takes; '' is all.
	// magnified: pixels of the screen to a unit of the picture before any zooming.
	constructor(svg, changed, magnified = 1)
	{
		const {x, y, width, height} = svg.viewBox.baseVal;
		this.svg = svg;
		this.changed = changed;
		this.magnified = magnified;
		this.all = {x, y, width, height};
		this.box = {...this.all};
		svg.addEventListener('wheel', event => this.#wheel(event), {passive: false});
		svg.addEventListener('pointerdown', event => this.#grab(event));
		svg.addEventListener('dblclick', event => this.by(STEP * STEP, event.clientX, event.clientY));
		this.observer = new ResizeObserver(() => this.#apply());
		this.observer.observe(svg);
	}

	get zoomed() { return this.box.width < this.all.width * 0.999; }

	toString()
	{
		const {x, y, width} = this.box;
		return this.zoomed ? [x, y, width].map(value => Number(value.toPrecision(6))).join(',') : '';
	}

	restore(text)
	{
		const [x, y, width] = (text ?? '').split(',').map(Number);
		if (Number.isFinite(x) && Number.isFinite(y) && width > 0)
			this.#set({x, y, width});
		else
			this.#set(this.all);
	}

	reset()
	{
		this.#set(this.all);
		this.changed(this.toString());
	}

	// factor > 1 looks closer; the point (in client pixels, default the middle) stays where it is.
	by(factor, clientX, clientY)
	{
		const area = this.svg.getBoundingClientRect();
		const across = clientX === undefined ? 0.5 : (clientX - area.left) / area.width;
		const down = clientY === undefined ? 0.5 : (clientY - area.top) / area.height;
		const width = clamp(this.box.width / factor, this.all.width / DEEPEST, this.all.width);
		const shrink = 1 - width / this.box.width;
		this.#set({
			x: this.box.x + this.box.width * shrink * across,
			y: this.box.y + this.box.height * shrink * down,
			width,
		});
		this.changed(this.toString());
	}

	// Shares of the visible width and height.
	pan(across, down)
	{
		this.#set({x: this.box.x + across * this.box.width, y: this.box.y + down * this.box.height,
			width: this.box.width});
		this.changed(this.toString());
	}

	// A point of the screen in the picture's units.
	point(clientX, clientY)
	{
		return new DOMPoint(clientX, clientY).matrixTransform(this.svg.getScreenCTM().inverse());
	}

	#set({x, y, width})
	{
		const share = Math.min(width / this.all.width, 1);
		const height = this.all.height * share;
		this.box = {
			x: clamp(x, this.all.x, this.all.x + this.all.width * (1 - share)),
			y: clamp(y, this.all.y, this.all.y + this.all.height - height),
			width: this.all.width * share,
			height,
		};
		this.#apply();
	}

	#apply()
	{
		const {x, y, width, height} = this.box;
		const pixels = this.svg.clientWidth / width / this.magnified;
		this.svg.setAttribute('viewBox', `${x} ${y} ${width} ${height}`);
		if (!(pixels > 0))
			return;
		this.svg.style.setProperty('--label-scale',
			clamp(pixels < 1 ? 1 / pixels : 1 / Math.sqrt(pixels), SMALLEST_LABEL, LARGEST_LABEL).toFixed(3));
		this.svg.classList.toggle('scaled', pixels < 0.8 || pixels > 1.15);
	}

	#wheel(event)
	{
		if (!event.ctrlKey && !event.metaKey && !this.zoomed)
			return; // the page scrolls
		event.preventDefault();
		if (event.ctrlKey || event.metaKey)
			this.by(event.deltaY < 0 ? STEP : 1 / STEP, event.clientX, event.clientY);
		else
			this.pan(event.deltaX / this.svg.clientWidth, event.deltaY / this.svg.clientHeight);
	}

	#grab(event)
	{
		if (event.button !== 0 || !this.zoomed || event.shiftKey)
			return;
		const start = {x: event.clientX, y: event.clientY, ...{box: {...this.box}}};
		const move = moved => {
			this.#set({
				x: start.box.x - (moved.clientX - start.x) / this.svg.clientWidth * start.box.width,
				y: start.box.y - (moved.clientY - start.y) / this.svg.clientHeight * start.box.height,
				width: start.box.width,
			});
		};
		const end = () => {
			removeEventListener('pointermove', move);
			this.changed(this.toString());
		};
		addEventListener('pointermove', move);
		addEventListener('pointerup', end, {once: true});
	}
}
