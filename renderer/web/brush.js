// brush.js - choosing bars of a histogram by dragging over them: their ranks are what is chosen.
// SPDX-License-Identifier: PostgreSQL

import {formatRanks, parseRanks} from './ranks.js';

// Watches an SVG of the view "histogram"; chosen(text) gets the ranks of all bins that were dragged over.
export function brushBins(svg, chosen)
{
	const bins = [...svg.querySelectorAll('.bin')];
	let from = -1;

	const indexAt = event => bins.indexOf(document.elementFromPoint(event.clientX, event.clientY)?.closest('.bin'));
	const span = to => bins.slice(Math.min(from, to), Math.max(from, to) + 1);
	const paint = marked => bins.forEach(bin => bin.classList.toggle('chosen', marked.includes(bin)));

	svg.addEventListener('pointerdown', event => {
		from = event.button === 0 ? indexAt(event) : -1;
		if (from < 0)
			return;
		event.preventDefault();
		let to = from;
		const move = moved => {
			const at = indexAt(moved);
			to = at < 0 ? to : at;
			paint(span(to));
		};
		addEventListener('pointermove', move);
		addEventListener('pointerup', () => {
			removeEventListener('pointermove', move);
			const ranks = new Set(span(to).flatMap(bin => [...parseRanks(bin.dataset.rank)]));
			if (ranks.size > 0)
				chosen(formatRanks(ranks));
		}, {once: true});
	});
}
