// history.js - an application along its commits: functions, changes, regressions, scaling.
// SPDX-License-Identifier: PostgreSQL

import {Latest, rows, sqlUrl} from './api.js';
import {Between} from './between.js';
import {chip, choice, field} from './controls.js';
import {h, orTell, problem, replaceChildren} from './dom.js';
import {Explanation} from './explanation.js';
import {moment, percent, probability, quantity, shortCommit} from './format.js';
import {follow} from './live.js';
import {Options, takes, viewsOf} from './options.js';
import {Picture} from './picture.js';
import {card, shell, tabs} from './shell.js';
import {PageState} from './state.js';
import {table} from './table.js';

const VIEWS = viewsOf('history');

const state = new PageState();
const kindShown = () => state.get('view', VIEWS[0]?.[0] ?? 'history');
const options = new Options(state, {without: ['filter']});
const functions = h('div');
const changes = h('div');
const between = new Between();
const regressions = h('div');
const scaling = h('div');
const asking = new Map([functions, changes, regressions, scaling].map(place => [place, new Latest()]));
const explanation = new Explanation();
let isEmpty = false; // no application has runs: there is nothing to draw, until one has
const chosen = h('span', {class: 'tools'});
const picture = new Picture(h('div'), {
	hit: '[data-run]',
	pick: element => element?.dataset.run && (location.href = `/run/${element.dataset.run}`),
	zoomed: text => state.set({zoom: text}, {quiet: true}),
	drawn: lookCloser,
});

// One bar says nothing: files without modules are better grouped by function.
function lookCloser(svg)
{
	if (state.get('view') === 'sankey-ensemble' && state.get('group_by') === null
		&& svg.querySelectorAll('.bar').length === 1)
		state.set({group_by: 'function'}, {quiet: true});
}
const views = tabs('pictures', VIEWS, kindShown(), key => state.set({view: key, zoom: null}));

const paths = () => state.list('path');
const pathLink = path => `?${state.with({path, view: 'history', zoom: null})}`;

function into(event, changesOf)
{
	event.preventDefault();
	state.set(changesOf);
}

const relative = row => h('span', {class: row.relative > 0 ? 'bad' : 'good'},
	`${row.relative > 0 ? '+' : ''}${percent(row.relative)}`);

const functionLink = path => h('a',
	{href: pathLink(path), onclick: event => into(event, {path, view: 'history', zoom: null})}, path);

async function fillFunctions(signal)
{
	const found = await rows('functions', {application: state.get('application'), search: state.get('search'),
		limit: 100}, signal);
	replaceChildren(functions, table([
		{key: 'name', label: 'function', text: true, show: row => functionLink(row.name)},
		{key: 'exclusive', label: 'exclusive', number: true, show: row => quantity(row.exclusive, row.unit)},
		{key: 'runs', label: 'runs', number: true},
	], found, {row: row => ({'aria-selected': paths().includes(row.name)}), empty: 'no function of this name',
		sql: sqlUrl('functions', {application: state.get('application'), search: state.get('search'), limit: 100})}));
}

async function fillChanges(signal)
{
	const found = await rows('changes', {application: state.get('application'), metric: state.get('metric'),
		filter: state.get('filter')}, signal);
	replaceChildren(changes, table([
		{key: 'path', label: 'function', text: true, show: row => functionLink(row.path)},
		{key: 'commit_id', label: 'commit', show: row => h('code', {}, shortCommit(row.commit_id))},
		{key: 'relative', label: 'change', number: true, show: relative},
		{key: 'q_value', label: 'q', number: true, show: row => probability(row.q_value)},
		{key: 'run_id', label: 'first run', number: true, show: row => h('a', {href: `/run/${row.run_id}`},
			row.run_id)},
		{key: 'previous_run_id', label: 'since', show: row => row.previous_run_id === null ? ''
			: h('button', {type: 'button', title: `commits and lines since run ${row.previous_run_id}`,
				onclick: () => between.show(row)}, 'who, what')},
	], found, {empty: 'nothing changed that is more than noise', sql: sqlUrl('changes',
		{application: state.get('application'), metric: state.get('metric'), filter: state.get('filter')})}));
}

async function fillRegressions(signal)
{
	const found = await rows('regressions', {application: state.get('application')}, signal);
	replaceChildren(regressions, table([
		{key: 'state', label: 'state', show: row => h('span', {class: row.state === 'new' ? 'bad' : null}, row.state)},
		{key: 'path', label: 'call path', text: true},
		{key: 'commit_id', label: 'commit', show: row => h('code', {title: row.subject}, shortCommit(row.commit_id))},
		{key: 'relative', label: 'change', number: true, show: relative},
		{key: 'lost_node_hours', label: 'node-hours', number: true, show: row => row.lost_node_hours?.toPrecision(3)
			?? ''},
		{key: 'found_at', label: 'found', show: row => moment(row.found_at)},
	], found, {empty: ['none known; ', h('code', {}, 'perfhouse regressions'), ' searches'],
		sql: sqlUrl('regressions', {application: state.get('application')})}));
}

const share = key => row => row[key] === null ? '' : percent(row[key]);

// Counters are not recorded everywhere: columns that nobody has are left out.
async function fillScaling(signal)
{
	const asked = {application: state.get('application'), filter: state.get('filter')};
	const found = await rows('scaling', asked, signal);
	const factors = [['global', 'efficiency'], ['parallel', 'parallel'], ['computation', 'computation'],
		['instructions', 'instructions'], ['ipc', 'IPC'], ['frequency', 'frequency']];
	replaceChildren(scaling, table([
		{key: 'n_ranks', label: 'ranks', number: true},
		...factors.filter(([key]) => found.some(row => row[key] !== null))
			.map(([key, label]) => ({key, label, number: true, show: share(key)})),
		{key: 'run_id', label: 'run', number: true, show: row => h('a', {href: `/run/${row.run_id}`}, row.run_id)},
	], found, {empty: 'no runs that differ in nothing but the number of ranks', sql: sqlUrl('scaling', asked)}),
	found.length > 0 ? h('p', {class: 'soft'}, found[0].kind === null ? found[0].reason : `${found[0].kind} scaling: ${found[0].reason}`) : '');
}

async function drawPicture(again = false)
{
	const kind = kindShown();
	views.mark(kind);
	options.show(kind);
	await picture.show(kind, [
		['application', state.get('application')], ['filter', state.get('filter')],
		...(takes(kind, 'path') ? paths().map(path => ['path', path]) : []), ...options.values(kind),
	], {zoom: state.get('zoom', ''), again});
}

async function guarded(host, fill)
{
	try { await fill(asking.get(host).begin()); }
	catch (error)
	{
		if (error.name !== 'AbortError')
			replaceChildren(host, problem(error));
	}
}

// names: of what has changed in the address; null: draw all anew. Its promise holds when all is there.
async function draw(names = null)
{
	const parts = [];
	const all = names === null || names.has('application') || names.has('filter') || names.has('metric');
	if (state.get('application') === null)
		return;
	replaceChildren(chosen,
		paths().map(path => chip(path, () => state.set({path: paths().filter(other => other !== path), zoom: null}))));
	document.title = `${state.get('application')} · perfhouse`;
	if (all || names.has('path') || names.has('view') || options.concern(kindShown(), names))
		parts.push(drawPicture(names === null));
	if (all || names.has('search') || names.has('path'))
		parts.push(guarded(functions, fillFunctions));
	if (all)
	{
		between.hide();
		parts.push(explanation.show('explain_newest', {application: state.get('application'),
			filter: state.get('filter')}, {again: names === null}), guarded(changes, fillChanges),
		guarded(regressions, fillRegressions), guarded(scaling, fillScaling));
	}
	await Promise.all(parts);
}

const main = shell('History',
	follow(['run', 'regression'], {
		// with projects the server does not say whose it is
		concerns: (kind, {application = null}) => isEmpty || application === null
			|| application === state.get('application'),
		redraw: () => isEmpty ? location.reload() : draw(),
	}));
const list = await orTell(rows('applications'), 'the list of applications is missing', null);
isEmpty = list?.length === 0;
if (state.get('application') === null && list?.length > 0)
	state.set({application: list.reduce((a, b) => b.runs > a.runs ? b : a).application}, {quiet: true});

main.append(
	h('div', {class: 'title-row'}, h('h1', {}, 'History'), isEmpty ? null : h('div', {class: 'tools'},
		choice(state, 'application', 'application', (list ?? []).map(row => row.application), '',
			{path: null, zoom: null}),
		field(state, 'runs', 'filter', {type: 'search', class: 'wide', hint: "n_ranks = 64 AND branch = 'main'",
			also: {zoom: null}}), chosen)),
	isEmpty ? h('div', {class: 'empty'}, 'no run names its application: ',
		h('code', {}, 'perfhouse load --set application=NAME PATH'), ' loads such') : '',
	explanation.element);
if (!isEmpty)
	main.append(h('section', {class: 'card', 'aria-label': 'pictures'}, h('header', {}, views.list),
		h('div', {class: 'body'}, options.element, picture.host)),
	h('div', {class: 'pair'}, card('Functions',
		{tools: field(state, 'search', 'search', {type: 'search', hint: 'name'}), body: functions}),
	h('div', {}, card('What changed', {body: [changes, between.element]}), card('Regressions', {body: regressions}),
		card('Efficiency of scaling', {body: scaling}))));
state.addEventListener('change', ({detail: {names}}) => {
	if (names.has('zoom') && names.size === 1)
		picture.zoom?.restore(state.get('zoom', ''));
	else
		draw(names);
});
draw();
