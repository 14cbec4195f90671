// between.js - what lies between the two runs of a change: commits with their authors, and the lines of the function's
// file that they changed, where the server has the sources.
// SPDX-License-Identifier: PostgreSQL

import {declarations, Latest, sections} from './api.js';
import {h, problem, replaceChildren} from './dom.js';
import {moment, shortCommit} from './format.js';
import {table} from './table.js';

const MOST_COMMITS = 100;

const hash = commit => h('code', {title: commit}, shortCommit(commit));

function commitTable(found, total)
{
	return [h('h3', {}, total === 1 ? 'one commit' : `${total} commits`), table([
		{key: 'commit_id', label: 'commit', show: row => hash(row.commit_id)},
		{key: 'author', label: 'author', text: true},
		{key: 'committed_at', label: 'when', show: row => moment(row.committed_at)},
		{key: 'subject', label: 'subject', text: true},
	], found, {empty: 'the commit graph is not known: perfhouse commits REPOSITORY reads it'}),
	total > found.length ? h('p', {class: 'soft'}, `the newest ${found.length}`) : null];
}

function lineTable(name, {rows: found, file: [{path, lines}]})
{
	return [h('h3', {}, `${lines === 1 ? 'one line' : `${lines} lines`} of ${path}, where ${name} is`), table([
		{key: 'line', label: 'line', number: true},
		{key: 'commit', label: 'commit', show: row => h('span', {title: row.subject}, hash(row.commit))},
		{key: 'author', label: 'author', text: true},
		{key: 'text', label: 'source', text: true, show: row => h('code', {class: 'source-line'}, row.text)},
	], found, {empty: 'none of its lines: what it calls, or how it is built, may have changed'}),
	lines > found.length ? h('p', {class: 'soft'}, `the first ${found.length}`) : null];
}

export class Between
{
	#asking = new Latest();

	constructor() { this.element = h('section', {class: 'between', 'aria-live': 'polite', hidden: true}); }

	hide()
	{
		this.#asking.end();
		this.element.hidden = true;
	}

	// change: {path, previous_run_id, run_id} of /api/changes
	async show(change)
	{
		const signal = this.#asking.begin();
		const runs = {a: change.previous_run_id, b: change.run_id};
		const [commits, lines] = [h('div', {class: 'waiting'}), h('div')];
		this.element.hidden = false;
		replaceChildren(this.element, h('h3', {}, `${change.path}, from run ${runs.a} to run ${runs.b}`), commits, lines,
			h('p', {class: 'tools'}, h('a', {href: `/compare?a=${runs.a}&b=${runs.b}`}, 'compare them'), ' ',
				h('button', {type: 'button', onclick: () => this.hide()}, 'close')));
		await this.#fill(commits, signal, async () => {
			const {rows: found, total: [{commits: total}]} = await sections('commits_between', {...runs,
				limit: MOST_COMMITS}, signal);
			return commitTable(found, total);
		});
		const {sources} = await declarations().catch(() => ({sources: false}));
		if (sources && !signal.aborted)
			await this.#fill(lines, signal, async () => lineTable(change.path, await sections('changed_lines', {...runs,
				name: change.path.split('/').at(-1)}, signal)));
	}

	async #fill(place, signal, make)
	{
		try { replaceChildren(place, await make()); }
		catch (error)
		{
			if (error.name !== 'AbortError')
				replaceChildren(place, problem(error));
		}
		place.classList.remove('waiting');
	}
}
