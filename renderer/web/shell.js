// shell.js - what every page has: the header, the theme, the mark of the live stream.
// SPDX-License-Identifier: PostgreSQL

import {h, replaceChildren} from './dom.js';
import {installPalette, paletteButtons} from './palette.js';
import {pageUrl, stored} from './stored.js';
import {toggleTheme} from './theme.js';

const LINKS = [['/', 'Runs'], ['/compare', 'Compare'], ['/ensemble', 'Ensemble'], ['/history', 'History'], ['/q',
	'Queries']];

// Which link the page stands below: a run's pages are reached from the list of runs.
const SECTIONS = [[/^\/(run|trace|viewer|profile)\//, '/'], [/^\/q\/|^\/sql$/, '/q']];

function currency(href)
{
	if (location.pathname === href)
		return 'page';
	return SECTIONS.find(([pages]) => pages.test(location.pathname))?.[1] === href ? 'true' : null;
}

// extra: nodes at the right of the header.
export function shell(title, ...extra)
{
	document.title = `${title} · perfhouse`;
	installPalette();
	replaceChildren(document.querySelector('header.top'),
		h('a', {class: 'brand', href: pageUrl('/')}, 'perfhouse'),
		stored !== null ? null : h('nav', {'aria-label': 'pages'}, LINKS.map(([href, label]) =>
			h('a', {href, 'aria-current': currency(href)}, label))),
		extra, paletteButtons(),
		h('button', {type: 'button', 'aria-label': 'light or dark', title: 'light or dark', onclick: toggleTheme},
			'◐'));
	return document.getElementById('main');
}

// A link to a page of this product; null: a bundle does not have that page.
export const link = (address, text) => pageUrl(address) === null ? null : h('a', {href: pageUrl(address)}, text);

export function card(title, {tools = [], body = []} = {})
{
	return h('section', {class: 'card', 'aria-label': title},
		h('header', {}, h('h2', {}, title), h('span', {class: 'grow'}), tools),
		h('div', {class: 'body'}, body));
}

const command = text => h('code', {}, text);

// What to do about a warehouse without runs.
export const noRuns = () => h('div', {class: 'empty'}, 'no runs yet: ', command('perfhouse load PATH'),
	' loads profiles and traces, ', command('perfhouse load --formats'), ' lists what it reads');

// A list of tabs; show(key) draws what belongs to one. Left and right change it by keyboard.
export function tabs(label, entries, current, show)
{
	const list = h('div', {role: 'tablist', 'aria-label': label});
	const mark = key => {
		for (const tab of list.children)
		{
			tab.setAttribute('aria-selected', tab.dataset.key === key);
			tab.tabIndex = tab.dataset.key === key ? 0 : -1;
		}
	};
	for (const [key, text, help] of entries)
		list.append(h('button', {type: 'button', role: 'tab', title: help, dataset: {key},
			onclick: () => show(key)}, text));
	list.addEventListener('keydown', event => {
		const by = {ArrowRight: 1, ArrowLeft: -1}[event.key];
		const at = [...list.children].indexOf(document.activeElement);
		if (by === undefined || at < 0)
			return;
		const next = list.children[(at + by + list.children.length) % list.children.length];
		next.focus();
		next.click();
	});
	mark(current);
	return {list, mark};
}
