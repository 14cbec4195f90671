// tabs.test.mjs - ten tabs at once, some of them slow: nobody waits long. SPDX-License-Identifier: PostgreSQL

import {testAlone} from './harness.mjs';

const TABS = 10;
const MOST_MS = 2000; // of a request of a tab that asks for little
const FLOOD = 10; // of pictures that take long, in one tab
const AS_LONG_AS = 3; // on a machine that is busy with something else: times what the same tabs wait without the flood
const IN_TURN = 7; // or where one processor does all: so many of the flood are answered before the slowest
const AGAIN = 3; // as what else the machine does may come with the flood

testAlone('tabs: ten at once, and one that floods the server', async t => {
	const {runs, url} = t.world;
	await t.open('/');
	const pages = await Promise.all(Array.from({length: TABS}, () => t.context.newPage()));
	await Promise.all(pages.map(page => page.goto(`${url}/q`, {waitUntil: 'load'})));
	// one tab asks for pictures that nobody has drawn, the others for what pages begin with
	const ask = (page, addresses) => page.evaluate((all, tab) => Promise.all(all.map(async one => {
		const start = performance.now();
		const answer = await fetch(one, {headers: {'X-Perfhouse-Tab': tab}});
		await answer.arrayBuffer();
		return {one, status: answer.status, ms: performance.now() - start, at: Date.now()};
	})), addresses, `tab${pages.indexOf(page)}`);
	const ofFew = (page, width) => ask(page, ['/api/runs', `/api/run/${runs.fem}`,
		`/view/sankey.svg?run=${runs.fem}&width=${width}`]);
	const askFew = async width => {
		const few = (await Promise.all(pages.slice(1).map((page, i) => ofFew(page, width + i)))).flat();
		t.ok(few.every(({status}) => status === 200), 'all are answered');
		return few.reduce((most, one) => one.ms > most.ms ? one : most);
	};
	const seed = Date.now() % 100000;
	const round = async nth => {
		const first = await askFew(880 + 60 * nth);
		const flood = ask(pages[0], Array.from({length: FLOOD}, (_, i) =>
			`/view/logical.png?run=${runs.trace}&width=2600&title=${seed}-${nth}-${i}`));
		const slowest = await askFew(900 + 60 * nth);
		const own = await flood;
		t.ok(own.every(({status}) => status === 200), 'the flood, too');
		return {slowest, own, alone: Math.max(first.ms, (await askFew(920 + 60 * nth)).ms)};
	};
	const before = ({slowest, own}) => own.filter(({at}) => at < slowest.at).length;
	const isLate = one => one.slowest.ms >= Math.max(MOST_MS, AS_LONG_AS * one.alone) && before(one) > IN_TURN;
	let found = await round(0);
	for (let nth = 1; nth <= AGAIN && isLate(found); nth++)
		found = await round(nth);
	const {slowest, own, alone} = found;
	t.ok(!isLate(found),
		`the slowest request of the others took ${Math.round(slowest.ms)} ms, ${Math.round(alone)} without the flood, and ended `
			+ `behind ${before(found)} of the flood: ${slowest.one}`);
	console.log(`# tabs: the slowest request beside a flood took ${Math.round(slowest.ms)} ms, without it ${Math.round(alone)} ms, `
		+ `the flood ${Math.round(Math.max(...own.map(({ms}) => ms)))} ms`);
});
