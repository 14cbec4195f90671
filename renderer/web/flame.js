// flame.js - a call tree as a flame or icicle on a canvas: a box a node, as wide as its cost; a click zooms into it,
// what is searched stands out, what is pinned keeps a frame.
//
// A frame draws boxes of at least a pixel alone, so that its cost is that of the screen, however many nodes there are.
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';
import {SvgContext} from './svg_canvas.js';
import {lettersScale} from './theme.js';
import {hideTooltip, showTooltip} from './tooltip.js';
import {css, faint, inkOn} from './viewer_colors.js';

const SCALE = lettersScale();
const ROW = Math.round(18 * SCALE);
const LEAST = 1; // pixels of the page

export class Flame
{
	// options: {label, colorOf(name), say(name), tell(tree, node) -> text, picked(node), isUp: roots at the bottom}
	constructor(options)
	{
		this.options = options;
		this.canvas = h('canvas', {tabindex: 0, role: 'img', 'aria-label': options.label});
		this.host = h('div', {class: 'flame'}, this.canvas);
		Object.assign(this, {tree: null, zoomed: -1, found: null, pinned: -1, boxes: [], scheduled: false});
		this.canvas.addEventListener('click', event => this.#click(event));
		this.canvas.addEventListener('pointermove', event => this.#move(event));
		this.canvas.addEventListener('pointerleave', hideTooltip);
		this.canvas.addEventListener('keydown', event => this.#key(event));
		new ResizeObserver(() => this.draw()).observe(this.host);
	}

	show(tree)
	{
		this.tree = tree;
		this.zoomed = -1;
		this.pinned = -1;
		this.draw();
	}

	// node: -1: all of it
	zoom(node)
	{
		this.zoomed = node;
		this.draw();
	}

	draw()
	{
		if (this.scheduled)
			return;
		this.scheduled = true;
		requestAnimationFrame(() => { this.scheduled = false; this.#frame(); });
	}

	// Boxes of the screen: {node, x, width, row}, those above the zoomed node as wide as all.
	#layOut(width)
	{
		const {tree, zoomed} = this;
		const above = zoomed < 0 ? [] : tree.path(zoomed);
		const boxes = above.slice(0, -1).map((node, row) => ({node, x: 0, width, row, isAbove: true}));
		const total = zoomed < 0 ? tree.total : tree.inclusive[zoomed];
		const stack = [];
		const push = (nodes, x, row) => {
			let at = x;
			for (const node of nodes)
			{
				const wide = tree.inclusive[node] / total * width;
				if (wide >= LEAST)
					stack.push({node, x: at, width: wide, row, isAbove: false});
				at += Math.max(0, wide);
				if (wide < LEAST)
					break; // siblings come by cost: those that follow are no wider
			}
		};
		if (total > 0)
			push(zoomed < 0 ? tree.roots : [zoomed], 0, Math.max(0, above.length - 1));
		for (let box = stack.pop(); box !== undefined; box = stack.pop())
		{
			boxes.push(box);
			push(tree.children(box.node), box.x, box.row + 1);
		}
		return boxes;
	}

	#frame()
	{
		const {host, canvas, tree} = this;
		const ratio = devicePixelRatio;
		const width = Math.max(1, host.clientWidth);
		this.boxes = tree === null ? [] : this.#layOut(width);
		const rows = this.boxes.reduce((most, {row}) => Math.max(most, row + 1), 1);
		const height = Math.max(rows * ROW, host.clientHeight - 2);
		Object.assign(canvas, {width: Math.round(width * ratio), height: Math.round(Math.min(height, 16000) * ratio)});
		canvas.style.height = `${height}px`;
		const context = canvas.getContext('2d');
		context.scale(ratio, ratio);
		this.#paint(context, width, height);
		canvas.dataset.boxes = String(this.boxes.length);
	}

	// What is shown, as shapes and texts.
	svg()
	{
		const {clientWidth: width, clientHeight: height} = this.canvas;
		const context = new SvgContext(width, height);
		this.#paint(context, width, height);
		return context;
	}

	#paint(context, width, height)
	{
		const style = getComputedStyle(document.documentElement);
		context.fillStyle = style.getPropertyValue('--card').trim();
		context.fillRect(0, 0, width, height);
		context.font = `${11 * SCALE}px "DejaVu Sans", Verdana, sans-serif`;
		context.textBaseline = 'middle';
		for (const box of this.boxes)
			this.#box(context, box, height, style);
	}

	#top(row, height) { return this.options.isUp ? height - (row + 1) * ROW : row * ROW; }

	#box(context, {node, x, width, row, isAbove}, height, style)
	{
		const name = this.tree.name[node];
		const isDark = document.documentElement.dataset.theme === 'dark';
		const own = this.options.colorOf(name);
		const isFaint = isAbove || (this.found !== null && !this.found.has(name));
		const color = isFaint ? faint(own, isDark) : own;
		const y = this.#top(row, height);
		context.fillStyle = css(color);
		context.fillRect(x, y, Math.max(1, width - (width > 3 ? 1 : 0)), ROW - 1);
		if (node === this.pinned)
		{
			context.strokeStyle = style.getPropertyValue('--ink').trim();
			context.lineWidth = 2;
			context.strokeRect(x + 1, y + 1, Math.max(2, width - 3), ROW - 3);
		}
		if (width > 30)
		{
			const text = this.options.say(name);
			const most = Math.floor((width - 6) / (6.6 * SCALE));
			context.fillStyle = inkOn(color);
			context.fillText(text.length <= most ? text : `${text.slice(0, Math.max(1, most - 1))}…`, x + 3, y
				+ ROW / 2);
		}
	}

	#at(event)
	{
		const box = this.canvas.getBoundingClientRect();
		const [x, y] = [event.clientX - box.left, event.clientY - box.top];
		return this.boxes.find(one => x >= one.x && x < one.x + one.width && y >= this.#top(one.row, box.height)
			&& y < this.#top(one.row, box.height) + ROW)?.node ?? -1;
	}

	#click(event)
	{
		const node = this.#at(event);
		this.canvas.focus();
		if (node < 0)
			return;
		this.pinned = node;
		this.draw();
		this.options.picked?.(node, this);
	}

	#move(event)
	{
		const node = this.#at(event);
		if (node < 0)
			hideTooltip();
		else
			showTooltip(this.options.tell(this.tree, node), event.clientX, event.clientY);
	}

	// Arrows go through the tree, Enter picks.
	#key(event)
	{
		const {tree, pinned} = this;
		if (tree === null)
			return;
		const at = pinned < 0 ? tree.roots[0] : pinned;
		const siblings = tree.parent[at] < 0 ? tree.roots : [...tree.children(tree.parent[at])];
		const place = siblings.indexOf(at);
		const [out, inner] = this.options.isUp ? ['ArrowDown', 'ArrowUp'] : ['ArrowUp', 'ArrowDown'];
		const next = {[out]: tree.parent[at], [inner]: tree.firstChild[at], ArrowLeft: siblings[place - 1],
			ArrowRight: siblings[place + 1], Enter: at}[event.key];
		if (next === undefined || next < 0)
			return;
		event.preventDefault();
		this.pinned = next;
		this.draw();
		this.options.picked?.(next, this);
	}
}
