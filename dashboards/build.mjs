// build.mjs - writes the dashboards' and the alert rules' JSON from src/. `node build.mjs --check` only says whether it
// is up to date.
// SPDX-License-Identifier: PostgreSQL

import {readFileSync, writeFileSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const NAMES = ['fleet', 'history', 'run', 'compare', 'trace', 'gpu', 'machine', 'warehouse'];
const MADE = [...NAMES.map(name => [name, `${name}.json`]), ['alerts', 'provisioning/alerting/rules.json']];
const check = process.argv.includes('--check');
let stale = 0;

for (const [name, path] of MADE)
{
	const {default: content} = await import(`./src/${name}.mjs`);
	const file = join(here, path);
	const text = `${JSON.stringify(content, null, '\t')}\n`;
	let before = '';
	try { before = readFileSync(file, 'utf8'); }
	catch { /* not made yet */ }
	if (before === text)
		continue;
	stale++;
	if (check)
		console.log(`dashboards/${path} is out of date; run: node dashboards/build.mjs`);
	else
		writeFileSync(file, text);
}
process.exit(check && stale > 0 ? 1 : 0);
