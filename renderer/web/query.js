// query.js - a saved query: its parameters, what it gives with them, and the SQL.
// SPDX-License-Identifier: PostgreSQL

import {declarations, query, rows} from './api.js';
import {psqlText, showSql} from './copy_sql.js';
import {h, problem} from './dom.js';
import {QueryResult} from './query_result.js';
import {card, shell} from './shell.js';
import {PageState} from './state.js';

const name = decodeURIComponent(location.pathname.split('/').pop());
const state = new PageState();
const result = new QueryResult();
let saved = null;

const valueOf = ({name: parameter, default: fallback}) => state.get(parameter, fallback ?? '');
const values = () => Object.fromEntries(saved.parameters.map(one => [one.name, valueOf(one)]));

function field(parameter)
{
	const number = /int|double|numeric|real/.test(parameter.type) && !parameter.type.endsWith('[]');
	return h('label', {title: parameter.type}, parameter.name, h('input', {
		name: parameter.name, value: valueOf(parameter), inputmode: number ? 'decimal' : null,
		required: parameter.default === null}));
}

function run(event)
{
	event.preventDefault();
	state.set(Object.fromEntries(new FormData(event.target)));
}

function draw()
{
	const missing = saved.parameters.filter(one => valueOf(one) === '');
	for (const input of main.querySelectorAll('form input'))
		input.value = valueOf(saved.parameters.find(one => one.name === input.name));
	if (missing.length > 0)
		return;
	result.show(`q/${name}`, values(), saved.view === null ? null : `/q/${name}.svg`);
}

const main = shell('Query');
try
{
	const [[found], {sql}] = await Promise.all([rows('saved_query', {name}), declarations()]);
	saved = found;
	document.title = `${saved.title ?? name} · perfhouse`;
	const box = `/sql${query({query: saved.sql, view: saved.view, ...values()})}`;
	const form = h('form', {class: 'tools', onsubmit: run}, saved.parameters.map(field),
		h('button', {class: 'primary'}, 'show'));
	main.append(
		h('div', {class: 'title-row'}, h('h1', {}, saved.title ?? name),
			h('span', {class: 'soft'}, saved.about ?? '')),
		card('Result', {
			tools: [
				saved.parameters.length === 0 ? null : form, sql ? h('a', {href: box}, 'edit') : null,
				h('button', {type: 'button', class: 'sql', onclick: () => showSql(psqlText(saved.sql, values()))},
					'SQL')],
			body: result.element}));
	state.addEventListener('change', draw);
	draw();
}
catch (error) { main.append(problem(error)); }
