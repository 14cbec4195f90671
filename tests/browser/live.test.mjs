// live.test.mjs - what pages do with events, and with answers that come late. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

const PATIENCE_MS = 60000;

// Of what the test itself sees.
async function soon(what, holds)
{
	const end = Date.now() + PATIENCE_MS;
	while (!holds())
	{
		if (Date.now() > end)
			throw new Error(`never: ${what}`);
		await new Promise(resolve => { setTimeout(resolve, 30); });
	}
}

// An answer to /api/events, once, and the number of questions for another address.
function told(events, asked)
{
	const counted = {n: 0, answer: request => {
		const {pathname} = new URL(request.url());
		if (pathname === asked)
			counted.n++;
		return pathname !== '/api/events' ? null : (request.respond({contentType: 'text/event-stream',
			body: `retry: 3600000\n\n${events}`}), true);
	}};
	return counted;
}

const load = 'event: run\ndata: {"run_id": 1, "application": "sim", "state": "ready"}\n\n';

for (const [page, asked] of [['/history?application=sim', '/api/changes'], ['/?application=sim', '/api/runs']])
{
	test(`live: many loads at once are few redraws of ${page}`, async t => {
		const seen = told(load.repeat(60), asked);
		await t.open(page, {answer: seen.answer});
		await soon('the first redraw and one for all others', () => seen.n >= 3);
		await t.settled();
		// the page, the first load, the others; one more where the events came in two portions
		t.ok(seen.n <= 5, `${seen.n} times asked`);
	});

	test(`live: after a reset ${page} is drawn anew`, async t => {
		const seen = told('event: reset\ndata: {}\n\n', asked);
		await t.open(page, {answer: seen.answer});
		await soon('asked again', () => seen.n >= 2);
		await t.settled();
		t.equal(seen.n, 2, 'once');
	});
}

test('live: a run whose tags change is not marked as new', async t => {
	const seen = told(load.replace('ready', 'changed'), '/api/runs');
	await t.open('/', {answer: seen.answer});
	await soon('asked again', () => seen.n >= 2);
	await t.settled();
	t.equal(await t.count('tr.new'), 0, 'none');
});

// Of each page: an address, what it asks, how another answer is asked for, and what has to stand there after going
// back.
const set = (name, value) => t => t.page.$eval(`:is(input, select)[name="${name}"]`, (control, text) => {
	control.value = text;
	control.dispatchEvent(new Event('change', {bubbles: true}));
}, value);
const swap = t => t.page.$$eval('button', all => all.find(one => one.textContent === '⇄ swap').click());
const LATE = [
	['compare', world => `/compare?a=${world.runs.before}&b=${world.runs.fem}`, '/api/diff', swap, swap,
		'[aria-label="What changed most"] tbody', /spmv.*\+40 %/s],
	['history', () => '/history?application=sim', '/api/functions', set('search', 'f3'), set('search', ''),
		'[aria-label="Functions"] tbody', /f4/],
	['ensemble', () => '/ensemble?application=sim', '/api/ensemble', set('application', 'fem'),
		set('application', 'sim'), '.panes', /f4/],
];

for (const [name, path, asked, there, back, place, right] of LATE)
	test(`live: ${name}: an answer that comes late overwrites no newer one`, async t => {
		let holds = false;
		let held = null;
		let n = 0;
		await t.open(path(t.world), {answer: request => {
			if (new URL(request.url()).pathname !== asked)
				return null;
			n++;
			if (!holds)
				return null;
			held = request;
			return true;
		}});
		t.match(await t.text(place), right, 'before');
		holds = true;
		await there(t);
		await soon('the question that is answered late', () => held !== null);
		holds = false;
		const before = n;
		const newer = t.page.waitForResponse(response => new URL(response.url()).pathname === asked
			&& response.request() !== held);
		await back(t);
		await newer;
		t.equal(n, before + 1, 'asked again');
		await held.continue().catch(() => {}); // the page may have given it up
		await t.settled();
		t.match(await t.text(place), right, 'what was asked for last');
	});
