// harness.mjs - tests that drive the pages in a headless browser.
//
// test(name, async t => ...) registers one; t opens pages, points, clicks, waits. A page fails its test when it
// logs an error, violates its content policy, opens a dialog, asks for something that the server refuses
// (unless t.expectFailures) or talks to anything but the server.
// SPDX-License-Identifier: PostgreSQL

import {mkdirSync, readdirSync, readFileSync} from 'node:fs';

const tests = [];
const PATIENCE_MS = 60000; // for a page on a busy machine; only a failing test waits so long
const QUIET_MS = 60;
const AT_A_TIME = 3;

export const test = (name, body) => tests.push({name, body});

// A test that changes the warehouse. It runs after the others, with none beside it: their pages would be drawn anew
// between two steps of theirs.
export const testAlone = (name, body) => tests.push({name, body, alone: true});

export const PHONE = {width: 360, height: 740};
export const TABLET = {width: 768, height: 1024};
export const WALL = {width: 3840, height: 2160};
export const LAPTOP = {width: 1366, height: 768};
export const PROJECTOR = {width: 1920, height: 1080};

// In every page: count what is under way, answers that are read included, and say what the content policy refused.
function instrument()
{
	const real = window.fetch;
	window.pendingRequests = 0;
	const counted = async work => {
		window.pendingRequests++;
		try { return await work(); }
		finally { setTimeout(() => { window.pendingRequests--; }, 0); }
	};
	window.fetch = async (...given) => {
		const answer = await counted(() => real(...given));
		for (const form of ['arrayBuffer', 'blob', 'json', 'text'])
			answer[form] = () => counted(() => Response.prototype[form].call(answer));
		return answer;
	};
	addEventListener('securitypolicyviolation',
		event => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
}

const readOr = (file, otherwise) => {
	try { return readFileSync(file, 'utf8'); }
	catch { return otherwise; } // it has ended
};

// What the largest of a browser's processes for pages has in memory, with its share of what it has in common with
// others: MB. Several pages may be in it.
function largestPage(browserPid)
{
	const parents = new Map(readdirSync('/proc').filter(pid => /^\d+$/.test(pid)).map(pid => [Number(pid),
		Number(readOr(`/proc/${pid}/stat`, ') ? 0').replace(/^.*\) /s, '').split(' ')[1])]));
	const isBelow = pid => pid > 1 && (pid === browserPid || isBelow(parents.get(pid) ?? 0));
	return Math.max(0, ...[...parents.keys()].filter(pid => isBelow(pid)
		&& /--type=renderer|-contentproc.*\btab\b/s.test(readOr(`/proc/${pid}/cmdline`, '').replaceAll('\0', ' ')))
		.map(pid => Number(/^Pss:\s+(\d+)/m.exec(readOr(`/proc/${pid}/smaps_rollup`, ''))?.[1] ?? 0) / 1024));
}

// Firefox sometimes discards the first frame of a new tab before it says that the tab is there: another one is made.
async function newPage(context)
{
	try { return await context.newPage(); }
	catch (error)
	{
		if (!/no such frame/.test(error.message))
			throw error;
		return context.newPage();
	}
}

class Tester
{
	constructor(context, world)
	{
		Object.assign(this, {context, world, faults: [], checks: 0, failuresExpected: false});
	}

	expectFailures() { this.failuresExpected = true; }

	ok(condition, what)
	{
		this.checks++;
		if (!condition)
			throw new Error(what);
	}

	equal(found, expected, what)
	{
		this.ok(JSON.stringify(found) === JSON.stringify(expected),
			`${what}: found ${JSON.stringify(found)}, expected ${JSON.stringify(expected)}`);
	}

	match(text, pattern, what)
	{
		this.ok(pattern.test(text), `${what}: ${JSON.stringify(String(text).slice(0, 300))} does not match ${pattern}`);
	}

	// path: of the server, or the address of a file; answer(request): instead of the server, null: let it.
	async open(path, {size = LAPTOP, dark = false, answer = null} = {})
	{
		this.page = await newPage(this.context);
		this.page.setDefaultTimeout(PATIENCE_MS);
		await this.page.setViewport(size);
		if (this.world.canEmulate)
			await this.page.emulateMediaFeatures([{name: 'prefers-color-scheme', value: dark ? 'dark' : 'light'}]);
		this.#watch(this.page);
		if (answer !== null)
		{
			await this.page.setRequestInterception(true);
			this.page.on('request', request => answer(request) ?? request.continue());
		}
		await this.page.evaluateOnNewDocument(instrument);
		await this.go(path);
		return this.page;
	}

	async go(path)
	{
		this.base = path.startsWith('file:') ? path.slice(0, path.lastIndexOf('/')) : this.world.url;
		await this.page.goto(path.startsWith('file:') ? path : this.world.url + path, {waitUntil: 'load'});
		await this.settled();
	}

	#watch(page)
	{
		const fault = text => this.faults.push(text);
		page.on('pageerror', error => fault(`script: ${error.message}`));
		page.on('dialog', dialog => { fault(`dialog: ${dialog.message()}`); dialog.dismiss(); });
		page.on('console', message => {
			const refused = /Failed to load resource/.test(message.text());
			if (message.type() === 'error' && !(refused && this.failuresExpected))
				fault(`console: ${message.text()} ${refused ? message.location().url : ''}`);
		});
		page.on('request', request => {
			if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(this.base ?? this.world.url))
				fault(`asks elsewhere: ${request.url()}`);
		});
	}

	// No request under way, no picture being drawn and nothing on its way to its place, for a moment: a click goes to
	// where an element was when it was looked for.
	async settled()
	{
		await this.page.waitForFunction(quiet => {
			const busy = window.pendingRequests > 0 || document.querySelector('.waiting')
				|| document.querySelector('main')?.children.length === 0
				|| document.getAnimations().some(({playState}) => playState === 'running');
			const now = performance.now();
			if (busy)
				window.quietSince = null;
			else
				window.quietSince ??= now;
			return !busy && now - window.quietSince >= quiet;
		}, {timeout: PATIENCE_MS, polling: 20}, QUIET_MS);
		await this.page.evaluate(() => { window.quietSince = null; });
	}

	async until(what, condition, ...given)
	{
		try { await this.page.waitForFunction(condition, {timeout: PATIENCE_MS, polling: 30}, ...given); }
		catch { throw new Error(`never: ${what}`); }
		this.checks++;
	}

	text(selector) { return this.page.$$eval(selector, found => found.map(element => element.textContent).join('\n')); }

	count(selector) { return this.page.$$eval(selector, found => found.length); }

	param(name) { return new URL(this.page.url()).searchParams.get(name); }

	params(name) { return new URL(this.page.url()).searchParams.getAll(name); }

	// The middle of an element that is scrolled into view, on the screen.
	place(selector, {across = 0.5, down = 0.5} = {})
	{
		return this.page.$eval(selector, (element, x, y) => {
			const shape = element instanceof SVGElement && element.localName === 'g'
				? element.querySelector('rect, circle, path') ?? element : element;
			shape.scrollIntoView({block: 'center', inline: 'center'});
			const box = shape.getBoundingClientRect();
			return {x: box.left + box.width * x, y: box.top + box.height * y};
		}, across, down);
	}

	async hover(selector, where)
	{
		const {x, y} = await this.place(selector, where);
		await this.page.mouse.move(x - 3, y);
		await this.page.mouse.move(x, y);
	}

	async click(selector, where)
	{
		const {x, y} = await this.place(selector, where);
		await this.page.mouse.click(x, y);
		await this.settled();
	}

	// Presses a button, link or tab by the text on it.
	async press(text, within = 'body')
	{
		const middle = await this.page.evaluate((wanted, scope) => {
			const element = [...document.querySelectorAll(`:is(${scope}) :is(button, a)`)]
				.find(one => one.textContent.trim() === wanted);
			element?.scrollIntoView({block: 'center'});
			const box = element?.getBoundingClientRect();
			return box && {x: box.left + box.width / 2, y: box.top + box.height / 2};
		}, text, within);
		this.ok(middle !== undefined, `a button "${text}" in ${within}`);
		await this.page.mouse.click(middle.x, middle.y);
		await this.settled();
	}

	async drag(from, to, {steps = 6, shift = false} = {})
	{
		if (shift)
			await this.page.keyboard.down('Shift');
		await this.page.mouse.move(from.x, from.y);
		await this.page.mouse.down();
		await this.page.mouse.move(to.x, to.y, {steps});
		await this.page.mouse.up();
		if (shift)
			await this.page.keyboard.up('Shift');
		await this.settled();
	}

	async key(...names)
	{
		for (const name of names)
			await this.page.keyboard.press(name);
		await this.settled();
	}

	focus(selector) { return this.page.$eval(selector, element => element.focus()); }

	// Sets a control: a list, a box to tick or a field.
	async choose(name, value)
	{
		await this.page.$eval(`:is(select, input)[name="${name}"]`, (control, text) => {
			if (control.type === 'checkbox')
				control.checked = text === 'true';
			else
				control.value = text;
			control.dispatchEvent(new Event('change', {bubbles: true}));
		}, value);
		await this.settled();
	}

	async tip()
	{
		await this.until('a tooltip', () => !document.getElementById('tooltip').hidden);
		return this.text('#tooltip');
	}

	// The tooltip at a place, or at most reach pixels to the right of it: what is there may be drawn a frame later.
	async tipAt(x, y, reach = 1)
	{
		const end = Date.now() + PATIENCE_MS;
		for (let i = 0; Date.now() < end; i++)
		{
			await this.page.mouse.move(x + i % (reach + 1), y);
			await this.page.evaluate(() =>
				new Promise(resolve => { requestAnimationFrame(() => setTimeout(resolve)); }));
			if (await this.page.$eval('#tooltip', one => !one.hidden))
				return this.text('#tooltip');
		}
		throw new Error(`never: a tooltip at ${x}, ${y}`);
	}

	// MB; an upper bound, since pages of other tests may be larger.
	memory() { return largestPage(this.page.browser().process().pid); }

	async back() { await this.page.goBack(); await this.settled(); }

	async shot(name, fullPage = true)
	{
		mkdirSync(this.world.screenshots, {recursive: true});
		await this.page.evaluate(async whole => {
			if (whole)
				scrollTo(0, 0);
			await Promise.allSettled(document.getAnimations().map(animation => animation.finished));
		}, fullPage);
		await this.page.screenshot({path: `${this.world.screenshots}/${name}.png`, fullPage});
	}
}

async function runOne({name, body}, browser, world)
{
	const context = await browser.createBrowserContext();
	const t = new Tester(context, world);
	const start = Date.now();
	let problem = null;
	try { await body(t); }
	catch (error) { problem = error.message; }
	if (problem !== null && t.page)
		await t.shot(`failed-${name.replace(/[^a-z0-9]+/gi, '-')}`, false).catch(() => {});
	const bad = [...problem === null ? [] : [problem], ...t.faults];
	console.log([`${bad.length === 0 ? 'ok' : 'not ok'} - ${name} (${t.checks} checks, ${Date.now() - start} ms)`,
		...bad.map(text => `#   ${text}`)].join('\n'));
	await context.close();
	return bad.length === 0;
}

// Runs every test whose name matches, some at a time, those that change the warehouse at the end and one by one;
// answers how many passed and failed.
export async function runAll(browser, world, pattern)
{
	const chosen = tests.filter(one => pattern.test(one.name));
	const result = {passed: 0, failed: 0};
	const runThose = (waiting, atATime) => Promise.all(Array.from({length: atATime}, async () => {
		for (let one = waiting.shift(); one !== undefined; one = waiting.shift())
			result[await runOne(one, browser, world) ? 'passed' : 'failed']++;
	}));
	await runThose(chosen.filter(one => !one.alone), AT_A_TIME);
	await runThose(chosen.filter(one => one.alone), 1);
	return result;
}
