// tabs.test.mjs - ten tabs at once, some of them slow: nobody waits long. SPDX-License-Identifier: PostgreSQL

import {testAlone} from './harness.mjs';

const TABS = 10;
const MOST_MS = 2000; // of a request of a tab that asks for little
const FLOOD = 10; // of pictures that take long, in one tab
const AS_LONG_AS = 8; // on a machine that is busy with something else: times what such requests take alone

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
		return {one, status: answer.status, ms: performance.now() - start};
	})), addresses, `tab${pages.indexOf(page)}`);
	const askAlone = async width => Math.max(...(await ask(pages[1], ['/api/runs',
		`/view/sankey.svg?run=${runs.fem}&width=${width}`])).map(({ms}) => ms));
	const before = await askAlone(890);
	const seed = Date.now() % 100000;
	const flood = ask(pages[0], Array.from({length: FLOOD}, (_, i) =>
		`/view/logical.png?run=${runs.trace}&width=2600&title=${seed}-${i}`));
	const ofFew = (page, i) => ask(page, ['/api/runs', `/api/run/${runs.fem}`,
		`/view/sankey.svg?run=${runs.fem}&width=${i}`]);
	const few = await Promise.all(pages.slice(1).map((page, i) => ofFew(page, 900 + i)));
	const slowest = few.flat().reduce((most, one) => one.ms > most.ms ? one : most);
	t.ok(few.flat().every(({status}) => status === 200), 'all are answered');
	const own = await flood;
	t.ok(own.every(({status}) => status === 200), 'the flood, too');
	const alone = Math.max(before, await askAlone(891));
	t.ok(slowest.ms < Math.max(MOST_MS, AS_LONG_AS * alone), `the slowest request of the others took ${Math.round(slowest.ms)} ms: ${slowest.one}`);
	console.log(`# tabs: the slowest of ${few.flat().length} requests beside a flood took ${Math.round(slowest.ms)} ms, `
		+ `the flood ${Math.round(Math.max(...own.map(({ms}) => ms)))} ms`);
});
