// explanation.js - the card at the top of pages: what explains a run, two runs, the newest commit.
// SPDX-License-Identifier: PostgreSQL

import {Latest, rows, viewUrl} from './api.js';
import {h, problem, replaceChildren} from './dom.js';
import {card} from './shell.js';
import {stored} from './stored.js';
import {inWords} from './viewer_names.js';

// What readers see of a step, as `perfhouse explain` has it.
const TITLES = {comparable: 'comparable?', level: 'slow at all?', finding: 'where and why',
	changed: 'what changed', devices: 'devices', waits: 'who made others wait', efficiency: 'efficiency',
	balance: 'balance', gain: 'what it would bring'};
const NOTHING = 'No call path changed more clearly than noise.';

// "perfhouse render VIEW --run 1 --vs 2 -o explain.svg" as an address.
export function pictureUrl(command)
{
	const [, , view, ...words] = command.match(/(?:'[^']*'|\\.|[^\s'\\])+/g)
		.map(word => word.replace(/'([^']*)'|\\(.)/g, '$1$2'));
	const params = [];
	for (let i = 0; i + 1 < words.length; i += 2)
		if (words[i].startsWith('--'))
			params.push([words[i].slice(2).replaceAll('-', '_'), words[i + 1]]);
	return viewUrl(view, params);
}

function sentence(row)
{
	const cost = row.step === 'finding' ? (row.effect > 0 ? 'bad' : 'good') : null;
	return h('div', {class: 'sentence'},
		h('span', {class: cost, title: inWords(row.sentence) === row.sentence ? null : row.sentence},
			inWords(row.sentence)),
		row.confidence ? [' ', h('span', {class: 'soft'}, `confidence: ${row.confidence}`)] : null,
		' ', h('span', {class: 'behind'},
			row.picture && stored === null
				? h('a', {href: pictureUrl(row.picture), title: row.picture}, 'picture') : null,
			row.evidence ? h('details', {}, h('summary', {}, 'SQL'), h('pre', {}, h('code', {}, row.evidence)))
				: null));
}

// A term a step, its sentences behind it.
function list(found)
{
	const steps = [...new Set(found.map(row => row.step))];
	const judged = steps.includes('comparable') && steps.includes('level');
	const entry = (step, sentences) => [h('dt', {}, TITLES[step] ?? step), h('dd', {}, sentences)];
	return h('dl', {class: 'facts explanation'}, steps.flatMap(step => {
		const known = entry(step, found.filter(row => row.step === step).map(sentence));
		return step === 'level' && judged && !steps.includes('finding')
			? [...known, ...entry('finding', NOTHING)] : known;
	}));
}

/*
 * The pages do not wait for it: rules over the values of a dozen runs take longer than a picture. What is
 * asked for last is shown; without rows there is no card.
 */
export class Explanation
{
	#asking = new Latest();

	constructor()
	{
		this.host = h('div');
		this.asked = null;
		this.element = card('Explanation', {body: this.host});
		this.element.hidden = true;
	}

	// again: ask although the same is shown, which stays until the answer is there.
	async show(query, params, {again = false} = {})
	{
		const asked = `${query} ${JSON.stringify(params)}`;
		if (this.asked === asked && !again)
			return;
		if (this.asked !== asked)
			replaceChildren(this.host, h('div', {class: 'soft', role: 'status'}, 'looking for what explains it …'));
		this.asked = asked;
		this.element.hidden = false;
		try { this.fill(asked, await rows(query, params, this.#asking.begin())); }
		catch (error)
		{
			if (error.name !== 'AbortError' && this.asked === asked)
				replaceChildren(this.host, problem(error));
		}
	}

	fill(asked, found)
	{
		if (this.asked !== asked)
			return;
		this.element.hidden = found.length === 0;
		replaceChildren(this.host, found.length === 0 ? [] : list(found));
	}

	hide()
	{
		this.#asking.end();
		this.asked = null;
		this.element.hidden = true;
	}
}
