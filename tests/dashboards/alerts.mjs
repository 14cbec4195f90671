// alerts.mjs - what must hold of the provisioned alert rules and contact points. SPDX-License-Identifier: PostgreSQL

const SOURCE = 'perfhouse';
const EXPRESSION = '__expr__';

// Of one rule: the condition is a step of it, steps refer to earlier ones, the receiver is provisioned, nothing is
// taken for a variable of Grafana's environment.
function faultsOf(rule, receivers)
{
	const faults = [];
	const steps = rule.data.map(d => d.refId);
	if (!/^[a-zA-Z0-9_-]{1,40}$/.test(rule.uid))
		faults.push(`uid is ${rule.uid}`);
	if (!steps.includes(rule.condition))
		faults.push(`its condition ${rule.condition} is none of its steps`);
	if (!receivers.includes(rule.notification_settings.receiver))
		faults.push(`nobody is called ${rule.notification_settings.receiver}`);
	if (JSON.stringify(rule).includes('$'))
		faults.push('a $ would be replaced');
	rule.data.forEach(({refId, datasourceUid, model}, i) => {
		const asks = datasourceUid === SOURCE;
		if (!asks && datasourceUid !== EXPRESSION)
			faults.push(`step ${refId} asks ${datasourceUid}`);
		if (asks ? model.format !== 'time_series' || !model.rawSql : !steps.slice(0, i).includes(model.expression))
			faults.push(`step ${refId} has no question, or refers to no earlier step`);
	});
	const columns = [...rule.annotations.summary.matchAll(/\.Labels\.(\w+)/g)].map(([, name]) => name);
	return faults.concat(columns.filter(name => !new RegExp(`AS ${name}\\b`).test(rule.data[0].model.rawSql))
		.map(name => `its text names ${name}, which its question does not return`));
}

// [name, faults] of every rule; rules and contacts as provisioned.
export function alertFaults(rules, contacts)
{
	const all = rules.groups.flatMap(group => group.rules);
	const receivers = [...contacts.matchAll(/^ {4}name: (\S+)$/gm)].map(([, name]) => name);
	const ids = all.map(rule => rule.uid);
	return [...all.map(rule => [rule.uid, faultsOf(rule, receivers)]),
		['uids', new Set(ids).size < ids.length ? ['two rules have one uid'] : []]];
}

// A time, one number, and texts that tell the series apart.
export function alertFrameFaults({columns, rows})
{
	const faults = [];
	if (columns[0]?.name !== 'time' || columns[0].type !== 'timestamp with time zone')
		faults.push('the first column is no time');
	if (columns.filter(c => c.kind === 'number').length !== 1)
		faults.push('not one number');
	faults.push(...columns.slice(1).filter(c => !['number', 'string'].includes(c.kind))
		.map(c => `column ${c.name} is ${c.type}`));
	const labels = rows.map(row => row.filter((_, i) => columns[i].kind === 'string').join('\n'));
	if (new Set(labels).size < labels.length)
		faults.push('two series have one name');
	return faults;
}
