// live.js - what happens in the warehouse, as it happens (server-sent events).
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';

const APART = 1000; // ms: a campaign loads many runs a second
const pause = () => new Promise(resolve => { setTimeout(resolve, APART); });

/*
 * Redraws at once when it is called, and once more for all calls in between: when that is done, and APART after it
 * began. Slow redraws are not cut off by the next one: while loads go on none would ever be seen.
 */
function spaced(redraw)
{
	let isBusy = false;
	let isWanted = false;
	return async () => {
		isWanted = true;
		if (isBusy)
			return;
		isBusy = true;
		while (isWanted)
		{
			isWanted = false;
			await Promise.allSettled([(async () => redraw())(), pause()]);
		}
		isBusy = false;
	};
}

/*
 * A mark in the page that says whether the stream is open. The page is redrawn for events of these kinds of which
 * concerns(kind, data) holds, and when the server says that some may have been missed. redraw() tells by its promise
 * when it is done, and of its problems itself.
 */
export function follow(kinds, {concerns = () => true, redraw})
{
	const mark = h('span', {class: 'live', 'data-state': 'off', title: 'follows new loads'}, 'live');
	const stream = new EventSource('/api/events');
	const tell = (isOpen, title) => { mark.dataset.state = isOpen ? 'on' : 'off'; mark.title = title; };
	const want = spaced(redraw);
	const isOurs = (kind, event) => {
		try { return concerns(kind, JSON.parse(event.data)); }
		catch { return false; /* a payload of another version: the next reload shows it */ }
	};
	stream.onopen = () => tell(true, 'follows new loads');
	stream.onerror = () => tell(false, 'new loads are not seen: the server does not answer');
	for (const kind of kinds)
		stream.addEventListener(kind, event => isOurs(kind, event) && want());
	stream.addEventListener('reset', want);
	addEventListener('pagehide', () => stream.close());
	return mark;
}
