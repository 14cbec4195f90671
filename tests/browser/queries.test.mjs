// queries.test.mjs - saved queries, and what pages show as SQL. SPDX-License-Identifier: PostgreSQL

import {test} from './harness.mjs';

test('queries: a saved one has parameters, a table, a picture and SQL', async t => {
	await t.open('/q');
	t.match(await t.text('tbody'), /hot[^]*run, most[^]*bar/, 'the list');
	await t.go('/q/hot');
	await t.until('the picture', () => document.querySelector('img.drawn')?.naturalWidth > 0);
	t.equal(await t.count('tbody tr'), 6, 'rows by the defaults');
	await t.page.$eval('input[name="most"]', input => { input.value = '2'; });
	await t.press('show');
	await t.until('fewer rows', () => document.querySelectorAll('tbody tr').length === 2);
	t.equal([t.param('run'), t.param('most')], ['1', '2'], 'the address has them');
	await t.back();
	await t.until('the rows before', () => document.querySelectorAll('tbody tr').length === 6);
	await t.press('SQL', '.card > header');
	t.match(await t.text('dialog.sql'), /set run '1'[^]*set most '6'[^]*flat\(profile\(:run\)\)/, 'as psql takes it');
	await t.press('close', 'dialog.sql');
	t.equal(await t.count('dialog.sql'), 0, 'and closed');
	await t.shot('query');
});

test('queries: a value that is none is told', async t => {
	t.expectFailures();
	await t.open('/q/hot?run=none');
	t.match(await t.text('.problem'), /invalid input syntax/, 'by the server');
});

test('queries: pictures and tables are shown as SQL', async t => {
	await t.open('/run/1');
	await t.until('a picture', () => document.querySelector('.picture svg') !== null);
	await t.page.$eval('.picture button.sql', button => button.click());
	await t.until('the dialog', () => document.querySelector('dialog.sql code') !== null);
	t.match(await t.text('dialog.sql'), /supergraph\(perfhouse\.legible\(1/, 'the expression');
	t.match(await t.text('dialog.sql'), /copy/, 'and how to take it');
	await t.press('close', 'dialog.sql');
	await t.go('/compare?a=1&b=2');
	await t.until('a table', () => document.querySelector('.sourced button.sql') !== null);
	await t.page.$eval('.sourced button.sql:last-child', button => button.click());
	await t.until('its SQL', () => document.querySelector('dialog.sql code') !== null);
	t.match(await t.text('dialog.sql'), /SELECT/, 'a query');
});
