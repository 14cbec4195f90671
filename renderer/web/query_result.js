// query_result.js - what a query of people gives, as a table and, where a view draws it, as a picture.
// SPDX-License-Identifier: PostgreSQL

import {query, sections} from './api.js';
import {h, problem, replaceChildren} from './dom.js';
import {count} from './format.js';
import {magnified} from './picture.js';
import {table} from './table.js';
import {themed} from './theme.js';

const NUMBERS = /^(smallint|integer|bigint|numeric|real|double precision)/;

function cell(value)
{
	if (value === null || value === undefined)
		return '';
	return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

const DIGITS = 6; // of numbers that are not whole; the file and the pointer have all of them

function number(value)
{
	if (typeof value !== 'number' || Number.isInteger(value))
		return cell(value);
	return h('span', {title: String(value)}, String(Number(value.toPrecision(DIGITS))));
}

function shown({columns, rows, more = []})
{
	return [
		table(columns.map(({name, type}) => ({key: name, label: h('span', {title: type}, name),
			number: NUMBERS.test(type), text: type === 'text', show: row => NUMBERS.test(type) ? number(row[name])
			: cell(row[name])})), rows,
		{empty: 'no rows'}),
		h('div', {class: 'soft pager'}, `${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}`,
			more.length > 0 ? ', and more that are not shown' : ''),
	];
}

export class QueryResult
{
	#request = null;

	constructor()
	{
		this.rows = h('div');
		this.picture = h('div', {class: 'picture'});
		this.element = h('div', {}, this.picture, this.rows);
	}

	// path: of /api, such as q/NAME; image: address of the picture, null: there is none.
	async show(path, params, image)
	{
		this.#request?.abort();
		const request = this.#request = new AbortController();
		this.element.classList.add('waiting');
		this.picture.hidden = image === null; // its room would be empty
		replaceChildren(this.picture, image === null ? [] : this.#image(image, params));
		try { replaceChildren(this.rows, shown(await sections(path, params, request.signal))); }
		catch (error)
		{
			if (error.name !== 'AbortError')
			{
				replaceChildren(this.rows, problem(error));
				replaceChildren(this.picture);
			}
		}
		finally
		{
			if (request === this.#request)
				this.element.classList.remove('waiting');
		}
	}

	// Pictures of errors say what is wrong, too.
	#image(image, params)
	{
		const wide = (this.element.clientWidth || 900) / magnified();
		const width = Math.floor(Math.min(Math.max(wide, 500), 1400));
		return h('img', {class: 'drawn', alt: 'picture of the rows below', width: width * magnified(),
			src: `${image}${query({...params, width, ...Object.fromEntries(themed())})}`});
	}
}
