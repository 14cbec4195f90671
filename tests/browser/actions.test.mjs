// actions.test.mjs - what users do in a session with traces and profiles, one after the other, in every browser: what
// is
// shown then, how many requests it took, how long. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

const MOST_MEMORY = 300; // MB of a page, what its browser keeps for it included
const PATIENT_MS = 40000; // of one action, on a busy machine

class Session
{
	constructor(t)
	{
		Object.assign(this, {t, n: 0, asked: 0, said: []});
	}

	watch()
	{
		this.t.page.on('request', request => { this.asked += /\/(api|view)\//.test(request.url()) ? 1 : 0; });
	}

	// Does it, waits until the page says so, and judges what it took.
	async act(name, most, perform, what, condition, ...given)
	{
		const [asked, start] = [this.asked, performance.now()];
		await perform();
		await this.t.until(`${name}: ${what}`, condition, ...given);
		const took = performance.now() - start;
		this.n++;
		this.said.push(`${name} ${this.asked - asked} requests ${took.toFixed(0)} ms`);
		this.t.ok(this.asked - asked <= most, `${name} takes ${this.asked - asked} requests, ${most} at most`);
		this.t.ok(took < PATIENT_MS, `${name} takes ${took} ms`);
	}

	// Until nothing has been asked for a while: what an action before asks late is not the next one's.
	async quiet()
	{
		for (let before = -1; before !== this.asked;)
		{
			before = this.asked;
			await this.t.until('the window is in the address', () =>
				(document.querySelector('canvas')?.dataset.saved ?? 'true') === 'true');
			await this.t.settled();
		}
	}
}

const isSharp = () => document.querySelector('canvas').dataset.ready === 'true';
const hasParam = name => new URL(location).searchParams.has(name);
const canvasBox = t => t.page.$eval('canvas', one => one.getBoundingClientRect().toJSON());

async function chord(t, text)
{
	await t.page.keyboard.down('Control');
	await t.page.keyboard.press('k');
	await t.page.keyboard.up('Control');
	await t.until('the palette', () => document.querySelector('dialog.palette').open);
	await t.page.keyboard.type(text);
	await t.page.keyboard.press('Enter');
}

const pressIn = (t, selector, pattern) => t.page.$$eval(selector, (found, text) =>
	found.find(one => new RegExp(text).test(one.textContent)).click(), pattern);

async function move(s)
{
	const {t} = s;
	const box = await canvasBox(t);
	await s.act('zoom ×10', 60, async () => {
		await t.page.mouse.move(box.left + 800, box.top + 120);
		for (let i = 0; i < 10; i++)
			await t.page.mouse.wheel({deltaY: -100});
	}, 'a part', () => Number(new URL(location).searchParams.get('to'))
		- Number(new URL(location).searchParams.get('from')) < 8e7);
	const from = t.param('from');
	await s.act('pan', 60, () => t.drag({x: box.left + 700, y: box.top + 300}, {x: box.left + 500, y: box.top + 300}),
		'another part', before => new URL(location).searchParams.get('from') !== before, from);
	await s.act('sharp', 60, async () => {}, 'all of it', isSharp);
	await s.act('expand a stack', 20, () => t.page.mouse.click(box.left + 40, box.top + 70), 'an open lane',
		() => new URL(location).searchParams.get('open') === '0');
}

async function chooseCalls(s)
{
	const {t} = s;
	await t.go(`/viewer/${t.world.runs.trace}?from=600000000&to=640000000&sel=3@610000000`);
	await s.act('select a call', 20, async () => {}, 'its wait', () =>
		/caused by rank \d/.test(document.querySelector('.waits')?.textContent));
	await s.act('origin of a wait', 20, () => pressIn(t, '.waits button', 'caused by'), 'elsewhere',
		() => new URL(location).searchParams.get('sel') !== '3@610000000');
	await s.act('back', 20, () => t.back(), 'where it was',
		() => new URL(location).searchParams.get('sel') === '3@610000000');
	await t.until('its wait again', () => /caused by/.test(document.querySelector('.waits')?.textContent));
	await s.act('jump to whom it waited for', 20, () => pressIn(t, '.waits button', 'for rank'), 'elsewhere',
		() => new URL(location).searchParams.get('sel') !== '3@610000000');
	await s.act('to the caller', 20, () => pressIn(t, '.side button', 'to its caller'), 'main',
		() => document.querySelector('.side h2').textContent === 'main');
	await s.quiet();
	await s.act('mark', 2, () => t.page.keyboard.press('m'), 'a mark', hasParam, 'mark');
}

async function searchAndMeasure(s)
{
	const {t} = s;
	await t.go(`/viewer/${t.world.runs.wide}`);
	await t.until('a sharp picture', isSharp);
	await s.act('search with 10,000 hits', 4, async () => {
		await t.page.keyboard.press('/');
		await t.page.keyboard.type('MPI_Isend');
		await t.page.keyboard.press('Enter');
	}, 'their number', () => /10 000 or more calls/.test(document.querySelector('.bar').textContent));
	await s.act('next hit', 40, () => t.page.keyboard.press('n'), 'a call',
		() => document.querySelector('.side h2').textContent === 'MPI_Isend');
	await t.key('Escape');
	const box = await canvasBox(t);
	await s.act('measure', 6, () => t.drag({x: box.left + 300, y: box.top + 100}, {x: box.left + 500, y: box.top + 300},
		{shift: true}), 'its profile', () => document.querySelectorAll('.profile tbody tr').length > 2);
	await s.act('sort its statistics', 0, () => t.page.$$eval('.profile th button', found => found[0].click()),
		'by name',
		() => document.querySelector('.profile th[aria-sort="ascending"]') !== null);
	await s.act('its super graph', 2, () => pressIn(t, '.side button', '^super graph$'), 'a picture',
		() => document.querySelector('.window-graph img')?.naturalWidth > 400);
	await t.page.$$eval('.window-graph button', found => found[0].click());
}

async function turn(s)
{
	const {t} = s;
	await t.go(`/viewer/${t.world.runs.trace}`);
	await t.until('a sharp picture', isSharp);
	await s.act('to logical steps', 4, () => t.page.keyboard.press('l'), 'columns',
		() => Number(document.querySelector('canvas').dataset.columns) > 50);
	await s.act('two runs', 8, () => chord(t, `${t.world.runs.trace} below`), 'both', () =>
		new URL(location).searchParams.has('vs') && Number(document.querySelector('canvas').dataset.columns) > 50);
	await s.quiet();
	await s.act('one run, by a command', 4, () => chord(t, 'this run alone'), 'one', () =>
		!new URL(location).searchParams.has('vs'));
	await s.quiet();
	await s.act('back to the clock', 8, () => t.page.keyboard.press('l'), 'times', () =>
		!new URL(location).searchParams.has('axis'));
	await s.act('colour by blame', 20, () => chord(t, 'colour by blame'), 'sharp', () =>
		new URL(location).searchParams.get('color') === 'blame'
		&& document.querySelector('canvas').dataset.ready === 'true');
}

// The content that a click saves.
const saved = (t, selector, pattern) => t.page.$$eval(selector, async (found, text) => {
	const real = URL.createObjectURL;
	const kept = new Promise(resolve => {
		URL.createObjectURL = blob => { resolve(blob); return real.call(URL, blob); };
	});
	found.find(one => new RegExp(text).test(one.textContent)).click();
	const blob = await kept;
	URL.createObjectURL = real;
	window.savedBytes = blob.size;
}, pattern);

async function workspace(s)
{
	const {t} = s;
	await s.act('save the picture', 0, () => saved(t, '.bar button', '^PNG$'), 'bytes', () => window.savedBytes > 3000);
	await t.go(`/profile/${t.world.runs.fem}`);
	await s.act('callers and callees', 4, () => chord(t, 'cg_solve'), 'both',
		() => /callers.*step.*callees.*spmv/s.test(document.querySelector('.details').textContent));
	await s.act('sort a table', 0, () => t.page.$$eval('.vtable .heads button', heads => heads[1].click()), 'inclusive',
		() => /^main/.test(document.querySelector('.vtable .row').textContent));
	await s.act('save the table', 0, () => saved(t, '.pane button', '^CSV$'), 'bytes', () => window.savedBytes > 200);
	await t.until('ranks', () => document.querySelector('.rank-grid canvas') !== null);
	const box = await t.page.$eval('.rank-grid canvas', one => one.getBoundingClientRect().toJSON());
	await s.act('brush ranks', 6, () => t.drag({x: box.left + 3, y: box.top + 3}, {x: box.left + box.width / 2,
		y: box.top + 3}), 'their profile', () => /ranks 0-[\d,-]+ ✕/.test(document.querySelector('.bar').textContent));
}

async function graph(s)
{
	const {t} = s;
	await t.go(`/run/${t.world.runs.fem}?node=libsolver.so`);
	await s.act('split', 12, () => t.key('s'), 'a step', () =>
		new URL(location).searchParams.getAll('step').length === 1);
	await s.act('undo', 12, () => t.key('u'), 'none', () => new URL(location).searchParams.getAll('step').length === 0);
	await t.go(`/run/${t.world.runs.fem}?node=libsolver.so`);
	await s.act('drill down', 12, () => t.key('d'), 'functions', () =>
		/spmv/.test(document.querySelector('svg').textContent));
}

test('actions: a session, each with what it shows, asks and takes', async t => {
	const s = new Session(t);
	await t.open(`/viewer/${t.world.runs.trace}`);
	s.watch();
	await s.act('open', 20, async () => {}, 'a sharp picture', isSharp);
	for (const part of [move, chooseCalls, searchAndMeasure, turn, workspace, graph])
		await part(s);
	console.log(`# actions: ${s.said.join('; ')}`);
	t.ok(s.n >= 25, `${s.n} actions`);
	const memory = t.memory();
	console.log(`# actions: the largest page has ${memory.toFixed(0)} MB`);
	t.ok(memory > 10 && memory < MOST_MEMORY, `pages have ${memory} MB, ${MOST_MEMORY} at most`);
});
