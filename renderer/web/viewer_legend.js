// viewer_legend.js - what colours mean: functions by the room that they have in the window, shares, and what stands
// out.
// SPDX-License-Identifier: PostgreSQL

import {h, replaceChildren} from './dom.js';
import {quantity} from './format.js';
import {app, button, say, span, time} from './viewer_app.js';
import {ACTIVITIES, activityColors, COLORS, css, heat, less} from './viewer_colors.js';
import {KEYS} from './viewer_keys.js';
import {find, goTo, nameMark} from './viewer_moves.js';
import {overlayOf, SQL_COLUMNS} from './viewer_overlays.js';
import {tellWaited} from './viewer_waited.js';

const MOST_NAMED = 40;

const square = (color, text, title = text) => h('span', {title}, h('span', {class: 'square', dataset: {color}}),
	` ${text}`);

// Functions that are drawn, those with most cells or events first: [name, colour].
function drawn()
{
	const {scene, view, names} = app;
	return scene.steps !== null && (view.isSteps || scene.steps.isPair) ? scene.steps.shownFunctions(view)
		: scene.shownFunctions().map(place => [names[place], css(scene.functionColors[place])]);
}

function functions()
{
	const shown = drawn();
	if (shown.length === 0 && app.scene.needs.length === 0)
		return h('p', {class: 'soft'}, 'Nothing in this window is long enough to be seen.');
	const entry = ([name, color]) => {
		const item = square(color, say(name), name);
		item.append(' ');
		return h('button', {type: 'button', class: 'plain', title: `search ${name}`, onclick: () => find(name)}, item);
	};
	return [shown.slice(0, MOST_NAMED).map(entry), shown.length > MOST_NAMED
		? h('span', {class: 'soft'}, `and ${shown.length - MOST_NAMED} others`) : null];
}

const ramp = (labels, isDark) => labels.map((label, i) => square(css(heat(i / (labels.length - 1), isDark)), label));

function entries()
{
	const {scene, view, facts} = app;
	const word = COLORS.find(([name]) => name === scene.color)?.[1] ?? '';
	switch (scene.color)
	{
		case 'function': return functions();
		case 'activity': return ACTIVITIES.map(([name], i) => square(css(activityColors[i]), name));
		case 'blame': return [h('p', {}, 'ranks that wait for this one, whatever it does meanwhile'),
			ramp(['1', String(Math.round(Math.sqrt(view.n))), String(view.n)], scene.isDark)];
		case 'lateness': return [h('p', {}, 'how much later than the first of the same step a call ended'),
			ramp([span(100), span(Math.sqrt(100 * facts.duration)), span(facts.duration)], scene.isDark)];
		case 'sql': return ownEntries(`the value of a query with ${SQL_COLUMNS}`);
		default: return overlayOf(scene.color) !== null ? ownEntries(overlayOf(scene.color).name)
			: [h('p', {}, `share of time ${word}`), ramp(['none', 'half', 'all'], scene.isDark),
			view.each > 1 ? square(css(less(scene.isDark)),
				'one with less of it than the others of its row: often who is '
				+ 'waited for') : null];
	}
}

// Of counters and queries: from the least to the largest value that was seen.
function ownEntries(title)
{
	const {scene, facts} = app;
	const {least, most} = scene.range?.of === scene.color ? scene.range : {least: Infinity, most: -Infinity};
	const unit = facts.counters.find(one => one.name === overlayOf(scene.color)?.name)?.unit ?? '';
	return [h('p', {}, title), least > most ? h('p', {class: 'soft'}, 'no value in the window')
		: ramp(least === most ? ['', quantity(least, unit), ''] : [least, (least + most) / 2, most].map(value =>
			quantity(value, unit)), scene.isDark),
	scene.isCut ? h('p', {class: 'soft'}, 'The server gives so many rows of a query and no more (--row-limit): a '
		+ 'smaller window shows the rest.') : null];
}

function marks()
{
	const {scene, facts} = app;
	return [facts.counters.length === 0 ? null : [h('h2', {}, 'counters'), h('div', {class: 'counters'},
		facts.counters.map(({name}) => h('label', {title: name}, h('input', {type: 'checkbox', name: 'counter',
			value: name,
			checked: scene.counters.some(one => one.name === name), onchange: () => app.toggleCounter(name)}), ` ${name}`)))],
	scene.marks.length === 0 ? null : [h('h2', {}, 'marks'), h('table', {class: 'marks'}, scene.marks.map((one, i) =>
		h('tr', {}, h('td', {}, button(time(one.time), () => goTo(one.time))),
			h('td', {}, h('input', {value: one.text, 'aria-label': 'name of the mark', maxlength: 80,
				onchange: event => nameMark(i, event.target.value)})),
			h('td', {}, h('button', {type: 'button', 'aria-label': `remove mark ${one.text}`,
				onclick: () => nameMark(i, null)}, '✕')))))]];
}

export function tellLegend()
{
	const {side, view} = app;
	replaceChildren(side, tellWaited(), h('h2', {}, 'colours'), h('div', {class: 'legend'}, entries()),
		view.each > 1 ? h('p', {class: 'soft'},
			`A row stands for ${view.each} locations: most of it shows what most of `
			+ 'them do, its lowest line the one that deviates most.') : null,
		marks(), h('h2', {}, 'keys'), h('table', {class: 'keys'}, KEYS.map(([keys, what]) => h('tr', {},
			h('td', {}, h('kbd', {}, keys)), h('td', {class: 'text'}, what)))),
		h('p', {class: 'tools'}, button('all commands (Ctrl-K)', () => app.palette.open())));
	for (const one of side.querySelectorAll('.square'))
		one.style.background = one.dataset.color;
}
