// bundle.js - the first page of a bundle: its runs, what explains them, and what changed from the first to the others.
// SPDX-License-Identifier: PostgreSQL

import {rows, ServerProblem} from './api.js';
import {h, problem, replaceChildren} from './dom.js';
import {Explanation} from './explanation.js';
import {count, counted, percent, quantity} from './format.js';
import {installPalette} from './palette.js';
import {card, link, shell} from './shell.js';
import {stored} from './stored.js';
import {table} from './table.js';
import {shortName} from './viewer_names.js';

const main = shell('Bundle');
const WHERE = 'perfhouse view, or perfhouse serve over a warehouse with it, show it.';

const title = run => `${run.title ?? run.application ?? 'run'} (run ${run.run_id})`;

function pictures(run)
{
	const dialog = h('dialog', {class: 'window-graph'});
	const show = one => {
		const shown = h('img', {src: one.file, alt: `${one.view} of ${title(run)}`});
		replaceChildren(dialog, h('header', {}, h('h2', {}, one.view), h('span', {class: 'grow'}),
			h('a', {href: one.file, download: `run-${run.run_id}-${one.view}.svg`}, 'SVG'),
			h('button', {type: 'button', onclick: () => dialog.close()}, 'close')), shown);
		dialog.showModal();
	};
	return run.pictures.length === 0 ? null : h('p', {class: 'pictures'}, 'pictures: ', run.pictures.map(one =>
		[h('button', {type: 'button', onclick: () => show(one)}, one.view), ' ']), dialog);
}

function runCard(run)
{
	const facts = [run.application, run.n_ranks === null ? null : counted(run.n_ranks, 'rank'),
		run.n_events === null ? null : counted(run.n_events, 'event'), run.commit_id].filter(Boolean).join(' · ');
	const explanation = new Explanation();
	explanation.show('explain', {run: run.run_id});
	return card(title(run), {tools: [link(`/profile/${run.run_id}`, 'profile'), ' ',
		link(`/viewer/${run.run_id}`, 'trace')],
	body: [h('p', {class: 'soft'}, facts), run.has_trace && link(`/viewer/${run.run_id}`, 'trace') === null
		? h('p', {class: 'soft'}, `Its trace has more events than bundles keep (${count(run.most_events)}): ${WHERE}`)
		: null, explanation.host, pictures(run)]});
}

async function comparison(first, other)
{
	const place = h('div');
	const explanation = new Explanation();
	explanation.show('explain_runs', {a: first.run_id, b: other.run_id});
	const found = await rows('diff', {a: first.run_id, b: other.run_id});
	const unit = (await rows('tree', {run: first.run_id}))[0]?.unit ?? '';
	const shown = [...found].sort((a, b) => Number(b.is_clear ?? false) - Number(a.is_clear ?? false));
	replaceChildren(place, table([{key: 'name', label: 'function', text: true, show: one => h('span', {title: one.name},
		shortName(one.name))},
	{key: 'before', label: `run ${first.run_id}`, number: true, show: one => quantity(one.before, unit)},
	{key: 'after', label: `run ${other.run_id}`, number: true, show: one => quantity(one.after, unit)},
	{key: 'change', label: 'change', number: true, show: one => h('span', {class: one.is_clear
		? one.change > 0 ? 'bad' : 'good' : 'soft'}, quantity(one.change, unit))},
	{key: 'relative', label: '%', number: true, show: one => percent(one.relative)},
	{key: 'noise', label: 'noise', number: true, show: one => one.noise === null ? 'unknown' : percent(one.noise)}],
	shown, {empty: 'nothing changed'}));
	return card(`From run ${first.run_id} to run ${other.run_id}`, {body: [explanation.host,
		h('details', {}, h('summary', {}, 'functions'), place)]});
}

try
{
	main.append(...stored.runs.map(runCard));
	const [first, ...others] = stored.runs;
	for (const other of others)
		main.append(await comparison(first, other).catch(error => {
			if (!(error instanceof ServerProblem))
				throw error;
			return card(`From run ${first.run_id} to run ${other.run_id}`, {body: [
				h('p', {}, `What changed is not known, since the two cannot be compared: ${error.message}.`),
				error.hint === null ? null : h('p', {class: 'soft'}, error.hint)]});
		}));
	installPalette({keys: [], entries: () => stored.runs.flatMap(run => [['profile', `/profile/${run.run_id}`],
		['trace', `/viewer/${run.run_id}`]].map(([kind, address]) => ({kind, link: link(address, ''),
		text: `${kind} of ${title(run)}`})).filter(one => one.link !== null)
		.map(one => ({...one, act: () => one.link.click()})))});
}
catch (error)
{
	main.append(problem(error));
}
