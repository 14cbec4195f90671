// injection.test.mjs - stored names that look like markup or script stay text, on every page and in every picture.
// SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

const ALLOWED = new Set(['svg', 'g', 'rect', 'path', 'line', 'circle', 'ellipse', 'polyline', 'polygon', 'text',
	'tspan', 'title', 'desc', 'defs',
	'clippath', 'lineargradient', 'radialgradient', 'stop', 'pattern', 'use', 'metadata', 'marker']);
const VIEWS = ['sankey', 'flame', 'histogram', 'scatter', 'box', 'cct', 'processes', 'metric', 'function-graph',
	'function-neighbourhood', 'function-arcs'];

// Elements and attributes that no page or picture of ours has.
function strangers(allowed)
{
	const strange = 'body script, iframe, object, embed, img, base, #injected, main style, a[href^="javascript:"]';
	const found = [...document.querySelectorAll(strange)].map(element => element.outerHTML.slice(0, 120));
	for (const element of document.querySelectorAll('svg, svg *'))
	{
		if (!allowed.includes(element.localName.toLowerCase()))
			found.push(`in a picture: ${element.outerHTML.slice(0, 120)}`);
		for (const {name, value} of element.attributes)
			if (name.startsWith('on') || /^\s*javascript:/i.test(value))
				found.push(`attribute ${name}="${value}"`);
	}
	return window.hit === undefined ? found : [...found, `script ran: ${window.hit}`];
}

const check = async (t, where) => t.equal(await t.page.evaluate(strangers, [...ALLOWED]), [],
	`only our own elements ${where}`);

test('injection: on every page', async t => {
	const {evil, fem} = t.world.runs;
	const application = encodeURIComponent(t.world.attacks[0]);
	await t.open('/');
	t.ok((await t.text('main')).includes(t.world.attacks[2]), 'the title is text');
	await check(t, 'in the list of runs');
	for (const rest of ['', '?group_by=function', '?group_by=function&pane=entries',
		'?group_by=function&pane=functions', '?pane=values', '?pane=scatter',
		...['cct', 'function-graph', 'processes', 'box', 'facts'].map(whole => `?whole=${whole}`)])
	{
		await t.go(`/run/${evil}${rest}`);
		await check(t, `on /run${rest}`);
	}
	await t.go(`/run/${evil}?group_by=function`);
	for (const node of await t.page.$$eval('.sankey .bar', bars => bars.map(bar => CSS.escape(bar.dataset.node))))
	{
		await t.hover(`.sankey .bar[data-node="${node}"]`);
		await t.tip();
		await check(t, 'in a tooltip');
	}
	await t.shot('injection-run');
	for (const path of [`/compare?a=${evil}&b=${fem}`,
		`/compare?a=${evil}&b=${fem}&group_by=function&view=sankey-compare`, `/history?application=${application}`])
	{
		await t.go(path);
		await check(t, `on ${path}`);
	}
	await t.shot('injection-history');
	for (const rest of ['', ...t.world.attacks.slice(0, 4).map(name =>
		`?table=tree&function=${encodeURIComponent(name)}`),
		'?table=lines', '?table=callers&shape=inverted&q=%3Cscript'])
	{
		await t.go(`/profile/${evil}${rest}`);
		await t.key('?', 'Escape');
		await check(t, `on /profile${rest}`);
	}
	await t.shot('injection-profile');
});

test('injection: splits of names that hold what separates parameters', async t => {
	await t.open(`/run/${t.world.runs.evil}?group_by=function`);
	const names = await t.page.$$eval('.sankey .bar', bars => bars.map(bar => bar.dataset.node));
	for (const node of names.slice(0, 4))
		for (const key of ['c', 'd', 's'])
		{
			await t.page.evaluate(name =>
				{ history.pushState(null, '', `?${new URLSearchParams({group_by: 'function', node: name})}`);
				dispatchEvent(new PopStateEvent('popstate')); }, node);
			await t.settled();
			await t.key(key);
			t.equal(await t.text('[aria-label="Super graph"] .problem'), '', `${key} on ${node}`);
			await check(t, `after ${key} on ${node}`);
		}
});

test('injection: in every picture opened by itself', async t => {
	await t.open('/');
	for (const view of VIEWS)
	{
		const response = await t.page.goto(`${t.world.url}/view/${view}.svg?run=${t.world.runs.evil}`);
		t.ok(response.status() === 200 || view === 'metric', `${view} is drawn: ${response.status()}`);
		await check(t, `in ${view}`);
	}
});

test('injection: an address that is an attack', async t => {
	t.expectFailures();
	const bad = encodeURIComponent('"><script>window.hit=9</script>');
	await t.open(`/run/${t.world.runs.fem}?node=${bad}&step=${bad}&pane=${bad}&whole=${bad}&function=${bad}&zoom=${bad}&ranks=${bad}`);
	await check(t, 'on the page of a run');
	await t.go(`/history?application=${bad}&path=${bad}&view=${bad}&filter=${bad}`);
	await check(t, 'on the page of an application');
	await t.go(`/compare?a=${bad}&b=${bad}&view=${bad}`);
	await check(t, 'on the page of two runs');
	await t.go(`/trace/${t.world.runs.trace}?steps=${bad}&phase=${bad}&color=${bad}&from=${bad}&more=${bad}`);
	await check(t, 'on the page of a trace');
	await t.go(`/viewer/${t.world.runs.trace}?q=${bad}&mark=5:${bad}&sel=${bad}&region=${bad}&color=${bad}&open=${bad}&axis=${bad}&vs=${bad}`);
	await check(t, 'in the viewer');
	await t.go(`/profile/${t.world.runs.fem}?q=${bad}&function=${bad}&table=${bad}&shape=${bad}&zoom=${bad}&sort=${bad}&grid=${bad}`);
	await check(t, 'in the profile workspace');
});
