// dom.js - elements from data. Texts become text nodes, never markup, so stored names cannot inject.
// SPDX-License-Identifier: PostgreSQL

function setAttribute(element, name, value)
{
	if (name.startsWith('on'))
		element.addEventListener(name.slice(2), value);
	else if (name === 'dataset')
		Object.assign(element.dataset, value);
	else if (value === true)
		element.setAttribute(name, '');
	else if (value !== false && value !== null && value !== undefined)
		element.setAttribute(name, value);
}

// h('a', {href, onclick}, child, ...): children are nodes, texts, numbers, arrays of them or null.
export function h(tag, attributes, ...children)
{
	const element = document.createElement(tag);
	for (const [name, value] of Object.entries(attributes ?? {}))
		setAttribute(element, name, value);
	element.append(...children.flat(Infinity).filter(child => child !== null && child !== undefined
		&& child !== false));
	return element;
}

export function replaceChildren(element, ...children)
{
	element.replaceChildren(...children.flat(Infinity).filter(child => child !== null && child !== undefined));
	return element;
}

// An error of api.js as a card's content.
export function problem(error)
{
	return h('div', {class: 'problem', role: 'alert'},
		h('div', {}, error.message),
		error.hint ? h('div', {class: 'hint'}, error.hint) : null);
}

// Of a part of the page that is missing, said at its top, since nothing stands where the part would be.
export function tellMissing(what, error)
{
	const main = document.getElementById('main');
	const text = `${what}: ${error.message}`;
	if (![...main.querySelectorAll(':scope > .missing')].some(one => one.firstChild.textContent === text))
		main.prepend(h('div', {class: 'problem missing', role: 'alert'}, h('div', {}, text),
			error.hint ? h('div', {class: 'hint'}, error.hint) : null));
}

// What a promise gives, otherwise this, with a word about it.
export const orTell = (promise, what, otherwise) => promise.catch(error => {
	if (error.name !== 'AbortError')
		tellMissing(what, error);
	return otherwise;
});

export function select(name, options, value, onchange)
{
	const element = option => {
		if (option.options !== undefined)
			return h('optgroup', {label: option.label}, option.options.map(element));
		const [key, label] = Array.isArray(option) ? option : [option, option];
		return h('option', {value: key, selected: key === value}, label);
	};
	return h('select', {name, onchange: event => onchange(event.target.value)}, options.map(element));
}
