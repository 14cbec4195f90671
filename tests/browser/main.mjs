// main.mjs SCREENSHOTS CHROMIUM [PATTERN] - makes a warehouse, starts server and browser, runs the tests.
// SPDX-License-Identifier: PostgreSQL

import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import puppeteer from 'puppeteer-core';
import {runAll} from './harness.mjs';

const [screenshots, executablePath, pattern = ''] = process.argv.slice(2);

for (const name of ['runs', 'run', 'compare', 'history', 'trace', 'viewer', 'profile', 'options', 'looks', 'injection',
	'queries'])
	await import(`./${name}.test.mjs`);

const warehouse = spawn('perl', [`${process.env.PERFHOUSE_SOURCE}/tests/browser/warehouse.pl`],
	{stdio: ['pipe', 'pipe', 'inherit']});
const lines = createInterface({input: warehouse.stdout})[Symbol.asyncIterator]();
const first = await lines.next();
let result = {passed: 0, failed: 1};
if (first.done || !first.value.startsWith('ready '))
	console.log('not ok - the warehouse is made');
else
{
	const world = {...JSON.parse(first.value.slice(6)), screenshots, load: async () => {
		warehouse.stdin.write('load\n');
		await lines.next();
	}};
	const browser = await puppeteer.launch({executablePath, headless: true,
		args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--force-color-profile=srgb']});
	try { result = await runAll(browser, world, new RegExp(pattern, 'i')); }
	finally { await browser.close(); }
}
warehouse.stdin.end();
if (warehouse.exitCode === null)
	await new Promise(resolve => { warehouse.on('exit', resolve); });
console.log(`browser: ${result.passed} passed, ${result.failed} failed, 0 skipped`);
process.exit(result.failed === 0 && result.passed > 0 ? 0 : 1);
