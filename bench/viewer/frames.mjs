// frames.mjs - what a trace viewer costs in a headless Chromium: until its first and its sharp picture, a frame of
// zooming and moving, memory and processor time of page and server, requests. The same gestures for any viewer: the
// wheel, and keys that zoom and move.
//
// frames.mjs CHROMIUM NAME ADDRESS [WIDTH HEIGHT [SERVER...]]   prints one line of JSON; NAME: perfhouse or perfetto;
// SERVER: processes that serve it, which count with those that they started
// SPDX-License-Identifier: PostgreSQL

import {readdirSync, readFileSync} from 'node:fs';
import puppeteer from 'puppeteer-core';

const [executablePath, name, address, width = 1920, height = 1080, ...servers] = process.argv.slice(2);
const PATIENCE_MS = 600000;
const ROUNDS = 60;
const GESTURES_MS = 60000; // a viewer that has not drawn them all by then has drawn enough
const TICKS = 100; // of a second, as /proc counts

// When a page shows something of the trace, and all of what it is to show. Ours says so; Perfetto has labels of tracks
// then, and no word of loading. How often that is asked is no burden on the page.
const VIEWERS = {
	perfhouse: {
		isFirst: () => document.querySelector('canvas')?.dataset.drawn === 'true',
		isSharp: () => document.querySelector('canvas')?.dataset.ready === 'true',
		polling: 20,
	},
	perfetto: {
		isFirst: () => /rank \d/i.test(document.querySelector('.pf-track, .pf-track-tree, main, body')?.textContent ?? ''),
		isSharp: () => /rank \d/i.test(document.body.textContent) && ![...document.querySelectorAll('input')].some(one =>
			/^(Loading|Running|Opening)/.test(one.placeholder)),
		polling: 500,
	},
};

// In every page: what animation frames cost its script, and their distance.
function instrument()
{
	const real = window.requestAnimationFrame.bind(window);
	window.frameCosts = [];
	window.requestAnimationFrame = call => real(now => {
		const start = performance.now();
		call(now);
		window.frameCosts.push(performance.now() - start);
	});
	window.longTasks = [];
	new PerformanceObserver(list => window.longTasks.push(...list.getEntries().map(one => one.duration)))
		.observe({entryTypes: ['longtask']});
}

const quantile = (sorted, q) => sorted.length === 0 ? null : Number(sorted[Math.min(sorted.length - 1,
	Math.floor(sorted.length * q))].toFixed(1));

// ---- processes
const readOr = (file, otherwise) => {
	try { return readFileSync(file, 'utf8'); }
	catch { return otherwise; } // it has ended
};

// Of all processes: {pid, parent, cpu: ms of it and of those that it waited for}.
const processes = () => readdirSync('/proc').filter(pid => /^\d+$/.test(pid)).map(pid => {
	const fields = readOr(`/proc/${pid}/stat`, ') ? 0').replace(/^.*\) /s, '').split(' ');
	return {pid: Number(pid), parent: Number(fields[1]), cpu: [11, 12, 13, 14].reduce((sum, at) => sum
		+ Number(fields[at] ?? 0), 0) * 1000 / TICKS};
});

function cpuOf(roots)
{
	const found = processes();
	const wanted = new Set(roots);
	for (let before = -1; before !== wanted.size;)
	{
		before = wanted.size;
		for (const one of found)
			if (wanted.has(one.parent))
				wanted.add(one.pid);
	}
	return found.filter(({pid}) => wanted.has(pid)).reduce((sum, {cpu}) => sum + cpu, 0);
}

// What the page's own process has in memory, its share of what it shares with others included: MB.
async function memoryOf(browser)
{
	const client = await browser.target().createCDPSession();
	const {processInfo} = await client.send('SystemInfo.getProcessInfo');
	const sizes = processInfo.filter(({type}) => type === 'renderer').map(({id}) =>
		Number(/^Pss:\s+(\d+)/m.exec(readOr(`/proc/${id}/smaps_rollup`, ''))?.[1] ?? 0) / 1024);
	return Math.round(Math.max(0, ...sizes));
}

// ---- tasks
// What the longest task of a page's main thread took of a processor, in ms: how long it lasted says as much of what
// else the machine did.
function longestTask(trace)
{
	const {traceEvents} = JSON.parse(Buffer.from(trace).toString());
	const mains = new Set(traceEvents.filter(one => one.name === 'thread_name' && one.args.name === 'CrRendererMain')
		.map(({pid, tid}) => `${pid} ${tid}`));
	return Math.round(traceEvents.filter(({ph, name: what, pid, tid}) => ph === 'X' && /RunTask$/.test(what)
		&& mains.has(`${pid} ${tid}`)).reduce((most, {tdur = 0}) => Math.max(most, tdur), 0) / 1000);
}

// ---- the page
async function since(page, check, start)
{
	await page.waitForFunction(check, {timeout: PATIENCE_MS, polling: VIEWERS[name].polling});
	return Math.round(performance.now() - start);
}

// Into the middle and out again, by the wheel.
const gestures = page => page.evaluate(async (rounds, most) => {
	Object.assign(window, {frameCosts: [], longTasks: []});
	const [clientX, clientY] = [innerWidth * 0.45, innerHeight * 0.6];
	const target = document.elementFromPoint(clientX, clientY);
	const begin = performance.now();
	for (let i = 0; i < rounds && performance.now() - begin < most; i++)
	{
		target.dispatchEvent(new WheelEvent('wheel', {deltaY: i < rounds / 2 ? -60 : 60, ctrlKey: window.zoomsByCtrl,
			clientX, clientY, bubbles: true, cancelable: true}));
		await new Promise(resolve => { setTimeout(resolve, 16); });
	}
}, ROUNDS, GESTURES_MS);

async function measure(browser, page)
{
	await page.setViewport({width: Number(width), height: Number(height)});
	await page.evaluateOnNewDocument(instrument);
	await page.evaluateOnNewDocument(ctrl => { window.zoomsByCtrl = ctrl; }, name === 'perfetto');
	let requests = 0;
	let bytes = 0;
	const client = await page.createCDPSession();
	await client.send('Network.enable');
	client.on('Network.requestWillBeSent', () => { requests++; });
	client.on('Network.loadingFinished', ({encodedDataLength}) => { bytes += encodedDataLength; });
	const tree = [browser.process().pid];
	const before = [cpuOf(tree), cpuOf(servers.map(Number))];
	await page.tracing.start({categories: ['toplevel']});
	const start = performance.now();
	await page.goto(address, {waitUntil: 'domcontentloaded', timeout: PATIENCE_MS});
	const first = await since(page, VIEWERS[name].isFirst, start);
	const sharp = await since(page, VIEWERS[name].isSharp, start);
	const [pageCpu, serverCpu] = [cpuOf(tree), cpuOf(servers.map(Number))].map((ms, i) => Math.round(ms - before[i]));
	const opening = {requests, bytes, page_cpu_ms: pageCpu, server_cpu_ms: serverCpu,
		longest: Math.round(Math.max(0, ...await page.evaluate(() => window.longTasks))),
		longest_cpu: longestTask(await page.tracing.stop())};
	await gestures(page);
	const zoomed = performance.now();
	const again = await since(page, VIEWERS[name].isSharp, zoomed);
	const costs = (await page.evaluate(() => window.frameCosts)).sort((a, b) => a - b);
	const tasks = (await page.evaluate(() => window.longTasks)).sort((a, b) => a - b);
	const memory = await memoryOf(browser); // as it is: a collection comes behind
	await client.send('HeapProfiler.collectGarbage');
	const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
	return {first_ms: first, sharp_ms: sharp, opening, sharp_again_ms: again, frames: costs.length,
		frame_median_ms: quantile(costs, 0.5), frame_p95_ms: quantile(costs, 0.95),
		longest_task_ms: Math.round(tasks.at(-1) ?? 0), pauses_p90_ms: quantile(tasks, 0.9),
		heap_mb: Math.round(heap / 1e6), memory_mb: memory, requests};
}

// What the page says when it gives up, or that it has ended.
async function refusal(page, error, crashed)
{
	const said = crashed ? null : await Promise.race([page.evaluate(() =>
		document.querySelector('.modal-dialog, .pf-modal-dialog, [role=dialog]')?.textContent.slice(0, 200) ?? null),
	new Promise(resolve => { setTimeout(resolve, 20000, 'the page does not answer'); })]).catch(() => null);
	return said ?? (crashed ? 'the page crashed' : error.message);
}

const browser = await puppeteer.launch({executablePath, headless: true, protocolTimeout: 2 * PATIENCE_MS,
	args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info']});
try
{
	const page = await browser.newPage();
	let crashed = false;
	page.on('error', () => { crashed = true; });
	const found = await measure(browser, page).catch(async error => ({refused: await refusal(page, error, crashed),
		memory_mb: await memoryOf(browser)}));
	console.log(JSON.stringify({viewer: name, width: Number(width), ...found}));
}
finally { await browser.close(); }
