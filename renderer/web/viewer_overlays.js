// viewer_overlays.js - what lanes are coloured by from rows of their own, in place of rasters: blame, lateness,
// counters of the trace, saved queries and SQL of one's own. Each has cells {row, bin, n_bins, value, location} of
// 256 bins. SPDX-License-Identifier: PostgreSQL

import {quantity} from './format.js';
import {BINS} from './viewer_data.js';

export const SQL_COLUMNS = 'location, t_from, t_to and value';

// "counter:NAME", "query:NAME", "sql", "blame", "lateness" as kind and name; null: rasters tell.
export function overlayOf(color)
{
	const [, kind, name = ''] = /^(blame|lateness|sql|counter|query)(?::(.*))?$/s.exec(color) ?? [];
	return kind === undefined ? null : {kind, name};
}

// Rows of a query as cells: what falls into a bin, the largest value of it.
export function cellsOfRows(rows, from, level, each)
{
	const width = 2 ** level;
	const columns = {row: [], bin: [], n_bins: [], value: [], location: []};
	for (const {location, t_from: begin, t_to: end, value} of rows)
	{
		const first = Math.max(0, Math.floor((begin - from) / width));
		const last = Math.min(BINS, Math.ceil((Math.max(end, begin + 1) - from) / width));
		if (value === null || location === null || last <= first)
			continue;
		columns.row.push(Math.floor(location / each));
		columns.bin.push(first);
		columns.n_bins.push(last - first);
		columns.value.push(Number(value));
		columns.location.push(location);
	}
	return columns;
}

// What a tile of an overlay is asked by: {key, name, params, cells: rows, toCells}.
export function overlayNeed(scene, level, x)
{
	const {view, color, sql} = scene;
	const {kind, name} = overlayOf(color);
	const {each} = view;
	const from = x * BINS * 2 ** level;
	const window = {run: scene.store.run, from, to: from + BINS * 2 ** level};
	const need = {key: overlayKey(scene, level, x), cells: Math.ceil(view.n / each)};
	if (kind === 'query' || kind === 'sql')
		return {...need, isOwn: true, name: kind === 'sql' ? 'sql' : `q/${name}`,
			params: kind === 'sql' ? {query: sql, ...usedOf(sql, window)} : window,
			toCells: answer => {
				scene.isCut = scene.isCut || (answer.more ?? []).length > 0;
				return cellsOfRows(answer.rows, from, level, each);
			}};
	return {...need, name: {blame: 'blame_cells', lateness: 'step_cells', counter: 'counter_cells'}[kind],
		params: {level, x, each, metric: kind === 'counter' ? name : null}};
}

// Of variables that SQL may name those that it does.
const usedOf = (sql, given) => Object.fromEntries(Object.entries(given).filter(([name]) =>
	new RegExp(`(?<![:\\w]):${name}\\b`).test(sql)));

export const overlayKey = ({view, color, sql}, level, x) => `o ${color} ${color === 'sql' ? sql : ''} ${level} ${x} ${view.each}`;

// What a value is, in words.
export function tellValue(scene, facts, {value, bin})
{
	const {kind, name} = overlayOf(scene.color);
	if (kind === 'blame')
		return `${(value / bin).toFixed(1)} ranks wait for it`;
	if (kind === 'lateness')
		return `${quantity(value, 'ns')} later than the first of its step`;
	const unit = facts.counters.find(one => one.name === name)?.unit ?? '';
	return `${kind === 'counter' ? name : 'value'} ${quantity(value, unit)}${kind === 'counter' && scene.view.each > 1
		? ', the largest of its row' : ''}`;
}
