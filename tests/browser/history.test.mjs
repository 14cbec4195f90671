// history.test.mjs - an application along its commits. SPDX-License-Identifier: PostgreSQL

import {test, testAlone} from './harness.mjs';

test('history: an application that is not there stays what is asked for', async t => {
	t.expectFailures();
	await t.open('/history?application=nowhere');
	t.equal(await t.page.$eval('select[name="application"]', one => one.value), 'nowhere', 'and is no other one');
	t.match(await t.text('main'), /no application "nowhere"/, 'it is said not to be there');
	await t.choose('application', 'sim');
	t.equal(t.param('application'), 'sim', 'another one is chosen');
});

test('history: functions, change points, runs of a point', async t => {
	const name = t.world.culprit.split('/').at(-1);
	await t.open('/history?application=sim');
	t.match(await t.text('[aria-label="What changed"] tbody'), new RegExp(`${name}[\\s\\S]*\\+`),
		'the injected change');
	t.match(await t.text('[aria-label="Regressions"] tbody'), new RegExp(`${name}`), 'the regression');
	t.ok(await t.count('.point[data-run]') > 20, 'points');
	await t.shot('history');
	await t.hover('.point[data-run]');
	t.match(await t.tip(), /change|commit/, 'a point tells its commit');
	await t.press(name, '[aria-label="Functions"]');
	t.equal(t.params('path'), [name], 'the function is in the address');
	t.ok(await t.count('.panel') >= 1, 'drawn alone');
	await t.page.$eval('.chip button', button => button.click()); // at once: the panels are drawn anew
	await t.settled();
	t.equal(t.params('path'), [], 'all functions again');
	await t.page.type('input[name="search"]', 'f3');
	await t.key('Enter');
	t.equal(await t.count('[aria-label="Functions"] tbody tr'), 1, 'search');
	await t.press('super graph of all runs');
	t.ok(await t.count('.bar') > 3, 'ensemble');
	await t.shot('history-ensemble');
});

// The sources of simulated codes are empty: what git says of lines is told for it (tests/tap/066_sources.pl asks git).
const LINES = {rows: [{line: 12, commit: 'c0ffee0123456789', author: 'A <b>U</b> Thor', time: 1700000000,
	subject: '<img src=x onerror=window.hit=9>', text: 'for (i = 0; i < n; i++) // </script><b>x</b>'}],
file: [{path: 'src/solve.c', lines: 1}]};

test('history: who and what lies between the runs of a change', async t => {
	await t.open('/history?application=sim', {answer: request => request.url().includes('/api/changed_lines')
		? (request.respond({contentType: 'application/json', body: JSON.stringify(LINES)}), true) : null});
	await t.press('who, what', '[aria-label="What changed"]');
	await t.until('commits', () => /\d+ commits|one commit/.test(document.querySelector('.between').textContent));
	t.match(await t.text('.between'), /from run \d+ to run \d+.*author.*A.*change \d+/s, 'with authors and subjects');
	t.match(await t.text('.between'), /one line of src\/solve\.c, where f7 is.*12.*for \(i = 0; i < n; i\+\+\)/s,
		'and lines');
	t.equal(await t.count('.between b, .between img'), 0, 'which are text');
	await t.shot('history-between');
	await t.press('close', '.between');
	t.ok(await t.page.$eval('.between', one => one.hidden), 'closed');
});

testAlone('history: a new load appears by itself', async t => {
	await t.open('/history?application=sim');
	await t.until('the stream is open', () => document.querySelector('.live').dataset.state === 'on');
	const before = await t.count('.panel:first-of-type .point, .point');
	await t.world.load();
	await t.until('new points', n => document.querySelectorAll('.panel:first-of-type .point, .point').length > n,
		before);
	await t.settled();
});

test('history: runs on one number of ranks do not scale, and the page says so', async t => {
	t.expectFailures();
	await t.open('/history?application=sim&view=scaling');
	t.match(await t.text('.problem'), /n_ranks = 1/, 'why');
});
