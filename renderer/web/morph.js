// morph.js - from one picture of a super graph to the next: bands hide, bars move, bands return.
//
// Bars are the same when their data-node is; a part that a split made (lib#1, lib-entry) starts from the
// bar it came out of. Each moving bar is drawn at its new place and taken back to the old one first.
// SPDX-License-Identifier: PostgreSQL

const MOVE_MS = 550;
const FADE_MS = 180;

const still = matchMedia('(prefers-reduced-motion: reduce)');

function boxesByNode(svg)
{
	const boxes = new Map();
	for (const bar of svg.querySelectorAll('.bar[data-node]'))
	{
		const body = bar.querySelector('rect');
		if (body)
			boxes.set(bar.dataset.node, {
				bar,
				x: body.x.baseVal.value,
				y: body.y.baseVal.value,
				height: Math.max(body.height.baseVal.value, 0.5),
			});
	}
	return boxes;
}

// The bar that this one came out of, or went into.
function origin(node, boxes)
{
	for (let name = node; name !== ''; name = name.slice(0, Math.max(name.lastIndexOf('#'), name.lastIndexOf('-'), 0)))
		if (boxes.has(name))
			return boxes.get(name);
	for (const [name, box] of boxes)
		if (name.startsWith(`${node}#`) || name.startsWith(`${node}-`))
			return box;
	return null;
}

// The bar moves with its labels; only its boxes grow or shrink.
function moveBar(to, from)
{
	const timing = {duration: MOVE_MS, delay: FADE_MS, easing: 'ease-in-out', fill: 'backwards'};
	const scale = from.height / to.height;
	to.bar.animate([{transform: `translate(${from.x - to.x}px, ${from.y - to.y}px)`}, {transform: 'none'}], timing);
	for (const box of to.bar.querySelectorAll('rect'))
		if (box.y.baseVal.value >= to.y)
			box.animate([{transform: `translate(0px, ${to.y * (1 - scale)}px) scale(1, ${scale})`},
				{transform: 'none'}], timing);
}

// Both are SVG elements of one view; the new one is in the page, the old one was.
export function morph(before, after)
{
	if (still.matches || before === null || after.getAnimations === undefined)
		return;
	const old = boxesByNode(before);
	const now = boxesByNode(after);
	if (old.size === 0 || now.size < after.querySelectorAll('.bar[data-node]').length)
		return; // nothing to start from, or two graphs that share names
	for (const [node, to] of now)
	{
		const from = origin(node, old);
		if (from)
			moveBar(to, from);
		else
			to.bar.animate([{opacity: 0}, {opacity: 1}], {duration: MOVE_MS, delay: FADE_MS, fill: 'backwards'});
	}
	for (const band of after.querySelectorAll('.band'))
		band.animate([{opacity: 0}, {opacity: 1}], {duration: FADE_MS, delay: FADE_MS + MOVE_MS, fill: 'backwards'});
}
