// viewer.test.mjs - the trace viewer: what users do, what is drawn, and what that costs. SPDX-License-Identifier:
// PostgreSQL

import {PROJECTOR, test} from './harness.mjs';

const [RANKS, SLOW_RANK] = [2048, 1711]; // of the run `wide` (warehouse.pl)

const ready = t => t.until('all that is shown is sharp', () =>
	document.querySelector('canvas').dataset.ready === 'true');

async function open(t, rest = '', size = undefined, run = t.world.runs.trace)
{
	await t.open(`/viewer/${run}${rest}`, size === undefined ? {} : {size});
	await ready(t);
}

// The colours of a part of the canvas, in units of the page: {'r,g,b': pixels}.
const colors = (t, x, y, width, height) => t.page.$eval('canvas', (canvas, ...box) => {
	const scale = canvas.width / canvas.clientWidth;
	const {data} = canvas.getContext('2d').getImageData(...box.map(one => Math.round(one * scale)));
	const found = {};
	for (let i = 0; i < data.length; i += 4)
	{
		const color = `${data[i]},${data[i + 1]},${data[i + 2]}`;
		found[color] = (found[color] ?? 0) + 1;
	}
	return found;
}, x, y, width, height);

const rgb = hex => [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16)).join(',');

test('viewer: zoom and move by wheel, keys and dragging, in the address', async t => {
	await open(t);
	const canvas = await t.page.$eval('canvas', one => one.getBoundingClientRect().toJSON());
	await t.page.mouse.move(canvas.left + 850, canvas.top + 200);
	for (let i = 0; i < 6; i++)
		await t.page.mouse.wheel({deltaY: -240});
	await t.until('the window is in the address', () => new URL(location).searchParams.has('from'));
	await ready(t);
	const window = () => [Number(t.param('from')), Number(t.param('to'))];
	const [from, to] = window();
	t.ok(to - from < 743657206 / 30 && from > 5e8, `closer where the pointer is: ${from} to ${to}`);
	await t.drag({x: canvas.left + 600, y: canvas.top + 200}, {x: canvas.left + 500, y: canvas.top + 200});
	await t.until('moved', before => Number(new URL(location).searchParams.get('from')) > before, from);
	const [moved] = window();
	await t.key('a');
	await t.until('back', before => Number(new URL(location).searchParams.get('from')) < before, moved);
	await ready(t);
	await t.shot('viewer-zoomed', false);
	await t.page.reload();
	await ready(t);
	t.ok(t.param('from') !== null, 'a link shows the same');
	await t.key('0');
	await t.until('all of it', () => !new URL(location).searchParams.has('from'));
});

test('viewer: a call, its messages, waits and what caused them', async t => {
	await open(t, '?from=600000000&to=640000000&sel=3@610000000');
	await t.until('the call', () => document.querySelector('.side h2')?.textContent === 'MPI_Barrier');
	t.match(await t.text('.side .facts'), /duration10\.64\d\d ms.*depth1/s, 'how long it took');
	t.match(await t.text('.side .path'), /main.*MPI_Barrier/s, 'its path');
	await t.until('its wait', () =>
		/barrier.*for rank \d.*caused by rank \d/s.test(document.querySelector('.waits').textContent));
	await t.shot('viewer-call', false);
	await t.press('to its caller', '.side');
	await t.until('the caller', () => document.querySelector('.side h2')?.textContent === 'main');
	await t.back();
	await t.until('the call again', () => document.querySelector('.side h2')?.textContent === 'MPI_Barrier');
});

test('viewer: times and lanes by dragging, with what happened there', async t => {
	await open(t, '?from=600000000&to=680000000');
	const canvas = await t.page.$eval('canvas', one => one.getBoundingClientRect().toJSON());
	await t.drag({x: canvas.left + 300, y: canvas.top + 70}, {x: canvas.left + 600, y: canvas.top + 120},
		{shift: true});
	t.match(t.param('region') ?? '', /^\d+-\d+@0-2$/, 'times and lanes are in the address');
	await t.until('its profile', () => document.querySelector('.profile tr') !== null);
	await t.until('its efficiency', () => /parallel/.test(document.querySelector('.efficiency')?.textContent));
	await t.until('its waits', () => document.querySelector('.kinds tr') !== null);
	await t.shot('viewer-region', false);
});

test('viewer: call stacks, search and marks', async t => {
	await open(t, '?from=612000000&to=640000000');
	const canvas = await t.page.$eval('canvas', one => one.getBoundingClientRect().toJSON());
	await t.page.mouse.click(canvas.left + 40, canvas.top + 70);
	await t.until('an open lane', () => new URL(location).searchParams.get('open') === '0');
	await ready(t);
	await t.page.keyboard.press('/');
	await t.page.keyboard.type('MPI_Waitall');
	await t.page.keyboard.press('Enter');
	await t.until('how often', () => /\d+ calls in the window/.test(document.querySelector('.bar').textContent));
	t.equal(t.param('q'), 'MPI_Waitall', 'the search is in the address');
	await t.key('n');
	await t.until('the first call', () => document.querySelector('.side h2')?.textContent === 'MPI_Waitall');
	const first = t.param('sel');
	await t.key('n');
	await t.until('the next one', before => new URL(location).searchParams.get('sel') !== before, first);
	await t.key('m');
	t.match(t.params('mark')[0], /^\d+:1$/, 'a mark');
	await t.shot('viewer-search', false);
});

test('viewer: colours are those of the pictures', async t => {
	await open(t, '?messages=no');
	const legend = await t.page.evaluate(run => fetch(`/view/timeline.svg?run=${run}`).then(answer => answer.text()),
		t.world.runs.trace);
	const [, hex] = /fill="(#[0-9a-f]{6})"[^>]*\/?>[^#]*?MPI_Init\b/.exec(legend) ?? [];
	const shown = await t.page.$$eval('.legend > span', found => Object.fromEntries(found.map(one =>
		[one.textContent.trim(), one.firstChild.dataset.color])));
	t.match(shown.MPI_Init, /^rgb/, 'MPI_Init has a colour');
	const drawn = await colors(t, 400, 60, 300, 200);
	const own = shown.MPI_Init.match(/\d+/g).join(',');
	t.ok(drawn[own] > 10000, `and is drawn in it: ${own} of ${JSON.stringify(drawn).slice(0, 200)}`);
	t.ok(hex === undefined || legend.includes(`#${own.split(',').map(part => Number(part).toString(16).padStart(2, '0')).join('')}`),
		`which the picture has, too: ${own}, ${rgb(hex ?? '#000000')}`);
});

test('viewer: by night, in the colours of shares, back by the button', async t => {
	await t.open(`/viewer/${t.world.runs.trace}?color=waiting&from=600000000&to=680000000&messages=no`, {dark: true});
	await ready(t);
	const night = Object.keys(await colors(t, 200, 60, 300, 200));
	t.ok(night.includes('44,42,40') && !night.includes('255,245,220'), `dark grounds: ${night.slice(0, 5)}`);
	await t.shot('viewer-dark', false);
	await t.click('button[aria-label="light or dark"]');
	await t.until('light ones', () => document.documentElement.dataset.theme === 'light');
	await ready(t);
	const day = Object.keys(await colors(t, 200, 60, 300, 200));
	t.ok(day.includes('255,245,220') && !day.includes('44,42,40'), `light grounds: ${day.slice(0, 5)}`);
});

for (const size of [{width: 1280, height: 800}, PROJECTOR])
	test(`viewer: one slow rank among many is seen at ${size.width}`, async t => {
		await open(t, '', size, t.world.runs.wide);
		const before = await colors(t, 0, 0, 1, 1);
		t.ok(Object.keys(before).length === 1, 'the canvas can be read');
		const {most, rows} = await t.page.$eval('canvas', canvas => {
			const {width, height} = canvas;
			const {data} = canvas.getContext('2d').getImageData(130, 60, width - 140, height - 60);
			const across = width - 140;
			const unlike = [];
			const tally = new Map();
			for (let y = 0; y < height - 60; y++)
			{
				const row = new Map();
				for (let x = 0; x < across; x++)
				{
					const color = data[4 * (y * across + x)] << 16 | data[4 * (y * across + x)
						+ 1] << 8 | data[4 * (y * across + x) + 2];
					row.set(color, (row.get(color) ?? 0) + 1);
				}
				const [color, n] = [...row].reduce((a, b) => b[1] > a[1] ? b : a);
				tally.set(color, (tally.get(color) ?? 0) + 1);
				unlike.push([color, n]);
			}
			const [common] = [...tally].reduce((a, b) => b[1] > a[1] ? b : a);
			return {most: common, rows: unlike.map(([color], y) => color === common ? -1 : y).filter(y => y >= 0)};
		});
		t.ok(rows.length >= 1 && rows.length < 60, `lines that differ from ${most}: ${rows.length}`);
		const room = await t.page.$eval('canvas', canvas => canvas.height - 60);
		const place = SLOW_RANK / RANKS * room;
		t.ok(rows.some(y => Math.abs(y - place) <= 4), `one is rank ${SLOW_RANK}'s, at ${Math.round(place)}: ${rows.join(' ')}`);
		await t.shot(`viewer-wide-${size.width}`, false);
	});

test('viewer: frames cost little, and zooming asks for little', async t => {
	await open(t, '', undefined, t.world.runs.wide);
	const asked = [];
	t.page.on('request', request => /api\/raster/.test(request.url()) && asked.push(request.url()));
	const costs = await t.page.$eval('canvas', async canvas => {
		const real = window.requestAnimationFrame;
		const found = [];
		window.requestAnimationFrame = call => real(now => {
			const start = performance.now();
			call(now);
			found.push(performance.now() - start);
		});
		const box = canvas.getBoundingClientRect();
		for (let i = 0; i < 60; i++)
		{
			canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: i < 30 ? -60 : 60, clientX: box.left + 500,
				clientY: box.top + 300, bubbles: true, cancelable: true}));
			await new Promise(resolve => { real(resolve); });
		}
		window.requestAnimationFrame = real;
		return found.sort((a, b) => a - b);
	});
	await ready(t);
	const p95 = costs[Math.floor(costs.length * 0.95)];
	console.log(`# viewer: ${costs.length} frames, script ${costs[costs.length >> 1].toFixed(1)} ms median, ${p95.toFixed(1)} ms p95; ${asked.length} rasters`);
	t.ok(p95 < 20, `a frame's script takes ${p95} ms`);
	t.ok(asked.length < 60, `${asked.length} rasters`);
});

test('viewer: a run without a trace says so', async t => {
	t.expectFailures();
	await t.open(`/viewer/${t.world.runs.fem}`);
	t.match(await t.text('main'), /has no trace/, 'says so');
});
