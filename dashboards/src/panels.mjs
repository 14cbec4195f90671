// panels.mjs - what the dashboards are made of: panels, variables, annotations and links as Grafana's JSON.
//
// A panel is an object {type, title, w, h, ...}; dashboard() numbers panels and lays them out in rows of 24
// columns. SQL texts are Grafana's: $variables, $__timeFilter(column) and the like are replaced by Grafana.
// SPDX-License-Identifier: PostgreSQL

export const SOURCE = {type: 'grafana-postgresql-datasource', uid: 'perfhouse'};
const SCHEMA_VERSION = 42;
const COLUMNS = 24;

const indented = sql => sql.replace(/^\n|\s+$/g, '')
	.replace(/^\t+/gm, tabs => '  '.repeat(Math.max(tabs.length - 2, 0)));

export const target = (sql, format = 'table', refId = 'A') =>
	({refId, datasource: SOURCE, format, rawQuery: true, editorMode: 'code', rawSql: indented(sql)});

// A run that a variable names, null when there is none to choose: functions then give no rows.
export const runOf = name => `nullif('$${name}', '')::bigint`;

// ---- links
export const toDashboard = (name, title, parameters = '') =>
	({title, url: `/d/perfhouse-${name}?\${__url_time_range}${parameters && `&${parameters}`}`, targetBlank: false});
export const toPage = (path, title) => ({title, url: `$pages${path}`, targetBlank: true});
export const menu = [
	{asDropdown: false, icon: 'external link', includeVars: false, keepTime: true, tags: ['perfhouse'],
		targetBlank: false,
		title: 'perfhouse', tooltip: 'the other dashboards', type: 'dashboards', url: ''},
	{asDropdown: false, icon: 'external link', includeVars: false, keepTime: false, tags: [], targetBlank: true,
		title: 'interactive pages', tooltip: 'perfhouse serve', type: 'link', url: '$pages/'},
];

// Of one column of a table: unit, links, width, colour ... by name.
export function column(name, {unit, links, width, decimals, min, max, cell, color, hidden, mappings} = {})
{
	const properties = [];
	const add = (id, value) => value !== undefined && properties.push({id, value});
	add('unit', unit);
	add('links', links);
	add('custom.width', width);
	add('decimals', decimals);
	add('min', min);
	add('max', max);
	add('custom.cellOptions', cell);
	add('color', color);
	add('custom.hidden', hidden);
	add('mappings', mappings);
	return {matcher: {id: 'byName', options: name}, properties};
}
export const RELATIVE = {unit: 'percentunit', decimals: 1, cell: {type: 'color-text'},
	color: {mode: 'continuous-GrYlRd'}, min: -0.5, max: 0.5};
export const GROUPINGS = ['module', 'paradigm', 'library', 'file', 'function'];
export const GAUGE = {type: 'gauge', mode: 'basic'};

// ---- panels
// The description is what a panel's (i) shows: what the figures are, and what to make of them.
const panel = (type, title, description, sql, {w = 12, h = 8, format = 'table', defaults = {}, columns = [],
	options = {}, targets} = {}) => ({
	type, title, description, w, h, datasource: SOURCE,
	targets: targets ?? [target(sql, format)],
	fieldConfig: {defaults, overrides: columns},
	options,
});

export const table = (title, description, sql, {sort, options = {}, defaults = {}, ...rest} = {}) => panel('table',
	title, description, sql, {
	...rest,
	defaults: {custom: {align: 'auto', filterable: true, inspect: true}, ...defaults},
	options: {cellHeight: 'sm', showHeader: true, ...(sort && {sortBy: [sort]}), ...options},
});

export const timeseries = (title, description, sql, {unit, points = false, stacked = false,
	...rest} = {}) => panel('timeseries',
	title, description, sql, {
	...rest,
	format: 'time_series',
	defaults: {unit, custom: {drawStyle: points ? 'points' : 'line', lineWidth: 1, pointSize: 4, fillOpacity: stacked
		? 60 : 0, showPoints: stacked ? 'never' : 'always', spanNulls: true,
		stacking: {mode: stacked ? 'normal' : 'none', group: 'A'}}, ...rest.defaults},
	options: {legend: {calcs: [], displayMode: 'list', placement: 'bottom', showLegend: true},
		tooltip: {mode: 'multi', sort: 'desc'}},
});

export const stat = (title, description, sql, {unit, steps, links, ...rest} = {}) => panel('stat', title,
	description, sql, {
	w: 4, h: 4, ...rest,
	defaults: {unit, links, color: {mode: 'thresholds'},
		thresholds: {mode: 'absolute', steps: steps ?? [{value: null, color: 'text'}]}},
	options: {reduceOptions: {calcs: ['lastNotNull'], fields: '', values: false}, colorMode: 'value', graphMode: 'none',
		justifyMode: 'auto', textMode: 'auto'},
});

export const barchart = (title, description, sql, x, {unit, horizontal = true, stacked = false,
	...rest} = {}) => panel('barchart',
	title, description, sql, {
	...rest,
	defaults: {unit, custom: {fillOpacity: 80, lineWidth: 0}},
	options: {xField: x, orientation: horizontal ? 'horizontal' : 'vertical', stacking: stacked ? 'normal' : 'none',
		showValue: 'auto', groupWidth: 0.8, barWidth: 0.9,
		legend: {calcs: [], displayMode: 'list', placement: 'bottom', showLegend: stacked},
			tooltip: {mode: 'single', sort: 'none'}, xTickLabelMaxLength: 40},
});

export const histogram = (title, description, sql, {unit, ...rest} = {}) => panel('histogram', title, description,
	sql, {
	...rest, defaults: {unit, custom: {fillOpacity: 70, lineWidth: 1}},
	options: {legend: {calcs: [], displayMode: 'list', placement: 'bottom', showLegend: false},
		tooltip: {mode: 'single', sort: 'none'}},
});

export const flamegraph = (title, description, sql, {unit, ...rest} = {}) => panel('flamegraph', title, description,
	sql,
	{w: 24, h: 16, ...rest, defaults: {unit}});

// arcs: {column: colour}.
export const nodeGraph = (title, description, nodes, edges, {arcs = {}, unit, ...rest} = {}) => panel('nodeGraph',
	title, description, '', {
	w: 24, h: 16, ...rest, targets: [target(nodes, 'table', 'nodes'), target(edges, 'table', 'edges')],
	options: {
		layoutAlgorithm: 'layered', zoomMode: 'cooperative', edges: {mainStatUnit: unit},
		nodes: {mainStatUnit: unit, secondaryStatUnit: unit, arcs: Object.entries(arcs)
			.map(([field, color]) => ({field, color}))},
	},
});

export const heatmap = (title, description, sql, {unit, ...rest} = {}) => panel('heatmap', title, description, sql, {
	...rest,
	options: {calculate: false, cellGap: 0, color: {mode: 'scheme', scheme: 'Oranges', steps: 64, exponent: 0.5,
		fill: 'dark-orange', scale: 'exponential', reverse: false},
		cellValues: {unit}, exemplars: {color: 'rgba(255,0,255,0.7)'}, rowsFrame: {layout: 'auto'},
			yAxis: {axisPlacement: 'left', reverse: true}, tooltip: {mode: 'single', yHistogram: false,
			showColorScale: true}, legend: {show: true}, showValue: 'never'},
});

export const xychart = (title, description, sql, {unit, log = false, ...rest} = {}) => panel('xychart', title,
	description, sql, {
	...rest,
	defaults: {unit, custom: {show: 'points+lines', pointSize: {fixed: 6},
		...(log && {scaleDistribution: {type: 'log', log: 10}})}},
	options: {mapping: 'auto', series: [], legend: {calcs: [], displayMode: 'list', placement: 'bottom',
		showLegend: true}, tooltip: {mode: 'single', sort: 'none'}},
});

export const timeline = (title, description, sql, rest = {}) => panel('state-timeline', title, description, sql, {
	...rest, options: {mergeValues: false, showValue: 'auto', rowHeight: 0.9, alignValue: 'left',
		legend: {displayMode: 'list', placement: 'bottom', showLegend: false}, tooltip: {mode: 'single', sort: 'none'}},
});

// A picture that `perfhouse serve` draws; path is below $pages and may contain variables: of named runs $version.
export const picture = (title, description, path, {link, w = 24, h = 16, ...rest} = {}) => ({
	type: 'text', title, description, w, h, ...rest, fieldConfig: {defaults: {}, overrides: []},
	options: {mode: 'html',
		content: `<a href="$pages${link ?? path}" target="_blank"><img src="$pages${path}" alt="${title}: no picture, is perfhouse.pages set?" style="max-width:100%;max-height:100%"></a>`},
});

export const note = (title, markdown, {w = 24, h = 3} = {}) =>
	({type: 'text', title, w, h, fieldConfig: {defaults: {}, overrides: []},
		options: {mode: 'markdown', content: markdown}});

// A heading above the panels that follow.
export const row = title => ({type: 'row', title, w: COLUMNS, h: 1, collapsed: false, panels: []});

// ---- variables and annotations
export const variable = (name, label, sql, {refresh = 1, multi = false, all = false, ...rest} = {}) => ({
	name, label, type: 'query', datasource: SOURCE, query: indented(sql), refresh, multi, includeAll: all, sort: 0,
	options: [], ...rest,
});
export const APPLICATIONS = `
	SELECT DISTINCT application AS __text, application AS __value FROM perfhouse.run_cost
	WHERE application IS NOT NULL ORDER BY 1`;
export const choice = (name, label, options) => ({
	name, label, type: 'custom', query: options.join(','), multi: false, includeAll: false,
	current: {text: options[0], value: options[0]},
	options: options.map((value, i) => ({text: value, value, selected: i === 0})),
});
// Where perfhouse serve is for people's browsers: a setting of the database, as it is one address for all dashboards.
export const PAGES = variable('pages', 'pages of perfhouse serve', `
	SELECT s.pages AS __text, s.pages AS __value FROM (SELECT rtrim(current_setting('perfhouse.pages', true), '/')) s (pages)
	WHERE s.pages <> ''`, {hide: 2});
// Of the pictures of these runs, so that browsers ask for each once: the next version has another address.
export const versionOf = (...runs) => variable('version', 'version of the pictures', `
	SELECT v.version AS __text, v.version AS __value FROM perfhouse.run_version(ARRAY[${runs.join(', ')}]) v (version)
	WHERE v.version IS NOT NULL`, {refresh: 2, hide: 2});
export const annotation = (name, sql, color) =>
	({name, enable: true, hide: false, iconColor: color, datasource: SOURCE, target: {refId: 'Anno', format: 'table',
		rawQuery: true, editorMode: 'code', rawSql: indented(sql)}});

// ---- a dashboard
function laidOut(panels)
{
	let x = 0;
	let y = 0;
	let height = 0;
	return panels.map(({w, h, ...rest}, i) => {
		if (x + w > COLUMNS)
		{
			x = 0;
			y += height;
			height = 0;
		}
		const placed = {id: i + 1, ...rest, gridPos: {h, w, x, y}};
		x += w;
		height = Math.max(height, h);
		return placed;
	});
}

export const dashboard = ({name, title, description, from = 'now-90d', variables = [], annotations = [], panels,
	refresh = ''}) => ({
	uid: `perfhouse-${name}`, title, description, tags: ['perfhouse'], schemaVersion: SCHEMA_VERSION, version: 1,
	editable: true, timezone: 'browser',
	graphTooltip: 1, time: {from, to: 'now'}, refresh, links: menu, annotations: {list: annotations},
	templating: {list: [...variables, PAGES]}, panels: laidOut(panels),
});
