// trace.test.mjs - linked views of a trace. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

const card = title => `[aria-label^="${title}"] `;
const overview = card('Overview');
const logical = card('Logical time');
const physical = card('Physical time');
const clusters = card('Processes that behave');
const open = (t, rest = '') => t.open(`/trace/${t.world.runs.trace}${rest}`);

async function brush(t, first, last, shift)
{
	const from = await t.place(`${shift ? logical : overview}[data-step="${first}"]`);
	const to = await t.page.$eval(`${shift ? logical : overview}[data-step="${last}"]`, element => {
		const box = element.getBoundingClientRect();
		return {x: (box.left + box.right) / 2};
	});
	await t.drag(from, {x: to.x, y: from.y + 2}, {shift});
}

test('trace: brushing the overview zooms the other views', async t => {
	await open(t);
	const steps = () => t.page.$$eval(`${logical}.event`, events => events.map(event => Number(event.dataset.step)));
	t.match(await t.text(`${overview}svg`), /\[ms\]/, 'the unit of the bars');
	const before = await t.text(`${physical}svg`);
	await brush(t, 60, 78);
	const [first, last] = t.param('steps').split('-').map(Number);
	t.ok(Math.abs(first - 60) <= 2 && Math.abs(last - 78) <= 2, `the brushed steps: ${first} to ${last}`);
	t.ok((await steps()).every(step => step >= first && step <= last), 'logical time shows them');
	t.ok(await t.text(`${physical}svg`) !== before, 'physical time shows when they were');
	t.ok(await t.count(`${overview}.step.chosen`) > 2, 'the overview marks them');
	await t.shot('trace-brushed');
	await brush(t, 64, 68, true);
	const [inner] = t.param('steps').split('-').map(Number);
	t.ok(inner > first, 'closer by Shift and drag in logical time');
	await t.page.reload();
	await t.settled();
	t.ok((await steps()).every(step => step >= inner), 'reload gives the same');
	await t.back();
	t.ok((await steps()).includes(first), 'back');
	await t.page.click('.chip button[aria-label^="undo steps"]');
	await t.settled();
	t.equal(t.param('steps'), null, 'all steps');
});

test('trace: a phase leads to its clusters', async t => {
	await open(t);
	await t.click(`${logical}.phase[data-phase="13"]`);
	t.equal(t.param('phase'), '13', 'the phase is in the address');
	t.match(await t.text(`${clusters}svg`), /phase 13/, 'its clusters');
	await t.choose('clusters', '2');
	t.equal(t.param('clusters'), '2', 'fewer clusters');
	await t.choose('radius', '2');
	t.equal(t.param('radius'), '2', 'a wider focus');
	await t.shot('trace-clusters');
	await t.press('7', '[aria-label="Phases"]');
	t.match(await t.text(`${clusters}svg`), /phase 7/, 'from the table');
});

test('trace: branches of the tree of clusters, and the process in focus', async t => {
	await open(t, '?phase=13&clusters=2');
	const shown = () => t.page.$$eval(`${clusters}.cluster`, found => found.map(element => element.dataset.cluster));
	const before = await shown();
	t.equal(before.length, 2, 'two clusters');
	const folded = await t.page.$eval(`${clusters}.cluster[data-folded="true"]`, element => element.dataset.cluster);
	const row = `${clusters}.cluster[data-cluster="${folded}"]`;
	await t.click(row, {across: 0.02, down: 0.5});
	t.equal(t.param('cluster'), folded, 'the chosen cluster is in the address');
	const members = await t.page.$eval(row, element => element.dataset.members);
	const ranks = new Set(await t.page.$$eval(`${logical}.event.chosen`,
		found => found.map(element => element.dataset.rank)));
	t.ok(ranks.size > 0 && [...ranks].every(rank => members.split(/, ?/).some(part => {
		const [first, last = first] = part.split('-').map(Number);
		return rank >= first && rank <= last;
	})), `only its members stand out in logical time: ${[...ranks]} of ${members}`);
	t.match(await t.text(`${clusters}svg`), new RegExp(`greatest of cluster ${folded}`), 'its process is in focus');
	await t.choose('focus', 'centroid');
	t.match(await t.text(`${clusters}svg`), new RegExp(`centre of cluster ${folded}`), 'or the one in its middle');
	await t.press('unfold', clusters);
	t.equal(t.param('unfold'), folded, 'unfolded');
	t.equal((await shown()).length, 3, 'three rows');
	await t.shot('trace-unfolded');
	await t.press('fold', clusters);
	t.equal(await shown(), before, 'folded again');
	await t.press('the tree as it was', clusters);
	t.equal([t.param('unfold'), t.param('fold')], [null, null], 'as it was');
	await t.focus(`${clusters}svg`);
	const join = `${clusters}.join`;
	await t.focus(join);
	await t.page.keyboard.down('Shift');
	await t.page.keyboard.press('Enter');
	await t.page.keyboard.up('Shift');
	await t.settled();
	t.equal((await shown()).length, 1, 'a join is folded by Shift and Enter');
	await t.press('7', '[aria-label="Phases"]');
	t.equal([t.param('cluster'), t.param('fold')], [null, null], 'another phase has another tree');
});

test('trace: an event is marked in all views', async t => {
	await open(t, '?steps=60-80');
	await t.hover(`${logical}.event[data-step="66"][data-rank="5"]`, {across: 0.12, down: 0.12});
	t.match(await t.tip(), /lateness/, 'what it costs');
	await t.click(`${logical}.event[data-step="66"][data-rank="5"]`, {across: 0.12, down: 0.12});
	t.equal([t.param('rank'), t.param('step')], ['5', '66'], 'in the address');
	const chosen = scope => t.page.$$eval(`${scope}.chosen`, found => found.map(element => element.dataset.rank));
	t.equal(await chosen(logical), ['5'], 'logical');
	t.ok((await chosen(physical)).length > 0 && (await chosen(physical)).every(rank => rank === '5'),
		'physical: the process');
	t.equal(await t.page.$$eval(`${overview}.step.chosen`, found => found.map(element => element.dataset.step)), ['66'],
		'overview: the step');
	await t.shot('trace-event');
	for (const color of ['differential', 'global_lateness', 'duration', 'phase', 'lateness'])
	{
		await t.choose('color', color);
		t.ok(await t.count(`${logical}.event`) > 0, `coloured by ${color}`);
	}
	await t.choose('range', 'step');
	await t.choose('aggregates', 'true');
	t.ok(await t.count(`${logical}.aggregate`) > 0, 'time before events');
	await t.page.click('.chip button[aria-label^="undo rank"]');
	await t.settled();
	t.equal(await t.count('.event.chosen, .call.chosen'), 0, 'taken back');
});

test('trace: matrix, sizes, time profile; ranks and times', async t => {
	await open(t, '?from=620ms&to=640ms&ranks=0-3');
	const more = card('more about the trace');
	t.ok(await t.count(`${more}svg`) === 1, 'matrix');
	await t.press('message sizes', more);
	t.match(await t.text(`${more}svg`), /bytes|size/i, 'sizes');
	await t.press('time by function', more);
	t.match(await t.text(`${more}svg`), /MPI/, 'time profile');
	t.equal(await t.page.$$eval(`${logical}.event`,
		events => [...new Set(events.map(event => event.dataset.rank))].sort()), ['0', '1', '2', '3'], 'the ranks');
});

test('trace: names that were left mangled are said as people say them', async t => {
	await t.open(`/trace/${t.world.runs.trace}`);
	const said = await t.text('.explanation .sentence > span');
	t.match(said, /initialising CalcElemVolume itself is the least balanced/, 'in sentences');
	t.ok(!/_GLOBAL|_Z\d/.test(said), 'everywhere');
});

test('trace: of dropped events it is told that they were there', async t => {
	const {runs} = t.world;
	const gone = {run_id: runs.fem, title: 'kept', has_trace: false, n_events: 21870,
		events_dropped_at: '2026-03-04T12:00:00Z'};
	await t.open(`/trace/${runs.fem}`, {answer: request => /api\/run\?run=/.test(request.url())
		? (request.respond({contentType: 'application/json', body: JSON.stringify({rows: [gone]})}), true) : null});
	t.match(await t.text('main'), /its 21 870 events were dropped, 2026-03-04.*--if-exists replace/s, 'when, and what helps');
});

test('trace: of devices alone no messages are asked for', async t => {
	const {runs} = t.world;
	const devices = {run_id: runs.trace, title: 'devices', has_trace: true, n_events: 20474, has_devices: true,
		has_messages: false, communicates: false, metrics: []};
	await t.open(`/trace/${runs.trace}`, {answer: request => /api\/run\?run=/.test(request.url())
		? (request.respond({contentType: 'application/json', body: JSON.stringify({rows: [devices]})}), true) : null});
	t.equal(await t.text('[aria-label="more about the trace"] [aria-selected="true"]'), 'time by function',
		'the first view that shows something');
	t.ok(!/No logical time/.test(await t.text('main')), 'nor steps that there cannot be');
});

test('trace: a run without one says so', async t => {
	await t.open(`/trace/${t.world.runs.fem}`);
	t.match(await t.text('main'), /no trace/, 'says so');
	await t.shot('trace-none');
});

test('trace: thousands of phases come a page at a time, sorted by the server', async t => {
	await t.open(`/trace/${t.world.runs.long}`);
	const words = () => t.text('[aria-label="Phases"] .pager');
	const first = () => t.page.$eval('[aria-label="Phases"] tbody tr', row => row.textContent);
	t.match(await words(), /^1 to 200 of [\d\s]+ phases/, 'the first page');
	t.equal(await t.count('[aria-label="Phases"] tbody tr'), 200, 'and no more of them');
	await t.press('next →', '[aria-label="Phases"]');
	t.match(await words(), /^201 to 400 of/, 'the next');
	t.equal(t.param('phases_skip'), '200', 'is in the address');
	t.match(await first(), /^200/, 'and goes on where the first ended');
	await t.press('worst lateness', '[aria-label="Phases"]');
	await t.press('worst lateness', '[aria-label="Phases"]');
	t.equal([t.param('phases_order'), t.param('phases_skip')], ['-max_lateness', null],
		'by lateness, from the first page on');
	const worst = await t.page.evaluate(run => fetch(`/api/phases?run=${run}&limit=1`).then(answer => answer.json()),
		t.world.runs.long);
	t.ok((await first()).startsWith(worst.total[0].worst), 'the worst of all comes first');
	await t.back();
	await t.back();
	t.match(await words(), /^201 to 400 of/, 'back');
});
