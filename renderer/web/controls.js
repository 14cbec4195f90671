// controls.js - choices and fields that show the state and change it, whoever changed it last.
// SPDX-License-Identifier: PostgreSQL

import {h, select} from './dom.js';

// A list to choose from, with what an address asks for though it is not there. fallback is what the view does by
// itself and stays out of the URL; also: further changes that a choice makes.
export function choice(state, label, name, options, fallback = '', also = {})
{
	const asked = state.get(name, fallback);
	const isKnown = options.some(option => (Array.isArray(option) ? option[0] : option) === asked);
	const list = select(name, isKnown || asked === '' ? options : [...options, asked], asked,
		value => state.set({[name]: value === fallback ? null : value, ...also}));
	state.addEventListener('change', () => { list.value = state.get(name, fallback); });
	return h('label', {}, label, list);
}

export function field(state, label, name, {hint = '', also = {}, ...attributes} = {})
{
	const input = h('input', {name, value: state.get(name, ''), placeholder: hint, ...attributes,
		onchange: event => state.set({[name]: event.target.value.trim() || null, ...also})});
	state.addEventListener('change', () => { input.value = state.get(name, ''); });
	return h('label', {}, label, input);
}

// A slider that changes the state while it is dragged.
export function slider(state, label, name, {fallback, ...attributes})
{
	const input = h('input', {type: 'range', name, value: state.get(name, fallback), ...attributes,
		oninput: event => state.set({[name]: event.target.value === fallback ? null : event.target.value},
			{quiet: true})});
	state.addEventListener('change', () => { input.value = state.get(name, fallback); });
	return h('label', {}, label, input);
}

// Something chosen that can be taken back.
export function chip(text, undo, label = `undo ${text}`)
{
	return h('span', {class: 'chip'}, text, h('button', {type: 'button', 'aria-label': label, onclick: undo}, '×'));
}
