// missing.test.mjs - what pages say of what they could not have: each request that is refused is told, with its reason.
// SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

// Without these a page has nothing to ask for; the others are refused.
const PAGES = ({runs}) => ({
	runs: ['/', /^$/],
	run: [`/run/${runs.fem}?pane=functions`, /^api\/(run|parameters)$/],
	nodes: [`/run/${runs.fem}?node=libsolver.so`, /^(api\/(run|parameters)|view\/sankey.*)$/],
	trace: [`/trace/${runs.trace}`, /^api\/(run|phases|parameters)$/],
	'without phases': [`/trace/${runs.trace}`, /^api\/(run|parameters)$/],
	viewer: [`/viewer/${runs.trace}?sel=3@610000000&from=600000000&to=640000000&q=MPI_Waitall`, /^api\/viewer$/],
	window: [`/viewer/${runs.trace}?region=600000000-680000000@0-7`, /^api\/(viewer|raster|saved|parameters)$/],
	profile: [`/profile/${runs.fem}?function=spmv&table=iterations`, /^api\/tree$/],
	compare: [`/compare?a=${runs.before}&b=${runs.fem}`, /^api\/(run|parameters)$/],
	history: ['/history?application=sim', /^api\/parameters$/],
	ensemble: ['/ensemble?application=sim&view=graph', /^api\/(applications|ensemble|parameters)$/],
	query: ['/q/hot', /^api\/(saved_query|parameters)$/],
});

const nameOf = url => /\/((?:api|view|q)\/[\w/.-]+)/.exec(url)?.[1].replace(/\.(svg|json)$/, '') ?? null;

// Opens a page that is refused data and pictures unless keep() says otherwise: names of what was refused.
async function refuse(t, path, keep, refusal)
{
	const refused = new Set();
	t.expectFailures();
	await t.open(path, {answer: request => {
		const name = nameOf(request.url());
		const isAsked = ['fetch', 'xhr', 'image'].includes(request.resourceType());
		if (!isAsked || name === null || name === 'api/events' || keep(name))
			return null;
		refused.add(name);
		return refusal === null ? request.abort('connectionrefused') : request.respond({...refusal(name),
			contentType: 'application/json'});
	}});
	return refused;
}

const tooLong = name => ({status: 504, body: JSON.stringify({error: {message: `${name} took too long`,
	hint: 'Ask for less.'}})});

for (const name of Object.keys(PAGES({runs: {}})))
	test(`missing: ${name}: everything that is refused is told`, async t => {
		const [path, kept] = PAGES(t.world)[name];
		const refused = await refuse(t, path, one => kept.test(one), tooLong);
		t.ok(refused.size > 0, 'something is asked for');
		for (const one of refused)
			await t.until(`a word about ${one}`, text => document.body.innerText.includes(text), `${one} took too long`);
		t.equal(await t.count('.waiting'), 0, 'nothing is waited for');
		await t.shot(`missing-${name.replace(' ', '-')}`, false);
	});

test('missing: no server, no right, no run', async t => {
	const {fem, trace} = t.world.runs;
	await refuse(t, '/', () => false, null);
	for (const path of ['/', `/run/${fem}`, `/trace/${trace}`, `/viewer/${trace}`, `/profile/${fem}`, '/history',
		'/ensemble', '/q', `/compare?a=${fem}&b=${fem}`])
	{
		await t.go(path);
		t.match(await t.text('main [role="alert"]'), /the server does not answer/, `${path} without a server`);
	}
	await t.open(`/run/${fem}`);
	t.equal((await t.page.goto(`${t.world.url}/run/999999`)).status(), 404, 'a run that is not there has no page');
	t.match(await t.text('body'), /no such run/, 'which says so');
	await refuse(t, '/', () => false, () => ({status: 403,
		body: '{"error":{"message":"another site asks","hint":null}}'}));
	t.match(await t.text('main [role="alert"]'), /another site asks/, 'without the right');
});

test('missing: a hole in the picture is filled when one tries again', async t => {
	let isAway = true;
	await refuse(t, `/viewer/${t.world.runs.trace}`, name => !isAway || name !== 'api/raster', tooLong);
	await t.until('a word about it', () => /api\/raster took too long/.test(document.querySelector('.hole')?.textContent));
	isAway = false;
	await t.page.click('.hole button');
	await t.until('all of it', () => document.querySelector('canvas').dataset.ready === 'true');
	t.equal(await t.count('.hole'), 0, 'nothing is missing any more');
});
