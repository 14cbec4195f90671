// contracts.mjs - what each kind of panel needs of its data. Every function returns a list of faults, empty when sound.
// A frame is {columns: [{name, type, kind}], rows}.
// SPDX-License-Identifier: PostgreSQL

const find = (frame, name) => frame.columns.findIndex(c => c.name === name);
const values = (frame, name) => frame.rows.map(row => row[find(frame, name)]);

function needs(frame, kinds)
{
	return Object.entries(kinds).flatMap(([name, kind]) => {
		const column = frame.columns[find(frame, name)];
		if (!column)
			return [`column ${name} is missing`];
		return column.kind === kind ? [] : [`column ${name} is ${column.type}, not a ${kind}`];
	});
}

// ---- formats (T4, T5)
export function timeSeries(frame)
{
	const [first, ...rest] = frame.columns;
	if (first?.name !== 'time' || first.type !== 'timestamp with time zone')
		return [`the first column is ${first?.name} (${first?.type}), not time (timestamp with time zone)`];
	const faults = rest.filter(c => !['number', 'string', 'boolean'].includes(c.kind))
		.map(c => `column ${c.name} is ${c.type}`);
	if (!rest.some(c => c.kind === 'number'))
		faults.push('there is no number');
	const times = frame.rows.map(row => row[0] === null ? NaN : Date.parse(row[0].replace(' ', 'T')
		.replace(/([+-]\d\d)$/, '$1:00')));
	if (times.some(Number.isNaN))
		faults.push('a time is null');
	if (times.some((t, i) => i > 0 && t < times[i - 1]))
		faults.push('times are not sorted');
	if (rest.some(c => c.kind === 'string'))
		faults.push(...rest.length === 2 ? needs(frame, {metric: 'string', value: 'number'})
			: ['a series named by text needs the columns time, metric, value alone']);
	if (find(frame, 'metric') >= 0 && values(frame, 'metric').includes(null))
		faults.push('a metric is null');
	return faults;
}

export function table(frame)
{
	const names = frame.columns.map(c => c.name);
	const twice = names.filter((name, i) => names.indexOf(name) !== i);
	return twice.map(name => `two columns are called ${name}`).concat(names.filter(name => name === '?column?')
		.map(() => 'a column has no name'));
}

// ---- kinds of panels
function stat(frame)
{
	const faults = frame.columns.length === 1 ? [] : [`${frame.columns.length} columns instead of one`];
	return frame.rows.length <= 1 ? faults : [...faults, `${frame.rows.length} rows instead of one`];
}

function histogram(frame)
{
	const faults = needs(frame, {xMin: 'number', xMax: 'number'});
	if (faults.length > 0)
		return faults;
	const [low, high] = [values(frame, 'xMin'), values(frame, 'xMax')];
	if (!frame.columns.some(c => !['xMin', 'xMax'].includes(c.name) && c.kind === 'number'))
		faults.push('there are no counts');
	if (low.some((x, i) => x > high[i] || (i > 0 && x < low[i - 1])))
		faults.push('bins are not in order');
	return faults;
}

function barchart(frame, panelModel)
{
	const x = frame.columns[find(frame, panelModel.options.xField)];
	const faults = x && ['string', 'time'].includes(x.kind)
		? [] : [`xField ${panelModel.options.xField} is no column of text or time`];
	return frame.columns.filter(c => c !== x && c.kind !== 'number')
		.map(c => `column ${c.name} is ${c.type}, not a number`).concat(faults);
}

const xychart = frame => frame.columns.filter(c => c.kind === 'number').length >= 2
	? [] : ['fewer than two columns of numbers'];

// Rows of cells: one width of time, numeric names, one value per cell.
function heatmap(frame)
{
	const faults = timeSeries(frame);
	if (faults.length > 0)
		return faults;
	const cells = frame.rows.map(row => `${row[0]} ${row[1]}`);
	if (new Set(cells).size < cells.length)
		faults.push('a cell has two values');
	if (values(frame, 'metric').some(name => !/^\d+$/.test(name)))
		faults.push('a row of cells has no number for a name');
	const times = [...new Set(frame.rows.map(row => row[0]))].map(t => Date.parse(t.replace(' ', 'T')
		.replace(/([+-]\d\d)$/, '$1:00')));
	const steps = times.slice(1).map((t, i) => t - times[i]);
	if (steps.some(step => Math.abs(step - steps[0]) > 2))
		faults.push('columns of cells differ in width');
	return faults;
}

function stateTimeline(frame)
{
	const faults = needs(frame, {time: 'time'});
	return frame.columns.some(c => !['time', 'timeend'].includes(c.name)) ? faults : [...faults, 'there is no state'];
}

// ---- flame graphs (T6, T7)
const close = (a, b, scale) => Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(scale), 1e-300);

function additive(frame, value, self)
{
	const [level, total, own] = [values(frame, 'level'), values(frame, value), values(frame, self)];
	const below = new Array(level.length).fill(0);
	const open = [];
	const faults = [];
	level.forEach((depth, i) => {
		open.length = depth;
		if (depth > 0)
			below[open[depth - 1]] += total[i];
		open[depth] = i;
	});
	level.forEach((_, i) => {
		if (!close(below[i] + own[i], total[i], total[0]) && faults.length < 3)
			faults.push(`row ${i}: ${self} ${own[i]} and callees ${below[i]} do not add up to ${value} ${total[i]}`);
	});
	return faults;
}

function flamegraph(frame)
{
	const faults = needs(frame, {level: 'number', label: 'string', value: 'number', self: 'number'});
	const right = ['valueRight', 'selfRight'].filter(name => find(frame, name) >= 0);
	if (right.length === 1 || frame.columns.some(c => /^(valueright|selfright|value_right|self_right)$/.test(c.name)))
		faults.push('a differential flame graph needs valueRight and selfRight, spelt so');
	if (faults.length > 0 || frame.rows.length === 0)
		return faults;
	const level = values(frame, 'level');
	if (level[0] !== 0 || level.filter(l => l === 0).length !== 1)
		return ['not exactly one root, first'];
	if (level.some((l, i) => i > 0 && (l > level[i - 1] + 1 || l < 0)))
		return ['a level is left out'];
	return additive(frame, 'value', 'self')
		.concat(right.length === 2 ? additive(frame, 'valueRight', 'selfRight') : []);
}

// ---- node graph (T8)
const LIMIT = 200;
export function nodeGraph(nodes, edges)
{
	const faults = [...needs(nodes, {id: 'string', title: 'string', mainstat: 'number'}),
		...needs(edges, {id: 'string', source: 'string', target: 'string'})];
	if (faults.length > 0)
		return faults;
	const ids = new Set(values(nodes, 'id'));
	if (ids.size < nodes.rows.length)
		faults.push('two nodes have one id');
	if (nodes.rows.length > LIMIT)
		faults.push(`${nodes.rows.length} nodes are more than the panel shows`);
	if (new Set(values(edges, 'id')).size < edges.rows.length)
		faults.push('two edges have one id');
	for (const end of [...values(edges, 'source'), ...values(edges, 'target')].filter(id => !ids.has(id)))
		faults.push(`an edge ends at ${end}, which is no node`);
	const arcs = nodes.columns.filter(c => c.name.startsWith('arc__')).map(c => c.name);
	const sums = nodes.rows.map(row => arcs.reduce((sum, arc) => sum + row[find(nodes, arc)], 0));
	if (arcs.length === 0 || sums.some(sum => Math.abs(sum - 1) > 1e-9))
		faults.push('arcs do not add up to 1');
	const fixed = ['fixedx', 'fixedy'].map(name => find(nodes, name));
	if (fixed.some(i => i >= 0) && nodes.rows.some(row => fixed.some(i => i < 0 || row[i] === null)))
		faults.push('fixedx and fixedy are not there for all nodes');
	return faults;
}

// ---- cells and links of tables (T11)
function wellFormed(xml)
{
	const open = [];
	for (const [, closing, name, empty] of xml.replace(/<\?[\s\S]*?\?>|<!--[\s\S]*?-->/g, '')
		.matchAll(/<(\/?)([A-Za-z][\w:-]*)(?:\s+[\w:-]+="[^"<]*")*\s*(\/?)>/g))
	{
		if (closing && open.pop() !== name)
			return false;
		if (!closing && !empty)
			open.push(name);
	}
	return open.length === 0 && /^(<\?[\s\S]*?\?>\s*)?<svg[\s>]/.test(xml);
}

export function imageCell(value, pages)
{
	if (value.startsWith(`${pages}/view/`))
		return /[\s"'<>]/.test(value) ? ['an address of a picture is not escaped'] : [];
	const [, data] = /^data:image\/svg\+xml;base64,([A-Za-z0-9+/=]+)$/.exec(value) ?? [];
	if (data === undefined)
		return ['an image is neither a page\'s nor SVG data of one line'];
	return wellFormed(Buffer.from(data, 'base64').toString()) ? [] : ['an image is not well-formed'];
}

function overrides(frame, panelModel, pages)
{
	const faults = [];
	for (const {matcher, properties} of panelModel.fieldConfig.overrides)
	{
		if (matcher.id === 'byName' && find(frame, matcher.options) < 0)
			faults.push(`settings of a column ${matcher.options} that is not there`);
		if (properties.some(p => p.id === 'custom.cellOptions' && p.value.type === 'image'))
			faults.push(...values(frame, matcher.options).flatMap(value => imageCell(value ?? '', pages)));
	}
	for (const [, name] of JSON.stringify(panelModel).matchAll(/\$\{__data\.fields\.(\w+)/g))
		if (find(frame, name) < 0)
			faults.push(`a link needs a column ${name} that is not there`);
	return faults;
}

// ---- annotations and variables (T9, T10)
export function annotation(frame)
{
	const faults = needs(frame, {time: 'time', text: 'string'});
	const tags = frame.columns[find(frame, 'tags')];
	if (tags && tags.kind !== 'string')
		faults.push('tags are no text');
	if (find(frame, 'time') >= 0 && values(frame, 'time').includes(null))
		faults.push('a time is null');
	return faults;
}

export function variable(frame)
{
	const names = frame.columns.map(c => c.name);
	if (!names.includes('__text') || !names.includes('__value'))
		return [`columns ${names} instead of __text, __value`];
	const texts = values(frame, '__text');
	const faults = new Set(texts).size < texts.length ? ['two options have one text'] : [];
	return texts.includes(null) || values(frame, '__value').includes(null) ? [...faults, 'an option is null'] : faults;
}

// ---- a panel with the frames of its targets, in their order
const KINDS = {timeseries: () => [], table: () => [], stat, histogram, barchart, xychart, heatmap, flamegraph,
	'state-timeline': stateTimeline};
export const PANELS = ['text', 'row', 'nodeGraph', ...Object.keys(KINDS)];

export function panel(panelModel, frames, pages)
{
	if (panelModel.type === 'nodeGraph')
		return nodeGraph(...frames);
	const kind = KINDS[panelModel.type];
	if (!kind)
		return [`unknown kind of panel ${panelModel.type}`];
	return panelModel.targets.flatMap((target, i) => [
		...(target.format === 'time_series' ? timeSeries(frames[i]) : table(frames[i])), ...kind(frames[i], panelModel),
			...overrides(frames[i], panelModel, pages)]);
}
