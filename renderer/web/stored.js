// stored.js - a bundle: pages whose answers lie beside them as files (perfhouse bundle), with no server. Files are read
// as scripts, since a browser reads nothing else for a page of its disk; what can be counted from the calls of a trace
// (stored_trace.js) is.
// SPDX-License-Identifier: PostgreSQL

import {storedRankValues, storedTree} from './stored_profile.js';
import {TRACE_ANSWERS} from './stored_trace.js';

// data/index.js of a bundle sets it: {pages, runs, answers: {key: file}, take(key, value)}.
export const stored = globalThis.perfhouseStored ?? null;

const waiting = new Map(); // key -> {promise, resolve}

if (stored !== null)
	stored.take = (key, value) => waiting.get(key).resolve(value);

function load(key)
{
	if (waiting.has(key))
		return waiting.get(key).promise;
	const entry = {};
	entry.promise = new Promise((resolve, reject) => {
		entry.resolve = resolve;
		const script = document.createElement('script');
		script.src = stored.answers[key];
		script.onerror = () => reject(new Error(`${stored.answers[key]} is not beside this page`));
		document.head.append(script);
	});
	waiting.set(key, entry);
	return entry.promise;
}

// "/api/tree?run=1&version=x" as bundles call it: tree?run=1
export function keyOf(url)
{
	const [path, search = ''] = url.split('?');
	const params = [...new URLSearchParams(search)].filter(([name, value]) => name !== 'version' && value !== '')
		.sort(([a], [b]) => a < b ? -1 : a > b ? 1 : 0);
	return `${path.replace(/^\/(api|view)\//, '')}?${params.map(([name, value]) => `${name}=${value}`).join('&')}`;
}

// What the viewer counts its rasters from.
export const storedTrace = run => Promise.all([load(`viewer?run=${run}`), load(`calls?run=${run}`)]);

// The answer to a question to the server; null: the bundle has none.
export async function storedAnswer(url)
{
	const key = keyOf(url);
	if (stored.answers[key] !== undefined)
		return load(key);
	const name = url.split('?')[0].replace('/api/', '');
	const params = Object.fromEntries(new URLSearchParams(url.split('?')[1] ?? ''));
	const whole = named => keyOf(`/api/${named}?run=${params.run}&metric=${encodeURIComponent(params.metric ?? '')}`);
	if ((name === 'tree' || name === 'rank_values') && stored.answers[whole('values')] !== undefined)
	{
		const [tree, values] = await Promise.all([load(whole('tree')), load(whole('values'))]);
		return name === 'tree' ? storedTree(tree, values, params.ranks) : storedRankValues(tree, values, params.name);
	}
	if (TRACE_ANSWERS[name] === undefined || stored.answers[`calls?run=${params.run}`] === undefined)
		return null;
	const [viewer, calls] = await storedTrace(params.run);
	return TRACE_ANSWERS[name](viewer, calls, params);
}

// A page's address where it is known; null: the bundle has no such page.
export function pageUrl(address)
{
	if (stored === null)
		return address;
	if (address === '/')
		return 'index.html';
	const [, page, run] = /^\/(profile|run|viewer|trace)\/(\d+)/.exec(address) ?? [];
	const kind = page === 'run' || page === 'profile' ? 'profile' : page === 'viewer' ? 'viewer' : null;
	return kind !== null && stored.pages.includes(`${kind}-${run}.html`) ? `${kind}-${run}.html` : null;
}

// The run that the page is of: "/viewer/12", "viewer-12.html" in a bundle.
export const pageRun = () => Number(stored === null ? location.pathname.split('/')[2]
	: /-(\d+)\.html$/.exec(location.pathname)?.[1]);
