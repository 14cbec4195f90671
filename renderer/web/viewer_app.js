// viewer_app.js - what the parts of the viewer share: the run, what is known of it, the window and what is drawn.
// SPDX-License-Identifier: PostgreSQL

import {h} from './dom.js';
import {percent, quantity} from './format.js';
import {PageState} from './state.js';
import {pageRun} from './stored.js';

// view, scene, store and facts are there when the page has begun (viewer.js).
export const app = {
	run: pageRun(),
	state: new PageState(),
	view: null, scene: null, store: null, facts: null,
	names: [], // of functions by place; 0: none
	short: [], // the same for people
	canvas: h('canvas', {tabindex: 0, role: 'application',
		'aria-label': 'timeline: W, A, S, D zoom and move; question mark lists all keys'}),
	side: h('aside', {class: 'side', 'aria-label': 'what is chosen', 'aria-live': 'polite'}),
	waits: null, // who was waited for (viewer_waited.js)
	// a frame; the window moved; a counter's lane; the side
	schedule: () => {}, moved: () => {}, toggleCounter: () => {}, tell: () => {},
};

export function nameOf(location)
{
	const {rank, thread, name} = app.facts.locations;
	if (thread[location] === null) // streams of several ranks have the same names
		return `${app.facts.hasRanks && rank[location] !== null ? `${rank[location]}: ` : ''}${name[location]
			?? `location ${location}`}`;
	return app.facts.threads > 1 ? `rank ${rank[location]} · ${thread[location]}` : `rank ${rank[location]}`;
}

// A function as people say it.
export const say = region => app.short[app.placeOf?.get(region)] ?? region;

const SCALES = [[1e9, 's', 6], [1e6, 'ms', 4], [1e3, 'µs', 3]];

export function time(ns)
{
	if (ns === null || ns === undefined || Number.isNaN(ns))
		return '';
	const [size, unit, digits] = SCALES.find(([least]) => Math.abs(ns) >= least) ?? [1, 'ns', 0];
	return `${(ns / size).toFixed(digits)} ${unit}`;
}

// Shares of time in words, the small ones left out.
export function kinds([communication, waiting, device, outside])
{
	const compute = 1 - communication - waiting - device - outside;
	return [['computing', compute], ['communicating', communication], ['waiting', waiting], ['on devices', device],
		['outside of calls', outside]].filter(([, share]) => share > 0.03)
		.map(([name, share]) => `${percent(share)} ${name}`).join(', ');
}

export const span = ns => quantity(ns, 'ns');

export const button = (text, onclick) => h('button', {type: 'button', onclick}, text);
