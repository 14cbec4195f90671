// api.js - questions to the server. Parameters that are null, undefined or '' are not sent.
// SPDX-License-Identifier: PostgreSQL

import {stored, storedAnswer} from './stored.js';

// The server serves tabs in turn: one that asks for much keeps no other waiting.
export const TAB = {'X-Perfhouse-Tab': Math.random().toString(36).slice(2, 12)};

export class ServerProblem extends Error
{
	constructor(status, message, hint)
	{
		super(message);
		this.status = status;
		this.hint = hint ?? null;
	}
}

// params: an object, or pairs where order matters; a list repeats its name.
export function query(params)
{
	const search = new URLSearchParams();
	for (const [name, value] of Array.isArray(params) ? params : Object.entries(params ?? {}))
		for (const one of Array.isArray(value) ? value : [value])
			if (one !== null && one !== undefined && one !== '')
				search.append(name, one);
	const text = search.toString();
	return text === '' ? '' : `?${text}`;
}

// Of what is asked for one place the last question counts: each has a signal, which ends when the next one begins.
export class Latest
{
	#asking = null;

	begin()
	{
		this.end();
		this.#asking = new AbortController();
		return this.#asking.signal;
	}

	end() { this.#asking?.abort(); }
}

// What a bundle has, as a response.
async function getStored(url)
{
	const found = await storedAnswer(url);
	if (found === null)
		throw new ServerProblem(404, 'this bundle does not have that',
			'perfhouse view, or a warehouse with this run and perfhouse serve, have all of it.');
	if (found.error !== undefined)
		throw new ServerProblem(400, found.error.message, found.error.hint);
	return {json: async () => found, text: async () => found};
}

async function get(url, signal)
{
	let response;
	if (stored !== null)
		return getStored(url);
	try
	{
		response = await fetch(url, {signal, credentials: 'same-origin', headers: TAB});
	}
	catch (error)
	{
		if (error.name === 'AbortError')
			throw error;
		throw new ServerProblem(0, 'the server does not answer', 'Is "perfhouse serve" still running?');
	}
	if (response.ok)
		return response;
	const text = await response.text();
	throw problemOf(response.status, text);
}

// Data answer with JSON, pictures with a picture of the message.
function problemOf(status, text)
{
	let body = null;
	try { body = JSON.parse(text); }
	catch { /* a picture */ }
	const lines = [...new DOMParser().parseFromString(body ? '<svg/>' : text, 'image/svg+xml')
		.querySelectorAll('text')].map(line => line.textContent);
	return new ServerProblem(status, body?.error?.message ?? lines[0] ?? `the server answered ${status}`,
		body?.error?.hint ?? lines.slice(1).join(' '));
}

export async function fetchText(url)
{
	return (await get(url)).text();
}

// What a named query asks, as SQL.
export const sqlUrl = (name, params) => `/api/${name}.sql${query(params)}`;

// What a named query answers: {section: [row, ...]}, "rows" among them.
export async function sections(name, params, signal)
{
	return (await get(`/api/${name}${query(params)}`, signal)).json();
}

export async function rows(name, params, signal)
{
	return (await sections(name, params, signal)).rows;
}

// What views and queries can be told.
export const declarations = () => sections('parameters');

export const viewUrl = (view, params, type = 'svg') => `/view/${view}.${type}${query(params)}`;

// What a picture is drawn from: {section: [row, ...]}.
export async function viewRows(view, params, signal)
{
	return (await get(viewUrl(view, params, 'json'), signal)).json();
}

// A picture as an SVG element of this document.
export async function svg(view, params, signal)
{
	const text = await (await get(viewUrl(view, params), signal)).text();
	const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
	if (root.localName !== 'svg')
		throw new ServerProblem(0, 'the server sent something that is not a picture');
	return document.importNode(root, true);
}
