// ensemble.test.mjs - the ensemble workspace: many runs filtered, grouped, brushed, drawn in four ways, one choice.
// SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

async function open(t, rest, given = {})
{
	await t.open(`/ensemble${rest}`, given);
	await t.until('runs', () => document.querySelectorAll('.vtable .row').length > 0);
}

const marks = t => t.page.$eval('.plot canvas', canvas => Number(canvas.dataset.marks));
const rows = t => t.page.$eval('.vtable', table => Number(table.getAttribute('aria-rowcount')));

test('ensemble: parallel coordinates, a brush, groups and their figures', async t => {
	await open(t, '?application=sim&group=commit_id');
	const all = await rows(t);
	t.ok(all >= 24, `${all} runs of the application`);
	t.equal(await marks(t), 6 * all, 'a mark a run on each of six axes');
	t.match(await t.text('.groups'), /group.*runs.*median.*mean/s, 'groups have figures');
	t.equal(await t.count('.groups tr'), 13, 'one a commit');
	// down the upper half of the last axis
	const {left, top, width, height} = await t.page.$eval('.plot canvas', one => one.getBoundingClientRect().toJSON());
	const x = left + width - 48;
	await t.drag({x, y: top + 44}, {x, y: top + height * 0.55});
	await t.until('fewer runs', before => Number(document.querySelector('.vtable').getAttribute('aria-rowcount'))
		< before, all);
	t.match(t.param('brush'), /^total=\d/, 'the brush is in the address');
	t.equal(await marks(t), 6 * await rows(t), 'those left out step back');
	await t.shot('ensemble-parallel', false);
	await t.press('×', '.chip');
	t.equal(await rows(t), all, 'and come back');
	await t.choose('group', '');
	t.equal(await t.count('.groups tr'), 2, 'all are one group');
});

test('ensemble: one number over another, boxes, and a run against the others', async t => {
	await open(t, '?application=sim');
	await t.page.keyboard.press('2');
	await t.until('a scatter plot', () => document.querySelector('select[name="x"]') !== null);
	await t.choose('x', 'own:f4');
	t.equal(t.param('x'), 'own:f4', 'another number');
	await t.page.$$eval('.vtable .row', found => found[1].click());
	await t.until('the run', () => /^run \d+/.test(document.querySelector('.details h2')?.textContent));
	t.match(await t.text('.details'), /this run.*median of the others.*f4/s, 'it stands beside the others');
	await t.page.keyboard.press('3');
	await t.choose('group', 'commit_id');
	t.ok(await marks(t) >= 24, 'every run is beside its box');
	const size = await t.page.evaluate(async () => {
		let bytes = 0;
		const real = URL.createObjectURL;
		URL.createObjectURL = blob => { bytes = blob.size; return real(new Blob(['x'])); };
		[...document.querySelectorAll('.pane button')].find(one => one.textContent === 'SVG').click();
		URL.createObjectURL = real;
		return bytes;
	});
	t.ok(size > 3000, `the picture as SVG: ${size} bytes`);
	await t.shot('ensemble-boxes', false);
});

test('ensemble: the super graph of all, where runs lie in a supernode, and splits', async t => {
	await open(t, '?application=fem&view=graph', {dark: true});
	await t.until('a picture', () => document.querySelectorAll('.graph .bar').length > 3);
	await t.click('.graph .bar[data-node="libsolver.so"]');
	await t.until('runs by value', () => document.querySelectorAll('.details button.link').length === 2);
	await t.shot('ensemble-graph', false);
	await t.page.keyboard.press('d');
	await t.until('files of it', () => /libsolver\.so\/cg\.cc/.test([...document.querySelectorAll('.graph .bar')]
		.map(one => one.dataset.node).join()));
	await t.page.keyboard.press('u');
	await t.until('as before', () => document.querySelector('.graph .bar[data-node="libsolver.so"]') !== null);
});

test('ensemble: filters, what does not fit, and names that look like markup', async t => {
	await open(t, '?filter=n_ranks%20%3D%2032');
	t.equal(await rows(t), 2, 'the runs of the filter, of any application');
	t.expectFailures();
	await t.choose('filter', 'ranks > 3');
	t.match(await t.text('main'), /not a column.*Did you mean "n_ranks"/s, 'a mistake is told');
	await t.choose('filter', 'n_ranks = 12345');
	await t.until('nothing', () => /no run fits/.test(document.querySelector('main').textContent));
	await t.go(`/ensemble?application=${encodeURIComponent(t.world.attacks[0])}`);
	t.match(await t.text('main'), /1 run(?!s)/, 'a run of an application of such a name');
	t.ok(await marks(t) > 2, 'and is drawn');
	t.equal(await t.page.evaluate(() => window.hit ?? null), null, 'which is text');
});
