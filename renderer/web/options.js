// options.js - what views can be told, as the program declares it (/api/parameters): tabs of views, controls of their
// parameters, and what of a page's state they are asked with. Nothing about a single parameter or view stands here.
// SPDX-License-Identifier: PostgreSQL

import {declarations} from './api.js';
import {h, orTell, replaceChildren, select} from './dom.js';

const {views, queries} = await orTell(declarations(), 'tabs and menus are missing', {views: {}, queries: {}});

// The views of a place, as tabs() takes them.
export const viewsOf = place => Object.entries(views).filter(([, view]) => view.place === place)
	.map(([name, {label, help}]) => [name, label, help]);

export const choicesOf = (view, name) => declared(view, name)?.choices ?? [];


const ofQuery = (query, name) => queries[query]?.parameters.find(one => one.name === name);

export const queryChoices = (query, name) => ofQuery(query, name)?.choices ?? [];

export const queryDefault = (query, name) => ofQuery(query, name)?.default ?? '';

const parametersOf = view => views[view]?.parameters ?? [];

const declared = (view, name) => parametersOf(view).find(one => one.name === name);

export const takes = (view, name) => declared(view, name) !== undefined;

// Words that a parameter of this name has in some view, which another view may lack.
const isWord = (name, text) => Object.keys(views).some(view => choicesOf(view, name).includes(text));

// The controls of one picture, whose view may change.
export class Options
{
	#controls = [];
	#shown = null;
	element = h('div', {class: 'tools options'});

	// settings: prefix of names in the page's state, but of those in shared, which several pictures have in common;
	// only: these parameters (null: all), without: not these, which the page takes from elsewhere; withoutOf: {view:
	// names} that one of the views has no use for; elsewhere: another one's controls show these; also: {name: changes}
	// that a choice makes, too; metrics: the run's, as select() takes them.
	constructor(state, settings = {})
	{
		this.state = state;
		this.settings = {prefix: '', shared: [], only: null, without: [], withoutOf: {}, elsewhere: [], also: {},
			metrics: null, ...settings};
		state.addEventListener('change', () => this.#controls.forEach(control => control.update()));
	}

	// The name in the page's state.
	key(name)
	{
		const {prefix, shared} = this.settings;
		return shared.includes(name) ? name : prefix + name;
	}

	// Shows the controls of a view, or of several at once.
	show(...shown)
	{
		const wanted = JSON.stringify([shown, this.settings.metrics]);
		if (wanted === this.#shown)
			return;
		this.#shown = wanted;
		const found = new Map();
		for (const parameter of shown.flatMap(view => this.#parameters(view)))
			if (!this.settings.elsewhere.includes(parameter.name) && !found.has(parameter.name))
				found.set(parameter.name, parameter);
		const list = [...found.values()];
		const labels = web => list.filter(one => one.web === web).map(one => this.#control(one));
		this.#controls = [];
		const more = labels('folded');
		const open = this.element.querySelector('details')?.open;
		replaceChildren(this.element, labels('shown'), more.length === 0 ? []
			: h('details', {open}, h('summary', {}, 'more'), h('div', {class: 'tools'}, more)));
	}

	// What a view is asked with: pairs of what the state has of its parameters.
	values(view)
	{
		return this.#parameters(view).map(parameter => [parameter.name, this.#value(parameter)])
			.filter(([, value]) => value !== null);
	}

	// Do changes of the state concern a view?
	concern(view, names)
	{
		return this.#parameters(view).some(({name}) => names.has(this.key(name)));
	}

	#parameters(view)
	{
		const {only, without, withoutOf} = this.settings;
		const left = [...without, ...withoutOf[view] ?? []];
		return parametersOf(view).filter(({name, web}) => web !== undefined && !left.includes(name)
			&& (only === null || only.includes(name)));
	}

	// A word of another view's parameter of the same name is not sent.
	#value({name, choices, type})
	{
		const value = this.state.get(this.key(name));
		const foreign = choices && type === 'text' && !choices.includes(value) && isWord(name, value);
		return foreign ? null : value;
	}

	#set(parameter, text)
	{
		const value = text === '' || text === parameter.default ? null : text;
		this.state.set({[this.key(parameter.name)]: value, ...this.settings.also[parameter.name]});
	}

	#control(parameter)
	{
		const {metrics} = this.settings;
		const list = parameter.offer === 'metrics' && metrics !== null
			? [['', 'default'], ...metrics] : null;
		const [input, update] = parameter.type === 'flag' ? this.#flag(parameter)
			: list !== null ? this.#list(parameter, list)
			: parameter.choices && parameter.type === 'text' ? this.#list(parameter, this.#words(parameter))
			: this.#field(parameter);
		this.#controls.push({update});
		update();
		return h('label', {title: parameter.help}, parameter.label, input);
	}

	#words({choices, default: own}) { return own === undefined ? [['', 'default'], ...choices] : choices; }

	#flag(parameter)
	{
		const input = h('input', {type: 'checkbox', name: this.key(parameter.name),
			onchange: () => this.#set(parameter, input.checked ? 'true' : '')});
		return [input, () => { input.checked = this.state.get(this.key(parameter.name)) === 'true'; }];
	}

	#list(parameter, words)
	{
		const input = select(this.key(parameter.name), words, '', value => this.#set(parameter, value));
		return [input, () => { input.value = this.#value(parameter) ?? parameter.default ?? ''; }];
	}

	#field(parameter)
	{
		const {name, type, least, most, unit, choices} = parameter;
		const number = type === 'number' || type === 'integer';
		const id = choices ? `words-${this.key(name)}` : null;
		const input = h('input', {name: this.key(name), list: id, type: number ? 'number' : 'text', size: 10,
			min: number ? least : null, max: number ? most : null, step: type === 'number' ? 'any' : null,
			placeholder: parameter.default ?? unit,
			onchange: () => this.#set(parameter, input.value.trim())});
		const words = id ? h('datalist', {id}, choices.map(word => h('option', {value: word}))) : null;
		return [words ? h('span', {}, input, words) : input,
			() => { input.value = this.state.get(this.key(name), ''); }];
	}
}
