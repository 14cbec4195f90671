// looks.test.mjs - light and dark, laptop and projector: nothing is cut, nothing is small. SPDX-License-Identifier:
// PostgreSQL

import {apart} from './eyes.mjs';
import {LAPTOP, PHONE, PROJECTOR, TABLET, test, WALL} from './harness.mjs';

const LONG = 'std::vector<std::pair<long, fem::ElementMatrix<double, 27, fem::Layout::Column>>>::_M_realloc_insert';

const PAGES = ({runs}) => ({runs: '/', run: `/run/${runs.caliper}`, compare: `/compare?a=${runs.before}&b=${runs.fem}`,
	history: '/history?application=sim', ensemble: '/ensemble?application=sim', trace: `/trace/${runs.trace}`,
	names: `/run/${runs.fem}?group_by=function&node=${encodeURIComponent(LONG)}`, viewer: `/viewer/${runs.trace}`, profile: `/profile/${runs.fem}?function=cg_solve`});

// Texts of dark pictures that are too faint for the ground, unless they stand on a mark and are black or white.
function pale()
{
	const light = hex => {
		const [r, g, b] = [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16) / 255)
			.map(one => one <= 0.04045 ? one / 12.92 : ((one + 0.055) / 1.055) ** 2.4);
		return 0.2126 * r + 0.7152 * g + 0.0722 * b;
	};
	return [...document.querySelectorAll('main .sheet > svg')].flatMap(svg => {
		const ground = svg.querySelector('rect').getAttribute('fill');
		const faint = fill => (light(fill) + 0.05) / (light(ground) + 0.05) < 4.5;
		return ground !== '#1a1a1a' ? [`a ground of ${ground}`] : [...svg.querySelectorAll('text')].map(one =>
			one.getAttribute('fill')).filter(fill => fill !== null && fill !== '#111111' && faint(fill));
	});
}

for (const [kind, size, dark] of [['laptop', LAPTOP, false], ['projector', PROJECTOR, false], ['dark', LAPTOP, true]])
	test(`looks: ${kind}`, async t => {
		await t.open('/', {size, dark});
		for (const [name, path] of Object.entries(PAGES(t.world)))
		{
			await t.go(path);
			const {scroll, width, small, theme} = await t.page.evaluate(() => ({
				scroll: document.documentElement.scrollWidth,
				width: innerWidth,
				small: [...document.querySelectorAll('main svg text')].filter(text =>
					text.getBoundingClientRect().height > 0 && text.getBoundingClientRect().height < 7).length,
				theme: document.documentElement.dataset.theme,
			}));
			t.ok(scroll <= width, `${name} is no wider than the screen: ${scroll}`);
			t.equal(small, 0, `texts of ${name} can be read`);
			t.equal(theme, dark ? 'dark' : 'light', 'the system chooses the theme');
			if (dark)
			{
				t.equal(await t.page.evaluate(() => [...document.querySelectorAll('main *')].filter(one =>
					getComputedStyle(one).filter !== 'none').length), 0, `nothing of ${name} is turned over`);
				t.equal(await t.page.evaluate(pale), [], `texts of pictures of ${name} stand out from the ground`);
			}
			await t.shot(`${name}-${kind}`);
		}
	});

test('looks: no page is wider than its screen', async t => {
	await t.open('/', {size: PHONE});
	for (const [name, path] of Object.entries(PAGES(t.world)))
	{
		await t.page.setViewport(PHONE);
		await t.go(path);
		for (const size of [PHONE, TABLET, LAPTOP, PROJECTOR, WALL])
		{
			await t.page.setViewport(size);
			const scroll = await t.page.evaluate(() => document.documentElement.scrollWidth);
			t.ok(scroll <= size.width, `${name} at ${size.width}: ${scroll}`);
		}
	}
});

test('looks: a super graph fits its place, and keeps its size where all of it is wanted', async t => {
	const graph = () => t.page.evaluate(() => {
		const sheet = document.querySelector('.card .sheet');
		const svg = sheet.querySelector('svg');
		const levels = [...svg.querySelectorAll('.bar')].map(bar => Number(bar.dataset.level));
		return {units: svg.viewBox.baseVal.width, pixels: svg.getBoundingClientRect().width,
			place: sheet.clientWidth, content: sheet.scrollWidth, levels: Math.max(...levels) + 1};
	});
	await t.open(`/run/${t.world.runs.plain}?group_by=function`, {size: TABLET});
	const fitting = await graph();
	t.ok(fitting.content <= fitting.place && Math.abs(fitting.units - fitting.pixels) < 2, JSON.stringify(fitting));
	t.ok(fitting.levels <= 1 + (fitting.units - 192) / 80, `${fitting.levels} levels in ${fitting.units}`);
	await t.go(`/run/${t.world.runs.plain}?group_by=function&filter=0`);
	const all = await graph();
	t.ok(all.levels >= fitting.levels, `${all.levels} levels of all`);
	t.ok(all.pixels > all.units - 2, `as large as it is: ${JSON.stringify(all)}`);
	t.ok(all.units <= all.place || all.content > all.place, 'what is wider is scrolled');
	t.ok(await t.page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'in its place');
	await t.page.setViewport(PHONE);
	await t.go(`/run/${t.world.runs.plain}?group_by=function&filter=0`);
	t.ok(await t.page.$eval('.card .sheet', sheet => sheet.scrollWidth > sheet.clientWidth), 'under a finger, too');
});

test('looks: a phone has the buttons beside the name, and a printed page is black on white', async t => {
	await t.open('/', {size: PHONE, dark: true});
	const [name, button, pages] = await t.page.evaluate(() => ['.brand', 'button', 'nav'].map(one =>
		document.querySelector(`header.top ${one}`).getBoundingClientRect().toJSON()));
	t.ok(button.top < name.bottom && pages.top >= button.bottom, JSON.stringify([name, button, pages]));
	await t.page.emulateMediaType('print');
	t.equal(await t.page.evaluate(() => [getComputedStyle(document.body).color,
		getComputedStyle(document.body).backgroundColor]), ['rgb(0, 0, 0)', 'rgb(255, 255, 255)'], 'printed');
	t.equal(await t.page.$eval('.scroll', one => getComputedStyle(one).maxHeight), 'none', 'all rows are');
});

test('looks: on a wall everything is larger', async t => {
	await t.open(`/history?application=sim`, {size: WALL});
	const {text, picture} = await t.page.evaluate(() => {
		const svg = document.querySelector('main svg');
		return {text: parseFloat(getComputedStyle(document.documentElement).fontSize),
			picture: svg.getBoundingClientRect().width / svg.viewBox.baseVal.width};
	});
	t.ok(text >= 24, `letters of ${text} pixels`);
	t.ok(picture > 1.9 && picture < 2.1, `two pixels for one: ${picture}`);
	t.ok(await t.page.evaluate(() => document.querySelector('main').clientWidth > 3500), 'the width is used');
});

// What pages say by colour alone, to people who see all colours, no green or no red: better and worse, links, marks,
// shades of a heat map, less than others, kinds of time, groups of runs. Pairs are least apart by so much (CIE 1976).
const TOLD_APART = {words: 20, shades: 5, kinds: 15, groups: 13, ground: 25};

const palette = (t, isDark) => t.page.evaluate(async dark => {
	const {activityColors, cycle, heat, less} = await import('/static/viewer_colors.js');
	document.documentElement.dataset.theme = dark ? 'dark' : 'light';
	const style = getComputedStyle(document.documentElement);
	const words = Object.fromEntries(['bad', 'good', 'ink', 'card', 'accent', 'page'].map(name => {
		const hex = style.getPropertyValue(`--${name}`).trim();
		return [name, [1, 3, 5].map(at => parseInt(hex.slice(at, at + 2), 16))];
	}));
	return {words, shades: Array.from({length: 9}, (_, i) => heat(i / 8, dark)), less: less(dark),
		kinds: activityColors, groups: Array.from({length: 8}, (_, i) => cycle(i, dark))};
}, isDark);

for (const isDark of [false, true])
	test(`looks: colours are told apart by every eye, ${isDark ? 'dark' : 'light'}`, async t => {
		await t.open('/');
		const {words, shades, less, kinds, groups} = await palette(t, isDark);
		for (const [one, other] of [['bad', 'good'], ['bad', 'ink'], ['good', 'ink'], ['bad', 'card'], ['good', 'card'],
			['accent', 'card'], ['accent', 'page'], ['ink', 'card']])
			t.ok(apart(words[one], words[other]) > TOLD_APART.words, `${one} beside ${other}: ${apart(words[one], words[other])}`);
		shades.slice(1).forEach((shade, i) => t.ok(apart(shade, shades[i]) > TOLD_APART.shades,
			`shade ${i + 1} beside the one before: ${apart(shade, shades[i])}`));
		t.ok(shades.every(shade => apart(shade, less) > TOLD_APART.words), 'less than others beside all shades');
		t.ok(groups.every(one => apart(one, words.card) > TOLD_APART.ground), 'groups stand out from the ground');
		for (const [name, colors] of Object.entries({kinds, groups}))
			colors.forEach((one, i) => colors.slice(0, i).forEach((other, k) =>
				t.ok(apart(one, other) > TOLD_APART[name], `${name} ${i} beside ${k}: ${apart(one, other)}`)));
	});

test('looks: the theme is kept', async t => {
	await t.open('/');
	await t.page.click('button[aria-label="light or dark"]');
	await t.go('/history?application=sim');
	t.equal(await t.page.$eval(':root', root => root.dataset.theme), 'dark', 'on the next page');
});
