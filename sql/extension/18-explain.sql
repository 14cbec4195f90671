-- Why runs take longer than others (core/explain; docs/design/explain.md).

CREATE OR REPLACE FUNCTION explain_profiles(a profile[], b profile[], margin float8 DEFAULT 0.02, known_paths text[] DEFAULT '{}',
		known_spreads float8[] DEFAULT '{}', known_degrees float8[] DEFAULT '{}')
	RETURNS TABLE (finding int4, verdict text, effect float8, share float8, noise float8, shape text, cause text, path text,
		units text, shared text, work float8, work_kind text, score float8, confidence text, sentence text)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100000 ROWS 4
	AS 'MODULE_PATHNAME', 'ph_explain_profiles';
COMMENT ON FUNCTION explain_profiles(profile[], profile[], float8, text[], float8[], float8[]) IS
	'Why the runs of side b take another time than those of side a, by their primary metrics. Row 0 is the whole: verdict '
	'(of repeat_test, changes below margin are the same), effect (mean of b less that of a, in the unit of the metric), '
	'share (of a), noise (standard deviation of single runs, as a share, by these runs and what is known; null: single runs '
	'tell none). known_paths, known_spreads, known_degrees: how call paths (names joined by /; the empty path is the whole) '
	'scatter from run to run, as a share, and the degrees of freedom with which that is known (known_noise has them); it judges '
	'sides of fewer than three runs, and adds to the noise of others. Rows 1, 2, … are '
	'findings, the largest effect first; none where nothing is clearer than noise. shape: uniform, some units, some '
	'iterations, start-up, shut-down. cause: more work, slower work, more waiting, slower communication, slower '
	'input/output, slower device, unknown (nothing counts what was done); of effects below 0: less work, faster work, less '
	'waiting, …. path: the smallest call path that holds 90 % of the effect. units: ranks, threads or iterations that it '
	'is on, null: all; shared: what they have in common (host, even ranks, odd ranks, first ranks, last ranks). effect: '
	'change of the run''s time (others wait for slow ranks); share: of the time before. work: what was done there, after '
	'as a ratio to before (work_kind: instructions, bytes, visits; null: not recorded). score: effect as multiples of its '
	'standard error; confidence: low (fewer than three runs on a side, and nothing known), medium, high. sentence: all of it for people. '
	'Errors: 22023 for null elements, empty sides, margins outside 0 to 1, lists of what is known that differ in length or are no '
	'numbers of 0 or more, and metrics that do not add up; PH002 without a '
	'metric in common. Method: medians over runs, noise from the scatter within each side, searches by iteration, by '
	'unit, and of whole runs, in subtrees that changed as a whole.';

CREATE OR REPLACE FUNCTION readable(value float8, unit text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'ph_readable';
COMMENT ON FUNCTION readable(float8, text) IS
	'A value with its unit for people: in the unit of the same dimension in which it is best read (0.000285 s is 285 µs, 3e7 bytes '
	'28.6 MiB), with three digits that count; units that are not known stay as they are, the empty unit is none. Null of null.';

CREATE OR REPLACE FUNCTION short_name(name text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 2 AS 'MODULE_PATHNAME', 'ph_short_name';
COMMENT ON FUNCTION short_name(text) IS
	'The name of a function, or a call path of such, without the parameter lists of C++: "main/f(int, char**)" is "main/f". What else '
	'is in parentheses stays. Names that were left mangled are told: "_ZN3foo3barEi" is "foo::bar". For labels and '
	'sentences: overloaded functions are no longer told apart. Null of null.';
