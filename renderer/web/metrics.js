// metrics.js - what pages may do with a metric of several call paths, as the server tells it: costs add up; of the
// largest value of a rank, an average or a ratio there is no sum, no share and no box as wide as it.
// SPDX-License-Identifier: PostgreSQL

// kind: of older bundles nobody knows.
export const addsUp = ({kind = 'flow'}) => kind === 'flow';

// The value of n call paths, of what was that of n - 1 and of one more; combining: as perfhouse_internal.combining
// says: null of ratios, which have none together (NaN).
export function combine(combining, before, value, n)
{
	switch (combining)
	{
		case 'sum': return before + value;
		case 'mean': return before + (value - before) / n;
		case 'least': return n === 1 ? value : Math.min(before, value);
		case 'greatest': return n === 1 ? value : Math.max(before, value);
		default: return n === 1 ? value : NaN;
	}
}

const WORDS = {sum: 'the sum', mean: 'the mean', least: 'the least', greatest: 'the greatest'};

// How a page shows one that does not add up, in a sentence.
export const tellCombining = ({metric, combining = null}) => `${metric} does not add up over call paths: a function has `
	+ `${combining === null ? 'none where it has several' : `${WORDS[combining]} of those of its call paths`}`;

// Of a row of the query "run" or "tree", as select() takes them, the primary one first, those that do not add up
// apart; null: no run. shown: one that may not be among them.
export function metricChoices(run, shown = null)
{
	if (run === null)
		return null;
	const all = run.metrics ?? [];
	const names = of => of.map(({name}) => name);
	const others = names(all.filter(one => !addsUp(one)));
	const unknown = shown === null || names(all).includes(shown) ? [] : [shown];
	return [...names(all.filter(addsUp)), ...unknown,
		...others.length > 0 ? [{label: 'do not add up', options: others}] : []];
}
