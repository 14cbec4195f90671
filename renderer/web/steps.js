// steps.js - super graphs: when one says little, and what was done to it, in order: values "entry:lib=f,g",
// "caller:lib", "drill:lib=function".
//
// Names are written as the renderer reads them: "=", "," and "\" after a backslash.
// SPDX-License-Identifier: PostgreSQL

const OPTIONS = {entry: 'split_entry', caller: 'split_caller', drill: 'drill'};
const WORDS = {entry: 'split by entry', caller: 'split by caller', drill: 'drilled'};

// One bar, or one beside what has no name; by function there are more.
export const saysNothing = labels => labels.length === 1 || (labels.length === 2 && labels.includes('<unknown>'));

const escaped = text => text.replace(/[\\=,]/g, found => `\\${found}`);
const cut = step => [step.slice(0, step.indexOf(':')), step.slice(step.indexOf(':') + 1)];

export const splitEntry = (node, functions = []) =>
	`entry:${escaped(node)}${functions.length > 0 ? `=${functions.map(escaped).join(',')}` : ''}`;
export const splitCaller = node => `caller:${node}`;
export const drillDown = (node, level) => `drill:${escaped(node)}=${level}`;

// As parameters of a view, in order.
export const stepParams = steps => steps.map(step => {
	const [kind, value] = cut(step);
	return [OPTIONS[kind], value];
}).filter(([name]) => name !== undefined);

export function stepLabel(step)
{
	const [kind, value] = cut(step);
	return `${WORDS[kind] ?? kind}: ${value.replace(/\\(.)/g, '$1')}`;
}

// As refine() takes them.
export const stepJson = steps => JSON.stringify(steps.map(step => {
	const [kind, value] = cut(step);
	const parts = value.match(/(?:\\.|[^\\=])*/g).filter(part => part !== '');
	const plain = text => text.replace(/\\(.)/g, '$1');
	if (kind === 'caller')
		return {op: 'split-caller', node: value};
	if (kind === 'drill')
		return {op: 'drill', node: plain(parts[0] ?? ''), level: parts[1] ?? ''};
	return {op: 'split-entry', node: plain(parts[0] ?? ''), functions: (parts[1]?.match(/(?:\\.|[^\\,])+/g) ?? [])
		.map(plain)};
}));
