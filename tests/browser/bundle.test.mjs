// bundle.test.mjs - pages of a bundle, opened from the disk: no server, and the same answers. SPDX-License-Identifier:
// PostgreSQL

import {execFile} from 'node:child_process';
import {mkdtempSync, readFileSync, rmSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {test} from './harness.mjs';

const INCOMPARABLE = 18; // exit code

let making = null;
let made = null;

async function make({runs, home, sources})
{
	made = mkdtempSync(join(tmpdir(), 'perfhouse-bundle-'));
	process.on('exit', () => rmSync(made, {recursive: true, force: true}));
	await promisify(execFile)(process.env.PERFHOUSE, ['bundle', String(runs.before), String(runs.fem),
		String(runs.trace), String(runs.evil), '--sources', sources, '-o', made],
	{env: {...process.env, PERFHOUSE_HOME: home}}).catch(({code, stderr}) => { // some cannot be compared
		if (code !== INCOMPARABLE || !/run \d+ cannot be compared with run \d+/.test(stderr))
			throw new Error(`perfhouse bundle: ${code} ${stderr}`);
	});
	return `file://${made}`;
}

// One bundle for all of these tests, made beside others: the address of its folder.
const bundle = world => making ??= make(world);

const sharp = t => t.until('all that is shown is sharp', () =>
	document.querySelector('canvas')?.dataset.ready === 'true');

const open = async (t, page) => t.open(`${await bundle(t.world)}/${page}`);

test('bundle: the first page has verdicts, pictures and ways on', async t => {
	const {before, fem, trace} = t.world.runs;
	await open(t, 'index.html');
	await t.until('what explains the runs', () => document.querySelectorAll('.explanation').length >= 3);
	t.match(await t.text('main'), /spmv/, 'what changed is named');
	t.match(await t.text('main'), /cannot be compared: metric "time" is in/, 'why two runs cannot be compared');
	await t.press('sankey', 'main');
	await t.until('a picture', () => document.querySelector('dialog[open] img')?.naturalWidth > 300);
	await t.shot('bundle-index', false);
	t.equal(await t.page.$$eval('a[href^="/"]', found => found.length), 0, 'no link needs a server');
	const links = await t.page.$$eval('a[href$=".html"]', found => found.map(one => one.getAttribute('href')));
	for (const wanted of [`profile-${before}.html`, `profile-${fem}.html`, `viewer-${trace}.html`])
		t.ok(links.includes(wanted), `${wanted}: ${links}`);
});

test('bundle: the profile, by metric, by ranks, of a function', async t => {
	const {fem} = t.world.runs;
	await open(t, `profile-${fem}.html`);
	await t.until('a flame', () => document.querySelector('canvas') !== null);
	await t.open(`${await bundle(t.world)}/profile-${fem}.html?function=spmv`);
	await t.until('its ranks', () => document.querySelector('[data-most]') !== null);
	const shown = await t.text('.details, main');
	t.match(shown, /callers/, 'its callers');
	await t.open(`${await bundle(t.world)}/profile-${fem}.html?ranks=3&metric=bytes`);
	await t.until('means over one rank', () => /ranks 3/.test(document.querySelector('.bar').textContent));
	t.match(await t.text('.bar'), /ranks 3/, 'the brush');
	await t.shot('bundle-profile', false);
});

// What both must answer alike: the same questions to the server and to the pages of the bundle.
const QUESTIONS = ['window?run=R&from=600000000ns&to=680000000ns&first_location=1&last_location=4',
	'call?run=R&location=3&at=610000000ns', 'hits?run=R&name=MPI_Waitall&from=612000000ns&to=640000000ns',
	'call_waits?run=R&location=3&from=600000000ns&to=640000000ns', 'blame_cells?run=R&level=22&x=0&each=1'];

const NUMBERS = {'/api/window': ['exclusive'], '/api/call': ['enter', 'leave', 'inclusive', 'exclusive', 'depth'],
	'/api/hits': ['enter', 'inclusive', 'location'], '/api/call_waits': ['t_from', 't_to', 'ns', 'awaited'],
	'/api/blame_cells': []};

// An answer that the bundle keeps.
function kept(key)
{
	const index = readFileSync(join(made, 'data/index.js'), 'utf8');
	const file = new RegExp(`"${key.replace('?', '\\?')}": "([^"]+)"`).exec(index)[1];
	const text = readFileSync(join(made, file), 'utf8');
	return JSON.parse(text.slice(text.indexOf(', ') + 2, text.lastIndexOf(')')));
}

test('bundle: the pages count what the server counts', async t => {
	const {trace} = t.world.runs;
	await bundle(t.world);
	await t.open(`/viewer/${trace}`);
	await sharp(t);
	for (const question of QUESTIONS)
	{
		const url = `/api/${question.replace('R', trace)}`;
		const server = await (await fetch(t.world.url + url)).json();
		const own = await t.page.evaluate(async (asked, viewer, calls) => {
			const {TRACE_ANSWERS} = await import('/static/stored_trace.js');
			const {pathname, searchParams} = new URL(asked, location);
			return TRACE_ANSWERS[pathname.split('/')[2]](viewer, calls, Object.fromEntries(searchParams));
		}, url, kept(`viewer?run=${trace}`), kept(`calls?run=${trace}`));
		const keys = NUMBERS[url.split('?')[0]];
		const said = answer => JSON.stringify(answer.rows.map(row => keys.map(key => row[key])));
		t.ok(server.rows.length > 0, `${question}: the server answers`);
		t.equal(said(own), said(server), question);
	}
});

// Rasters of the server and of the bundle, as lists of the region in each cell.
test('bundle: its rasters are those of the server', async t => {
	const {trace} = t.world.runs;
	await bundle(t.world);
	await t.open(`/viewer/${trace}`);
	await sharp(t);
	const differing = await t.page.evaluate(async (run, viewer, calls) => {
		const [{storedRasters}, {readRasters}] = [await import('/static/stored_trace.js'),
			await import('/static/viewer_data.js')];
		const [{local_id: ids, name: names}] = viewer.regions;
		const out = [];
		for (const [level, x, each] of [[22, 0, 1], [20, 2, 1], [16, 36, 1], [21, 0, 4]])
		{
			const answer = await fetch(`/api/raster?run=${run}&level=${level}&x=${x}&each=${each}`);
			const [server] = readRasters(await answer.arrayBuffer(), 1, id => ids.indexOf(id) + 1);
			const [own] = storedRasters(viewer, calls, {level, x, each, block: 0}, 1, name => names.indexOf(name) + 1);
			const cells = server.region.length;
			const far = (a, b) => a.reduce((n, value, i) => n + (Math.abs(value - b[i]) > 17 ? 1 : 0), 0);
			const others = server.region.reduce((n, one, i) => n + (one === own.region[i] ? 0 : 1), 0);
			out.push([server.rows === own.rows, others / cells, far(server.share, own.share) / cells,
				...[0, 1, 2, 3].map(k => far(server.activity[k], own.activity[k]) / cells),
				server.region.some(one => one > 0)]);
		}
		return out;
	}, trace, kept(`viewer?run=${trace}`), kept(`calls?run=${trace}`));
	for (const [rows, region, share, ...rest] of differing)
	{
		t.ok(rows && rest.pop(), 'as many rows, with something in them');
		t.ok(region < 0.01 && share < 0.01, `the same functions: ${region}, ${share} of the cells differ`);
		t.ok(rest.every(one => one < 0.01), `the same kinds of time: ${rest}`);
	}
});

test('bundle: the viewer zooms, shows calls, finds, counts, and turns to steps', async t => {
	const {trace} = t.world.runs;
	await open(t, `viewer-${trace}.html`);
	await sharp(t);
	const canvas = await t.page.$eval('canvas', one => one.getBoundingClientRect().toJSON());
	await t.page.mouse.move(canvas.left + 850, canvas.top + 200);
	for (let i = 0; i < 4; i++)
		await t.page.mouse.wheel({deltaY: -240});
	await t.until('the window is in the address', () => new URL(location).searchParams.has('from'));
	await sharp(t);
	await open(t, `viewer-${trace}.html?from=600000000&to=640000000&sel=3@610000000`);
	await t.until('the call', () => document.querySelector('.side h2')?.textContent === 'MPI_Barrier');
	await t.until('its wait', () => /for rank \d/.test(document.querySelector('.waits')?.textContent));
	await t.shot('bundle-viewer', false);
	await open(t, `viewer-${trace}.html?region=600000000-680000000@0-7`);
	await t.until('its profile', () => document.querySelectorAll('.profile tbody tr').length > 5);
	t.match(await t.text('.side'), /load balance/, 'its efficiency');
	await open(t, `viewer-${trace}.html?q=MPI_Waitall&open=0&color=blame`);
	await t.until('how often', () => /\d+ calls in the window/.test(document.querySelector('.bar').textContent));
	await sharp(t);
	await t.key('l');
	await t.until('columns', () => Number(document.querySelector('canvas').dataset.columns) > 50);
});

test('bundle: sources of the commit', async t => {
	await open(t, `profile-${t.world.runs.fem}.html?function=spmv&table=source`);
	await t.until('the text', () => /src\/spmv\.cc at [0-9a-f]{12}/.test(document.querySelector('.source').textContent));
	t.match(await t.text('.source .row[aria-selected="true"]'), /%.*\[\d+\].*spmv\.cc/, 'with the hottest line');
	await open(t, `profile-${t.world.runs.before}.html?function=spmv&table=source`);
	await t.until('why there is none', () => /commit .* is not known/.test(document.querySelector('.source').textContent));
});

test('bundle: names that look like markup are text', async t => {
	await open(t, `profile-${t.world.runs.evil}.html`);
	await t.until('its names', () => document.querySelectorAll('td').length > 3);
	t.equal(await t.page.evaluate(() => globalThis.hit ?? null), null, 'nothing of them ran');
	await open(t, 'index.html');
	await t.until('cards', () => document.querySelectorAll('.card').length > 3);
	t.equal(await t.page.evaluate(() => [globalThis.hit ?? null, document.querySelector('#injected')]), [null, null],
		'nor here');
});
