// queries.js - saved queries, each with its page.
// SPDX-License-Identifier: PostgreSQL

import {declarations, rows} from './api.js';
import {h, problem} from './dom.js';
import {moment} from './format.js';
import {shell} from './shell.js';
import {table} from './table.js';

const main = shell('Queries');
const host = h('section', {class: 'card'});
main.append(h('div', {class: 'title-row'}, h('h1', {}, 'Queries'),
	h('span', {class: 'soft'}, 'saved under names: perfhouse query add NAME --query SQL')), host);
try
{
	const [found, {sql}] = await Promise.all([rows('saved'), declarations()]);
	if (sql)
		main.querySelector('.title-row').append(h('a', {href: '/sql'}, 'write SQL'));
	host.append(table([
		{key: 'name', label: 'name', show: row => h('a', {href: `/q/${row.name}`}, row.name)},
		{key: 'title', label: 'title', text: true},
		{key: 'parameters', label: 'parameters', show: row => row.parameters.map(one => one.name).join(', ')},
		{key: 'view', label: 'drawn by'},
		{key: 'about', label: 'what it tells', text: true},
		{key: 'owner', label: 'saved by'},
		{key: 'saved_at', label: 'saved', show: row => moment(row.saved_at)},
	], found, {empty: ['no query is saved: ', h('code', {}, 'perfhouse query add NAME --query "SELECT ..."')],
		sql: '/api/saved.sql'}));
}
catch (error) { host.append(problem(error)); }
