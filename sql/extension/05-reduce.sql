-- 05-reduce.sql - a smaller or coarser profile from one profile.

CREATE OR REPLACE FUNCTION filter(p profile, share float8 DEFAULT 0.001, stat text DEFAULT 'mean', cost text DEFAULT 'inclusive',
	metric text DEFAULT NULL) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_filter_by';
COMMENT ON FUNCTION filter(profile, float8, text, text, text) IS
	'Keeps the functions whose recursion-safe total reaches share (0 to 1) of the whole; roots always stay. A removed '
	'node''s children go to its nearest kept ancestor, its exclusive cost into that one''s absorbed, so totals and '
	'the inclusives of kept nodes do not change. stat: mean or max over columns. cost: inclusive (outermost '
	'instances) or exclusive. The result remembers what it came from, for repopulate. Errors: 22023 for an impossible '
	'share, stat or cost; PH002 for an unknown metric. Method: CallFlow''s filter by function, with splicing.';

CREATE OR REPLACE FUNCTION drop_roots(p profile, share float8 DEFAULT 0.001, metric text DEFAULT NULL) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_drop_small_roots';
COMMENT ON FUNCTION drop_roots(profile, float8, text) IS
	'Leaves out the roots whose inclusive mean is below share (0 to 1) of the whole, with all below them; the caption '
	'says how many, and what they cost. Where they make up most of the whole they all stay. Pictures do it before they '
	'filter: constructors and other small roots would take the room of what matters. Errors: as filter.';

CREATE OR REPLACE FUNCTION subset(p profile, columns int4[]) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subset_columns';
COMMENT ON FUNCTION subset(profile, int4[]) IS
	'Keeps the columns with these locations (see columns); nodes absent from all of them stay and are marked absent. '
	'Errors: PH002 when a location does not exist; 22023 when none is left.';
CREATE OR REPLACE FUNCTION subset_ranks(p profile, ranks int4[]) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subset_ranks';
COMMENT ON FUNCTION subset_ranks(profile, int4[]) IS
	'Keeps the columns of these ranks. Errors: PH002 when a rank has no column; 22023 when none is left.';

CREATE OR REPLACE FUNCTION subtree(p profile, node int4, reroot boolean DEFAULT true) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subtree_node';
COMMENT ON FUNCTION subtree(profile, int4, boolean) IS
	'The part of the tree below a node (a number from nodes). reroot: the node becomes a root, so that subtrees of '
	'one or more runs can be compared; else its ancestors stay, without cost of their own. Errors: PH002 when there '
	'is no such node.';
CREATE OR REPLACE FUNCTION subtree(p profile, path text, reroot boolean DEFAULT true) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subtree_path';
COMMENT ON FUNCTION subtree(profile, text, boolean) IS
	'The part of the tree below the node with this path: names from a root joined by "/", or one name that only one '
	'node has. Errors: PH002 when no node has it; 22023 when several have.';

CREATE OR REPLACE FUNCTION squash(p profile, query text) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_squash_by';
COMMENT ON FUNCTION squash(profile, text) IS
	'Keeps only the nodes on paths that the call-path query matches; a kept node hangs below its nearest kept '
	'ancestor or becomes a root; the costs of the others are lost, as in Hatchet''s squash. Errors: 22023 with the '
	'position when the query cannot be read; PH002 when nothing matches.';
CREATE OR REPLACE FUNCTION call_path_query(p profile, pattern text) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_call_path_query';
COMMENT ON FUNCTION call_path_query(profile, text) IS
	'Keeps the nodes on paths that the call-path query matches, and the roots, and splices the rest: costs of removed '
	'nodes go to the absorbed of their nearest kept ancestor, so that totals do not change. A query is a sequence of '
	'steps: "." one node, "*" any number, "+" one or more, n or {m,n}; with a predicate on name, kind, module, '
	'library, file, line, depth, inclusive, exclusive or share; AND, OR, XOR, NOT; any(…) and all(…) over ranks. '
	'Errors: 22023 with the position when the query cannot be read.';

CREATE OR REPLACE FUNCTION invert(p profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_invert_of';
COMMENT ON FUNCTION invert(profile) IS
	'The bottom-up view: roots are the functions with their exclusive cost, children their callers.';

CREATE OR REPLACE FUNCTION roll_up(p profile, by text) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_roll_up_level';
COMMENT ON FUNCTION roll_up(profile, text) IS
	'Merges columns by a level: rank (or process), thread, host, iteration, run or all. Flow metrics add up. Errors: '
	'22023 for another level.';

CREATE OR REPLACE FUNCTION select_metrics(p profile, metrics text[]) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_select_metrics_of';
COMMENT ON FUNCTION select_metrics(profile, text[]) IS
	'Keeps these metrics, in this order; the first becomes primary. Errors: PH002 for an unknown metric; 22023 when none is named.';
