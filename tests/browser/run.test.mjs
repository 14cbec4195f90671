// run.test.mjs - the page of a run. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

const bar = node => `.sankey .bar[data-node="${node}"]`;
const open = (t, rest = '', size = {}) => t.open(`/run/${t.world.runs.fem}${rest}`, size);
const graph = '[aria-label="Super graph"] ';
const pane = '[aria-label="the chosen supernode"] ';

test('run: pointing at a supernode tells its costs, entry functions and callers with their colours', async t => {
	await open(t);
	await t.hover(bar('libblas.so'));
	const text = await t.tip();
	t.match(text, /libblas\.so[\s\S]*inclusive[\s\S]*exclusive/, 'costs');
	t.match(text, /dgemm[\s\S]*ddot|ddot[\s\S]*dgemm/, 'entry functions');
	t.match(text, /cg_solve → ddot/, 'callers');
	const [colors, fill] = await t.page.evaluate(selector =>
		[[...document.querySelectorAll('#tooltip .square')].map(square => getComputedStyle(square).backgroundColor),
		getComputedStyle(document.querySelector(`${selector} rect`)).fill], bar('libsolver.so'));
	t.ok(colors.includes(fill), `a square of the caller's colour ${fill}: ${colors}`);
	await t.shot('run-tooltip', false);
	await t.key('Escape');
	t.ok(await t.page.$eval('#tooltip', box => box.hidden), 'Escape hides the tooltip');
});

test('run: what explains it stands at the top, the evidence folded', async t => {
	await open(t);
	const card = '[aria-label="Explanation"]';
	t.match(await t.text(card), /slow at all\?/, 'sentences');
	t.ok(await t.page.$eval(`${card} details`, element => !element.open), 'SQL is folded');
	await t.click(`${card} summary`);
	t.match(await t.text(`${card} pre`), /^SELECT /, 'and there');
	t.equal(await t.count(`.title-row + ${card}`), 1, 'at the top');
});

test('run: the panes follow the chosen supernode', async t => {
	await open(t);
	await t.click(bar('libmpi.so'));
	t.equal(t.param('node'), 'libmpi.so', 'it is in the address');
	t.match(await t.text(`${pane}h2`), /^libmpi\.so$/, 'its name');
	t.match(await t.text(`${pane}svg`), /Inclusive over ranks: libmpi\.so/, 'histogram');
	t.ok(await t.page.$eval(bar('libmpi.so'), element => element.classList.contains('chosen')), 'it is marked');
	t.ok(await t.page.$eval(bar('libio.so'), element => Number(getComputedStyle(element).opacity) < 1), 'others fade');
	await t.hover(`${pane}.bin`, {down: 0.9});
	t.match(await t.tip(), /rank/, 'ranks of a bin');
	await t.press('scatter', pane);
	t.ok(await t.count(`${pane}.point`) > 25, 'points of the ranks, those at one place once');
	await t.choose('metric_y', 'bytes');
	t.equal(t.param('metric_y'), 'bytes', 'the other metric is in the address');
	t.match(await t.text(`${pane}svg`), /bytes/, 'against bytes');
	await t.hover(`${pane}.fit path, ${pane}.fit line`);
	t.match(await t.tip(), /slope[\s\S]*r|r²|r =/, 'statistics of the fit');
	await t.press('entry functions', pane);
	t.match(await t.text(`${pane}table`), /MPI_Waitall[\s\S]*MPI_Allreduce[\s\S]*MPI_Isend/,
		'entry functions, the longest first');
	await t.press('functions', pane);
	t.match(await t.text(`${pane}table`), /MPI_Isend/, 'functions');
	await t.shot('run-functions', false);
	await t.press('values', pane);
	t.match(await t.text(`${pane}table`), /node4/, 'values name the hosts');
	await t.click(bar('libmpi.so'));
	t.equal(t.param('node'), null, 'a second click gives it up');
});

test('run: dragging over bins makes two super graphs', async t => {
	await open(t, '?node=libmpi.so');
	const bins = await t.page.$$(`${pane}.bin rect`);
	await bins.at(-1).evaluate(bin => bin.scrollIntoView({block: 'center'})); // the mouse moves in the window only
	const boxes = await Promise.all(bins.map(bin => bin.boundingBox()));
	const from = boxes[Math.floor(boxes.length / 2)];
	const to = boxes.at(-1);
	const y = Math.max(...boxes.map(box => box.y + box.height)) - 3;
	await t.drag({x: from.x + 1, y}, {x: to.x + to.width / 2, y});
	t.match(t.param('ranks'), /3.*7.*11/, 'the slow ranks');
	t.equal(await t.count(`${graph}${bar('app')}`), 2, 'two graphs');
	await t.shot('run-two-graphs');
	await t.page.click('button[aria-label="all ranks"]');
	await t.settled();
	t.equal(await t.count(`${graph}${bar('app')}`), 1, 'one again');
});

// What is drawn, without what movements leave on elements (style="").
const picture = t => t.page.$eval(`${graph}svg`, svg => svg.outerHTML.replaceAll(/ (?:style|class)="[^"]*"/g, ''));

test('run: split by chosen entry functions, by caller, drill down, undo, back', async t => {
	await open(t, '?node=libmpi.so&pane=entries');
	await t.page.click('input[aria-label="choose MPI_Waitall"]');
	await t.page.click('input[aria-label="choose MPI_Isend"]');
	await t.press('split off the chosen', pane);
	t.equal(t.params('step'), ['entry:libmpi.so=MPI_Waitall,MPI_Isend'], 'the step is in the address');
	t.ok(await t.count(`${graph}.bar[data-node^="libmpi.so"]`) >= 2, 'parts');
	await t.click(bar('libblas.so'));
	await t.press('split by caller', pane);
	t.equal(await t.count(`${graph}.bar[data-node^="libblas.so-"]`), 2, 'a part for each caller');
	await t.click(bar('libfem.so'));
	await t.choose('level', 'function');
	t.equal(t.params('step').length, 3, 'three steps');
	t.ok(await t.count(`${graph}.bar[data-label*="assemble"]`) >= 1, 'functions of the library');
	await t.shot('run-steps');
	const drawn = await picture(t);
	await t.page.reload();
	await t.settled();
	t.equal(await picture(t), drawn, 'reload gives the same picture');
	await t.page.click('.chip button[aria-label^="undo drilled"]');
	await t.settled();
	t.equal(t.params('step').length, 2, 'undone');
	await t.back();
	t.equal(t.params('step').length, 3, 'back');
	await t.key('u', 'u', 'u');
	t.equal(t.params('step'), [], 'u undoes');
});

test('run: bars keep their place and move', async t => {
	await open(t);
	await t.page.click(`${pane}[role="tab"]`);
	const places = () => t.page.$$eval(`${graph}.bar`,
		bars => Object.fromEntries(bars.map(one => [one.dataset.node, [one.querySelector('rect').x.baseVal.value,
		one.querySelector('rect').y.baseVal.value].map(Math.round)])));
	const before = await places();
	await t.click(bar('libblas.so'));
	await t.page.keyboard.press('c');
	await t.until('bars move', () => document.getAnimations()
		.some(animation => animation.effect.target.matches('.bar')));
	await t.until('bands return', () => document.getAnimations().every(animation => animation.playState === 'finished'
		|| !animation.effect.target.closest('svg')));
	await t.settled();
	const after = await places();
	const order = of => Object.keys(of).filter(node => before[node] && after[node])
		.sort((a, b) => of[a][0] - of[b][0] || of[a][1] - of[b][1]);
	t.equal(order(after), order(before), 'columns and the order in them stay');
});

test('run: everything by keyboard', async t => {
	await open(t);
	await t.focus(`${graph}svg`);
	await t.key('ArrowRight', 'ArrowRight');
	const focused = await t.page.evaluate(() => document.activeElement.dataset.node);
	t.ok(focused !== undefined, 'arrows go through the supernodes');
	t.match(await t.tip(), /inclusive/, 'the focused one tells its costs');
	await t.key('Enter');
	t.equal(t.param('node'), focused, 'Enter chooses');
	await t.key('Escape');
	t.equal(t.param('node'), null, 'Escape gives up');
	await t.go(`/run/${t.world.runs.fem}?node=libblas.so`);
	await t.key('s');
	t.equal(t.params('step'), ['entry:libblas.so'], 's splits by entry');
	await t.key('u');
	await t.go(`/run/${t.world.runs.fem}?node=libblas.so`);
	await t.key('c');
	t.equal(t.params('step'), ['caller:libblas.so'], 'c splits by caller');
	await t.go(`/run/${t.world.runs.fem}?node=libblas.so`);
	await t.key('d');
	t.equal(t.params('step'), ['drill:libblas.so=function'], 'd drills');
	await t.page.focus('[aria-label="panes"] [aria-selected="true"]');
	await t.key('ArrowRight');
	t.equal(t.param('pane'), 'scatter', 'arrows go through tabs');
	await open(t);
	await t.key('Tab');
	t.match(await t.page.evaluate(() => document.activeElement.className), /skip|brand/, 'Tab begins at the top');
});

test('run: zoom and pan are in the address', async t => {
	await open(t);
	const box = () => t.page.$eval(`${graph}svg`, svg => svg.getAttribute('viewBox'));
	const whole = await box();
	const {x, y} = await t.place(bar('libsolver.so'));
	await t.page.mouse.move(x, y);
	await t.page.keyboard.down('Control');
	await t.page.mouse.wheel({deltaY: -100});
	await t.page.mouse.wheel({deltaY: -100});
	await t.page.keyboard.up('Control');
	await t.until('the address says where', () => new URL(location).searchParams.get('zoom') !== null);
	const zoomed = await box();
	t.ok(zoomed !== whole, 'closer');
	await t.drag({x, y}, {x: x + 60, y: y + 30});
	t.ok(await box() !== zoomed, 'dragging moves');
	t.equal(t.param('node'), null, 'a drag is no click');
	const moved = await box();
	await t.page.reload();
	await t.settled();
	t.equal(await box(), moved, 'reload gives the same');
	await t.focus(`${graph}svg`);
	await t.key('0');
	t.equal(await box(), whole, '0 shows all');
	await t.page.hover(`${graph}svg`);
	await t.page.click(`${graph}button[aria-label="zoom in"]`);
	t.ok(await box() !== whole, 'the button');
});

test('run: sliders of the runtime range fade supernodes', async t => {
	await open(t, '?least=25');
	t.ok(await t.page.$eval(bar('libio.so'), element => element.classList.contains('dimmed')), 'a short one fades');
	t.ok(await t.page.$eval(bar('app'), element => !element.classList.contains('dimmed')), 'a long one does not');
	await t.page.focus('input[name="most"]');
	await t.key('ArrowLeft', 'ArrowLeft');
	t.equal(t.param('most'), '99', 'the other end is in the address');
	t.ok(await t.page.$eval(bar('app'), element => element.classList.contains('dimmed')), 'the longest fades');
});

test('run: call tree, function, processes, metric lead into each other', async t => {
	await t.open(`/run/${t.world.runs.caliper}?whole=cct`);
	await t.click('#whole .node[data-label="MPI_Waitall"]');
	t.equal([t.param('whole'), t.param('function')], ['function-neighbourhood', 'MPI_Waitall'],
		'a function of the call tree');
	await t.shot('run-function');
	await t.press('shares of callers', '#whole');
	t.ok(await t.count('#whole .slice') > 0, 'arcs');
	await t.press('over all processes', '#whole');
	t.equal(await t.count('#whole .process'), 8, 'a box for every process');
	t.match(await t.text('#whole svg'), /MPI_Waitall over all processes/, 'of the function that was followed');
	await t.shot('run-metric');
	await t.press('processes', '#whole');
	await t.click('#whole .process');
	t.equal(t.param('whole'), 'metric', 'from a process to its function');
	await t.settled();
	t.equal(await t.count('#whole .process'), 8, 'drawn even if the function has many nodes');
	t.match(await t.text('#whole svg'), new RegExp(`${t.param('function')} over all processes`),
		'of the function of the process');
	await t.back();
	t.equal(t.param('whole'), 'processes', 'back');
	for (const [tab, mark] of [['flame graph', '.frame'], ['functions', '.function'], ['spread', '.box']])
	{
		await t.press(tab, '#whole [role="tablist"]');
		t.ok(await t.count(`#whole ${mark}`) > 0, `${tab} is drawn`);
	}
	await t.press('about this run', '#whole');
	t.match(await t.text('#whole'), /mpi\.world\.size/, 'metadata');
});

test('run: iterations, and what changes along them', async t => {
	await t.open(`/run/${t.world.runs.steps}`);
	await t.press('along iterations', '#whole [role="tablist"]');
	t.equal(await t.count('#whole .panel'), 3, 'a panel for each call path');
	t.match(await t.text('#whole svg'), /at iteration 40/, 'where one changes');
	t.equal(await t.count('#whole [name="whole_filter"]'), 0, 'nothing chooses runs');
	await t.shot('run-along-iterations');
	await t.press('iterations', '#whole [role="tablist"]');
	t.equal(await t.count('#whole .change'), 1, 'as a heat map');
	await t.open(`/run/${t.world.runs.plain}`);
	t.ok(!/iterations/.test(await t.text('#whole [role="tablist"]')), 'only of runs that have some');
});

test('run: a file without modules is shown by function', async t => {
	await t.open(`/run/${t.world.runs.plain}`);
	t.ok(await t.count(`${graph}.bar`) > 3, 'more than one bar');
});

test('run: where modules are known of MPI alone, functions are shown', async t => {
	await t.open(`/run/${t.world.runs.trace}`);
	await t.until('more than two bars', () => document.querySelectorAll('main svg .bar').length > 5);
	t.equal(t.param('group_by'), 'function', 'which the address says');
	await t.go(`/run/${t.world.runs.trace}?group_by=module`);
	await t.until('two bars, as they are asked for', () => document.querySelectorAll('main svg .bar').length === 2);
	await t.go(`/run/${t.world.runs.fem}`);
	t.equal(t.param('group_by'), null, 'modules are kept where there are some');
});

test('run: an unknown run, supernode or step says so', async t => {
	t.expectFailures();
	await open(t, '?node=nonsense');
	t.match(await t.text(`${pane}.problem`), /nonsense/, 'the supernode');
	await t.go(`/run/${t.world.runs.fem}?step=entry%3Anonsense`);
	t.match(await t.text(`${graph}.problem`), /nonsense/, 'the step');
	await t.shot('run-problem');
});

test('run: of many rows of a table some are drawn, and more when asked for', async t => {
	await t.open(`/run/${t.world.runs.wide}?pane=values`);
	const rows = () => t.count('[aria-label="the chosen supernode"] tbody tr');
	t.equal(await rows(), 500, 'not all ranks');
	t.match(await t.text('[aria-label="the chosen supernode"]'), /500 of 2\s048 rows/, 'which it says');
	await t.press('more', '[aria-label="the chosen supernode"] .sourced');
	t.equal(await rows(), 1000, 'more of them');
});
