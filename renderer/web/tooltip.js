// tooltip.js - one tooltip for the page, beside the pointer or the focused element.
// SPDX-License-Identifier: PostgreSQL

import {h, replaceChildren} from './dom.js';

const MARGIN = 14;
const box = h('div', {id: 'tooltip', role: 'tooltip', hidden: true});
document.body.append(box);

function place(x, y)
{
	const {width, height} = box.getBoundingClientRect();
	const left = x + MARGIN + width > innerWidth ? x - MARGIN - width : x + MARGIN;
	const top = y + MARGIN + height > innerHeight ? y - MARGIN - height : y + MARGIN;
	box.style.left = `${Math.max(4, left)}px`;
	box.style.top = `${Math.max(4, top)}px`;
}

// The first line of a text is its heading. extra: nodes below the text.
export function showTooltip(text, x, y, extra = [])
{
	const [heading, ...lines] = text.split('\n');
	replaceChildren(box, h('strong', {}, heading), lines.join('\n'), extra);
	box.hidden = false;
	place(x, y);
}

export function moveTooltip(x, y)
{
	if (!box.hidden)
		place(x, y);
}

export function hideTooltip() { box.hidden = true; }

addEventListener('scroll', hideTooltip, {passive: true});
addEventListener('keydown', event => event.key === 'Escape' && hideTooltip());
