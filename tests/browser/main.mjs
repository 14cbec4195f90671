// main.mjs SCREENSHOTS CHROMIUM [PATTERN] - makes a warehouse, starts server and browser, runs the tests.
// SPDX-License-Identifier: PostgreSQL

import {spawn} from 'node:child_process';
import {createInterface} from 'node:readline';
import puppeteer from 'puppeteer-core';
import {runAll} from './harness.mjs';

const [screenshots, executablePath, pattern = ''] = process.argv.slice(2);

// The longest first: at the end none runs alone.
for (const name of ['injection', 'actions', 'looks', 'palette', 'missing', 'options', 'bundle', 'viewer', 'trace',
	'run', 'profile', 'compare', 'queries', 'ensemble', 'history', 'live', 'runs',
	'tabs'])
	await import(`./${name}.test.mjs`);

const STARTS_MS = 120000; // a browser on a busy machine

// Tests of these names are those of users' sessions, which are made in Firefox, too, by WebDriver BiDi.
const IN_FIREFOX = 'actions|bundle|ensemble|palette|profile';

// Several tests run beside each other, in windows of which one is in front: the others draw and wait as it does.
const AWAKE = {'layout.throttled_frame_rate': 60, 'dom.min_background_timeout_value': 4,
	'dom.min_background_timeout_value_without_budget_throttling': 4,
	'dom.timeout.enable_budget_timer_throttling': false, 'dom.suspend_inactive.enabled': false};

async function runInFirefox(world)
{
	const browser = await puppeteer.launch({browser: 'firefox', executablePath: process.env.FIREFOX, headless: true,
		timeout: STARTS_MS, extraPrefsFirefox: AWAKE});
	try
	{
		console.log(`# in ${await browser.version()}`);
		const found = await runAll(browser, {...world, screenshots: `${screenshots}/firefox`, canEmulate: false},
			new RegExp(`(?=.*(?:${pattern}))^(${IN_FIREFOX})(?!.*(million|dark))`, 'i')); // neither is asked of Firefox
		result.passed += found.passed;
		result.failed += found.failed;
	}
	finally { await browser.close(); }
}

let result = {passed: 0, failed: 1};
const warehouse = spawn('perl', [`${process.env.PERFHOUSE_SOURCE}/tests/browser/warehouse.pl`],
	{stdio: ['pipe', 'pipe', 'inherit']});
const lines = createInterface({input: warehouse.stdout})[Symbol.asyncIterator]();
const first = await lines.next();
if (first.done || !first.value.startsWith('ready '))
	console.log('not ok - the warehouse is made');
else
{
	const world = {...JSON.parse(first.value.slice(6)), screenshots, load: async () => {
		warehouse.stdin.write('load\n');
		await lines.next();
	}};
	const browser = await puppeteer.launch({executablePath, headless: true, timeout: STARTS_MS,
		args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--force-color-profile=srgb']});
	try { result = await runAll(browser, {...world, canEmulate: true}, new RegExp(pattern, 'i')); }
	finally { await browser.close(); }
	if (process.env.FIREFOX && IN_FIREFOX.split('|').some(name => new RegExp(pattern, 'i').test(name)))
		await runInFirefox(world);
}
warehouse.stdin.end();
if (warehouse.exitCode === null)
	await new Promise(resolve => { warehouse.on('exit', resolve); });
console.log(`browser: ${result.passed} passed, ${result.failed} failed, 0 skipped`);
process.exit(result.failed === 0 && result.passed > 0 ? 0 : 1);
