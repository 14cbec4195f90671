// sql.mjs FILE... - every SQL file by PostgreSQL 17's own grammar, and the house's rules.
//
// A rule reports what it refuses and what to do. Files are parsed as the programs send them; the bodies of functions
// are parsed, too: SQL by the grammar, PL/pgSQL by its own.
// SPDX-License-Identifier: PostgreSQL

import {readFileSync, readdirSync} from 'node:fs';
import {loadModule, parsePlPgSQLSync, parseSync, scanSync} from '@libpg-query/parser';
import {DistributedRules, tablesByRun} from './distributed.mjs';

const MAX_WIDTH = 140;
const TAB = 4;

let faults = 0;
function fault(file, line, text)
{
	faults += 1;
	console.log(`${file}:${line}: ${text}`);
}

const lineAt = (text, offset) => text.slice(0, offset).split('\n').length;

// ---- lines
// What a release has applied stays as it is, to the letter.
const released = readdirSync('sql/releases').filter(name => name.startsWith('warehouse--'))
	.map(name => readFileSync(`sql/releases/${name}`, 'utf8')).join('');

function checkLines(file, text)
{
	const isMade = text.includes('Made by docs/make-sql-reference');
	if (isMade || file.startsWith('sql/schema/tables/') && released.includes(text))
		return;
	const indents = new Set();
	text.split('\n').forEach((line, i) => {
		const width = line.replaceAll('\t', ' '.repeat(TAB)).length;
		if (width > MAX_WIDTH)
			fault(file, i + 1,
				`${width} columns, the limit is ${MAX_WIDTH}: a clause a line; a long text is '...' on several lines`);
		if (/[ \t]$/.test(line))
			fault(file, i + 1, 'blanks at the end of the line');
		const indent = /^[ \t]*/.exec(line)[0];
		if (/ \t/.test(indent))
			fault(file, i + 1, 'a tab after a blank in the indentation');
		if (indent !== '')
			indents.add(indent[0]);
	});
	if (indents.size > 1)
		fault(file, 1, 'lines are indented by tabs and by blanks: choose one');
	if (!text.endsWith('\n'))
		fault(file, text.split('\n').length, 'no newline at the end');
}

// ---- keywords
// Reserved words are upper case, and those of the rest that stand for nothing but syntax. Values, types and what is
// called like a function are lower case.
const VALUES = new Set(['true', 'false', 'current_user', 'session_user', 'current_timestamp', 'current_date']);
const SYNTAX = new Set(['begin', 'cascade', 'conflict', 'delete', 'exists', 'filter', 'immutable', 'insert',
	'language', 'materialized', 'nothing', 'nulls', 'over', 'parallel', 'partition', 'recursive', 'restrict', 'returns',
	'rows', 'set', 'setof', 'stable', 'strict', 'update', 'values', 'volatile', 'within', 'without']);
const NOT_RESERVED = 1;
const NOT_COLUMN = 3; // may name a function or a type: left(...), format binary
const RESERVED = 4;

function lowerKeyword(token, before, after)
{
	if (token.text !== token.text.toLowerCase() || before === '.' || after === '.' || before === 'AS')
		return false;
	if (token.keywordKind === RESERVED)
		return !VALUES.has(token.text);
	if (token.keywordKind === NOT_COLUMN)
		return after !== '(' && token.text !== 'binary';
	return token.keywordKind > NOT_RESERVED && SYNTAX.has(token.text);
}

function checkKeywords(file, firstLine, text)
{
	// bodies are looked at by themselves, and the scanner stumbles over some
	const bare = text.replaceAll(/\$(\w*)\$.*?\$\1\$/gs, body => body.replaceAll(/[^\n]/g, ' '));
	const {tokens} = scanSync(bare);
	tokens.forEach((token, i) => {
		if (token.keywordKind > 0 && lowerKeyword(token, tokens[i - 1]?.text, tokens[i + 1]?.text))
		{
			const line = firstLine + lineAt(bare, characters(bare, token.start)) - 1;
			fault(file, line, `write the keyword ${token.text} in upper case`);
		}
	});
}

// Offsets of the parser count bytes of UTF-8.
function characters(text, bytes)
{
	return Buffer.from(text).subarray(0, bytes).toString().length;
}

// ---- statements
const listOf = names => names.map(part => part.String.sval);
const plainName = names => listOf(names).at(-1);

// A type as pg_catalog names it, without its schema.
function typeName(type)
{
	return plainName(type.names) + '[]'.repeat(type.arrayBounds?.length ?? 0);
}

const INPUTS = new Set(['FUNC_PARAM_IN', 'FUNC_PARAM_INOUT', 'FUNC_PARAM_VARIADIC', 'FUNC_PARAM_DEFAULT']);

function signature(names, parameters)
{
	const types = (parameters ?? []).map(one => one.FunctionParameter)
		.filter(one => INPUTS.has(one.mode)).map(one => typeName(one.argType));
	return `${plainName(names)}(${types.join(', ')})`;
}

const option = (statement, name) => statement.options?.find(one => one.DefElem.defname === name)?.DefElem.arg;

// What a statement creates that needs a comment: [kind, name], or null. (What queries create is the programs' own.)
function created(statement)
{
	const [[kind, body]] = Object.entries(statement);
	switch (kind)
	{
		case 'CreateFunctionStmt':
			return ['function', signature(body.funcname, body.parameters)];
		case 'DefineStmt':
			if (body.kind !== 'OBJECT_AGGREGATE')
				return null;
			return ['function', signature(body.defnames, body.args?.[0].List.items)];
		case 'ViewStmt':
			return ['relation', body.view.relname];
		case 'CreateStmt':
			return ['relation', body.relation.relname];
		default:
			return null;
	}
}

function commented(body)
{
	const {objtype, object} = body;
	if (['OBJECT_TABLE', 'OBJECT_VIEW'].includes(objtype))
		return ['relation', plainName(object.List.items)];
	if (['OBJECT_FUNCTION', 'OBJECT_PROCEDURE', 'OBJECT_AGGREGATE'].includes(objtype))
	{
		const {objname, objargs} = object.ObjectWithArgs;
		return ['function', `${plainName(objname)}(${(objargs ?? []).map(one => typeName(one.TypeName)).join(', ')})`];
	}
	return null;
}

// The rule of search_path: a function in SQL or PL/pgSQL names its own, so that no caller can mislead it; a body
// that is part of the statement (RETURN, BEGIN ATOMIC) is parsed once, when the function is made. Of functions
// in C, those that read the warehouse do; tests/regress/sql/sanity.sql lists them.
function checkFunction(file, line, body, text)
{
	const language = option(body, 'language').String.sval;
	if (!['sql', 'plpgsql'].includes(language))
		return;
	const pinned = body.options.some(({DefElem: {defname, arg}}) =>
		defname === 'set' && arg.VariableSetStmt.name === 'search_path');
	if (!pinned && !body.sql_body)
		fault(file, line, `${plainName(body.funcname)}: add SET search_path = pg_catalog, pg_temp`);
	if (body.sql_body)
		return; // BEGIN ATOMIC: part of the statement
	const source = plainName(option(body, 'as').List.items);
	checkBody(file, line + lineAt(text, text.indexOf(source)) - 1, language, source, text);
}

function checkBody(file, line, language, source, statement)
{
	try
	{
		if (language === 'sql')
			parseSync(source);
		else
			parsePlPgSQLSync(statement);
	}
	catch (error)
	{
		fault(file, line, `the body is refused by PostgreSQL 17: ${error.message}`);
		return;
	}
	checkKeywords(file, line, source);
}

function checkStatements(file, text, tree, {objects, distributed})
{
	const bytes = Buffer.from(text);
	for (const {stmt, stmt_location: from = 0, stmt_len: length} of tree.stmts ?? [])
	{
		const raw = bytes.subarray(from, length === undefined ? undefined : from + length).toString();
		const statement = raw.trimStart();
		const start = characters(text, from) + raw.length - statement.length;
		const line = lineAt(text, start + Math.max(0, statement.search(/^(?!--)/m)));
		distributed.check(file, line, stmt, raw);
		const object = created(stmt);
		if (object !== null && !file.startsWith('sql/queries/') && !objects.created.has(object.join(' ')))
			objects.created.set(object.join(' '), {file, line});
		if (stmt.DropStmt?.removeType === 'OBJECT_TABLE')
			for (const {List: {items}} of stmt.DropStmt.objects)
				objects.commented.add(`relation ${plainName(items)}`); // no more
		if (stmt.CommentStmt)
			objects.commented.add(commented(stmt.CommentStmt)?.join(' '));
		if (stmt.CreateFunctionStmt)
			checkFunction(file, lineAt(text, start), stmt.CreateFunctionStmt, statement);
		if (stmt.DoStmt)
		{
			const source = stmt.DoStmt.args.find(one => one.DefElem.defname === 'as').DefElem.arg.String.sval;
			checkBody(file, lineAt(text, start) + lineAt(statement, statement.indexOf(source)) - 1, 'plpgsql', source,
				statement);
		}
	}
}

// What tests/lib/embed-sql does with :name, at the same width: $1 and blanks. Comments, strings, quoted names, bodies,
// casts and slices are passed over.
const SKIPPED = new RegExp([/--[^\n]*/, /\/\*.*?\*\//, /\b[eE]'(?:[^'\\]|\\.|'')*'/, /'(?:[^']|'')*'/, /"(?:[^"]|"")*"/,
	/(?<tag>\$(?:[A-Za-z_]\w*)?\$).*?\k<tag>/, /::/, /:=/, /(?<=[\w\])]):/].map(part => part.source).join('|')
	+ '|(?<name>:[A-Za-z_]\\w*)', 'gs');
const byNumber = text => text.replace(SKIPPED, (found, ...rest) =>
	rest.at(-1).name === undefined ? found : '$1'.padEnd(found.length));

function check(file, state)
{
	const asWritten = readFileSync(file, 'utf8');
	checkLines(file, asWritten);
	const text = file.startsWith('sql/queries/') ? byNumber(asWritten) : asWritten;
	try
	{
		checkStatements(file, text, parseSync(text), state);
		checkKeywords(file, 1, text);
	}
	catch (error)
	{
		const at = error.sqlDetails?.cursorPosition;
		fault(file, at === undefined ? 1 : lineAt(text, at), `refused by PostgreSQL 17: ${error.message}`);
	}
}

await loadModule();
const objects = {created: new Map(), commented: new Set()};
const files = process.argv.slice(2);
const tables = files.filter(file => file.startsWith('sql/schema/tables/'))
	.map(file => parseSync(readFileSync(file, 'utf8')));
const distributed = new DistributedRules(tablesByRun(tables), fault);
for (const file of files)
	check(file, {objects, distributed});
distributed.finish();
for (const [object, {file, line}] of objects.created)
{
	if (!objects.commented.has(object))
		fault(file, line, `COMMENT ON ${object} is missing`);
}
process.exit(faults === 0 ? 0 : 1);
