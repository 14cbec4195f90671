// options.test.mjs - menus come from the declarations of /api/parameters. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

// As if the program declared one parameter more of the super graph and one view more of a run; the server, which does
// not know them, is not told.
function declareMore()
{
	const real = window.fetch;
	window.sent = [];
	window.fetch = async (url, ...given) => {
		const asked = new URL(url, location.href);
		if (asked.searchParams.has('glitter_of'))
			window.sent.push(asked.searchParams.get('glitter_of'));
		asked.searchParams.delete('glitter_of');
		asked.pathname = asked.pathname.replace('/sparkle.', '/flame.');
		const response = await real(asked.pathname + asked.search, ...given);
		if (asked.pathname !== '/api/parameters')
			return response;
		const all = await response.json();
		all.views.sankey.parameters.push({name: 'glitter_of', type: 'text', label: 'glitter', help: 'what glitters',
			web: 'shown', choices: ['nothing', 'gold'], default: 'nothing', required: false, repeats: false});
		all.views.sparkle = {...all.views.flame, label: 'sparkling', help: 'a view that sparkles'};
		return new Response(JSON.stringify(all), {headers: {'Content-Type': 'application/json'}});
	};
}

test('options: what is declared appears, with its choices, default and help, and is sent', async t => {
	await t.open('/');
	await t.page.evaluateOnNewDocument(declareMore);
	await t.go(`/run/${t.world.runs.fem}`);
	const [words, value, tip, label] = await t.page.$eval('select[name="glitter_of"]', list =>
		[[...list.options].map(option => option.value), list.value, list.closest('label').title,
			list.closest('label').textContent]);
	t.equal(words, ['nothing', 'gold'], 'choices');
	t.equal(value, 'nothing', 'the default is chosen');
	t.equal(tip, 'what glitters', 'the help is its tooltip');
	t.match(label, /^glitter/, 'label');
	t.equal(await t.page.evaluate(() => window.sent), [], 'a default is not sent');
	await t.choose('glitter_of', 'gold');
	t.equal(t.param('glitter_of'), 'gold', 'in the address');
	t.equal(await t.page.evaluate(() => window.sent), ['gold'], 'the picture is asked for with it');
	await t.press('sparkling', '#whole');
	t.equal(t.param('whole'), 'sparkle', 'a tab of the new view');
	t.ok(await t.count('#whole .frame') > 0, 'it is drawn');
});

// What follows the controls of another picture.
const ELSEWHERE = {histogram: ['metric', 'group_by', 'filter'], 'logical-clusters': ['color']};

test('options: every declared control is on its page, with its words and range', async t => {
	const {runs} = t.world;
	const pages = {sankey: `/run/${runs.fem}`, histogram: `/run/${runs.fem}`, flame: `/run/${runs.fem}?whole=flame`,
		cct: `/run/${runs.fem}?whole=cct`, 'sankey-diff': `/compare?a=${runs.before}&b=${runs.fem}`,
		'logical-clusters': `/trace/${runs.trace}`, logical: `/trace/${runs.trace}`, timeline: `/trace/${runs.trace}`};
	await t.open('/');
	const {views} = await t.page.evaluate(async () => (await fetch('/api/parameters')).json());
	for (const [view, path] of Object.entries(pages))
	{
		await t.go(path);
		const found = await t.page.$$eval('.options label', labels => labels.map(({title, control}) => ({title,
			words: [...control?.options ?? control?.list?.options ?? []].map(option => option.value),
			min: control?.min ?? '', max: control?.max ?? ''})));
		for (const {help, choices, web, name, type, least, most} of views[view].parameters)
		{
			const elsewhere = name === 'ranks' || (ELSEWHERE[view] ?? []).includes(name);
			if (web === undefined || elsewhere)
				continue;
			const control = found.find(one => one.title === help
				&& (choices ?? []).every(word => one.words.includes(word)));
			t.ok(control !== undefined, `${view}: a control of ${name} with all its words`);
			if (most !== undefined && (type === 'integer' || type === 'number'))
				t.equal([control.min, control.max].map(Number), [least, most], `${view}: the range of ${name}`);
		}
	}
});
