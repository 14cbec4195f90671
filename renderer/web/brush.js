// brush.js - choosing by dragging: bins of a histogram, steps of a picture in logical time.
// SPDX-License-Identifier: PostgreSQL

import {formatRanks, parseRanks} from './ranks.js';

// Calls move(event) while the pointer is down after start(event) said true, then end().
function drag(svg, start, move, end)
{
	svg.addEventListener('pointerdown', event => {
		if (event.button !== 0 || !start(event))
			return;
		event.preventDefault();
		event.stopImmediatePropagation();
		addEventListener('pointermove', move);
		addEventListener('pointerup', () => {
			removeEventListener('pointermove', move);
			end();
		}, {once: true});
	}, {capture: true});
}

// Watches an SVG of the view "histogram"; chosen(text) gets the ranks of all bins that were dragged over.
export function brushBins(svg, chosen)
{
	const bins = [...svg.querySelectorAll('.bin')];
	const bars = bins.map(bin => bin.querySelector('rect') ?? bin); // a bin has lines to its ranks, too
	let from = -1;
	let to = -1;

	// bars may be low: what counts is the place from left to right
	const indexAt = event => {
		const boxes = bars.map(bar => bar.getBoundingClientRect());
		return boxes.findIndex(box => event.clientX >= box.left && event.clientX < box.right);
	};
	const span = () => bins.slice(Math.min(from, to), Math.max(from, to) + 1);
	drag(svg, event => {
		from = to = indexAt(event);
		return from >= 0;
	}, event => {
		const at = indexAt(event);
		to = at < 0 ? to : at;
		bins.forEach(bin => bin.classList.toggle('chosen', span().includes(bin)));
	}, () => {
		const ranks = new Set(span().flatMap(bin => [...parseRanks(bin.dataset.rank)]));
		if (ranks.size > 0)
			chosen(formatRanks(ranks));
	});
}

// Watches an SVG whose elements have data-step; chosen(first, last) gets the steps that were dragged over.
// wanted(event) says whether a drag is meant for choosing.
export function brushSteps(svg, chosen, wanted = () => true)
{
	const frame = document.createElementNS('http://www.w3.org/2000/svg', 'rect');
	let places = null;
	let from = null;
	let to = null;

	const stepAt = event => {
		places ??= [...svg.querySelectorAll('[data-step]')].map(element => {
			const box = element.getBoundingClientRect();
			return [Number(element.dataset.step), (box.left + box.right) / 2];
		});
		let best = null;
		for (const [step, x] of places)
			if (best === null || Math.abs(x - event.clientX) < Math.abs(best[1] - event.clientX))
				best = [step, x];
		return best?.[0] ?? null;
	};
	const paint = event => {
		const matrix = svg.getScreenCTM().inverse();
		const [left, right] = [Math.min(event.clientX, frame.startX), Math.max(event.clientX, frame.startX)]
			.map(x => new DOMPoint(x, 0).matrixTransform(matrix).x);
		const {y, height} = svg.viewBox.baseVal;
		for (const [name, value] of Object.entries({x: left, y, width: right - left, height}))
			frame.setAttribute(name, value);
	};
	frame.classList.add('rubber');
	drag(svg, event => {
		if (!wanted(event))
			return false;
		places = null;
		from = to = stepAt(event);
		frame.startX = event.clientX;
		frame.startY = event.clientY;
		return from !== null;
	}, event => {
		to = stepAt(event);
		svg.append(frame);
		paint(event);
	}, () => {
		frame.remove();
		if (from !== to)
			chosen(Math.min(from, to), Math.max(from, to));
	});
}
