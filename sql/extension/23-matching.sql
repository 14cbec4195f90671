-- 23-matching.sql - runs whose regions changed their names, groups of columns.
--
-- perfhouse.region_alias (tables) keeps aliases; apply_aliases() uses them.

CREATE OR REPLACE FUNCTION rename_regions(p profile, aliases jsonb) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_rename_regions';
COMMENT ON FUNCTION rename_regions(profile, jsonb) IS
	'The profile with regions under the names that they count as, so that renamed functions match in diff, ensemble '
	'and so on. aliases: an array of rules such as {"name": "old", "to_name": "new"}, with name, library, file (what '
	'a rule is about; "is_pattern": true: regular expressions found anywhere) and to_name, to_library, to_file ("" '
	'forgets a library or file). The first rule that matches and changes something applies, then the next to the '
	'result: a function renamed twice ends at its last name. Siblings that become equal are one node whose costs add '
	'up: totals and the cost of subtrees stay, doing it again changes nothing. Provenance and caption name the '
	'renamed regions. Errors: 22023 for wrong rules, or rules that go in a circle.';

CREATE OR REPLACE FUNCTION perfhouse_internal.alias_target(aliases jsonb, kind int2, name text, library text, file text, line int4,
		OUT region_id int8, OUT to_name text, OUT to_library text, OUT to_file text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'ph_alias_target';
COMMENT ON FUNCTION perfhouse_internal.alias_target(jsonb, int2, text, text, text, int4) IS
	'What one region (a row of perfhouse.region) counts as under the rules of rename_regions, and its id in perfhouse.region.';

CREATE OR REPLACE FUNCTION perfhouse_internal.callpath_hash(parent_id int8, region_id int8) RETURNS int8
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_callpath_hash';
COMMENT ON FUNCTION perfhouse_internal.callpath_hash(int8, int8) IS
	'The id of the call path that ends with this region below a call path (null: a root), as in perfhouse.callpath.';

CREATE OR REPLACE FUNCTION match_candidates(a profile, b profile, min_score float8 DEFAULT 0.5, most int4 DEFAULT 3,
	metric text DEFAULT NULL)
	RETURNS TABLE (node int4, name text, path text, rank int4, candidate int4, candidate_name text, candidate_path text, score float8,
		reasons text[], is_top boolean, cost float8, candidate_cost float8, kind text, library text, file text,
		candidate_library text, candidate_file text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 100000 ROWS 100 AS 'MODULE_PATHNAME', 'ph_match_candidate_rows';
COMMENT ON FUNCTION match_candidates(profile, profile, float8, int4, text) IS
	'For every node that only a has, what it may have become in b: the nodes that only b has, best first (at most '
	'most, 8 at most), by node and rank. score, 0 to 1, is the weighted mean of what is known of a pair, and reasons '
	'lists it: name (edit distance without mangling, template arguments, parameters, letter case; weight 4), caller '
	'(the same, or itself a candidate; 2), callees in common (1.5), share of the program''s cost (1.5), place '
	'(library, file, line; 1). is_top: the caller is in both profiles, so that this node is where the two part. Up to '
	'65536 pairs are all looked at; beyond, nodes meet those that share caller, name, line or callees with them or '
	'are near in the order of names. Rows with name <> candidate_name are renamings for add_alias. Errors: 22023 for '
	'a score outside of 0 to 1 or more than 8 candidates.';

CREATE OR REPLACE FUNCTION name_likeness(a text, b text) RETURNS float8
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_name_likeness_value';
COMMENT ON FUNCTION name_likeness(text, text) IS
	'How alike two names of functions are, 0 to 1: 1 for the same name, 0.98 when they differ in decoration only '
	'(mangling, template arguments, parameters, letter case), else by edit distance.';

CREATE OR REPLACE FUNCTION roll_up(p profile, labels text[], combine text DEFAULT 'sum') RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_roll_up_groups';
COMMENT ON FUNCTION roll_up(profile, text[], text) IS
	'Merges columns that have the same label, in the order of their first columns: labels has one for each of '
	'columns(p), and null drops the column. combine sum (processes of a node) or mean (runs of a group; absent = 0); '
	'metrics that are not flow combine in their own way. See roll_up_runs for groups of runs by metadata. Errors: '
	'22023 for a wrong number of labels, another way to combine, or when no column is left.';
