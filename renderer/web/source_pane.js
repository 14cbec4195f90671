// source_pane.js - a source file as the run's commit has it, with what the lines cost.
// SPDX-License-Identifier: PostgreSQL

import {rows} from './api.js';
import {h, problem, replaceChildren} from './dom.js';
import {quantity} from './format.js';
import {css, heat, inkOn} from './viewer_colors.js';
import {VirtualTable} from './virtual_table.js';

const LEAST = 0.001; // of the whole: less is not coloured

export class SourcePane
{
	#shown = null;
	#asking = null;

	// options: {run, cost(value) -> text, share(value) -> text, picked(names), say(name), hasCaused: whether the
	// profile knows how long others waited because of a line}
	constructor(options)
	{
		this.options = options;
		this.title = h('p', {class: 'soft source-title'});
		this.table = new VirtualTable([{key: 'line', label: 'line', number: true, width: '4rem'},
			{key: 'exclusive', label: 'own', number: true, width: '6rem', show: row => row.exclusive > 0
				? options.cost(row.exclusive) : ''},
			{key: 'part', label: '%', number: true, width: '4.5rem', show: row => row.exclusive > 0
				? options.share(row.exclusive) : ''},
			...options.hasCaused ? [{key: 'caused', label: 'made others wait', number: true, width: '9rem',
				show: row => row.caused > 0 ? quantity(row.caused, 's') : ''}] : [],
			{key: 'text', label: 'source', title: row => row.names.map(options.say).join(', ') || null,
				show: row => row.text}],
		{label: 'source', key: row => row.line, picked: row => options.picked(row.names), look: (row, element) =>
			this.#look(row, element)});
		this.host = h('div', {class: 'source'}, this.title, this.table.element);
	}

	// file: as the profile names it; line: to stand in sight; lines: [{file, line, exclusive, names}] of the profile.
	async show(file, line, lines, total)
	{
		const wanted = JSON.stringify([file, lines.length, total]);
		this.total = total;
		if (wanted === this.#shown)
		{
			this.#goTo(line);
			return;
		}
		this.#asking?.abort();
		const {signal} = this.#asking = new AbortController();
		replaceChildren(this.title, `reading ${file} …`);
		try
		{
			const [found] = await rows('source', {run: this.options.run, file}, signal);
			this.#fill(found, lines.filter(one => one.file === file));
			this.#shown = wanted;
			this.#goTo(line);
		}
		catch (error)
		{
			if (error.name === 'AbortError')
				return;
			this.#shown = null;
			this.table.show([], {isOrdered: true});
			replaceChildren(this.title, problem(error));
		}
	}

	// How long others waited because of lines: seconds by "file:line".
	tellCaused(caused)
	{
		for (const row of this.table.rows)
			row.caused = caused.get(`${this.file}:${row.line}`) ?? 0;
		this.table.draw();
	}

	#fill({file, path, commit, text}, lines)
	{
		this.file = file;
		const costs = new Map(lines.filter(one => one.line).map(one => [one.line, one]));
		const whole = lines.reduce((sum, one) => sum + one.exclusive, 0);
		const ofNoLine = lines.filter(one => !one.line).reduce((sum, one) => sum + one.exclusive, 0);
		const texts = text.replace(/\n$/, '').split(/\r?\n/);
		this.most = Math.max(0, ...lines.map(one => one.exclusive));
		const {cost, share} = this.options;
		const unplaced = ofNoLine > 0 ? `, of which ${cost(ofNoLine)} in no known line` : '';
		replaceChildren(this.title, `${path} at ${commit.slice(0, 12)}${this.total > 0
			? `: ${cost(whole)} (${share(whole)})${unplaced}` : ''}`);
		this.table.show(texts.map((one, i) => ({line: i + 1, text: one.replaceAll('\t', '    '), exclusive: 0,
			caused: 0, names: [],
			...costs.has(i + 1) ? {exclusive: costs.get(i + 1).exclusive, names: [...costs.get(i + 1).names]} : {}})),
		{isOrdered: true});
	}

	#goTo(line)
	{
		const hottest = this.table.rows.reduce((best, row) => row.exclusive > (best?.exclusive ?? 0) ? row : best,
			null);
		const at = Number(line) || hottest?.line || 1;
		this.table.chosen = at;
		this.table.reveal(at - 1);
	}

	#look(row, element)
	{
		const share = row.exclusive / this.total;
		if (!(share >= LEAST))
			return;
		const color = heat(Math.sqrt(row.exclusive / this.most), document.documentElement.dataset.theme === 'dark');
		element.style.background = css(color);
		element.style.color = inkOn(color);
	}
}
