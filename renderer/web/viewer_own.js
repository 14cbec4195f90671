// viewer_own.js - colours by queries of people: those that are saved, and on servers that take it SQL of one's own,
// which runs when one says so and never by opening a link. SPDX-License-Identifier: PostgreSQL

import {declarations, rows} from './api.js';
import {h, orTell} from './dom.js';
import {stored} from './stored.js';
import {app} from './viewer_app.js';
import {SQL_COLUMNS} from './viewer_overlays.js';

const {state} = app;
const WINDOW = ['from', 'run', 'to'];
const EXAMPLE = `SELECT location, enter AS t_from, enter + inclusive AS t_to, exclusive AS value
  FROM calls(:run, :from, :to)
 WHERE region LIKE 'MPI_%'`;

let takesSql = false;

// Saved queries of a run and a window, as ways of colouring: [value, text].
export async function readOwn()
{
	if (stored !== null)
		return [];
	const [saved, declared] = await Promise.all([orTell(rows('saved'), 'saved queries are missing', []),
		orTell(declarations(), 'menus are missing', {})]);
	takesSql = declared.sql === true;
	return [...saved.filter(one =>
		JSON.stringify(one.parameters.map(({name}) => name).sort()) === JSON.stringify(WINDOW))
		.map(one => [`query:${one.name}`, `query: ${one.title ?? one.name}`]), ...takesSql ? [['sql', 'SQL …']] : []];
}

// Asks for the SQL; what the address has is in the box already.
export function askSql()
{
	const box = h('textarea', {name: 'sql', rows: 7, cols: 70, spellcheck: 'false', 'aria-label': 'SQL'});
	box.value = state.get('sql', EXAMPLE);
	const dialog = h('dialog', {class: 'ask-sql', 'aria-label': 'colour by SQL'}, h('header', {},
		h('h2', {}, 'colour by SQL'), h('span', {class: 'grow'}),
		h('button', {type: 'button', onclick: () => dialog.close()}, 'close')),
	h('p', {class: 'soft'}, takesSql ? `one SELECT with ${SQL_COLUMNS}; :run, :from and :to (ns) are the run and the window`
		: 'this server takes no SQL'), box,
	h('p', {class: 'tools'}, h('button', {type: 'button', class: 'primary', disabled: !takesSql, onclick: () => {
		app.scene.sql = box.value;
		app.scene.range = null;
		state.set({color: 'sql', sql: box.value});
		dialog.close();
		app.schedule();
	}}, 'colour')));
	dialog.addEventListener('close', () => dialog.remove());
	dialog.addEventListener('keydown', event => event.stopPropagation());
	document.body.append(dialog);
	dialog.showModal();
}
