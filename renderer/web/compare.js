// compare.js - two runs: what became slower or faster, and where.
// SPDX-License-Identifier: PostgreSQL

import {Latest, rows, sections, sqlUrl} from './api.js';
import {h, orTell, problem, replaceChildren} from './dom.js';
import {Explanation} from './explanation.js';
import {moment, percent, quantity, shortCommit} from './format.js';
import {addsUp, metricChoices, tellCombining} from './metrics.js';
import {Options, viewsOf} from './options.js';
import {Picture} from './picture.js';
import {card, shell, tabs} from './shell.js';
import {PageState} from './state.js';
import {saysNothing} from './steps.js';
import {table} from './table.js';

const VIEWS = viewsOf('compare');

const state = new PageState();
const kindShown = () => state.get('view', VIEWS[0]?.[0] ?? 'sankey-diff');
const options = new Options(state);
const head = h('div', {class: 'pair'});
const changes = h('div');
const meta = h('div');
const tables = h('div', {}, card('What changed most', {body: changes}), card('Metadata that differs', {body: meta}));
const experiment = h('div', {class: 'experiment'});
const explanation = new Explanation();
const picture = new Picture(h('div'), {
	hit: '[data-node], .frame',
	pick: element => state.set({node: element?.dataset.node ?? null}),
	zoomed: text => state.set({zoom: text}, {quiet: true}),
	drawn: svg => {
		mark();
		lookCloser(svg);
	},
});

// Files without modules are better grouped by function.
function lookCloser(svg)
{
	if (kindShown() === 'sankey-diff' && state.get('group_by') === null
		&& saysNothing([...svg.querySelectorAll('.bar')].map(bar => bar.dataset.label)))
		state.set({group_by: 'function'}, {quiet: true});
}
const views = tabs('pictures', VIEWS, kindShown(),
	key => state.set({view: key, zoom: null, node: null}));
const asking = new Latest();

function mark()
{
	const node = state.get('node');
	picture.choose(node === null ? null : element => element.dataset.node === node);
}

function side(label, run)
{
	if (run === null)
		return card(label, {body: h('div', {class: 'empty'}, 'choose a run')});
	return card(label, {body: h('dl', {class: 'facts'}, [
		['run', h('a', {href: `/run/${run.run_id}`}, `${run.run_id} ${run.title ?? ''}`)],
		['application', run.application], ['commit', shortCommit(run.commit_id)], ['ranks', run.n_ranks],
		['machine', run.cluster], ['started', moment(run.started_at)],
	].filter(([, value]) => value).map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)]))});
}

function differences(a, b)
{
	const names = [...new Set([...Object.keys(a.meta ?? {}), ...Object.keys(b.meta ?? {})])].sort();
	const text = value => value === undefined ? '' : typeof value === 'string' ? value : JSON.stringify(value);
	return names.map(name => ({name, a: text(a.meta?.[name]), b: text(b.meta?.[name])})).filter(row => row.a !== row.b);
}

// The numbers below are of different experiments: said before they are read.
function tellExperiment(keys)
{
	const obstacles = keys.filter(key => key.status === 'differs' || key.status === 'unknown');
	const text = values => (values ?? []).map(value => value ?? 'not known').join(', ');
	if (obstacles.length === 0)
		replaceChildren(experiment);
	else
		replaceChildren(experiment, h('div', {class: 'problem', role: 'alert'},
			h('strong', {}, 'These runs cannot be compared: they are of different experiments.'),
			h('ul', {}, obstacles.map(key => h('li', {}, `${key.key}: ${text(key.a_values)} → ${text(key.b_values)}`))),
			h('div', {class: 'hint'}, 'perfhouse application set says which keys make an experiment.')));
}

async function fillTables(a, b, signal)
{
	replaceChildren(meta, table([
		{key: 'name', label: 'metadata'}, {key: 'a', label: 'A', text: true}, {key: 'b', label: 'B', text: true},
	], differences(a, b), {sort: 'name', empty: 'the metadata agree', sql: sqlUrl('run', {run: a.run_id})}));
	const {rows: found = [], experiment: keys = [], metric = []} = await sections('diff',
		{a: a.run_id, b: b.run_id, metric: state.get('metric')}, signal);
	const unit = metric[0]?.unit ?? '';
	tellExperiment(keys);
	const changed = found.filter(row => row.change !== 0);
	const number = key => row => quantity(row[key], unit);
	// what runs differ by that do not differ is no colour's business
	const change = row => h('span', {class: !row.is_clear ? 'soft' : row.change > 0 ? 'bad' : 'good',
		title: row.is_clear === null
		? 'nobody knows how far runs of this experiment scatter'
		: `single runs vary by ${percent(row.noise)} or more here${row.is_clear ? '' : ': this is no more than noise'}`},
		(row.change > 0 ? '+' : '') + quantity(row.change, unit));
	const [of] = metric;
	const note = of === undefined || addsUp(of) ? null
		: h('p', {class: 'soft'}, tellCombining({metric: of.name, combining: of.combining}));
	replaceChildren(changes, note, table([
		{key: 'name', label: 'function', text: true,
			show: row => [row.name, ' ', row.only_in ? h('span', {class: 'chip'}, row.only_in) : null]},
			{key: 'module', label: 'module'},
		{key: 'before', label: 'A', number: true, show: number('before')}, {key: 'after', label: 'B', number: true,
			show: number('after')},
		{key: 'change', label: 'change', number: true, show: change},
		{key: 'relative', label: 'relative', number: true, show: row => row.relative === null
			? '' : (row.relative > 0 ? '+' : '') + percent(row.relative)},
	], changed, {empty: 'nothing differs',
		sql: sqlUrl('diff', {a: a.run_id, b: b.run_id, metric: state.get('metric')})}));
}

const tell = (place, error) => error.name !== 'AbortError' && replaceChildren(place, problem(error));

async function one(name, signal)
{
	const run = state.get(name);
	return run === null ? null : (await rows('run', {run}, signal))[0];
}

async function draw()
{
	const kind = kindShown();
	const signal = asking.begin();
	views.mark(kind);
	try
	{
		const [a, b] = await Promise.all([one('a', signal), one('b', signal)]);
		replaceChildren(head, side('A (before)', a), side('B (after)', b));
		options.settings.metrics = metricChoices(a);
		options.show(kind);
		tables.hidden = a === null || b === null;
		if (tables.hidden)
		{
			explanation.hide();
			picture.clear(h('div', {class: 'empty'}, 'choose two runs above, or mark them in the ',
				h('a', {href: '/'}, 'list of runs')));
			return;
		}
		document.title = `${a.run_id} → ${b.run_id} · perfhouse`;
		if (a.run_id === b.run_id)
			explanation.hide();
		else
			explanation.show('explain_runs', {a: a.run_id, b: b.run_id});
		await Promise.all([fillTables(a, b, signal).catch(error => tell(changes, error)), picture.show(kind,
			[['run', a.run_id], ['vs', b.run_id], ...options.values(kind)], {zoom: state.get('zoom', '')})]);
	}
	catch (error)
	{
		if (error.name !== 'AbortError')
			picture.clear(problem(error));
	}
}

function chooser(name, label, list)
{
	const id = `runs-${name}`;
	return h('label', {}, label,
		h('input', {list: id, value: state.get(name, ''), size: 10, inputmode: 'numeric',
			onchange: event => state.set({[name]: parseInt(event.target.value, 10) || null, zoom: null})}),
		h('datalist', {id},
			list.map(run => h('option', {value: run.run_id},
			[run.application, run.title, shortCommit(run.commit_id)].filter(Boolean).join(' ')))));
}

const main = shell('Compare');
const list = await orTell(rows('runs', {limit: 500}), 'the list of runs is missing', []);
const swap = h('button', {type: 'button', onclick: () => state.set({a: state.get('b'), b: state.get('a')})}, '⇄ swap');
main.append(
	h('div', {class: 'title-row'}, h('h1', {}, 'Compare'), h('div', {class: 'tools'}, chooser('a', 'A', list),
		chooser('b', 'B', list), swap)),
	head, experiment, explanation.element,
	h('section', {class: 'card', 'aria-label': 'pictures'}, h('header', {}, views.list),
		h('div', {class: 'body'}, options.element, picture.host)),
	tables);
state.addEventListener('change', ({detail: {names}}) => {
	if (names.size === 1 && names.has('node'))
		mark();
	else if (names.size === 1 && names.has('zoom'))
		picture.zoom?.restore(state.get('zoom', ''));
	else
	{
		for (const input of main.querySelectorAll('input[list]'))
			input.value = state.get(input.getAttribute('list').slice(5), '');
		draw();
	}
});
draw();
