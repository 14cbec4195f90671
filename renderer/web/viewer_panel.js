// viewer_panel.js - what is chosen, in words and numbers: a call with its path, messages and waits; a window of times
// and lanes with its profile, super graph, efficiency and waits. Every table can be saved.
// SPDX-License-Identifier: PostgreSQL

import {fetchText, rows, sections, sqlUrl} from './api.js';
import {sqlButton} from './copy_sql.js';
import {h, problem, replaceChildren} from './dom.js';
import {saveCsv} from './export.js';
import {count, percent} from './format.js';
import {stored} from './stored.js';
import {table} from './table.js';
import {app, button, nameOf, say, time} from './viewer_app.js';
import {find, jump, choose, step, zoomToChosen} from './viewer_moves.js';

const {side, state} = app;
const MOST_ROWS = 200;

let asking = null;

// What was asked for before is not wanted any longer.
function newSignal()
{
	asking?.abort();
	asking = new AbortController();
	return asking.signal;
}

const row = (name, ...values) => h('tr', {}, h('td', {title: name}, name), values.map(value => h('td',
	{class: 'number'}, value)));

const saver = (name, columns, found) => button('CSV', () => saveCsv(`run-${app.run}-${name}`, columns, found));

const heading = (text, ...tools) => h('h2', {}, text, tools.length === 0 ? null : [h('span', {class: 'grow'}), tools]);

// ---- a call
export async function tellCall()
{
	const {view, scene, run, facts} = app;
	const [location, at] = (state.get('sel') ?? '').split('@').map(Number);
	scene.selection = null;
	if (!(location < view.n) || !(at >= 0))
	{
		app.schedule();
		return;
	}
	const signal = newSignal();
	try
	{
		const found = await sections('call', {run, location, at: `${Math.round(at)}ns`, version: facts.version}, signal);
		showCall(location, at, found);
		const call = found.rows.at(-1);
		if (call !== undefined)
			showWaits(await rows('call_waits', {run, location, from: `${call.enter}ns`, to: `${call.leave + 1}ns`,
				version: facts.version}, signal));
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			side.append(problem(error));
	}
}

function callFacts(call, stack, location)
{
	return [h('table', {class: 'facts'}, row('duration', time(call.inclusive)),
		row('without its calls', time(call.exclusive)), row('from', time(call.enter)), row('to', time(call.leave)),
		row('depth', call.depth)),
	h('p', {class: 'tools'}, button('zoom to it', zoomToChosen),
		stack.length < 2 ? null : button('to its caller', () => choose(location, stack.at(-2).enter)),
		button('next of the name', () => { find(call.region); step(1, call.enter, location); }))];
}

function messageRow(one)
{
	const partner = one.is_sent ? one.receiver_location : one.sender_location;
	return h('tr', {}, h('td', {}, button(`${one.is_sent ? 'to' : 'from'} ${nameOf(partner)}`,
		() => jump(partner, one.is_sent ? one.receive_time : one.send_time))),
	h('td', {class: 'number'}, `${count(one.bytes)} B`),
	h('td', {class: 'number'}, one.receive_time === null || one.send_time === null ? ''
		: time(one.receive_time - one.send_time)));
}

function showCall(location, at, {rows: stack, messages = []})
{
	const call = stack.at(-1);
	app.scene.selection = {location, from: call?.enter ?? at, to: call?.leave ?? at};
	app.schedule();
	replaceChildren(side, h('h2', {title: call?.region}, call === undefined ? 'outside of calls' : say(call.region)),
		h('p', {class: 'soft'}, `${nameOf(location)} at ${time(at)}`),
		call === undefined ? null : [callFacts(call, stack, location),
			heading('call path', saver('call-path', ['depth', 'region', 'enter', 'leave', 'inclusive', 'exclusive'],
				stack), sqlButton(sqlUrl('call', {run: app.run, location, at: `${Math.round(at)}ns`}))),
			h('table', {class: 'path'}, stack.map(one => h('tr', {}, h('td', {title: one.region}, say(one.region)),
				h('td', {class: 'number'}, time(one.inclusive))))),
			messages.length === 0 ? null : [heading('messages', saver('messages', ['sender', 'receiver', 'send_time',
				'receive_time', 'tag', 'bytes'], messages)),
			h('table', {class: 'messages'}, messages.map(messageRow))],
			h('div', {class: 'waits'})]);
}

function showWaits(waits)
{
	const place = side.querySelector('.waits');
	if (place === null || waits.length === 0)
		return;
	const words = path => (path ?? '').split('/').map(say).join(' / ');
	replaceChildren(place, heading('waited', saver('waits', ['kind', 'awaited_rank', 'origin_rank', 'awaited_region',
		'origin_path', 'origin_share', 't_from', 't_to', 'ns'], waits)), h('table', {}, waits.map(one => h('tr', {},
		h('td', {}, `${one.kind}: `, button(`for ${nameOf(one.awaited)}`, () => jump(one.awaited, one.t_to)),
			one.origin === null ? '' : [h('br'), button(`caused by ${nameOf(one.origin)}`,
				() => jump(one.origin, one.t_from)),
			h('div', {class: 'soft', title: one.origin_path}, words(one.origin_path))]),
		h('td', {class: 'number'}, time(one.ns))))));
}

// ---- a window
function readRegion()
{
	const numbers = /^(\d+)-(\d+)@(\d+)-(\d+)$/.exec(state.get('region') ?? '');
	if (numbers === null)
		return null;
	const [from, to, first, last] = numbers.slice(1).map(Number);
	return {from, to, first: Math.min(first, app.view.n - 1), last: Math.min(last, app.view.n - 1)};
}

// Locations of lanes are numbers that follow one another, but in small traces whose lanes have an order of their own.
function locationsOf({first, last})
{
	const shown = app.view.lanes.slice(first, last + 1);
	return shown.reduce(([low, high], one) => [Math.min(low, one), Math.max(high, one)], [Infinity, -1]);
}

export async function tellRegion()
{
	const {scene, run, facts, view} = app;
	const region = scene.region = readRegion();
	app.schedule();
	if (region === null)
		return;
	const {from, to, first, last} = region;
	const window = {run, from: `${from}ns`, to: `${to}ns`, version: facts.version};
	const [low, high] = locationsOf(region);
	const signal = newSignal();
	const profile = h('div', {class: 'profile'}, h('p', {class: 'soft'}, 'adding up …'));
	const whole = h('div');
	const graph = h('div', {class: 'graph'});
	replaceChildren(side, h('h2', {}, time(to - from)),
		h('p', {class: 'soft'}, `${time(from)} to ${time(to)}, ${nameOf(view.lanes[first])}${last > first
			? ` to ${nameOf(view.lanes[last])}` : ''}`),
		h('p', {class: 'tools'}, button('zoom to it', zoomToChosen),
			stored === null ? button('super graph', () => showGraph(graph, window)) : null), graph, profile, whole);
	try
	{
		const found = await rows('window', {...window, first_location: low, last_location: high}, signal);
		const asked = {...window, first_location: low, last_location: high, version: undefined};
		replaceChildren(profile, heading('time by function', saver('window', ['region', 'exclusive', 'share'], found),
			sqlButton(sqlUrl('window', asked))),
			table([{key: 'region', label: 'function', text: true, show: one => h('span', {title: one.region},
				say(one.region))},
			{key: 'exclusive', label: 'time', number: true, show: one => time(one.exclusive)},
			{key: 'share', label: '%', number: true, show: one => percent(one.share)}], found.slice(0, MOST_ROWS),
			{sort: '-exclusive', empty: 'no calls here'}));
		showWhole(whole, await sections('window_efficiency', window, signal));
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(profile, problem(error));
	}
}

const EFFICIENCIES = ['parallel', 'load_balance', 'communication', 'serialisation', 'transfer'];

function showWhole(place, {rows: [efficiency], waits = []})
{
	const known = efficiency === undefined ? [] : EFFICIENCIES.filter(name => efficiency[name] !== null
		&& efficiency[name] !== undefined);
	replaceChildren(place, known.length === 0 ? null : [heading('efficiency, all ranks'),
		h('table', {class: 'efficiency'}, known.map(name => row(name.replace('_', ' '), percent(efficiency[name]))))],
	waits.length === 0 ? null : [heading('waits, all ranks', saver('window-waits', ['kind', 'n', 'ns'], waits)),
		h('table', {class: 'kinds'}, waits.map(one => row(one.kind, count(one.n), time(one.ns))))]);
}

// The super graph of the window, over the lanes.
async function showGraph(place, {run, from, to})
{
	const address = `/view/window-graph.svg?run=${run}&from=${from}&to=${to}&group_by=function&width=1100&height=620${
		document.documentElement.dataset.theme === 'dark' ? '&theme=dark' : ''}`;
	const close = button('close', () => dialog.close());
	const picture = h('img', {src: address, alt: 'super graph of the window', onerror: () =>
		fetchText(address).catch(error => picture.replaceWith(problem(error)))});
	const dialog = h('dialog', {class: 'window-graph', 'aria-label': 'super graph of the window'},
		h('header', {}, h('h2', {}, 'super graph of the window'), h('span', {class: 'grow'}),
			h('a', {href: address, download: `run-${run}-window.svg`}, 'SVG'),
			h('a', {href: address.replace('.svg', '.png'), download: `run-${run}-window.png`}, 'PNG'), close), picture);
	dialog.addEventListener('close', () => dialog.remove());
	dialog.addEventListener('keydown', event => event.stopPropagation());
	place.append(dialog);
	dialog.showModal();
}
