// runs.js - the list of runs: search, filter, sort, choose two to compare; new loads appear by themselves.
// SPDX-License-Identifier: PostgreSQL

import {rows, sections, sqlUrl} from './api.js';
import {sqlButton} from './copy_sql.js';
import {h, orTell, problem, replaceChildren, select} from './dom.js';
import {saveCsv} from './export.js';
import {count, moment, quantity, shortCommit} from './format.js';
import {follow} from './live.js';
import {queryChoices, queryDefault} from './options.js';
import {noRuns, shell} from './shell.js';
import {PageState} from './state.js';

const PAGE = 100; // unless the address has a limit
const FIRST_PAGE = {after: null, before: null};
const COLUMNS = [
	['run_id', 'run', true], ['application', 'application'], ['title', 'title'], ['commit_id', 'commit'],
	['n_ranks', 'ranks', true],
	['total', 'time per rank', true], ['started_at', 'started'], ['notes', 'notes'],
];
const ORDERS = queryChoices('runs', 'order');

const state = new PageState();
const fresh = new Set();
let chosen = [];
let request = null;
let typing = 0;

const list = h('div');
const compare = h('button', {type: 'button', class: 'primary', disabled: true, onclick: openComparison},
	'compare the chosen two');
const applications = h('span');

function openComparison()
{
	const [a, b] = chosen;
	location.href = `/compare?a=${a}&b=${b}`;
}

function choose(run, on)
{
	chosen = on ? [...chosen, run].slice(-2) : chosen.filter(one => one !== run);
	compare.disabled = chosen.length !== 2;
	for (const box of list.querySelectorAll('input[type="checkbox"]'))
		box.checked = chosen.includes(Number(box.value));
}

function later(change)
{
	clearTimeout(typing);
	typing = setTimeout(() => state.set({...change, ...FIRST_PAGE}), 250);
}

function notes(row)
{
	return [
		row.has_trace ? h('span', {class: 'chip'}, h('a', {href: `/trace/${row.run_id}`}, 'trace')) : null, ' ',
		(row.tags ?? []).map(tag => h('span', {class: 'chip'}, tag)),
		row.excluded_reason ? h('span', {class: 'bad'}, `excluded: ${row.excluded_reason}`) : null,
	];
}

function line(row)
{
	return h('tr', {class: fresh.has(row.run_id) ? 'new' : null},
		h('td', {}, h('input', {type: 'checkbox', value: row.run_id, checked: chosen.includes(row.run_id),
			'aria-label': `choose run ${row.run_id}`,
			onchange: event => choose(row.run_id, event.target.checked)})),
		h('td', {class: 'number'}, h('a', {href: `/run/${row.run_id}`}, row.run_id)),
		h('td', {}, row.application ? h('a', {href: `/history?application=${encodeURIComponent(row.application)}`},
			row.application) : ''),
		h('td', {class: 'text'}, h('a', {href: `/run/${row.run_id}`}, row.title ?? '')),
		h('td', {}, h('code', {}, shortCommit(row.commit_id))),
		h('td', {class: 'number'}, row.n_ranks ?? ''),
		h('td', {class: 'number'}, quantity(row.total, row.unit)),
		h('td', {}, moment(row.started_at)),
		h('td', {class: 'text'}, notes(row)));
}

function heading([key, label, number])
{
	const order = state.get('order', queryDefault('runs', 'order'));
	const sorted = order.replace('-', '') === key;
	const next = order === key ? `-${key}` : key;
	return h('th', {class: number ? 'number' : null, scope: 'col', 'aria-sort': !sorted ? 'none' : order.startsWith('-')
		? 'descending' : 'ascending'},
		!ORDERS.includes(key) ? label
			: h('button', {type: 'button', onclick: () => state.set({order: next, ...FIRST_PAGE})}, label));
}

function pager(total, pages)
{
	const step = (label, place) => h('button', {type: 'button', disabled: Object.values(place)[0] === null,
		onclick: () => state.set({...FIRST_PAGE, ...place})}, label);
	return h('div', {class: 'tools pager'},
		h('span', {class: 'soft'}, `${total.more ? 'more than ' : ''}${count(total.runs)} ${total.runs === 1 ? 'run'
			: 'runs'}`),
		step('← previous', {before: pages.newer}), step('next →', {after: pages.older}));
}

function nothing()
{
	const asked = ['search', 'application', 'filter'].some(name => state.get(name));
	return asked ? h('div', {class: 'empty'}, 'no run fits this search') : noRuns();
}

async function refresh()
{
	request?.abort();
	request = new AbortController();
	try
	{
		const asked = {
			search: state.get('search'), application: state.get('application'), filter: state.get('filter'),
			order: state.get('order'), limit: state.get('limit', PAGE),
			after: state.get('after'), before: state.get('before'),
		};
		const {rows: found, total: [total], pages: [pages]} = await sections('runs', asked, request.signal);
		const csv = h('button', {type: 'button', class: 'sql', title: 'save the rows', onclick: () => saveCsv('runs',
			['run_id', 'application', 'title', 'commit_id', 'n_ranks', 'total', 'unit', 'started_at'], found)}, 'CSV');
		replaceChildren(list, h('div', {class: 'tools above'}, pager(total, pages), h('span', {class: 'grow'}),
			h('span', {class: 'tools'}, csv, sqlButton(sqlUrl('runs', asked)))), found.length === 0 ? nothing()
			: h('div', {class: 'scroll'}, h('table', {},
				h('thead', {}, h('tr', {}, h('th', {scope: 'col', 'aria-label': 'choose'}), COLUMNS.map(heading))),
				h('tbody', {}, found.map(line)))));
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(list, problem(error));
	}
}

async function fillApplications()
{
	const found = await orTell(rows('applications'), 'the list of applications is missing', []);
	replaceChildren(applications, h('label', {}, 'application',
		select('application', [['', 'all'], ...found.map(row => row.application)], state.get('application', ''),
			value => state.set({application: value, ...FIRST_PAGE}))));
}

function field(name, label, hint)
{
	return h('label', {}, label, h('input', {
		type: 'search', name, class: name === 'filter' ? 'wide' : null, placeholder: hint, value: state.get(name, ''),
		oninput: event => later({[name]: event.target.value}),
	}));
}

const live = follow(['run'], {
	concerns: (kind, run) => {
		if (run.state === 'ready') // else it was there before
			fresh.add(run.run_id);
		return true;
	},
	redraw: refresh,
});
const main = shell('Runs', live);
main.append(
	h('div', {class: 'title-row'}, h('h1', {}, 'Runs'),
		h('span', {class: 'soft'}, 'everything that was loaded, the newest first'), compare),
	h('section', {class: 'card'},
		h('header', {class: 'tools'}, field('search', 'search', 'title, application, file'), applications,
			field('filter', 'filter', "n_ranks >= 64 AND branch = 'main'")),
		list));
state.addEventListener('change', () => {
	for (const input of main.querySelectorAll('input[type="search"]'))
		if (input !== document.activeElement)
			input.value = state.get(input.name, '');
	refresh();
});
fillApplications();
refresh();
