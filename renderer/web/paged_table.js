// paged_table.js - a table whose rows the server sorts and sends a page at a time, however many there are.
// SPDX-License-Identifier: PostgreSQL

import {sections, sqlUrl} from './api.js';
import {h, problem, replaceChildren} from './dom.js';
import {count} from './format.js';
import {queryDefault} from './options.js';
import {table} from './table.js';

const PAGE = 200;

export class PagedTable
{
	#asking = null;
	element = h('div');

	// query: its name, which takes order, limit and skip and tells total; columns as those of table(), of which the
	// server sorts by those in sorts; state keeps order and page under prefix_order and prefix_skip.
	constructor(query, columns, {state, prefix, sorts, noun, row, empty})
	{
		Object.assign(this, {query, columns, state, sorts, noun, row, empty, names: {order: `${prefix}_order`,
			skip: `${prefix}_skip`}});
	}

	get #order() { return this.state.get(this.names.order, queryDefault(this.query, 'order')); }

	get #skip() { return Number(this.state.get(this.names.skip, 0)); }

	concerned(names) { return Object.values(this.names).some(name => names.has(name)); }

	// Answers what the server told of all rows; null: it told nothing, and the table says why.
	async show(params)
	{
		this.#asking?.abort();
		const {signal} = this.#asking = new AbortController();
		const asked = {...params, order: this.#order, limit: PAGE, skip: this.#skip};
		try
		{
			const {rows, total: [total]} = await sections(this.query, asked, signal);
			this.#fill(rows, total.rows, asked);
			return total;
		}
		catch (error)
		{
			if (error.name !== 'AbortError')
				replaceChildren(this.element, problem(error));
			return null;
		}
	}

	#fill(rows, all, asked)
	{
		const options = {sort: this.#order, row: this.row, empty: this.empty, sql: sqlUrl(this.query, asked),
			server: this.sorts, sorted: order => this.state.set({[this.names.order]: order, [this.names.skip]: null})};
		replaceChildren(this.element, all > PAGE ? this.#pager(rows.length, all) : null,
			table(this.columns, rows, options));
	}

	#pager(shown, all)
	{
		const first = this.#skip;
		const turn = (label, to) => h('button', {type: 'button', disabled: to < 0 || to >= all,
			onclick: () => this.state.set({[this.names.skip]: to || null})}, label);
		const words = `${count(Math.min(first + 1, all))} to ${count(first + shown)} of ${count(all)} ${this.noun}`;
		return h('div', {class: 'tools pager'}, h('span', {class: 'soft', role: 'status'}, words),
			turn('← previous', first === 0 ? -1 : Math.max(0, first - PAGE)), turn('next →', first + PAGE));
	}
}
