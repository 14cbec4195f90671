// stored_profile.js - what the server answers about a profile, counted from its values by call path and column: for
// bundles, whose pages have no server. Rows as sql/queries/serve/tree.sql and rank_values.sql have them.
// SPDX-License-Identifier: PostgreSQL

import {combine} from './metrics.js';

// "0-3,7" as a function of a rank.
function chosenRanks(text)
{
	const parts = text.split(',').map(part => part.split('-').map(Number)).map(([from, to = from]) => [from, to]);
	return rank => parts.some(([from, to]) => rank >= from && rank <= to);
}

const single = (answer, name) => answer[name]?.[0] ?? null;

// The tree with means over some ranks; null: the values are not there.
export function storedTree(tree, values, ranks)
{
	const columns = single(values, 'rows');
	const cells = single(values, 'values');
	const nodes = single(tree, 'nodes');
	if (columns === null || cells === null || nodes === null)
		return null;
	const isChosen = columns.rank.map(chosenRanks(ranks));
	const n = Math.max(1, isChosen.filter(Boolean).length);
	const [inclusive, exclusive] = [nodes.parent.map(() => 0), nodes.parent.map(() => 0)];
	for (let i = 0; i < cells.node.length; i++)
		if (isChosen[cells.column[i]])
		{
			inclusive[cells.node[i]] += (cells.inclusive[i] ?? 0) / n;
			exclusive[cells.node[i]] += (cells.exclusive[i] ?? 0) / n;
		}
	return {...tree, nodes: [{...nodes, inclusive, exclusive}]};
}

export function storedRankValues(tree, values, name)
{
	const columns = single(values, 'rows');
	const cells = single(values, 'values');
	const nodes = single(tree, 'nodes');
	if (columns === null)
		return {rows: []};
	const {combining = 'sum'} = single(tree, 'rows') ?? {};
	const [value, n] = [columns.rank.map(() => 0), columns.rank.map(() => 0)];
	for (let i = 0; i < (cells?.node.length ?? 0); i++)
	{
		const at = cells.column[i];
		if (nodes.name[cells.node[i]] === name)
			value[at] = combine(combining, value[at], cells.exclusive[i] ?? 0, ++n[at]);
	}
	return {rows: [{...columns, value}]};
}
