// virtual_table.js - a table of any number of rows: those that are in sight are elements. It sorts by its headings.
// SPDX-License-Identifier: PostgreSQL

import {h, replaceChildren} from './dom.js';

// On a wall, where letters are larger, rows are, too.
const ROW = Math.max(24, Math.round(1.5 * parseFloat(getComputedStyle(document.documentElement).fontSize)));
const SPARE = 6; // rows above and below what is in sight

export class VirtualTable
{
	// columns: [{key, label, number, show(row), title(row), width}]; options: {label, sort, sorted(text), picked(row),
	// key(row), look(row, element): what more a row's element has}
	constructor(columns, options)
	{
		Object.assign(this, {columns, options, rows: [], sort: options.sort ?? '', chosen: null});
		this.body = h('div', {class: 'rows', role: 'rowgroup'});
		this.heads = columns.map(column => h('button', {type: 'button', role: 'columnheader',
			class: column.number ? 'number' : 'text', title: column.label, onclick: () => this.sortBy(column.key)},
			column.label));
		this.scroll = h('div', {class: 'vscroll', tabindex: 0}, this.body);
		this.element = h('div', {class: 'vtable', role: 'table', 'aria-label': options.label,
			style: null}, h('div', {class: 'heads', role: 'row'}, this.heads), this.scroll);
		this.element.style.setProperty('--columns', columns.map(column => column.width ?? (column.number ? '7.5rem'
			: 'minmax(8rem, 1fr)'))
			.join(' '));
		this.scroll.addEventListener('scroll', () => this.draw());
		new ResizeObserver(() => this.draw()).observe(this.scroll);
	}

	sortBy(key)
	{
		this.sort = this.sort === `-${key}` ? key : `-${key}`;
		this.options.sorted?.(this.sort);
		this.show(this.rows);
	}

	// rows: in their order when isOrdered, as of a tree.
	show(rows, {isOrdered = false} = {})
	{
		const key = this.sort.replace(/^-/, '');
		const sign = this.sort.startsWith('-') ? -1 : 1;
		const number = value => Number.isNaN(value) ? -Infinity : value; // there is none: less than all others
		this.rows = isOrdered || key === '' ? rows : [...rows].sort((a, b) => sign * (typeof a[key] === 'number'
			? Math.sign(number(a[key]) - number(b[key])) || 0
			: String(a[key] ?? '').localeCompare(String(b[key] ?? ''), 'en')));
		this.heads.forEach((head, i) => head.setAttribute('aria-sort', this.columns[i].key !== key || isOrdered ? 'none'
			: sign > 0 ? 'ascending' : 'descending'));
		this.element.setAttribute('aria-rowcount', String(rows.length));
		this.body.style.setProperty('--row', `${ROW}px`);
		this.body.style.height = `${rows.length * ROW}px`;
		this.draw();
	}

	// Brings the row at a place into the middle, unless it is in sight.
	reveal(at)
	{
		const {scrollTop, clientHeight} = this.scroll;
		if (at * ROW < scrollTop || (at + 1) * ROW > scrollTop + clientHeight)
			this.scroll.scrollTop = Math.max(0, at * ROW - clientHeight / 2);
		this.draw();
	}

	draw()
	{
		const first = Math.max(0, Math.floor(this.scroll.scrollTop / ROW) - SPARE);
		const end = Math.min(this.rows.length, first + Math.ceil(this.scroll.clientHeight / ROW) + 2 * SPARE);
		replaceChildren(this.body, this.rows.slice(first, end).map((row, i) => this.#row(row, first + i)));
	}

	#row(row, at)
	{
		const isChosen = this.chosen !== null && this.options.key(row) === this.chosen;
		const element = h('div', {role: 'row', class: 'row', 'aria-rowindex': at + 1, 'aria-selected': String(isChosen),
			onclick: () => this.options.picked?.(row)}, this.columns.map(column => h('span', {role: 'cell',
			class: column.number ? 'number' : 'text', title: column.title?.(row)}, column.show ? column.show(row)
			: row[column.key] ?? '')));
		element.style.top = `${at * ROW}px`;
		this.options.look?.(row, element);
		return element;
	}
}
