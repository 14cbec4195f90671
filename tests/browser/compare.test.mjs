// compare.test.mjs - two runs. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

test('compare: difference, what changed, only in one; swap; views', async t => {
	const {before, fem} = t.world.runs;
	await t.open(`/compare?a=${before}&b=${fem}`);
	t.match(await t.text('[aria-label="What changed most"] tbody tr:first-child'), /spmv.*\+1\.\d+.*\+40 %/,
		'the largest change first');
	t.match(await t.text('[aria-label="What changed most"] tbody'), /read_mesh only in A/, 'only in A');
	t.match(await t.text('[aria-label="What changed most"] tbody'), /read_mesh_parallel only in B/, 'only in B');
	t.match(await t.text('[aria-label="Explanation"]'), /comparable\?\s*(Of|All|The)/, 'what explain says of them');
	await t.hover('.bar[data-node="libsolver.so"]');
	t.match(await t.tip(), /libsolver/, 'tooltip');
	await t.click('.bar[data-node="libsolver.so"]');
	t.equal(t.param('node'), 'libsolver.so', 'chosen');
	await t.choose('group_by', 'function');
	t.ok(await t.count('.bar[data-status]:not([data-status="both"])') >= 2, 'marks of functions that only one has');
	await t.shot('compare-functions');
	await t.press('⇄ swap');
	t.equal([t.param('a'), t.param('b')], [String(fem), String(before)], 'swapped');
	t.match(await t.text('[aria-label="What changed most"] tbody tr:first-child'), /spmv.*-1\.\d+/,
		'the other way round');
	await t.choose('palette', 'colour-blind');
	t.equal(t.param('palette'), 'colour-blind', 'colours');
	await t.press('side by side');
	t.ok(await t.count('.bar[data-node="main"]') === 2, 'two graphs');
	await t.press('flame graph');
	t.ok(await t.count('.frame') > 10, 'flame graph');
	await t.back();
	t.equal(t.param('view'), 'sankey-compare', 'back');
});

test('compare: the table has the unit of its metric, and says where that does not add up', async t => {
	const {before, fem} = t.world.runs;
	const found = await (await fetch(`${t.world.url}/api/diff?a=${before}&b=${fem}`)).json();
	const answer = request => !request.url().includes('/api/diff?') ? null
		: (request.respond({contentType: 'application/json', body: JSON.stringify(found)}), true);
	found.metric = [{name: 'energy', unit: 'J', kind: 'flow'}];
	await t.open(`/compare?a=${before}&b=${fem}`, {answer});
	t.match(await t.text('[aria-label="What changed most"] tbody tr:first-child'), /spmv.*\d J/, 'Joule');
	found.metric = [{name: 'ipc', unit: '', kind: 'ratio', combining: null}];
	await t.go(`/compare?a=${before}&b=${fem}`);
	t.match(await t.text('[aria-label="What changed most"]'), /ipc does not add up.*none where it has several/s, 'what there is');
});

test('compare: nothing chosen, no trace, unknown run', async t => {
	t.expectFailures();
	await t.open('/compare');
	t.match(await t.text('main'), /choose two runs/, 'says what to do');
	await t.shot('compare-empty');
	await t.go(`/compare?a=${t.world.runs.before}&b=${t.world.runs.fem}&view=trace-diff`);
	t.match(await t.text('.problem'), /no trace/, 'says why there is no picture');
	await t.go('/compare?a=1&b=99999');
	t.match(await t.text('.problem'), /no such run/, 'unknown run');
});
