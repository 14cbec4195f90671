// frames.mjs - what a trace viewer costs in a headless Chromium: until its first and its sharp picture, a frame of
// zooming and moving, memory, requests. The same gestures for any viewer: the wheel, and keys that zoom and move.
//
// frames.mjs CHROMIUM NAME ADDRESS [WIDTH HEIGHT]   prints one line of JSON; NAME: perfhouse or perfetto
// SPDX-License-Identifier: PostgreSQL

import puppeteer from 'puppeteer-core';

const [executablePath, name, address, width = 1920, height = 1080] = process.argv.slice(2);
const PATIENCE_MS = 300000;
const ROUNDS = 60;

// When a page shows something of the trace, and all of what it is to show. Ours says so; Perfetto has labels of tracks
// then, and no word of loading.
const VIEWERS = {
	perfhouse: {
		isFirst: () => document.querySelector('canvas')?.dataset.drawn === 'true',
		isSharp: () => document.querySelector('canvas')?.dataset.ready === 'true',
	},
	perfetto: {
		isFirst: () => /rank \d/i.test(document.body.innerText),
		isSharp: () => /rank \d/i.test(document.body.innerText) && ![...document.querySelectorAll('input')].some(one =>
			/^(Loading|Running|Opening)/.test(one.placeholder)),
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

const since = async (page, check, start) => {
	await page.waitForFunction(check, {timeout: PATIENCE_MS, polling: 50});
	return Math.round(performance.now() - start);
};

// Into the middle and out again, by the wheel.
const gestures = page => page.evaluate(async rounds => {
	Object.assign(window, {frameCosts: [], longTasks: []});
	const [clientX, clientY] = [innerWidth * 0.45, innerHeight * 0.6];
	const target = document.elementFromPoint(clientX, clientY);
	for (let i = 0; i < rounds; i++)
	{
		target.dispatchEvent(new WheelEvent('wheel', {deltaY: i < rounds / 2 ? -60 : 60, ctrlKey: window.zoomsByCtrl,
			clientX, clientY, bubbles: true, cancelable: true}));
		await new Promise(resolve => { setTimeout(resolve, 16); });
	}
}, ROUNDS);

const browser = await puppeteer.launch({executablePath, headless: true, protocolTimeout: PATIENCE_MS,
	args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--enable-precise-memory-info']});
try
{
	const page = await browser.newPage();
	await page.setViewport({width: Number(width), height: Number(height)});
	await page.evaluateOnNewDocument(instrument);
	await page.evaluateOnNewDocument(ctrl => { window.zoomsByCtrl = ctrl; }, name === 'perfetto');
	let requests = 0;
	let bytes = 0;
	const client = await page.createCDPSession();
	await client.send('Network.enable');
	client.on('Network.requestWillBeSent', () => { requests++; });
	client.on('Network.loadingFinished', ({encodedDataLength}) => { bytes += encodedDataLength; });
	const start = performance.now();
	await page.goto(address, {waitUntil: 'domcontentloaded', timeout: PATIENCE_MS});
	const first = await since(page, VIEWERS[name].isFirst, start);
	const sharp = await since(page, VIEWERS[name].isSharp, start);
	const opening = {requests, bytes, longest: Math.round(Math.max(0, ...await page.evaluate(() => window.longTasks)))};
	await gestures(page);
	const zoomed = performance.now();
	const again = await since(page, VIEWERS[name].isSharp, zoomed);
	const costs = (await page.evaluate(() => window.frameCosts)).sort((a, b) => a - b);
	const tasks = (await page.evaluate(() => window.longTasks)).sort((a, b) => a - b);
	await client.send('HeapProfiler.collectGarbage');
	const heap = await page.evaluate(() => performance.memory.usedJSHeapSize);
	const {metrics} = await client.send('Performance.enable').then(() => client.send('Performance.getMetrics'));
	const buffers = metrics.find(one => one.name === 'ArrayBufferContents')?.value ?? null;
	console.log(JSON.stringify({viewer: name, width: Number(width), first_ms: first, sharp_ms: sharp, opening,
		sharp_again_ms: again, frames: costs.length, frame_median_ms: quantile(costs, 0.5),
		frame_p95_ms: quantile(costs, 0.95), longest_task_ms: Math.round(tasks.at(-1) ?? 0),
		heap_mb: Math.round(heap / 1e6), buffers, requests}));
}
finally { await browser.close(); }
