-- 25-sketches.sql - distributions of many numbers in little room: moments and quantiles that merge.
--
-- roll_up_run (tables) keeps these instead of a value per rank.

CREATE OR REPLACE FUNCTION sketch(numbers float8[]) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_sketch_of_numbers';
COMMENT ON FUNCTION sketch(float8[]) IS
	'The distribution of numbers (nulls and NaN are left out) in little room: up to 16 numbers as they are, more as '
	'counts in buckets whose bounds are powers of one base, at most 512. Order statistics are then off by '
	'relative_error at most: 0.005 when the numbers lie within a factor of 160, twice as much for the square of that, '
	'and so on. Moments, least and greatest are exact. Does not depend on the order of the numbers. Errors: 22023 for '
	'an infinite number.';

CREATE OR REPLACE FUNCTION perfhouse_internal.merge_two_sketches(a bytea, b bytea) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_merge_two_sketches';
COMMENT ON FUNCTION perfhouse_internal.merge_two_sketches(bytea, bytea) IS
	'The sketch of the numbers of both. Errors: PH001 for what is not a sketch.';

CREATE OR REPLACE AGGREGATE merge_sketches(sketch bytea) (
	SFUNC = perfhouse_internal.merge_two_sketches, STYPE = bytea, COMBINEFUNC = perfhouse_internal.merge_two_sketches, PARALLEL = SAFE
);
COMMENT ON AGGREGATE merge_sketches(bytea) IS
	'The sketch of all numbers together: buckets and quantiles are those of one sketch of all, whatever the order and '
	'the parts; sums may differ in the last bits.';

CREATE OR REPLACE FUNCTION sketch_moments(sketch bytea, absent bigint DEFAULT 0, OUT n bigint, OUT sum float8, OUT mean float8,
		OUT sd float8, OUT min float8, OUT max float8, OUT relative_error float8)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10 AS 'MODULE_PATHNAME', 'ph_sketch_moments';
COMMENT ON FUNCTION sketch_moments(bytea, bigint) IS
	'Count, sum, mean, standard deviation (n - 1), least and greatest of a sketch''s numbers and absent more zeros, '
	'all exact; null where there are too few. relative_error: how far quantiles may be off, relative to the numbers '
	'next to them; 0: they are exact. Errors: PH001 for what is not a sketch; 22023 for a negative count.';

CREATE OR REPLACE FUNCTION sketch_quantiles(sketch bytea, fractions float8[], absent bigint DEFAULT 0) RETURNS float8[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_sketch_quantiles';
COMMENT ON FUNCTION sketch_quantiles(bytea, float8[], bigint) IS
	'Quantiles of a sketch''s numbers and absent more zeros by linear interpolation (as percentile_cont), each off by '
	'relative_error of sketch_moments at most; 0 and 1 are the exact extremes. Null of no numbers. Errors: PH001 for '
	'what is not a sketch; 22023 for a fraction that is not in 0 to 1 or a negative count.';

CREATE OR REPLACE FUNCTION sketch_histogram(sketch bytea, bins int4 DEFAULT 20, absent bigint DEFAULT 0)
	RETURNS TABLE (bin int4, low float8, high float8, count bigint)
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 ROWS 20 AS 'MODULE_PATHNAME', 'ph_sketch_histogram_rows';
COMMENT ON FUNCTION sketch_histogram(bytea, int4, bigint) IS
	'Equal bins over [min, max] of a sketch''s numbers and absent more zeros: right-open, the last one closed; '
	'nothing of no numbers. A number may be counted in the neighbouring bin when it is within relative_error of its '
	'bound. Errors: PH001 for what is not a sketch; 22023 for fewer than 1 or more than 10000 bins or a negative '
	'count.';

CREATE OR REPLACE FUNCTION perfhouse_internal.vector_sum_add(internal, float8[]) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_vector_sum_add';
COMMENT ON FUNCTION perfhouse_internal.vector_sum_add(internal, float8[]) IS
	'Transition function of the aggregate vector_sum.';
CREATE OR REPLACE FUNCTION perfhouse_internal.vector_sum_final(internal) RETURNS float8[]
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_vector_sum_final';
COMMENT ON FUNCTION perfhouse_internal.vector_sum_final(internal) IS
	'Final function of the aggregate vector_sum.';
CREATE OR REPLACE AGGREGATE vector_sum("numbers" float8[]) (
	SFUNC = perfhouse_internal.vector_sum_add, STYPE = internal, FINALFUNC = perfhouse_internal.vector_sum_final, PARALLEL = SAFE
);
COMMENT ON AGGREGATE vector_sum(float8[]) IS
	'Sums of arrays of one length, element by element: of vectors over ranks, say. Null elements are left out; NaN '
	'where all are null. Errors: 22023 for another length.';
