// structure.mjs - what must hold of a dashboard's JSON without any data (T12, T13), and of its links.
// SPDX-License-Identifier: PostgreSQL

import {PANELS} from './contracts.mjs';

const overlap = (a, b) => a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;

function layout(panels)
{
	const faults = [];
	const ids = panels.map(p => p.id);
	if (new Set(ids).size < ids.length)
		faults.push('two panels have one id');
	panels.forEach((p, i) => {
		const {x, y, w, h} = p.gridPos;
		if (![x, y, w, h].every(Number.isInteger) || x < 0 || y < 0 || w < 1 || h < 1 || x + w > 24)
			faults.push(`panel "${p.title}" is outside of the 24 columns`);
		for (const other of panels.slice(0, i).filter(o => overlap(o.gridPos, p.gridPos)))
			faults.push(`panels "${p.title}" and "${other.title}" overlap`);
	});
	return faults;
}

function* sources(dashboard)
{
	for (const p of dashboard.panels)
	{
		if (p.targets)
			yield [`panel "${p.title}"`, p.datasource];
		for (const target of p.targets ?? [])
			yield [`target ${target.refId} of "${p.title}"`, target.datasource];
	}
	for (const v of dashboard.templating.list.filter(one => one.type === 'query'))
		yield [`variable ${v.name}`, v.datasource];
	for (const a of dashboard.annotations.list)
		yield [`annotation ${a.name}`, a.datasource];
}

// Links to dashboards name one that is there, and variables that it has.
function links(dashboard, all)
{
	const faults = [];
	for (const [, uid, query] of JSON.stringify(dashboard).matchAll(/"\/d\/([\w-]+)\?([^"]*)"/g))
	{
		const other = all.find(d => d.uid === uid);
		if (!other)
		{
			faults.push(`a link to ${uid}, which is no dashboard`);
			continue;
		}
		for (const [, name] of query.matchAll(/var-(\w+)=/g))
			if (!other.templating.list.some(v => v.name === name))
				faults.push(`a link sets ${name}, which ${uid} does not have`);
	}
	return faults;
}

const USED = /\$(\w+)|\$\{(\w+)/g;
const GRAFANAS = /^__/;

function variables(dashboard)
{
	const known = dashboard.templating.list.map(v => v.name);
	const used = [...JSON.stringify(dashboard).matchAll(USED)].map(([, a, b]) => a ?? b);
	const unknown = used.filter(name => !known.includes(name) && !GRAFANAS.test(name))
		.map(name => `$${name} is no variable`);
	return [...unknown, ...known.filter(name => !used.includes(name)).map(name => `variable ${name} is not used`)];
}

// source: the provisioned data source's {type, uid}; all: the dashboards.
export function structure(dashboard, source, all)
{
	const faults = [...layout(dashboard.panels), ...variables(dashboard), ...links(dashboard, all)];
	if (dashboard.schemaVersion !== 42)
		faults.push(`schemaVersion is ${dashboard.schemaVersion}`);
	if (!/^[a-zA-Z0-9_-]{1,40}$/.test(dashboard.uid))
		faults.push(`uid is ${dashboard.uid}`);
	if (all.filter(d => d.uid === dashboard.uid).length > 1)
		faults.push('two dashboards have one uid');
	faults.push(...dashboard.panels.filter(p => !PANELS.includes(p.type))
		.map(p => `panel "${p.title}" is of no known kind: ${p.type}`));
	faults.push(...dashboard.panels.filter(p => p.type !== 'row' && !(p.description?.length > 10))
		.map(p => `panel "${p.title}" does not say what it shows`));
	if (/localhost|127\.0\.0\.1/.test(JSON.stringify(dashboard)))
		faults.push('it names an address of one machine');
	for (const [what, given] of sources(dashboard))
		if (given?.uid !== source.uid || given?.type !== source.type)
			faults.push(`${what} does not ask the data source ${source.uid}`);
	return faults;
}

export function provisionedSource(yaml)
{
	const value = key => new RegExp(`^\\s*(?:- )?${key}: (\\S+)$`, 'm').exec(yaml)?.[1];
	return {uid: value('uid'), type: value('type')};
}
