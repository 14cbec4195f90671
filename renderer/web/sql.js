// sql.js - a box for SQL of one's own, on servers that take it. It is asked when one says so, never by opening a link:
// links may come from anybody.
// SPDX-License-Identifier: PostgreSQL

import {declarations} from './api.js';
import {psqlText, showSql} from './copy_sql.js';
import {h, orTell, select} from './dom.js';
import {QueryResult} from './query_result.js';
import {card, shell} from './shell.js';
import {PageState} from './state.js';

const DRAWERS = ['line', 'bar', 'scatter', 'heatmap', 'flame', 'flame-diff', 'sankey', 'histogram', 'box', 'processes',
	'cct', 'metric', 'grid', 'iterations', 'sankey-ensemble'];
const EXAMPLE = 'SELECT name, exclusive FROM flat(profile(1)) ORDER BY exclusive DESC LIMIT 20';

const state = new PageState();
const result = new QueryResult();
const box = h('textarea', {name: 'query', rows: 8, spellcheck: 'false', 'aria-label': 'SQL', placeholder: EXAMPLE,
	onkeydown: event => {
		if (event.key === 'Enter' && (event.ctrlKey || event.metaKey))
			run(event);
	}});
const fields = h('span', {class: 'tools'});
const view = h('span');

// What stands for values in the text, as psql writes it; the server looks closer (quotes, comments).
const variables = () => [...new Set([...box.value.matchAll(/(?<![:\w\])]):'?([A-Za-z_]\w*)/g)].map(found => found[1]))];

const given = () => Object.fromEntries([...fields.querySelectorAll('input')].map(input => [input.name, input.value]));

function fillFields()
{
	const before = given();
	fields.replaceChildren(...variables().map(name => h('label', {}, name,
		h('input', {name, value: before[name] ?? state.get(name, '')}))));
}

function run(event)
{
	event.preventDefault();
	const drawer = view.querySelector('select').value;
	state.set({query: box.value, view: drawer, ...given()});
	result.show('sql', {query: box.value, ...given()}, drawer === '' ? null : `/sql/${drawer}.svg`);
}

function read()
{
	box.value = state.get('query', '');
	view.replaceChildren(h('label', {}, 'draw as',
		select('view', [['', 'a table only'], ...DRAWERS], state.get('view', ''), () => {})));
	fillFields();
}

const main = shell('SQL');
const {sql} = await orTell(declarations(), 'whether this server takes SQL is not known', {sql: false});
main.append(
	h('div', {class: 'title-row'}, h('h1', {}, 'SQL'), h('span', {class: 'soft'},
		sql ? 'one SELECT; names of schema perfhouse need no schema, :name is a variable'
			: 'this server takes no SQL')),
	card('Query', {body: h('form', {class: 'query', onsubmit: run}, box,
		h('div', {class: 'tools'}, fields, view, h('button', {class: 'primary'}, 'run'),
			h('span', {class: 'soft'}, 'Ctrl+Enter'), h('span', {class: 'grow'}),
			h('button', {type: 'button', class: 'sql', onclick: () => showSql(psqlText(box.value, given()))},
				'SQL')))}),
	card('Result', {body: result.element}));
box.addEventListener('input', fillFields);
state.addEventListener('change', ({detail: {names}}) => {
	if (names.has('query') && state.get('query', '') !== box.value)
		read();
});
read();
