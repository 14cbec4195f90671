// runs.test.mjs - the list of runs. SPDX-License-Identifier: PostgreSQL

import {test, testAlone} from './harness.mjs';

test('runs: search, sort, filter are the address; back and reload', async t => {
	await t.open('/');
	t.match(await t.text('.pager'), /\d+ runs/, 'how many');
	await t.page.type('input[name="search"]', 'fem 32');
	await t.until('search is in the address', () => new URL(location).searchParams.get('search') === 'fem 32');
	await t.settled();
	t.equal(await t.count('tbody tr'), 2, 'two runs are found');
	await t.press('run', 'thead');
	t.equal(t.param('order'), 'run_id', 'order is in the address');
	t.match(await t.text('tbody'), /before[\s\S]*after/, 'the older first');
	await t.page.reload();
	await t.settled();
	t.match(await t.text('tbody'), /before[\s\S]*after/, 'reload gives the same');
	await t.back();
	t.match(await t.text('tbody'), /after[\s\S]*before/, 'back gives the order before');
	await t.go('/?filter=n_ranks%20%3D%2032');
	t.equal(await t.count('tbody tr'), 2, 'the filter of the address');
	await t.shot('runs');
});

test('runs: page by page, forwards and back', async t => {
	const listed = () => t.page.$$eval('tbody tr td:nth-child(2)',
		cells => cells.map(cell => Number(cell.textContent)));
	await t.open('/?application=sim&order=run_id');
	const whole = await listed();
	t.ok(whole.length > 6, 'several pages of three');
	await t.go('/?application=sim&order=run_id&limit=3');
	t.ok(await t.page.$eval('.pager button', button => button.disabled), 'nothing in front of the first page');
	await t.press('next →');
	await t.press('next →');
	t.equal(await listed(), whole.slice(6, 9), 'the third page');
	await t.press('← previous');
	t.equal(await listed(), whole.slice(3, 6), 'the second again');
	await t.page.reload();
	await t.settled();
	t.equal(await listed(), whole.slice(3, 6), 'its address shows it again');
	await t.press('ranks', 'thead');
	t.equal([t.param('after'), t.param('before')], [null, null], 'another order begins at the start');
	await t.go(`/?application=sim&order=run_id&limit=3&after=${whole.at(-2)}`);
	t.equal(await listed(), whole.slice(-1), 'the last page');
	t.ok(await t.page.$eval('.pager button:last-child', button => button.disabled), 'nothing follows it');
});

test('runs: a filter that makes no sense says so', async t => {
	t.expectFailures();
	await t.open('/?filter=n_ranks%20%3D%3D%3D');
	t.ok(await t.count('.problem') === 1, 'a problem is shown');
	await t.shot('runs-problem');
	await t.go('/?search=nothing-of-this-name');
	t.match(await t.text('.empty'), /no run fits/, 'an empty list says why');
});

const NOTHING = {'api/runs': {rows: [], total: [{runs: 0, more: false}], pages: [{newer: null, older: null}]},
	'api/applications': {rows: []}, 'api/ensemble': {rows: [], total: [{runs: 0, with_metric: 0}]}};

test('runs: pages of a warehouse without runs say what to do, and show no empty cards', async t => {
	await t.open('/', {answer: request => {
		const found = Object.entries(NOTHING).find(([name]) => new URL(request.url()).pathname === `/${name}`);
		return found === undefined ? null : request.respond({contentType: 'application/json',
			body: JSON.stringify(found[1])});
	}});
	for (const path of ['/', '/ensemble', '/history'])
	{
		await t.go(path);
		t.match(await t.text('.empty'), /perfhouse load/, `${path} names the command`);
		t.equal(await t.page.$$eval('.card > .body', all => all.filter(one =>
			one.offsetParent !== null && one.textContent.trim() === '').length), 0,
			`${path} has no card without content`);
	}
	await t.go('/compare');
	t.ok(!/What changed most/.test(await t.page.evaluate(() => document.body.innerText)), 'nor has /compare');
});

test('runs: the header says where a page belongs', async t => {
	await t.open('/');
	for (const [path, section] of [['/', 'Runs'], [`/run/${t.world.runs.fem}`, 'Runs'],
		[`/viewer/${t.world.runs.trace}`, 'Runs'], ['/compare', 'Compare'], ['/q/hot', 'Queries']])
	{
		await t.go(path);
		t.equal(await t.text('header.top nav a[aria-current]'), section, path);
	}
});

test('runs: numbers of a column have the same digits', async t => {
	await t.open('/?application=sim');
	const told = await t.page.$$eval('tbody td:nth-child(7)', all => all.map(one => one.textContent));
	t.ok(told.length > 10 && told.every(one => /^\d\d\.\d$/.test(one)), told.join(' '));
	t.equal(await t.page.evaluate(async () => {
		const {quantity} = await import('/static/format.js');
		return [quantity(1.2, 's'), quantity(12, 'bytes'), quantity(999.7, 'ns'), quantity(12345.6), quantity(16384)];
	}), ['1.20 s', '12 bytes', '1.00 µs', '12300', '16384'], 'whole numbers stay, no powers of ten');
	t.equal(await t.page.evaluate(async () => {
		const {alike} = await import('/static/format.js');
		return [['9 s', '9.10 s', '-9.25 s'], ['0', '20'], ['900 ms', '1.10 s']].map(alike);
	}), [['9.00 s', '9.10 s', '-9.25 s'], ['0', '20'], ['900 ms', '1.10 s']], 'numbers of an axis have digits alike');
});

test('runs: two chosen ones are compared', async t => {
	await t.open('/?search=fem%2032');
	const boxes = await t.page.$$('tbody input[type="checkbox"]');
	await boxes[0].click();
	await boxes[1].click();
	await Promise.all([t.page.waitForNavigation(), t.page.click('button.primary')]);
	await t.settled();
	t.equal([t.param('a'), t.param('b')], ['2', '1'], 'the chosen runs');
});

testAlone('runs: a new load appears by itself', async t => {
	await t.open('/?application=sim');
	await t.until('the stream is open', () => document.querySelector('.live').dataset.state === 'on');
	const before = await t.count('tbody tr');
	await t.world.load();
	await t.until('new rows', n => document.querySelectorAll('tbody tr').length > n, before);
	await t.until('they are marked', () => document.querySelectorAll('tr.new').length > 0);
	await t.settled();
});
