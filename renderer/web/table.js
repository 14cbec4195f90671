// table.js - rows as a table that sorts by its headings.
// SPDX-License-Identifier: PostgreSQL

import {sqlButton} from './copy_sql.js';
import {h, replaceChildren} from './dom.js';
import {saveCsv} from './export.js';
import {count} from './format.js';

const AT_ONCE = 500; // rows that are elements; a browser lays out every one of them

function compare(a, b)
{
	if (a === b)
		return 0;
	if (a === null || a === undefined)
		return 1;
	if (b === null || b === undefined)
		return -1;
	return typeof a === 'number' && typeof b === 'number' ? a - b : String(a).localeCompare(String(b), 'en');
}

// columns: [{key, label, number, text, show(row) -> node or text}]. options: sort ('key' or '-key'),
// sorted(text), row(row) -> attributes of its tr, empty: what to say without rows, sql: where its SQL is;
// server: keys that the server sorts by when sorted() was told, the rows being one page of many.
export function table(columns, rows, options = {})
{
	const body = h('tbody');
	const turned = key => sort === key ? `-${key}` : key;
	const turn = key => options.server ? options.sorted(turned(key)) : sortBy(turned(key), true);
	const heads = columns.map(({key, number, label}) => h('th', {class: number ? 'number' : null, scope: 'col'},
		options.server?.includes(key) === false ? label
			: h('button', {type: 'button', onclick: () => turn(key)}, label)));
	const more = h('div', {class: 'tools'});
	let sort = options.sort ?? '';
	let shown = AT_ONCE;
	let ordered = rows;

	function fill()
	{
		const key = sort.replace(/^-/, '');
		const sign = sort.startsWith('-') ? -1 : 1;
		ordered = key === '' || options.server ? rows : [...rows].sort((a, b) => sign * compare(a[key], b[key]));
		replaceChildren(body, ordered.slice(0, shown).map(row => h('tr', options.row?.(row) ?? {},
			columns.map(column => h('td', {class: column.number ? 'number' : column.text ? 'text' : null},
				column.show ? column.show(row) : row[column.key] ?? '')))));
		replaceChildren(more, ordered.length <= shown ? [] : [h('span', {class: 'soft'},
			`${count(shown)} of ${count(ordered.length)} rows`), h('button', {type: 'button', onclick: () => {
			shown += AT_ONCE;
			fill();
		}}, 'more')]);
		heads.forEach((head, i) => head.setAttribute('aria-sort',
			columns[i].key !== key ? 'none' : sign > 0 ? 'ascending' : 'descending'));
	}

	function sortBy(next, told)
	{
		sort = next;
		fill();
		if (told)
			options.sorted?.(sort);
	}

	sortBy(sort, false);
	if (rows.length === 0)
		return h('div', {class: 'empty'}, options.empty ?? 'nothing here');
	const scroll = h('div', {class: 'scroll'}, h('table', {}, h('thead', {}, h('tr', {}, heads)), body));
	const save = () => saveCsv(options.file ?? 'table', columns.map(column => column.key), ordered);
	return h('div', {class: 'sourced'}, scroll, more, h('div', {class: 'tools'}, h('button', {type: 'button',
		class: 'sql',
		title: 'save the rows', onclick: save}, 'CSV'), options.sql ? sqlButton(options.sql) : null));
}
