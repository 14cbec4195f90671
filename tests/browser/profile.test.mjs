// profile.test.mjs - the profile workspace: flame, tables, callers and callees, ranks, one selection.
// SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

const [RANKS, SLOW_RANK] = [2048, 1711]; // of the run `wide` (warehouse.pl)

async function open(t, run, rest = '', given = {})
{
	await t.open(`/profile/${run}${rest}`, given);
	await t.until('a flame', () => Number(document.querySelector('.flame canvas')?.dataset.boxes) > 0);
	await t.settled();
}

const boxes = t => t.page.$eval('.flame canvas', canvas => Number(canvas.dataset.boxes));

// A box of the flame: [part of the width, rows above the lowest].
async function clickFlame(t, across, row)
{
	const box = await t.page.$eval('.flame canvas', one => one.getBoundingClientRect().toJSON());
	await t.page.mouse.click(box.left + box.width * across, box.bottom - (row + 0.5) * 18);
	await t.settled();
}

test('profile: a box is chosen, zoomed into and left', async t => {
	await open(t, t.world.runs.fem);
	const all = await boxes(t);
	await clickFlame(t, 0.1, 1);
	t.equal(t.param('function'), 'step', 'the dearest callee of main is at the left');
	t.match(await t.text('.details'), /step.*callers.*main.*callees.*cg_solve/s, 'who calls it and whom it calls');
	await t.key('z');
	await t.until('fewer boxes', before => Number(document.querySelector('.flame canvas').dataset.boxes) < before, all);
	await t.shot('profile-zoomed', false);
	await t.key('0');
	await t.until('all of it', before => Number(document.querySelector('.flame canvas').dataset.boxes) === before, all);
	await t.back();
	t.ok(t.param('zoom') !== null, 'back goes to the zoomed one');
});

test('profile: metrics that do not add up over call paths are offered apart, and are not added up', async t => {
	const {uneven} = t.world.runs;
	await open(t, uneven);
	t.equal(await t.page.$$eval('select[name="metric"] optgroup option', all => all.map(one => one.value)),
		['max time', 'wait'], 'apart');
	t.equal(await t.count('.pane .flame'), 1, 'a flame of what adds up');
	await t.choose('metric', 'max time');
	t.match(await t.text('.pane'), /max time does not add up .* the greatest of those .* no flame/, 'none of this');
	const rows = async () => (await t.page.$$eval('.vtable .row', found => found.map(one =>
		[...one.children].slice(0, 4).map(cell => cell.textContent.trim()).join('|'))));
	t.ok((await rows()).includes('kernel|9|9|'), `the greatest, without a share: ${await rows()}`);
	await t.choose('metric', 'wait');
	t.ok((await rows()).includes('kernel|6|6|'), `of unknown kind: the mean: ${await rows()}`);
	await t.choose('table', 'callers');
	t.match(await t.text('.pane'), /callers have no parts of it/, 'no callers either');
	await t.choose('table', 'tree');
	await t.page.evaluate(() => [...document.querySelectorAll('.vtable .row')].at(-1).click());
	await t.settled();
	await t.go(`/profile/${uneven}?metric=wait&function=kernel`);
	t.match(await t.text('.details'), /^kernel.*in 2 call paths.*most: .*, 6laid out/s, 'ranks have it, too');
	t.equal(await t.count('.details .flame'), 0, 'and no flames of callers');
	t.equal(await t.count('main > .waiting'), 0, 'nothing is being read');
});

test('profile: search, tables and CSV', async t => {
	await open(t, t.world.runs.fem);
	const rows = () => t.page.$$eval('.vtable .row', found => found.map(one => one.textContent));
	t.match((await rows())[0], /spmv/, 'the hottest function comes first');
	await t.page.$$eval('.vtable .heads button', heads => heads[0].click());
	await t.page.$$eval('.vtable .heads button', heads => heads[0].click());
	t.match((await rows())[0], /^assemble/, 'by name');
	await t.page.keyboard.press('/');
	await t.page.keyboard.type('mpi_');
	await t.until('what is found', () => /3 functions/.test(document.querySelector('.bar').textContent));
	t.equal((await rows()).length, 3, 'the table has them alone');
	await t.choose('table', 'lines');
	t.match((await rows())[0], /spmv|cg\.cc/, 'source lines');
	await t.choose('table', 'callers');
	await t.page.$$eval('.vtable .row', found => found[0].click());
	await t.until('its callers', () => document.querySelectorAll('.vtable .row')[1].textContent.startsWith('\u00a0'));
	t.match((await rows())[0], /[1-9]\d* %$/, 'how much of it is due to each');
	t.ok(!/inclusive/.test(await t.text('.vtable .heads')), 'own costs alone');
	await t.choose('shape', 'inverted');
	await t.until('an inverted flame', () => Number(document.querySelector('.flame canvas').dataset.boxes) > 5);
	await t.shot('profile-inverted', false);
});

for (const dark of [false, true])
	test(`profile: one slow rank of ${RANKS} has a ring in the grid, ${dark ? 'dark' : 'light'}`, async t => {
		await open(t, t.world.runs.wide, '?function=compute', {dark});
		await t.until('ranks', () => /most: /.test(document.querySelector('.details').textContent));
		t.match(await t.text('.details'), new RegExp(`most: rank ${SLOW_RANK}\\b`), 'it is named');
		const accent = dark ? [127, 178, 240] : [31, 95, 174];
		const place = await t.page.$eval('.rank-grid canvas', (canvas, [r, g, b]) => {
			const {data} = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
			let [n, x, y] = [0, 0, 0];
			for (let i = 0; i < data.length; i += 4)
				if (Math.abs(data[i] - r) + Math.abs(data[i + 1] - g) + Math.abs(data[i + 2] - b) < 24)
				{
					n++;
					x += i / 4 % canvas.width;
					y += Math.floor(i / 4 / canvas.width);
				}
			return {n, x: x / n, y: y / n, width: canvas.width, height: canvas.height};
		}, accent);
		const across = Math.ceil(Math.sqrt(RANKS * place.width / place.height));
		const down = Math.ceil(RANKS / across);
		const expected = [(SLOW_RANK % across + 0.5) / across * place.width,
			(Math.floor(SLOW_RANK / across) + 0.5) / down * place.height];
		t.ok(place.n > 20 && Math.hypot(place.x - expected[0], place.y - expected[1]) < 4,
			`one ring, around it: ${JSON.stringify(place)}, expected ${expected}`);
		await t.shot(`profile-ranks-${dark ? 'dark' : 'light'}`, false);
	});

test('profile: ranks are brushed', async t => {
	await open(t, t.world.runs.fem, '?function=MPI_Waitall&grid=square');
	await t.until('ranks', () => /most: /.test(document.querySelector('.details').textContent));
	const box = await t.page.$eval('.rank-grid canvas', one => {
		one.scrollIntoView({block: 'center'});
		return one.getBoundingClientRect().toJSON();
	});
	await t.drag({x: box.left + 3, y: box.top + 3}, {x: box.left + box.width - 3, y: box.top + 6});
	await t.until('their profile', () => /^0-\d+$/.test(new URL(location).searchParams.get('ranks') ?? ''));
	await t.until('a way back', () => /ranks 0-\d+ ✕/.test(document.querySelector('.bar').textContent));
});

// A tree of a million nodes, made and drawn in the page: how long that took, and how long the page stood still.
const drawMillion = t => t.page.evaluate(async () => {
	const {CallTree, inPieces} = await import('/static/call_tree.js');
	const {Flame} = await import('/static/flame.js');
	const parent = [null];
	for (let i = 1; i < 1e6; i++)
		parent.push(Math.floor((i - 1) / 3));
	const inclusive = new Float64Array(1e6).fill(1);
	for (let i = 1e6 - 1; i > 0; i--)
		inclusive[parent[i]] += inclusive[i];
	const names = parent.map((_, i) => `f${i % 1000}`);
	const exclusive = new Float64Array(1e6).fill(1);
	const pauses = [];
	let last = performance.now();
	const watch = setInterval(() => { pauses.push(performance.now() - last); last = performance.now(); }, 1);
	const start = performance.now();
	const tree = await CallTree.inPieces({parent, name: names, inclusive, exclusive});
	const named = await inPieces(tree.functions());
	clearInterval(watch);
	const middle = performance.now();
	const flame = new Flame({label: 'x', colorOf: () => [10, 20, 30], say: name => name, tell: () => ''});
	document.querySelector('.details').replaceChildren(flame.host);
	flame.show(tree);
	await new Promise(resolve => { requestAnimationFrame(() => requestAnimationFrame(resolve)); });
	pauses.sort((a, b) => a - b);
	const costs = [...tree.children(0)].map(child => tree.inclusive[child]);
	return {made: middle - start, drawn: performance.now() - middle, n: Number(flame.canvas.dataset.boxes),
		wrong: costs.some((one, i) => i > 0 && costs[i - 1] < one),
		functions: named.length, pause: pauses.at(-1), usual: pauses[Math.floor(pauses.length * 0.9)]};
});

test('profile: a million nodes are drawn within a few frames', async t => {
	await open(t, t.world.runs.fem);
	// on a busy machine the page may stand still because others have the processor: the least of some
	let found = await drawMillion(t);
	for (let i = 0; i < 4 && (found.usual >= 100 || found.drawn >= 1000); i++)
		found = await drawMillion(t);
	const {made, drawn, n, wrong, functions, pause, usual} = found;
	console.log(`# profile: a million nodes: ${made.toFixed(0)} ms to build, ${drawn.toFixed(0)} ms for ${n} boxes`);
	console.log(`# profile: the page stood still for ${pause.toFixed(0)} ms at most, 90 % of pauses are below ${usual.toFixed(0)} ms`);
	t.equal([wrong, functions], [false, 1000], 'children by cost, functions');
	t.ok(usual < 100, `the page lives meanwhile: ${usual} ms`);
	t.ok(n > 100 && n < 5000 && drawn < 1000, `${n} boxes in ${drawn} ms`);
});

test('profile: verdicts stand first', async t => {
	await open(t, t.world.runs.wide);
	await t.until('who made others wait', rank =>
		document.querySelector('.verdict').textContent.includes(`Rank ${rank} made others wait`), SLOW_RANK);
});

test('profile: sources of the commit, with the cost of lines', async t => {
	t.expectFailures();
	await open(t, t.world.runs.fem, '?function=spmv');
	await t.page.$$eval('.details button.link', found => found[0].click());
	await t.until('the text', () =>
		/src\/spmv\.cc at [0-9a-f]{12}/.test(document.querySelector('.source').textContent));
	t.equal(t.param('table'), 'source', 'it is in the address');
	t.match(await t.text('.source .row[aria-selected="true"]'),
		/^\d+4\.\d+.*%.*\[\d+\].*spmv\.cc/, 'the hottest line stands out');
	t.equal(t.param('line'), await t.text('.source .row[aria-selected="true"] .number:first-child'),
		'which is the address\'s');
	await t.shot('profile-source', false);
	await t.page.evaluate(() => { document.querySelector('.source .vscroll').scrollTop = 0; });
	await t.until('a line with markup', () =>
		/<\/script><img src=x/.test(document.querySelector('.source').textContent));
	t.equal(await t.page.evaluate(() => window.hit ?? null), null, 'which is text');
	const refused = await t.page.evaluate(run => Promise.all(['/etc/passwd', 'src/spmv.cc', '../spmv.cc',
		''].map(file =>
		fetch(`/api/source?run=${run}&file=${encodeURIComponent(file)}`).then(answer => answer.status))),
			t.world.runs.fem);
	t.equal(refused, [404, 404, 404, 400], 'files that the profile does not name are not there');
	await t.go(`/profile/${t.world.runs.before}?function=spmv&table=source`);
	await t.until('why there is none', () =>
		/commit .* is not known/.test(document.querySelector('.source').textContent));
});

test('profile: lines that made others wait stand out in the source', async t => {
	await open(t, t.world.runs.blamed, '?function=spmv&table=source');
	await t.until('the lines', () => document.querySelector('.source .row[aria-selected="true"]') !== null);
	t.match(await t.text('.source .heads'), /made others wait/, 'a column of its own');
	await t.until('what the hottest line caused', () => /%\s*[\d.]+ m?s.*\[\d+\]/s.test(
		document.querySelector('.source .row[aria-selected="true"]').textContent));
	t.equal(await t.page.$$eval('.source .row', rows => rows.filter(row =>
		/\d/.test(row.querySelectorAll('.number')[3].textContent)).length), 1, 'one line alone');
	await t.shot('profile-source-blame', false);
});

test('profile: functions by iteration, with the one that takes long and the new level', async t => {
	await open(t, t.world.runs.steps, '?table=iterations');
	await t.until('cells', () => Number(document.querySelector('.heat-map canvas').dataset.cells) === 180);
	const seen = await t.page.$eval('.heat-map canvas', canvas => {
		const row = canvas.getContext('2d').getImageData(0, 9, canvas.width, 1).data;
		const colors = [];
		for (let x = 300; x < canvas.width; x++)
		{
			const one = [...row.slice(4 * x, 4 * x + 4)].join();
			if (colors.at(-1) !== one)
				colors.push(one);
		}
		return colors.length;
	});
	t.ok(seen >= 4 && seen <= 12, `one cell and one step in the row of solve: ${seen} colours`);
	await t.hover('.heat-map canvas', {across: 0.5, down: 0.1});
	t.match(await t.tip(), /solve\s*iteration \d+: /, 'what a cell is');
	await t.page.mouse.click(...Object.values(await t.place('.heat-map canvas', {across: 0.1, down: 0.1})));
	await t.until('the function', () => document.querySelector('.details h2').textContent === 'solve');
	await t.shot('profile-iterations', false);
	await t.go(`/profile/${t.world.runs.plain}?table=iterations`);
	t.match(await t.text('.scrolled'), /not measured by iteration/, 'a run without says so');
});

test('profile: ranks stand in planes of their grid, and a rectangle of them is chosen', async t => {
	await open(t, t.world.runs.fem, '?function=spmv');
	await t.until('planes', () => document.querySelector('.rank-grid canvas')?.dataset.planes === '4');
	const {across, down} = await t.page.$eval('.rank-grid canvas', canvas => ({...canvas.dataset}));
	t.equal([across, down], ['11', '4'], '4 planes of 4 x 2 with gaps');
	await t.hover('.rank-grid canvas', {across: 0.5 / 11, down: 0.125});
	t.match(await t.tip(), /rank 0.*x 0, y 0, z 0/s, 'with the coordinates');
	const from = await t.place('.rank-grid canvas', {across: 3.5 / 11, down: 0.125});
	const to = await t.place('.rank-grid canvas', {across: 4.5 / 11, down: 0.375});
	await t.drag(from, to);
	t.equal(t.param('ranks'), '8-11', 'the plane x = 1, y 0 and 1');
	await t.choose('grid', 'square');
	t.equal(await t.page.$eval('.rank-grid canvas', canvas => canvas.dataset.planes), '0', 'or as a square');
});
