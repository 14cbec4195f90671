// copy_sql.js - what a picture or a table shows, as SQL: a button, and the dialog that it opens.
// SPDX-License-Identifier: PostgreSQL

import {declarations, fetchText, query} from './api.js';
import {h, problem, replaceChildren} from './dom.js';
import {stored} from './stored.js';

const LONGEST_ADDRESS = 7500; // the server takes 8 kB

let takesSql = null; // asked once, when it matters

async function editable(sql, view)
{
	takesSql ??= declarations().then(found => found.sql === true).catch(() => false);
	const address = `/sql${query({query: sql, view})}`;
	return await takesSql && address.length < LONGEST_ADDRESS ? address : null;
}

async function copy(button, sql, code)
{
	try
	{
		await navigator.clipboard.writeText(sql);
		button.textContent = 'copied';
	}
	catch // not on plain http beyond this machine: it is chosen, Ctrl+C copies it
	{
		getSelection().selectAllChildren(code);
		button.textContent = 'chosen: Ctrl+C';
	}
}

// A query with variables as psql takes it: they are set first.
export function psqlText(sql, values)
{
	const quoted = text => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
	return [...Object.entries(values).map(([name, value]) => `\\set ${name} ${quoted(value)}`),
		'SET search_path = perfhouse, public;', `${sql.replace(/[;\s]+$/, '')};`].join('\n');
}

// Shows SQL that is known already. view: what draws it; null: it is a table.
export async function showSql(sql, view = null)
{
	const code = h('code', {}, sql);
	const button = h('button', {type: 'button', class: 'primary', onclick: () => copy(button, sql, code)}, 'copy');
	const close = h('button', {type: 'button', onclick: () => dialog.close()}, 'close');
	const edit = await editable(sql, view);
	const dialog = h('dialog', {class: 'sql', 'aria-label': 'SQL', onclose: () => dialog.remove()},
		h('div', {class: 'tools'}, h('h2', {}, 'This as SQL'), h('span', {class: 'grow'}),
			edit === null ? null : h('a', {href: edit}, 'edit'), button, close),
		h('pre', {}, code),
		h('div', {class: 'soft'}, 'It works in psql as it is (perfhouse psql).'));
	document.body.append(dialog);
	dialog.showModal();
	button.focus();
}

// url: answers with the SQL (/view/NAME.sql, /api/NAME.sql), or a function that tells it. A bundle has no server
// to ask.
export function sqlButton(url, view = null)
{
	if (stored !== null)
		return null;
	const button = h('button', {type: 'button', class: 'sql', title: 'what is shown, as SQL', onclick: async () => {
		try { await showSql((await fetchText(typeof url === 'function' ? url() : url)).trim(), view); }
		catch (error)
		{
			const dialog = h('dialog', {class: 'sql', onclick: () => dialog.remove()});
			replaceChildren(dialog, problem(error));
			document.body.append(dialog);
			dialog.showModal();
		}
	}}, 'SQL');
	return button;
}
