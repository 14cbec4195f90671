// call_tree.js - a call tree in the browser: children, other trees made of it (callers, callees, by function) and sums.
//
// Nodes are numbers; parents come before their children. Nothing recurs on depth.
// SPDX-License-Identifier: PostgreSQL

import {addsUp, combine} from './metrics.js';

const PIECE_MS = 25;
const LOOK = 4096; // nodes between two looks at the clock

// Runs a generator to its end, and lets the page live after every 25 ms of it; answers what it returns.
export async function inPieces(work)
{
	let start = performance.now();
	for (let step = work.next(); ; step = work.next())
	{
		if (step.done)
			return step.value;
		if (performance.now() - start > PIECE_MS)
		{
			await new Promise(resolve => { setTimeout(resolve); });
			start = performance.now();
		}
	}
}

function atOnce(work)
{
	let step = work.next();
	while (!step.done)
		step = work.next();
	return step.value;
}

export class CallTree
{
	// columns: parent (null: none), name, inclusive, exclusive and what else is known, a list each; metric: its kind
	// and combining, as the query "tree" has them. isLater: links() are made by whoever has it, before anything else
	// is asked.
	constructor({parent, name, inclusive, exclusive, ...rest}, metric = {}, isLater = false)
	{
		const n = parent.length;
		const {combining = 'sum'} = metric;
		Object.assign(this, {n, name, inclusive, exclusive, rest, roots: [], isFlow: addsUp(metric), combining});
		this.parent = new Int32Array(n);
		this.depth = new Int32Array(n);
		this.firstChild = new Int32Array(n).fill(-1);
		this.nextSibling = new Int32Array(n).fill(-1);
		if (!isLater)
			atOnce(this.links(parent));
	}

	// Of any size, without stopping the page.
	static async inPieces(columns, metric)
	{
		const tree = new CallTree(columns, metric, true);
		await inPieces(tree.links(columns.parent));
		return tree;
	}

	* links(parent)
	{
		const {n} = this;
		const ends = new Int32Array(n + 2); // of the children of each node; those of none come first
		for (let node = 0; node < n; node++)
		{
			this.parent[node] = parent[node] ?? -1;
			ends[this.parent[node] + 2]++;
			this.depth[node] = this.parent[node] < 0 ? 0 : this.depth[this.parent[node]] + 1;
			if (node % LOOK === 0)
				yield;
		}
		for (let i = 1; i < n + 2; i++)
			ends[i] += ends[i - 1];
		const kids = new Int32Array(n);
		const next = ends.slice();
		for (let node = 0; node < n; node++)
		{
			kids[next[this.parent[node] + 1]++] = node;
			if (node % LOOK === 0)
				yield;
		}
		for (let node = -1; node < n; node++)
		{
			this.#linkChildren(node, kids.subarray(ends[node + 1], ends[node + 2]));
			if (node % LOOK === 0)
				yield;
		}
		this.total = this.isFlow ? this.roots.reduce((sum, node) => sum + Math.max(0, this.inclusive[node]), 0) : 0;
		this.height = this.depth.reduce((most, one) => Math.max(most, one + 1), 0);
	}

	// Siblings by cost, the largest first. node: -1: the roots.
	#linkChildren(node, kids)
	{
		const {inclusive, name} = this;
		if (kids.length > 1)
			kids.sort((a, b) => inclusive[b] - inclusive[a] || (name[a] < name[b] ? -1 : 1));
		if (node < 0)
			this.roots = [...kids];
		else
			for (let i = 0; i < kids.length; i++)
			{
				if (i === 0)
					this.firstChild[node] = kids[0];
				this.nextSibling[kids[i]] = i + 1 < kids.length ? kids[i + 1] : -1;
			}
	}

	* children(node)
	{
		for (let child = this.firstChild[node]; child >= 0; child = this.nextSibling[child])
			yield child;
	}

	path(node)
	{
		const out = [];
		for (let at = node; at >= 0; at = this.parent[at])
			out.unshift(at);
		return out;
	}

	// Is a function of the name open further out? Then its inclusive cost is counted there.
	isInner(node)
	{
		for (let at = this.parent[node]; at >= 0; at = this.parent[at])
			if (this.name[at] === this.name[node])
				return true;
		return false;
	}

	// By function: {name, inclusive, exclusive, nodes, module, outermost: how many nodes are in no other of that name}.
	* functions()
	{
		const found = new Map();
		for (let node = 0; node < this.n; node++)
		{
			const name = this.name[node];
			let one = found.get(name);
			if (one === undefined)
				found.set(name, one = {name, inclusive: 0, exclusive: 0, nodes: [], outermost: 0,
					module: this.rest.module?.[node] ?? null});
			one.nodes.push(node);
			one.exclusive = combine(this.combining, one.exclusive, this.exclusive[node], one.nodes.length);
			if (!this.isInner(node))
				one.inclusive = combine(this.combining, one.inclusive, this.inclusive[node], ++one.outermost);
			if (node % LOOK === 0)
				yield;
		}
		return [...found.values()];
	}

	// Source lines with what was spent at them: {file, line, exclusive, names}.
	lines()
	{
		const found = new Map();
		for (let node = 0; node < this.n; node++)
		{
			const file = this.rest.file?.[node] ?? null;
			if (file === null)
				continue;
			const key = `${file}:${this.rest.line?.[node] ?? ''}`;
			const one = found.get(key) ?? {key, file, line: this.rest.line?.[node] ?? null, exclusive: 0, n: 0,
				names: new Set()};
			one.exclusive = combine(this.combining, one.exclusive, this.exclusive[node], ++one.n);
			one.names.add(this.name[node]);
			found.set(key, one);
		}
		return [...found.values()];
	}
}

// Builds a tree by paths: add(path, cost) puts a cost at the end of a path of names.
class Builder
{
	constructor() { Object.assign(this, {parent: [], name: [], exclusive: [], places: new Map()}); }

	child(parent, name)
	{
		const key = `${parent} ${name}`;
		let at = this.places.get(key);
		if (at === undefined)
		{
			at = this.name.length;
			this.places.set(key, at);
			this.parent.push(parent);
			this.name.push(name);
			this.exclusive.push(0);
		}
		return at;
	}

	tree()
	{
		const inclusive = [...this.exclusive];
		for (let node = this.name.length - 1; node > 0; node--)
			if (this.parent[node] >= 0)
				inclusive[this.parent[node]] += inclusive[node];
		return new CallTree({parent: this.parent.map(one => one < 0 ? null : one), name: this.name, inclusive,
			exclusive: this.exclusive});
	}
}

// All callees of a function, merged: what its outermost calls are made of.
export function calleesOf(tree, name)
{
	const builder = new Builder();
	const place = new Int32Array(tree.n).fill(-1);
	for (let node = 0; node < tree.n; node++)
	{
		const above = tree.parent[node] < 0 ? -1 : place[tree.parent[node]];
		if (above >= 0)
			place[node] = builder.child(above, tree.name[node]);
		else if (tree.name[node] === name)
			place[node] = builder.child(-1, name);
		if (place[node] >= 0)
			builder.exclusive[place[node]] += tree.exclusive[node];
	}
	return builder.tree();
}

// Who called a function, upwards: its inclusive cost by the way that led to it.
export function callersOf(tree, name)
{
	const builder = new Builder();
	for (let node = 0; node < tree.n; node++)
	{
		if (tree.name[node] !== name || tree.isInner(node))
			continue;
		let at = -1;
		for (let up = node; up >= 0; up = tree.parent[up])
			at = builder.child(at, tree.name[up]);
		builder.exclusive[at] += tree.inclusive[node];
	}
	return builder.tree();
}

// The tree upside down: functions by their own cost, with those who call them; own costs of less than `least` are left
// out.
export function inverted(tree, least = 0)
{
	const builder = new Builder();
	for (let node = 0; node < tree.n; node++)
	{
		if (!(tree.exclusive[node] > least))
			continue;
		let at = -1;
		for (let up = node; up >= 0; up = tree.parent[up])
			at = builder.child(at, tree.name[up]);
		builder.exclusive[at] += tree.exclusive[node];
	}
	return builder.tree();
}
