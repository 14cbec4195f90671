// viewer_names.js - names of functions as people say them: without arguments, template arguments and result types.
//
// Long names stay in tooltips and addresses. Of names that were left mangled the identifiers are taken, as
// extension/core/history/name_likeness.c does.
// SPDX-License-Identifier: PostgreSQL

const PAIRS = {'(': ')', '<': '>', '[': ']'};

// Itanium C++: _ZN3foo3barEv -> foo::bar; null: it is none.
function demangled(name)
{
	const rest = /^_Z(?:N[KVrRO]*)?(?:L?)(\d.*)$/.exec(name)?.[1];
	if (rest === undefined)
		return null;
	const isNested = name.startsWith('_ZN');
	const parts = [];
	for (let at = 0; at < rest.length;)
	{
		const digits = /^\d+/.exec(rest.slice(at))?.[0];
		if (digits === undefined)
			break;
		at += digits.length;
		const part = rest.slice(at, at + Number(digits));
		if (part.length < Number(digits))
			return null;
		parts.push(part.startsWith('_GLOBAL__N_') ? '(anonymous)' : part);
		at += Number(digits);
		if (!isNested)
			break;
	}
	return parts.length === 0 ? null : parts.join('::');
}

// Where the bracket that opens at `from` is closed; the end of the name when it is not.
function closing(name, from)
{
	const wanted = [];
	for (let at = from; at < name.length; at++)
	{
		if (PAIRS[name[at]] !== undefined)
			wanted.push(PAIRS[name[at]]);
		else if (name[at] === wanted.at(-1))
			wanted.pop();
		if (wanted.length === 0)
			return at;
	}
	return name.length - 1;
}

const isOperator = before => /\boperator\s*[-<>=()[\]]*$/.test(before);

// Brackets with all that is in them leave, but for names of operators and of anonymous spaces.
function withoutBrackets(name)
{
	let out = '';
	for (let at = 0; at < name.length; at++)
	{
		const rest = name.slice(at);
		const kept = /^\((anonymous namespace|anonymous)\)|^\{[^}]*\}/.exec(rest)?.[0]
			?? (isOperator(out) && !/operator\s*(\(\)|\[\]|[-<>=]+)$/.test(out)
				? /^(\(\)|\[\]|->|<<|>>|<=>|<=|>=|<|>)/.exec(rest)?.[0] : undefined);
		if (kept !== undefined)
		{
			out += kept;
			at += kept.length - 1;
		}
		else if (PAIRS[name[at]] !== undefined)
			at = closing(name, at);
		else
			out += name[at];
	}
	return out;
}

export function shortName(name)
{
	const global = /^_GLOBAL__sub_I_(.*)$/.exec(name)?.[1];
	if (global !== undefined)
		return `initialising ${demangled(global) ?? global}`;
	const known = demangled(name);
	if (known !== null)
		return known;
	if (!/[(<]/.test(name) || /^</.test(name))
		return name;
	const bare = withoutBrackets(name).replace(/ \[clone[^\]]*\]?/g, '').replace(/\s+(const|volatile|&&?)$/, '').trim();
	// "int f": what a template instance returns
	const last = /(?:^|[\s*&])((?:\(anonymous namespace\)::|[~\w:.$@{}#-])+(?:\boperator.*)?)$/.exec(bare)?.[1];
	return (/\boperator\b/.test(bare) ? bare.replace(/^.*\s(?=\S*\boperator\b)/, '') : last ?? bare) || name;
}

// Names in a sentence that were left mangled, as people say them.
export const inWords = text => text.replace(/\b(_GLOBAL__sub_I_\w+|_Z\w+)/g, name => shortName(name));

// By place: the short name, but the whole one where two would be the same.
export function shortNames(names)
{
	const short = names.map(shortName);
	const times = new Map();
	for (const one of short)
		times.set(one, (times.get(one) ?? 0) + 1);
	return short.map((one, i) => times.get(one) === 1 ? one : names[i]);
}
