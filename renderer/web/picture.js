// picture.js - a picture of the renderer in a page: tooltips, choosing, keyboard, zoom, transitions.
//
// Every element with data-run can be pointed at; its <title> is the tooltip. What a click means is the page's.
// SPDX-License-Identifier: PostgreSQL

import {svg as fetchSvg, viewUrl} from './api.js';
import {sqlButton} from './copy_sql.js';
import {h, problem, replaceChildren} from './dom.js';
import {morph} from './morph.js';
import {onTheme, themed} from './theme.js';
import {hideTooltip, moveTooltip, showTooltip} from './tooltip.js';
import {Zoom} from './zoom.js';

const HIT = '[data-run]';
const NARROWEST = 500;
const WIDEST = 2600;
const WALL = 3000; // a screen so wide is far away: what has 1920 on a desk has twice the size there
const DRAG = 4; // pixels
const LONGEST = 60000; // pixels that browsers paint in one piece

export const magnified = () => (window.innerWidth >= WALL ? 2 : 1);

export class Picture
{
	#request = null;
	#shown = '';
	#source = null; // [view, parameters] of what is drawn
	#asked = null; // the same as the page asked for it; null: nothing
	#svg = null;
	#pressed = {x: 0, y: 0};

	// options: hit (selector of what can be chosen), pick(element, event), zoomed(text), extra(element):
	// nodes below a tooltip's text, drawn(svg): after each drawing.
	constructor(host, options = {})
	{
		this.host = host;
		this.options = {hit: HIT, pick: null, zoomed: () => {}, extra: () => [], drawn: () => {}, ...options};
		host.classList.add('picture');
		onTheme(() => {
			if (this.#asked !== null && host.isConnected)
				this.show(...this.#asked, {zoom: this.zoom?.toString() ?? '', again: true});
		});
	}

	get svg() { return this.#svg; }

	// The picture is drawn exactly as wide as its place, so that its labels have their size and its units are pixels:
	// stretched by a little, some of its cells would be a pixel wider than others.
	get width()
	{
		const width = this.host.clientWidth || this.host.parentElement?.clientWidth || 1000;
		return Math.min(Math.max(Math.floor(width / magnified()), NARROWEST), WIDEST);
	}

	// Draws unless it is drawn already, or in any case (again). Answers whether the picture is there.
	async show(view, params, {zoom = '', again = false} = {})
	{
		const wide = [...Array.isArray(params) ? params : Object.entries(params), ['width', this.width],
			...themed()];
		const wanted = JSON.stringify([view, wide]);
		if (!again && wanted === this.#shown && this.#svg !== null)
		{
			this.zoom.restore(zoom);
			return true;
		}
		this.#asked = [view, params];
		this.#request?.abort();
		const request = this.#request = new AbortController();
		this.host.classList.add('waiting');
		try
		{
			const next = await fetchSvg(view, wide, request.signal);
			this.#shown = wanted;
			this.#source = [view, wide];
			this.#replace(next, zoom);
			return true;
		}
		catch (error)
		{
			if (error.name === 'AbortError')
				return false;
			this.clear(problem(error));
			this.#asked = [view, params];
			return false;
		}
		finally
		{
			if (request === this.#request)
				this.host.classList.remove('waiting');
		}
	}

	clear(...content)
	{
		this.#request?.abort();
		this.#shown = '';
		this.#svg = null;
		this.#asked = null;
		replaceChildren(this.host, ...content);
	}

	// Fades what is neither chosen nor related; null for either test takes the fading back.
	choose(isChosen, isRelated = () => false)
	{
		if (this.#svg === null)
			return;
		let any = false;
		for (const hit of this.#hits())
		{
			const chosen = isChosen !== null && isChosen(hit);
			any ||= chosen;
			hit.classList.toggle('chosen', chosen);
			hit.classList.toggle('related', isChosen !== null && !chosen && isRelated(hit));
			hit.setAttribute('aria-selected', chosen);
		}
		this.#svg.classList.toggle('choosing', any);
	}

	#hits() { return [...this.#svg.querySelectorAll(this.options.hit)]; }

	#replace(next, zoom)
	{
		const before = this.#svg;
		hideTooltip();
		this.#size(next);
		this.#svg = next;
		this.#prepare();
		replaceChildren(this.host, h('div', {class: 'sheet'}, next), this.#buttons());
		this.zoom?.observer.disconnect();
		this.zoom = new Zoom(next, this.options.zoomed, magnified());
		this.zoom.restore(zoom);
		morph(before, next);
		this.options.drawn(next);
	}

	// As wide as its place. What needs more than it was offered (everything was asked for) keeps its size, so that it
	// can be read, and is scrolled.
	#size(next)
	{
		const {width} = next.viewBox.baseVal;
		next.removeAttribute('height');
		next.removeAttribute('width');
		if (width > this.width * 1.01)
			next.style.width = `${Math.min(width * magnified(), LONGEST)}px`;
	}

	#prepare()
	{
		const svg = this.#svg;
		svg.tabIndex = 0;
		svg.setAttribute('role', 'group');
		for (const title of [...svg.querySelectorAll('title')])
		{
			const owner = title.parentElement;
			owner.tip = title.textContent;
			owner.setAttribute('aria-label', title.textContent);
			title.remove();
		}
		for (const hit of this.#hits())
			if (this.options.pick)
			{
				hit.classList.add('hit');
				hit.setAttribute('tabindex', '-1');
				hit.setAttribute('role', 'option');
			}
		svg.addEventListener('pointermove', event => this.#hover(event));
		svg.addEventListener('pointerleave', hideTooltip);
		svg.addEventListener('pointerdown', event => { this.#pressed = {x: event.clientX, y: event.clientY}; },
			{capture: true});
		svg.addEventListener('click', event => this.#click(event));
		svg.addEventListener('keydown', event => this.#key(event));
		svg.addEventListener('focusin', event => this.#focus(event.target));
	}

	#buttons()
	{
		const button = (label, text, act) => h('button', {type: 'button', 'aria-label': label, title: label,
			onclick: act}, text);
		return h('div', {class: 'zoom'},
			sqlButton(() => viewUrl(...this.#source, 'sql'), this.#source[0]), this.#files(),
			button('zoom in', '+', () => this.zoom.by(1.5)),
			button('zoom out', '−', () => this.zoom.by(1 / 1.5)),
			button('whole picture', '⤢', () => this.zoom.reset()));
	}

	// The same as files.
	#files()
	{
		const [view, params] = this.#source;
		return h('details', {class: 'save'}, h('summary', {'aria-label': 'save',
			title: 'save the picture, or what it shows'},
			'⤓'), h('div', {}, ['svg', 'png', 'pdf', 'json'].map(type => h('a', {href: viewUrl(view, params, type),
			download: `${view}.${type}`}, type === 'json' ? 'rows (JSON)' : type.toUpperCase()))));
	}

	#tipOf(target)
	{
		for (let element = target; element && element !== this.#svg; element = element.parentElement)
			if (element.tip)
				return element;
		return null;
	}

	// What extra nodes say again, they take out of the tip.
	#tell(owner, x, y)
	{
		const extra = this.options.extra(owner);
		showTooltip(owner.tip, x, y, extra);
	}

	#hover(event)
	{
		const owner = this.#tipOf(event.target);
		if (owner === null)
			hideTooltip();
		else if (owner === this.pointed)
			moveTooltip(event.clientX, event.clientY);
		if (owner !== null && (owner !== this.pointed || document.getElementById('tooltip').hidden))
			this.#tell(owner, event.clientX, event.clientY);
		this.pointed = owner;
	}

	#focus(target)
	{
		const owner = this.#tipOf(target);
		if (owner === null)
			return;
		const {left, bottom} = target.getBoundingClientRect();
		this.#tell(owner, left, bottom);
	}

	// The end of a drag is no click.
	#click(event)
	{
		if (Math.hypot(event.clientX - this.#pressed.x, event.clientY - this.#pressed.y) > DRAG)
			return;
		const hit = event.target.closest(this.options.hit);
		if (this.options.pick && event.detail !== 2)
			this.options.pick(hit, event);
	}

	#key(event)
	{
		const moves = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1};
		const zooms = {'+': () => this.zoom.by(1.25), '=': () => this.zoom.by(1.25), '-': () => this.zoom.by(0.8),
			'0': () => this.zoom.reset()};
		if (zooms[event.key] && !event.ctrlKey && !event.metaKey)
			zooms[event.key]();
		else if (moves[event.key] && event.shiftKey)
			this.zoom.pan(event.key === 'ArrowRight' ? 0.1 : event.key === 'ArrowLeft' ? -0.1 : 0,
				event.key === 'ArrowDown' ? 0.1 : event.key === 'ArrowUp' ? -0.1 : 0);
		else if (moves[event.key] && this.options.pick)
			this.#step(moves[event.key]);
		else if ((event.key === 'Enter' || event.key === ' ') && this.options.pick)
			this.options.pick(event.target.closest(this.options.hit), event);
		else
			return;
		event.preventDefault();
	}

	#step(by)
	{
		const hits = this.#hits();
		const at = hits.indexOf(document.activeElement);
		if (hits.length > 0)
			hits[at < 0 ? (by > 0 ? 0 : hits.length - 1) : (at + by + hits.length) % hits.length].focus();
	}
}
