// live.js - what happens in the warehouse, as it happens (server-sent events).
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';

// A mark in the page that says whether the stream is open; calls on(kind, data) for each event.
export function follow(kinds, on)
{
	const mark = h('span', {class: 'live', 'data-state': 'off', title: 'follows new loads'}, 'live');
	const stream = new EventSource('/api/events');
	const tell = (isOpen, title) => { mark.dataset.state = isOpen ? 'on' : 'off'; mark.title = title; };
	stream.onopen = () => tell(true, 'follows new loads');
	stream.onerror = () => tell(false, 'new loads are not seen: the server does not answer');
	for (const kind of kinds)
		stream.addEventListener(kind, event => {
			try { on(kind, JSON.parse(event.data)); }
			catch { /* a payload of another version: the next reload shows it */ }
		});
	addEventListener('pagehide', () => stream.close());
	return mark;
}
