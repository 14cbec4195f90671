// whole.js - the whole run below its super graph: flame graph, call tree, functions, processes, metadata.
//
// A click goes one view on: call path -> function -> its callers and callees -> one of its nodes over all processes.
// SPDX-License-Identifier: PostgreSQL

import {sqlUrl, viewRows} from './api.js';
import {h, orTell, problem, replaceChildren} from './dom.js';
import {metricChoices} from './metrics.js';
import {Options, takes, viewsOf} from './options.js';
import {Picture} from './picture.js';
import {tabs} from './shell.js';
import {table} from './table.js';

const VIEWS = [...viewsOf('run'), ['facts', 'about this run']];
const DEVICES = viewsOf('trace-gpu').map(([view, label]) => [view, label === 'devices' ? 'GPU' : `GPU ${label}`]);
const ITERATIONS = [['iterations', 'iterations', 'what call paths cost in each iteration'],
	['history', 'along iterations', 'where costs change along the iterations']];
const OF_RUNS = {history: ['filter']}; // chooses among runs
const OF_FUNCTION = viewsOf('function');
const SHARED = ['metric', 'group_by', 'palette'];
const START = {function: null, path: null, zoom2: null};

export class WholeRun
{
	#body = h('div');
	#trail = h('span', {class: 'tools'});
	#picture;
	#tabs;

	#options;

	constructor(run, state, facts)
	{
		Object.assign(this, {run, state, meta: facts.meta,
			views: [...VIEWS, ...facts.has_iterations ? ITERATIONS : [], ...facts.has_devices ? DEVICES : []]});
		this.#options = new Options(state, {prefix: 'whole_', shared: SHARED, metrics: metricChoices(facts),
			withoutOf: OF_RUNS});
		this.#picture = new Picture(h('div'), {
			hit: '[data-run], [data-cct-node], [data-caller]',
			pick: element => { if (element !== null) this.#follow(element.dataset); },
			zoomed: text => state.set({zoom2: text}, {quiet: true}),
		});
		this.#tabs = tabs('the whole run', this.views, this.#kind, key => state.set({whole: key, ...START}));
		this.element = h('section', {class: 'card', id: 'whole', 'aria-label': 'the whole run'},
			h('header', {}, this.#tabs.list, h('span', {class: 'grow'}), this.#trail),
				h('div', {class: 'body'}, this.#body));
	}

	get #kind() { return this.state.get('whole', VIEWS[0][0]); }

	// The call path of a node of the call tree view: short calls are left out there, so numbers are its own.
	async #pathOf(node)
	{
		const {tree} = await viewRows('cct', this.#base());
		const byNumber = new Map(tree.map(row => [String(row.node), row]));
		const names = [];
		for (let row = byNumber.get(node); row !== undefined; row = byNumber.get(String(row.parent)))
			names.unshift(row.name);
		return names.join('/');
	}

	async #follow({label, node, rank, caller, cctNode})
	{
		const kind = this.#kind;
		const next = {zoom2: null};
		if (kind === 'flame')
			Object.assign(next, {whole: 'function-neighbourhood', function: label, path: node});
		else if (kind === 'cct')
			Object.assign(next, {whole: 'function-neighbourhood', function: label,
				path: await orTell(this.#pathOf(node), 'the call path is missing', null)});
		else if (cctNode !== undefined)
			Object.assign(next, {whole: 'metric', path: cctNode});
		else if (kind.startsWith('function') && (node ?? caller) !== undefined)
			Object.assign(next, {whole: 'function-neighbourhood', function: node ?? caller, path: null});
		else if (kind === 'processes' && rank !== undefined)
			Object.assign(next, {whole: 'metric', function: node, path: null});
		else
			return;
		this.state.set(next);
	}

	#drawTrail(kind, name)
	{
		const {state} = this;
		replaceChildren(this.#trail, name === null ? [] : [h('code', {class: 'name', title: name}, name),
			OF_FUNCTION.map(([view, label]) =>
			h('button', {type: 'button', 'aria-pressed': view === kind,
				onclick: () => state.set({whole: view, zoom2: null})}, label))]);
	}

	// The node of the call tree that a function's metric is shown of: the chosen one, else its heaviest.
	async #node(name)
	{
		if (this.state.get('path') !== null || name === null)
			return this.state.get('path');
		const {contexts} = await viewRows('function-neighbourhood', {run: this.run, metric: this.state.get('metric'),
			function: name});
		const best = contexts.filter(row => row.function === name)
			.reduce((a, b) => a !== null && a.inclusive >= b.inclusive ? a : b, null);
		return best?.node ?? name;
	}

	#base() { return [['run', this.run], ['metric', this.state.get('metric')]]; }

	async #params(kind, name)
	{
		const own = [['run', this.run], ...this.#options.values(kind)];
		if (takes(kind, 'function'))
			return [...own, ['function', name]];
		return kind === 'metric' ? [...own, ['node', await this.#node(name)]] : own;
	}

	#about()
	{
		const list = Object.entries(this.meta ?? {})
			.map(([name, value]) => ({name, value: typeof value === 'string' ? value : JSON.stringify(value)}));
		replaceChildren(this.#body,
			table([{key: 'name', label: 'metadata'}, {key: 'value', label: 'value', text: true}], list,
			{sort: 'name', empty: 'no metadata', sql: sqlUrl('run', {run: this.run})}));
	}

	// Do changes of the state concern what is shown?
	concerned(names)
	{
		return ['whole', 'function', 'path'].some(name => names.has(name)) || this.#options.concern(this.#kind, names);
	}

	async draw()
	{
		const kind = this.#kind;
		const name = this.state.get('function');
		this.#tabs.mark(this.views.some(([key]) => key === kind) ? kind : 'function-graph');
		this.#drawTrail(kind, name);
		if (kind === 'facts')
		{
			this.#about();
			return;
		}
		this.#options.show(kind);
		replaceChildren(this.#body, this.#options.element, this.#picture.host);
		try { await this.#picture.show(kind, await this.#params(kind, name), {zoom: this.state.get('zoom2', '')}); }
		catch (error) { this.#picture.clear(problem(error)); }
	}
}
