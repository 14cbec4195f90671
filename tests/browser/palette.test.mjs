// palette.test.mjs - commands and keys on every page; pictures and tables as files. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

const PAGES = ({runs}) => ({'/': /application: fem/, [`/run/${runs.fem}`]: /histogram|entry functions/,
	[`/trace/${runs.trace}`]: /who to whom/, [`/compare?a=${runs.before}&b=${runs.fem}`]: /swap/,
	'/history?application=sim': /super graph of all runs|scaling/, '/ensemble?application=sim': /boxes of groups/,
	[`/profile/${runs.fem}`]: /spmv/, [`/viewer/${runs.trace}`]: /MPI_Init/, '/q': /hot/, '/q/hot': /show/});

async function palette(t, letters)
{
	await t.page.keyboard.down('Control');
	await t.page.keyboard.press('k');
	await t.page.keyboard.up('Control');
	await t.until('the palette', () => document.querySelector('dialog.palette')?.open);
	await t.page.keyboard.type(letters);
}

test('palette: commands and keys on every page', async t => {
	await t.open('/');
	for (const [path, wanted] of Object.entries(PAGES(t.world)))
	{
		await t.go(path);
		await palette(t, '');
		t.match(await t.text('.palette li'), wanted, `${path} offers what it has`);
		t.ok(!/← previous/.test(await t.text('.palette li')), `${path} offers nothing that cannot be done`);
		t.match(await t.page.$eval('.palette input', one => one.getAttribute('aria-activedescendant')), /palette-0/,
			'the chosen one is told to readers of screens');
		await t.page.keyboard.press('Escape');
		await t.page.evaluate(() => document.activeElement?.blur());
		await t.page.keyboard.press('?');
		await t.until(`keys of ${path}`, () => document.querySelector('dialog.keys-help')?.open);
		t.match(await t.text('dialog.keys-help'), /Ctrl-K.*the command palette/s, 'with what they do');
		await t.page.keyboard.press('Escape');
		t.equal(await t.count('dialog.keys-help'), 1, 'one list of keys');
		const unnamed = await t.page.$$eval('button, a[href], input, select, canvas, [role="img"], summary', all => all
			.filter(one => one.offsetParent !== null && !one.getAttribute('aria-label') && !one.textContent.trim()
				&& !one.title && !one.closest('label') && !one.placeholder).map(one => one.outerHTML.slice(0, 90)));
		t.equal(unnamed, [], `everything of ${path} has a name`);
	}
});

test('palette: a command chooses a view, and a run is found by its words', async t => {
	const {fem} = t.world.runs;
	await t.open(`/run/${fem}`);
	await palette(t, 'color blind');
	await t.page.keyboard.press('Escape');
	await palette(t, 'fem 32 after');
	await t.until('a run', () => /run \d+: fem 32 after/.test(document.querySelector('.palette ul').textContent));
	await t.page.keyboard.press('Escape');
	await t.go('/compare');
	await palette(t, 'all runs');
	await t.page.keyboard.press('Enter');
	await t.until('the list of runs', () => location.pathname === '/');
});

test('palette: pictures as SVG, PNG, PDF and rows, tables as CSV', async t => {
	await t.open(`/compare?a=${t.world.runs.before}&b=${t.world.runs.fem}`, {dark: true});
	await t.until('a picture', () => document.querySelector('.picture .save') !== null);
	const links = await t.page.$$eval('.picture .save a', all => all.map(one => one.getAttribute('href')));
	t.equal(links.length, 4, 'four kinds of files');
	const kinds = await t.page.evaluate(all => Promise.all(all.map(one => fetch(one).then(answer =>
		`${answer.status} ${answer.headers.get('content-type').split(';')[0]}`))), links);
	t.equal(kinds, ['200 image/svg+xml', '200 image/png', '200 application/pdf', '200 application/json'], 'are there');
	if (t.world.canEmulate)
		t.ok(links.every(one => one.includes('theme=dark')), 'as they are seen');
	const saved = await t.page.evaluate(() => {
		let name = null;
		const real = HTMLAnchorElement.prototype.click;
		HTMLAnchorElement.prototype.click = function click() { name = this.download; };
		[...document.querySelectorAll('.sourced button')].find(one => one.textContent === 'CSV').click();
		HTMLAnchorElement.prototype.click = real;
		return name;
	});
	t.match(saved, /\.csv$/, 'a table');
});

test('palette: a picture is drawn anew in the other theme', async t => {
	await t.open(`/run/${t.world.runs.fem}`);
	const ground = () => t.page.$eval('.sheet > svg rect', one => one.getAttribute('fill'));
	t.equal(await ground(), '#ffffff', 'on paper');
	await t.page.click('button[aria-label="light or dark"]');
	await t.until('a dark picture', () =>
		document.querySelector('.sheet > svg rect').getAttribute('fill') === '#1a1a1a');
	await t.settled();
	const colors = await t.page.$$eval('.sheet > svg .bar rect', all => all.map(one => one.getAttribute('fill')));
	t.ok(colors.includes('#4477aa') || colors.includes('#cc6677'), `modules keep their colours: ${colors.slice(0, 6)}`);
});
