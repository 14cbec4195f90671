// ensemble_data.js - many runs as a table: what each says of itself (columns, metadata) and what functions cost in it.
// Numbers are axes, texts of few values are groups.
// SPDX-License-Identifier: PostgreSQL

const NUMBERS = [['total', 'total'], ['n_ranks', 'ranks'], ['n_threads', 'threads'], ['parallel_efficiency',
	'parallel efficiency'], ['load_balance', 'load balance'], ['communication_efficiency', 'communication efficiency'],
['started_at', 'started']];
const TEXTS = [['application', 'application'], ['commit_id', 'commit'], ['branch', 'branch'], ['cluster', 'cluster'],
	['user_name', 'user'], ['n_ranks', 'ranks'], ['n_threads', 'threads'], ['format', 'format']];
const MOST_GROUPS = 12;
const MOST_AXES = 6;
const OWN = 'own:';
const META = 'meta.';

const isNumber = value => typeof value === 'number' && Number.isFinite(value);

export class EnsembleData
{
	#own = new Map(); // run -> values by place of the function

	// answer: of /api/ensemble
	constructor({rows, names = [], values: [values] = [], total: [total]})
	{
		Object.assign(this, {rows, total, functions: names.map(({name}) => name), byRun: new Map(rows.map(row =>
			[row.run_id, row]))});
		for (const [i, run] of (values?.run_id ?? []).entries())
		{
			if (!this.#own.has(run))
				this.#own.set(run, []);
			this.#own.get(run)[values.function[i]] = values.value[i];
		}
		this.runs = rows.map(row => row.run_id);
		this.meta = [...new Set(rows.flatMap(row => Object.keys(row.meta ?? {})))].sort();
		this.unit = new Set(rows.map(row => row.unit)).size === 1 ? rows[0].unit : '';
	}

	// A number or text of a run: a column, "meta.key", "own:function".
	of(run, key)
	{
		const row = this.byRun.get(run);
		if (key.startsWith(OWN))
			return this.#own.get(run)?.[this.functions.indexOf(key.slice(OWN.length))] ?? 0;
		const value = key.startsWith(META) ? row.meta?.[key.slice(META.length)] : row[key];
		return key === 'started_at' && typeof value === 'string' ? Date.parse(value) / 1000 : value ?? null;
	}

	nameOf(key, say)
	{
		return key.startsWith(OWN) ? say(key.slice(OWN.length)) : key.startsWith(META) ? key.slice(META.length)
			: [...NUMBERS, ...TEXTS].find(([one]) => one === key)?.[1] ?? key;
	}

	#values(key) { return this.runs.map(run => this.of(run, key)).filter(value => value !== null); }

	// Of one run everything is shown.
	#varies(key) { return this.runs.length < 2 || new Set(this.#values(key)).size > 1; }

	// Keys that are numbers in most runs, those that differ; functions by their cost at the end.
	axes()
	{
		const meta = this.meta.map(key => META + key).filter(key => {
			const values = this.#values(key);
			return values.length > 0 && values.filter(isNumber).length >= values.length * 0.9;
		});
		const functions = this.functions.map(name => OWN + name);
		return [...NUMBERS.map(([key]) => key).filter(key => this.#values(key).some(isNumber)), ...meta, ...functions]
			.filter(key => this.#varies(key));
	}

	// Keys by which runs fall into some groups.
	groupings()
	{
		const few = key => {
			const n = new Set(this.#values(key).map(String)).size;
			return n > 1 && n < this.runs.length;
		};
		return [...TEXTS.map(([key]) => key), ...this.meta.map(key => META + key)].filter(few);
	}

	// Axes to begin with: size, the functions whose cost varies most, the total.
	firstAxes()
	{
		const spread = key => {
			const values = this.runs.map(run => this.of(run, key)).filter(isNumber);
			return Math.max(...values) - Math.min(...values);
		};
		const all = this.axes();
		const functions = all.filter(key => key.startsWith(OWN)).sort((a, b) => spread(b) - spread(a));
		const others = ['n_ranks', 'n_threads'].filter(key => all.includes(key));
		return [...others, ...functions.slice(0, MOST_AXES - others.length - 1), ...all.includes('total') ? ['total']
			: []];
	}

	// [{name, runs}], the largest first in the order of their names; what is beyond MOST_GROUPS is one group.
	groups(key, runs = this.runs)
	{
		const found = new Map();
		for (const run of runs)
		{
			const value = key === null ? 'all runs' : String(this.of(run, key) ?? 'not known');
			found.set(value, [...found.get(value) ?? [], run]);
		}
		const sorted = [...found].map(([name, of]) => ({name, runs: of})).sort((a, b) => b.runs.length - a.runs.length);
		const rest = sorted.slice(MOST_GROUPS - 1);
		const shown = sorted.length <= MOST_GROUPS ? sorted : [...sorted.slice(0, MOST_GROUPS - 1),
			{name: `${rest.length} others`, runs: rest.flatMap(one => one.runs)}];
		// commits have no order of their own: as their runs came
		return shown.sort((a, b) => key === 'commit_id' ? a.runs[0] - b.runs[0] : a.name.localeCompare(b.name, 'en',
			{numeric: true}));
	}
}

// Of numbers: n, mean, standard deviation (of a sample), least, median, greatest.
export function statistics(values)
{
	const sorted = values.filter(isNumber).sort((a, b) => a - b);
	const n = sorted.length;
	const mean = sorted.reduce((sum, one) => sum + one, 0) / n;
	const deviation = Math.sqrt(sorted.reduce((sum, one) => sum + (one - mean) ** 2, 0) / (n - 1));
	return n === 0 ? {n} : {n, mean, deviation: n > 1 ? deviation : null, least: sorted[0], greatest: sorted[n - 1],
		median: (sorted[(n - 1) >> 1] + sorted[n >> 1]) / 2};
}
