// distributed.mjs - rules of statements for a database that spreads tables by run_id over nodes and copies the others.
// (Rules of the catalog: tests/regress/sql/distributed.sql.)
//
// A table is by run when its primary key begins with run_id. What breaks a rule is listed with its reason, what is
// listed must break it, and deliberately bad statements show that every rule fires.
// SPDX-License-Identifier: PostgreSQL

import {parsePlPgSQLSync, parseSync} from '@libpg-query/parser';

// [file below sql/, rule, object, reason]. What waits to be healed before a warehouse is spread stands here, too.
const EXCEPTIONS = [
	['schema/tables/121-values.sql', 'SET STORAGE of a table that exists', 'value_block',
		'the same file makes it'],
	['schema/tables/122-summaries.sql', 'SET STORAGE of a table that exists', 'summary_block',
		'the same file makes it'],
	['schema/definitions/018-regressions.sql', 'correlated subquery below VALUES or WITH', 'location',
		'explain_change: hosts of the runs before and after'],
	['schema/definitions/060-pseudonyms.sql', 'correlated subquery beside copies', 'location',
		'views for guests refuse several nodes'],
	['schema/definitions/060-pseudonyms.sql', 'correlated subquery beside copies', 'summary_block',
		'views for guests refuse several nodes'],
	['schema/tables/175-traced-efficiency.sql', 'no columns of a table by run', 'trace',
		'files of tables stay as they are, and each node answers for its rows'],
	['schema/tables/190-device-efficiency.sql', 'no columns of a table by run', 'trace_stream',
		'files of tables stay as they are, and each node answers for its rows'],
	['queries/run/await.sql', 'row of a copy shared', 'run', 'asked on one server only (hold_content)'],
	['queries/run/share.sql', 'row of a copy shared', 'run', 'asked on one server only'],
];

// ---- the tree
function* nodesBelow(node)
{
	if (node === null || typeof node !== 'object')
		return;
	for (const [kind, child] of Object.entries(node))
	{
		if (!Array.isArray(node))
			yield [kind, child];
		yield* nodesBelow(child);
	}
}

// Children of a kind; with inner false, none of queries inside.
function* found(node, kinds, inner = true)
{
	if (node === null || typeof node !== 'object')
		return;
	for (const [kind, child] of Object.entries(node))
	{
		if (kinds.includes(kind) && !Array.isArray(node))
			yield child;
		if (inner || !['SelectStmt', 'SubLink', 'ctes'].includes(kind))
			yield* found(child, kinds, inner);
	}
}

const fieldsOf = column => (column?.ColumnRef?.fields ?? []).map(one => one.String?.sval);
const isRunId = node => fieldsOf(node).at(-1) === 'run_id';
const aliasOf = relation => relation.alias?.aliasname ?? relation.relname;

// Tables by run of all files of tables: names.
export function tablesByRun(trees)
{
	const names = new Set();
	for (const table of trees.flatMap(tree => [...found(tree, ['CreateStmt'])]))
	{
		for (const {keys = [], contype} of found(table, ['Constraint']))
		{
			if (contype === 'CONSTR_PRIMARY' && keys[0]?.String.sval === 'run_id')
				names.add(table.relation.relname);
		}
		for (const {colname, constraints = []} of found(table, ['ColumnDef']))
		{
			// run's own key is a number that it gives
			if (colname === 'run_id' && table.relation.relname !== 'run'
				&& constraints.some(one => one.Constraint.contype === 'CONSTR_PRIMARY'))
				names.add(table.relation.relname);
		}
	}
	return names;
}

// ---- rules: [name, (statement, by) => objects that break it]. by: names of tables by run
const relationsOf = (node, by, inner = true) => [...found(node, ['RangeVar'], inner)]
	.filter(one => one.schemaname === 'perfhouse' && by.has(one.relname));

// Names of relations whose run_id a query compares, with anything or as a join; '' is one without a relation's name.
function linked(select)
{
	const names = new Set();
	for (const {lexpr, rexpr} of found([select.fromClause, select.whereClause], ['A_Expr'], false))
	{
		for (const side of [lexpr, rexpr].filter(isRunId))
			names.add(fieldsOf(side).at(-2) ?? '');
	}
	for (const {testexpr} of found(select.whereClause ?? null, ['SubLink'], true))
	{
		if (isRunId(testexpr))
			names.add(fieldsOf(testexpr).at(-2) ?? '');
	}
	for (const join of found(select.fromClause ?? null, ['JoinExpr'], false))
	{
		if (join.usingClause?.some(one => one.String.sval === 'run_id'))
		{
			for (const one of [join.larg, join.rarg].flatMap(arm => [...found(arm, ['RangeVar'], false)]))
				names.add(aliasOf(one));
		}
	}
	return names;
}

function joinedWithoutRun(statement, by)
{
	const broken = [];
	for (const select of found(statement, ['SelectStmt']))
	{
		const relations = relationsOf(select.fromClause ?? null, by, false);
		const names = linked(select);
		if (relations.length > 1)
			broken.push(...relations.filter(one => !names.has(aliasOf(one))));
	}
	return broken.map(one => one.relname);
}

// Whether a query or one inside says which run it is about: run_id = $1, or the argument of a function.
const isOneRun = ({kind, lexpr, rexpr}) => kind === 'AEXPR_OP'
	&& [[lexpr, rexpr], [rexpr, lexpr]].some(([one, other]) => isRunId(one) && fieldsOf(other).length < 2);

// Tables that get their one run from a WITH query: nodes do not know it when they are asked, and look at all runs.
function runFromWith(statement, by)
{
	const named = new Set([...found(statement, ['CommonTableExpr'])]
		.filter(one => [...found(one.ctequery, ['A_Expr'])].some(isOneRun)).map(one => one.ctename));
	const broken = [];
	for (const select of found(statement, ['SelectStmt']))
	{
		const from = [...found(select.fromClause ?? null, ['RangeVar'], false)];
		const isLimited = [...found([select.fromClause, select.whereClause], ['A_Expr'], false)].some(isOneRun);
		if (!isLimited && from.some(one => !one.schemaname && named.has(one.relname)))
			broken.push(...relationsOf(select.fromClause, by, false));
	}
	return broken.map(one => one.relname);
}

function belowRecursion(statement, by)
{
	return [...found(statement, ['withClause'])].filter(one => one.recursive)
		.flatMap(({ctes}) => ctes.filter(({CommonTableExpr: {ctename, ctequery}}) =>
			[...found(ctequery, ['RangeVar'])].some(one => !one.schemaname && one.relname === ctename)))
		.flatMap(cte => relationsOf(cte, by).map(one => one.relname));
}

function calledInReturning(statement)
{
	return [...found(statement, ['returningList'])].flatMap(list => [...found(list, ['FuncCall'])])
		.map(call => call.funcname.at(-1).String.sval);
}

// The nodes write what is excluded, not what each of them would call it.
const STEADY = new Set(['array_append', 'array_remove', 'greatest', 'least', 'coalesce']);
function calledInConflict(statement)
{
	return [...found(statement, ['onConflictClause'])].flatMap(({targetList = []}) => [
		...[...found(targetList, ['FuncCall'])].map(call => call.funcname.at(-1).String.sval)
			.filter(name => !STEADY.has(name)),
		...[...found(targetList, ['SQLValueFunction'])].map(call => call.op),
	]);
}

function besideActivity(statement)
{
	const relations = [...found(statement, ['RangeVar'])];
	const isAsked = relations.some(one => one.relname === 'pg_stat_activity');
	return isAsked && relations.some(one => one.schemaname === 'perfhouse') ? ['pg_stat_activity'] : [];
}

// Whether a query inside names a relation that is not its own.
function isCorrelated(query)
{
	const own = new Set([...found(query, ['RangeVar'])].map(aliasOf));
	for (const [kind, node] of nodesBelow(query))
	{
		if (kind === 'aliasname')
			own.add(node);
	}
	return [...found(query, ['ColumnRef'])].map(node => fieldsOf({ColumnRef: node}))
		.some(fields => fields.length > 1 && fields[0] !== undefined && !own.has(fields[0]));
}

function correlatedBelow(statement, by)
{
	const places = [...found(statement, ['ctes', 'valuesLists'])];
	return [...new Set(places.flatMap(place => [...found(place, ['SubLink'])]))]
		.filter(({subselect}) => isCorrelated(subselect))
		.flatMap(({subselect}) => relationsOf(subselect, by).map(one => one.relname));
}

// Beside tables that every node has a copy of, a row's own query of a table by run is refused, or, in FROM, answered
// once a node. EXISTS and IN become joins; a query that says by itself which run it is about goes to one node.
function correlatedBesideCopies(statement, by)
{
	const broken = [];
	for (const select of found(statement, ['SelectStmt']))
	{
		const from = [...found(select.fromClause ?? null, ['RangeVar'], false)]
			.filter(one => one.schemaname === 'perfhouse');
		if (from.length === 0 || from.some(one => by.has(one.relname)))
			continue;
		const own = [...found([select.targetList, select.fromClause], ['SubLink'])]
			.filter(({subLinkType}) => !['EXISTS_SUBLINK', 'ANY_SUBLINK'].includes(subLinkType))
			.map(one => one.subselect);
		const lateral = [...found(select.fromClause, ['RangeSubselect'], false)].filter(one => one.lateral)
			.map(one => one.subquery);
		broken.push(...[...own, ...lateral]
			.filter(query => isCorrelated(query) && ![...found(query, ['A_Expr'])].some(isOneRun))
			.flatMap(query => relationsOf(query, by)));
	}
	return broken.map(one => one.relname);
}

// Where a WITH query is a UNION whose parts are asked one by one, names behind its name get lost.
function namedBehindWith(statement, by)
{
	return [...found(statement, ['CommonTableExpr'])]
		.filter(({aliascolnames, ctequery}) => aliascolnames && ctequery.SelectStmt?.op === 'SETOP_UNION'
			&& relationsOf(ctequery, by).length > 0)
		.map(one => one.ctename);
}

// A lateral query beside tables by run in an outer join is not pushed down; a function is.
function queriedInOuterJoin(statement, by)
{
	return [...found(statement, ['JoinExpr'])]
		.filter(({jointype, larg, rarg}) => jointype === 'JOIN_LEFT' && rarg.RangeSubselect?.lateral
			&& [...found(rarg.RangeSubselect, ['RangeFunction'])].length > 0
			&& relationsOf(larg, by).length > 0)
		.map(({rarg}) => rarg.RangeSubselect.alias?.aliasname);
}

// A query inside that is asked before the rest, as of another run's shard is, comes back as a table, which has columns.
function asksNoColumns(statement, by)
{
	return [...found(statement, ['SubLink'])].map(({subselect}) => subselect.SelectStmt)
		.filter(select => select && !select.targetList && !select.valuesLists)
		.flatMap(select => relationsOf(select.fromClause ?? null, by).map(one => one.relname));
}

// What ON CONFLICT does to a given row of a copy takes the right to UPDATE there, also where it does nothing.
const ONLY_INSERTED = new Set(['region', 'callpath', 'metric', 'label_data', 'color_of', 'load_log', 'run_change']);
function insertsWithoutRight(statement)
{
	return [...found(statement, ['InsertStmt'])]
		.filter(one => one.onConflictClause && one.selectStmt?.SelectStmt.valuesLists)
		.map(one => one.relation.relname).filter(name => ONLY_INSERTED.has(name));
}

// Of a table that every node has a copy of, all rows are locked at once. Shared, that is no use to who changes it
// later: two of them wait for each other. FOR UPDATE, which waits for both, is the order that nodes change copies in.
function sharesCopies(statement, by)
{
	const shares = [...found(statement, ['LockingClause'])]
		.some(one => ['LCS_FORKEYSHARE', 'LCS_FORSHARE'].includes(one.strength));
	return !shares ? [] : [...found(statement, ['RangeVar'])]
		.filter(one => one.schemaname === 'perfhouse' && !by.has(one.relname)).map(one => one.relname);
}

// A table that exists may be spread already; a new one has its storage in CREATE TABLE.
const FIRST_LATER_FILE = 101;
function setsStorage(statement, by, file)
{
	const number = Number(/^schema\/tables\/(\d+)/.exec(file)?.[1] ?? 0);
	return number < FIRST_LATER_FILE ? [] : [...found(statement, ['AlterTableStmt'])]
		.filter(({cmds}) => cmds.some(one => one.AlterTableCmd.subtype === 'AT_SetStorage'))
		.map(one => one.relation.relname);
}

const RULES = {
	'joined without run_id': joinedWithoutRun,
	'one run from WITH': runFromWith,
	'by run below WITH RECURSIVE': belowRecursion,
	'function in RETURNING': calledInReturning,
	'function in DO UPDATE': calledInConflict,
	'pg_stat_activity beside a table': besideActivity,
	'correlated subquery below VALUES or WITH': correlatedBelow,
	'correlated subquery beside copies': correlatedBesideCopies,
	'names behind WITH of a UNION': namedBehindWith,
	'query of a function in an outer join': queriedInOuterJoin,
	'no columns of a table by run': asksNoColumns,
	'ON CONFLICT of VALUES where loaders may INSERT only': insertsWithoutRight,
	'row of a copy shared': sharesCopies,
	'SET STORAGE of a table that exists': setsStorage,
};

// ---- statements
// Those of a body in PL/pgSQL; expressions and assignments are queries to the parser.
function embedded(text)
{
	return [...nodesBelow(parsePlPgSQLSync(text))]
		.filter(([kind, node]) => kind === 'query' && typeof node === 'string')
		.map(([, query]) => {
			const expression = query.replace(/^\s*[\w.[\]]+\s*:?=\s*/, '');
			for (const attempt of [query, `SELECT ${expression}`, `SELECT (${expression})`])
			{
				try
				{
					return parseSync(attempt);
				}
				catch
				{
					continue;
				}
			}
			throw new Error(`no statement: ${query}`);
		});
}

// A statement of a file and what its bodies hold.
function parts(statement, text)
{
	const routine = statement.CreateFunctionStmt ?? statement.DoStmt;
	const options = Object.fromEntries((routine?.options ?? routine?.args ?? [])
		.map(one => [one.DefElem.defname, one.DefElem.arg]));
	if (statement.DoStmt || options.language?.String.sval === 'plpgsql')
		return embedded(text);
	if (options.language?.String.sval === 'sql' && options.as)
		return [parseSync(options.as.List.items[0].String.sval)];
	return [statement];
}

export class DistributedRules
{
	constructor(by, fault)
	{
		this.by = by;
		this.fault = fault;
		this.used = new Set();
	}

	// file: below sql/
	broken(file, statement, text)
	{
		const faults = new Set();
		for (const part of parts(statement, text))
		{
			for (const [rule, check] of Object.entries(RULES))
				check(part, this.by, file).forEach(object => faults.add(`${rule}: ${object}`));
		}
		return [...faults];
	}

	check(file, line, statement, text)
	{
		const below = file.replace(/^sql\//, '');
		for (const what of this.broken(below, statement, text))
		{
			const exception = EXCEPTIONS.find(([name, rule, object]) => name === below && what === `${rule}: ${object}`);
			if (exception === undefined)
				this.fault(file, line, `not for a distributed database: ${what} (tests/lint/npm/distributed.mjs)`);
			this.used.add(exception);
		}
	}

	// At the end of all files.
	finish()
	{
		for (const exception of EXCEPTIONS.filter(one => !this.used.has(one)))
			this.fault(`sql/${exception[0]}`, 1, `keeps the rule, take it off the exceptions: ${exception[1]}: ${exception[2]}`);
		for (const [rule, text] of Object.entries(BAD))
		{
			const [{stmt}] = parseSync(text).stmts;
			if (!this.broken('schema/tables/101-bad.sql', stmt, text).some(what => what.startsWith(`${rule}: `)))
				this.fault('tests/lint/npm/distributed.mjs', 1, `the rule does not notice what breaks it: ${rule}`);
		}
		for (const rule of Object.keys(RULES).filter(one => !(one in BAD)))
			this.fault('tests/lint/npm/distributed.mjs', 1, `no bad statement for the rule: ${rule}`);
		for (const text of GOOD)
		{
			const [{stmt}] = parseSync(text).stmts;
			this.broken('schema/tables/100-good.sql', stmt, text).forEach(what =>
				this.fault('tests/lint/npm/distributed.mjs', 1, `a good statement is refused: ${what}: ${text}`));
		}
	}
}

const BAD = {
	'one run from WITH': `WITH r AS (SELECT run_id FROM perfhouse.run WHERE run_id = $1)
		SELECT FROM r JOIN perfhouse.trace t USING (run_id)`,
	'joined without run_id': `CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$
		BEGIN PERFORM FROM perfhouse.location l JOIN perfhouse.trace t ON l.run_id = 1; END $$`,
	'by run below WITH RECURSIVE': `WITH RECURSIVE r AS (SELECT 0::int8 AS run_id UNION ALL
		SELECT (SELECT min(l.run_id) FROM perfhouse.location l WHERE l.run_id > r.run_id) FROM r) SELECT run_id FROM r`,
	'function in RETURNING': 'UPDATE perfhouse.run SET state = $1 RETURNING pg_notify($1, $2)',
	'function in DO UPDATE': `INSERT INTO perfhouse.region AS r (region_id) VALUES (1)
		ON CONFLICT (region_id) DO UPDATE SET name = now()::text`,
	'pg_stat_activity beside a table': 'SELECT FROM perfhouse.run r JOIN pg_stat_activity a ON a.pid = r.loader_pid',
	'correlated subquery below VALUES or WITH': `CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$
		WITH r AS (SELECT FROM perfhouse.run x WHERE EXISTS (SELECT FROM perfhouse.trace t WHERE t.run_id = x.run_id)) TABLE r $$`,
	'correlated subquery beside copies': `SELECT FROM perfhouse.run r
		CROSS JOIN LATERAL f(ARRAY(SELECT l.host FROM perfhouse.location l WHERE l.run_id = r.run_id)) h`,
	'names behind WITH of a UNION': `WITH r (a) AS (SELECT run_id FROM perfhouse.trace WHERE run_id = $1
		UNION ALL SELECT run_id FROM perfhouse.run) SELECT a FROM r`,
	'query of a function in an outer join': `SELECT FROM perfhouse.trace t
		LEFT JOIN LATERAL (SELECT p.* FROM perfhouse.phase_waits(t.run_id) p) w ON true`,
	'no columns of a table by run': 'SELECT EXISTS (SELECT FROM perfhouse.trace t WHERE t.run_id = $1)',
	'ON CONFLICT of VALUES where loaders may INSERT only':
		'INSERT INTO perfhouse.metric (name) VALUES ($1) ON CONFLICT DO NOTHING',
	'row of a copy shared': 'SELECT FROM perfhouse.run WHERE run_id = $1 FOR KEY SHARE',
	'SET STORAGE of a table that exists': 'ALTER TABLE perfhouse.location ALTER COLUMN name SET STORAGE EXTERNAL',
};

const GOOD = [
	'SELECT FROM perfhouse.location l JOIN perfhouse.trace t USING (run_id)',
	'SELECT FROM perfhouse.location l JOIN perfhouse.trace t ON t.run_id = l.run_id WHERE l.run_id = $1',
	'WITH RECURSIVE r AS (SELECT 1 AS n UNION ALL SELECT n + 1 FROM r) SELECT FROM r, perfhouse.location l',
	'WITH r (a) AS (SELECT run_id FROM perfhouse.trace WHERE run_id = $1) SELECT a FROM r',
	'SELECT FROM perfhouse.trace t LEFT JOIN LATERAL perfhouse.phase_waits(t.run_id) w ON true',
	'SELECT FROM perfhouse.run WHERE run_id = $1 FOR NO KEY UPDATE',
	'WITH r AS (SELECT 1 WHERE EXISTS (SELECT 1 FROM perfhouse.trace t WHERE t.run_id = $1)) TABLE r',
];
