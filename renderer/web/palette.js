// palette.js - the command palette (Ctrl-K) and the list of keys (?): what can be done, found by a few letters.
// SPDX-License-Identifier: PostgreSQL

import {rows} from './api.js';
import {h, replaceChildren} from './dom.js';
import {pageUrl} from './stored.js';

const MOST_SHOWN = 60;
const RUNS_PATIENCE_MS = 150;

const isStart = (text, at) => at === 0 || /[^a-z0-9]/i.test(text[at - 1])
	|| (/[A-Z]/.test(text[at]) && /[a-z]/.test(text[at - 1]));

// How well letters that come in this order in a text fit it; null: they do not. Runs of letters and starts of words
// count, and what is short.
export function fit(wanted, text)
{
	const lower = text.toLowerCase();
	const whole = lower.indexOf(wanted);
	if (whole >= 0)
		return 1000 - text.length * 0.1 - whole + (isStart(text, whole) ? 200 : 0);
	let score = 0;
	let before = -2;
	for (let i = 0, at = 0; i < wanted.length; i++, at++)
	{
		at = lower.indexOf(wanted[i], at);
		if (at < 0)
			return null;
		score += at === before + 1 ? 12 : isStart(text, at) ? 10 : 1;
		before = at;
	}
	return score - text.length * 0.1;
}

// entries: [{text, kind, act}]; those that fit, the best first.
export function search(wanted, entries)
{
	const words = wanted.toLowerCase().split(/\s+/).filter(word => word !== '');
	return entries.map(entry => {
		const fits = words.map(word => fit(word, `${entry.text} ${entry.kind}`));
		return {entry, score: fits.includes(null) ? null : fits.reduce((sum, one) => sum + one, 0)};
	}).filter(({score}) => score !== null).sort((a, b) => b.score - a.score).map(({entry}) => entry);
}

const PAGES = [['/', 'all runs'], ['/compare', 'compare runs'], ['/history', 'history of an application']]
	.map(([href, text]) => [pageUrl(href), text]).filter(([href]) => href !== null)
	.map(([href, text]) => ({text, kind: 'page', act: () => location.assign(href)}));

async function findRuns(wanted, signal)
{
	const found = await rows('runs', {search: wanted, limit: 8}, signal);
	return found.map(run => ({text: `run ${run.run_id}: ${run.title ?? run.application ?? ''}`, kind: 'run',
		act: () => location.assign(`/run/${run.run_id}`)}));
}

class Palette
{
	#chosen = 0;
	#shown = [];
	#asking = null;

	constructor(entries)
	{
		this.entries = entries;
		this.input = h('input', {type: 'search', 'aria-label': 'command', 'aria-controls': 'palette-list',
			role: 'combobox',
			'aria-expanded': 'true', placeholder: 'what to do, a function, a rank, a run', oninput: () =>
				this.#fill()});
		this.list = h('ul', {role: 'listbox', id: 'palette-list'});
		this.dialog = h('dialog', {class: 'palette', 'aria-label': 'command palette'}, this.input, this.list);
		this.dialog.addEventListener('keydown', event => this.#key(event));
		this.dialog.addEventListener('close', () => this.#asking?.abort());
		this.dialog.addEventListener('click', event => { if (event.target === this.dialog) this.dialog.close(); });
		document.body.append(this.dialog);
	}

	open()
	{
		this.input.value = '';
		this.dialog.showModal();
		this.input.focus();
		this.#fill();
	}

	#fill()
	{
		const wanted = this.input.value.trim();
		const digits = /(?:^|\s)(\d{1,15})(?:\s|$)/.exec(wanted)?.[1];
		const number = digits === undefined ? null : Number(digits);
		this.#show(search(wanted, [...this.entries(number), ...PAGES]));
		this.#asking?.abort();
		if (wanted === '')
			return;
		const {signal} = this.#asking = new AbortController();
		setTimeout(() => {
			if (!signal.aborted)
				findRuns(wanted, signal).then(found => this.#show([...this.#shown, ...found])).catch(error =>
					error.name === 'AbortError' || this.#show([...this.#shown, {text: `runs: ${error.message}`, kind: 'missing',
						act: () => {}}]));
		}, RUNS_PATIENCE_MS);
	}

	#show(found)
	{
		this.#shown = found.slice(0, MOST_SHOWN);
		this.#chosen = Math.min(this.#chosen, Math.max(0, this.#shown.length - 1));
		replaceChildren(this.list, this.#shown.map((entry, i) => h('li', {role: 'option', id: `palette-${i}`,
			'aria-selected': String(i === this.#chosen), onclick: () => this.#act(i)},
		h('span', {class: 'what'}, entry.text), h('span', {class: 'soft'}, entry.keys ?? entry.kind))),
		this.#shown.length === 0 ? h('li', {class: 'soft'}, 'nothing of that name') : null);
		this.#mark(0);
	}

	#mark(at)
	{
		this.#chosen = at;
		[...this.list.children].forEach((item, i) => item.setAttribute('aria-selected', String(i === at)));
		this.list.children[at]?.scrollIntoView({block: 'nearest'});
		this.input.setAttribute('aria-activedescendant', `palette-${at}`);
	}

	#act(i)
	{
		const entry = this.#shown[i];
		this.dialog.close();
		entry?.act();
	}

	#key(event)
	{
		const n = this.#shown.length;
		const by = {ArrowDown: 1, ArrowUp: -1}[event.key];
		event.stopPropagation();
		if (by !== undefined && n > 0)
			this.#mark((this.#chosen + by + n) % n);
		else if (event.key === 'Enter')
			this.#act(this.#chosen);
		else
			return;
		event.preventDefault();
	}
}

// keys: [[keys, what they do]]. A dialog that says it.
function keysDialog(keys)
{
	const dialog = h('dialog', {class: 'keys-help', 'aria-label': 'keys'}, h('h2', {}, 'keys'), h('table', {}, keys.map(
		([key, what]) => h('tr', {}, h('td', {}, h('kbd', {}, key)), h('td', {class: 'text'}, what)))),
	h('p', {}, h('button', {type: 'button', onclick: () => dialog.close()}, 'close')));
	dialog.addEventListener('keydown', event => event.stopPropagation());
	document.body.append(dialog);
	return dialog;
}

// ---- what any page offers
const MOST_OF_PAGE = 400;
const wordsOf = element => (element.getAttribute('aria-label') ?? element.textContent).trim().replace(/\s+/g, ' ');
const nameOf = control => control.getAttribute('aria-label')
	?? control.closest('label')?.firstChild?.textContent?.trim()
	?? control.name;

function take(control, value)
{
	control.value = value;
	control.dispatchEvent(new Event('change', {bubbles: true}));
}

// Its buttons, tabs, links and choices, by the words on them.
export function entriesOfPage()
{
	const main = document.getElementById('main');
	const pressed = [...main.querySelectorAll(':is(button, a[href], summary):not(.zoom *, .sql)')].filter(one =>
		/[a-z0-9]{2}/i.test(wordsOf(one))
		&& one.offsetParent !== null && !one.disabled).map(one => ({text: `${one.closest('th') === null ? ''
		: 'sort by '}${wordsOf(one)}`, kind: one.getAttribute('role') === 'tab' ? 'view'
		: one.localName === 'a' ? 'link' : 'action', act: () => one.click()}));
	const chosen = [...main.querySelectorAll('select')].filter(one => one.offsetParent !== null)
		.flatMap(one => [...one.options].map(({value, textContent}) => ({text: `${nameOf(one)}: ${textContent}`,
			kind: 'choice', act: () => take(one, value)})));
	const fields = [...main.querySelectorAll('input:not([type="checkbox"], [type="range"])')]
		.filter(one => one.offsetParent !== null).map(one => ({text: `go to ${nameOf(one)}`, kind: 'field',
			act: () => one.focus()}));
	// tabs of views first, what stands twice once
	pressed.sort((a, b) => (b.kind === 'view') - (a.kind === 'view'));
	const isLink = ({kind}) => kind === 'link';
	return [...pressed.filter(one => !isLink(one)), ...fields, ...chosen, ...pressed.filter(isLink)].slice(0,
		MOST_OF_PAGE);
}

export const PICTURE_KEYS = [['Tab, arrows', 'go through the marks of a picture'], ['Enter', 'choose the mark'],
	['Esc', 'give up what is chosen'], ['+ − 0', 'zoom in, out, all of it'], ['Ctrl and wheel',
		'zoom where the pointer is'],
	['Shift and arrows', 'move what is zoomed']];

let installed = null;

// entries(number): what the page offers, given that this number is among what was typed (null: none is). Pages have
// what
// shell() installs; one that knows better installs its own.
export function installPalette({entries = entriesOfPage, keys = PICTURE_KEYS} = {})
{
	if (installed !== null)
	{
		installed.palette.entries = entries;
		installed.help.remove();
		installed.help = keysDialog([...keys, ['Ctrl-K', 'the command palette'], ['?', 'these keys']]);
		return;
	}
	installed = {palette: new Palette(entries),
		help: keysDialog([...keys, ['Ctrl-K', 'the command palette'], ['?', 'these keys']])};
	document.addEventListener('keydown', event => {
		const isTyping = event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement
			|| event.target instanceof HTMLSelectElement;
		if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'k')
			installed.palette.open();
		else if (event.key === '?' && !isTyping && !event.ctrlKey && !event.metaKey)
			installed.help.showModal();
		else
			return;
		event.preventDefault();
	});
}

// Buttons of the header for who does not know the keys.
export const paletteButtons = () => [h('button', {type: 'button', 'aria-label': 'commands (Ctrl-K)',
	title: 'commands, functions, runs: Ctrl-K', onclick: () => installed.palette.open()}, '⌕'), h('button',
		{type: 'button',
	'aria-label': 'keys', title: 'keys: ?', onclick: () => installed.help.showModal()}, '?')];
