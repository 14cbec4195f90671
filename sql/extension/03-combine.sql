-- 03-combine.sql - profiles from several profiles: arithmetic, diff, aggregates.

CREATE OR REPLACE FUNCTION profile_subtract(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_subtract';
COMMENT ON FUNCTION profile_subtract(profile, profile) IS
	'a - b on the union of the trees, nodes matched by path of identities, metrics by name, columns by coordinates '
	'when both have the same ones and else on means over columns. A node that one side lacks counts 0 there and is '
	'marked. The result is signed.';
CREATE OR REPLACE FUNCTION profile_add(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_add';
COMMENT ON FUNCTION profile_add(profile, profile) IS
	'a + b on the union of the trees, matched as for subtraction; null + x = x, null + null = null.';
CREATE OR REPLACE FUNCTION profile_multiply(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_multiply';
COMMENT ON FUNCTION profile_multiply(profile, profile) IS
	'a * b cell by cell on the union of the trees. The metrics of the result are not flow: they are never summed up a path.';
CREATE OR REPLACE FUNCTION profile_divide(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_divide';
COMMENT ON FUNCTION profile_divide(profile, profile) IS
	'a / b cell by cell on the union of the trees; absent where b is 0. The metrics of the result are not flow: they '
	'are never summed up a path.';
CREATE OR REPLACE FUNCTION profile_scale(a profile, factor float8) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_scale_by';
COMMENT ON FUNCTION profile_scale(profile, float8) IS
	'Every value times factor; flow stays flow. Errors: 22023 when factor is not finite.';
CREATE OR REPLACE FUNCTION profile_divide(a profile, divisor float8) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_divide_by';
COMMENT ON FUNCTION profile_divide(profile, float8) IS
	'Every value divided by divisor; flow stays flow. Errors: 22012 when divisor is 0, 22023 when it is not finite.';

CREATE OR REPLACE FUNCTION derive(p profile, name text, formula text, unit text DEFAULT NULL) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_derive';
COMMENT ON FUNCTION derive(profile, text, text, text) IS
	'The profile with one more metric, made of others by a formula such as PAPI_TOT_INS / PAPI_TOT_CYC: numbers, names of '
	'metrics that add up (in double quotes when they hold blanks or operators), + - * / and parentheses. A sum of '
	'multiples adds up itself; a quotient of two such sums is evaluated after aggregation, at every level, and is never '
	'summed. unit: NULL is what the units of the operands give; values are converted to one of that dimension (time / calls '
	'in us), others name them. Null when p, name or formula is. Errors: PH002 for a '
	'metric that the profile lacks; 22023 for a formula that cannot be read, or whose value for a whole is not what its '
	'parts tell (metrics times metrics, a metric plus a number); 22000 for sums of different dimensions.';

CREATE OR REPLACE FUNCTION formula_metrics(formula text) RETURNS text[]
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 100 AS 'MODULE_PATHNAME', 'ph_formula_metrics';
COMMENT ON FUNCTION formula_metrics(text) IS
	'The names of the metrics in a formula of derive(), in the order in which they first appear. Errors: 22023 for a '
	'formula that derive() would not take, which says where.';

CREATE OR REPLACE FUNCTION perfhouse_internal.formula_terms(formula text, units text[], asked text DEFAULT NULL)
	RETURNS TABLE (numerator float8[], denominator float8[], unit text)
	LANGUAGE C IMMUTABLE PARALLEL SAFE ROWS 1 COST 100 AS 'MODULE_PATHNAME', 'ph_formula_terms_of';
COMMENT ON FUNCTION perfhouse_internal.formula_terms(text, text[], text) IS
	'What the values of a formula''s metrics (formula_metrics), in these units, are multiplied by to be added up: the '
	'metric is the one sum divided by the other, or the one sum where denominator is null. unit: of the whole, the one '
	'that was asked for if any. Errors: as derive().';

CREATE OR REPLACE FUNCTION with_unit(p profile, metric text, unit text) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_with_unit';
COMMENT ON FUNCTION with_unit(profile, text, text) IS
	'The profile with a metric in another unit: values are converted within a dimension (us to s, MiB to bytes); where '
	'the unit was not known, the numbers stay and get this one. Operators, diff and aggregates convert units of one '
	'dimension by themselves. Errors: PH002 for an unknown metric, 22000 for a unit of another dimension.';

CREATE OR REPLACE FUNCTION perfhouse_internal.unit_dimension(unit text) RETURNS text
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_unit_dimension';
COMMENT ON FUNCTION perfhouse_internal.unit_dimension(text) IS
	'time, data, count, frequency, energy or power; null for a unit that is not known.';

CREATE OR REPLACE FUNCTION perfhouse_internal.unit_factor(unit text, to_unit text DEFAULT NULL) RETURNS float8
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_unit_factor_of';
COMMENT ON FUNCTION perfhouse_internal.unit_factor(text, text) IS
	'What values in unit are multiplied by to be in to_unit (null: in the base unit of its dimension: s, bytes, count, Hz, J, '
	'W); null when they are of different dimensions or not known. Columns of perfhouse.metric are generated by it.';

CREATE OR REPLACE FUNCTION diff(a profile, b profile) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_diff_of';
COMMENT ON FUNCTION diff(profile, profile) IS
	'b - a on means over all columns of each, so that different rank counts can be compared; a is before, b is after. '
	'Every node is marked both, only before or only after; nodes_diff shows both sides. diff(a, a) is 0 everywhere, '
	'diff(a, b) = -diff(b, a). Method: union of the trees by path of identities, absent counts 0 and is marked.';

CREATE OR REPLACE FUNCTION perfhouse_internal.profile_collect(internal, profile) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect';
COMMENT ON FUNCTION perfhouse_internal.profile_collect(internal, profile) IS
	'Transition function of the aggregates mean and sum: keeps the profile, or folds it into what came before.';
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_collect_labelled(internal, profile, text) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_labelled';
COMMENT ON FUNCTION perfhouse_internal.profile_collect_labelled(internal, profile, text) IS
	'Transition function of the aggregate ensemble: keeps the profile''s means and its label, or makes them a column of what came before.';
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_collect_combine(internal, internal) RETURNS internal
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_combine';
COMMENT ON FUNCTION perfhouse_internal.profile_collect_combine(internal, internal) IS
	'Combines the states of two partial aggregations of mean or sum.';
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_collect_serialize(internal) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_serialize';
COMMENT ON FUNCTION perfhouse_internal.profile_collect_serialize(internal) IS
	'State of a partial aggregation as bytes: the exact sums, then the flat forms of profiles that are not in them yet.';
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_collect_deserialize(bytea, internal) RETURNS internal
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_collect_deserialize';
COMMENT ON FUNCTION perfhouse_internal.profile_collect_deserialize(bytea, internal) IS
	'State of a partial aggregation from bytes.';
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_ensemble_final(internal) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_ensemble_final';
COMMENT ON FUNCTION perfhouse_internal.profile_ensemble_final(internal) IS
	'Final function of the aggregate ensemble.';
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_mean_final(internal) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_mean_final';
COMMENT ON FUNCTION perfhouse_internal.profile_mean_final(internal) IS
	'Final function of the aggregate mean.';
CREATE OR REPLACE FUNCTION perfhouse_internal.profile_sum_final(internal) RETURNS profile
	LANGUAGE C IMMUTABLE PARALLEL SAFE COST 10000 AS 'MODULE_PATHNAME', 'ph_profile_sum_final';
COMMENT ON FUNCTION perfhouse_internal.profile_sum_final(internal) IS
	'Final function of the aggregate sum.';

CREATE OR REPLACE AGGREGATE ensemble(p profile, label text) (
	SFUNC = perfhouse_internal.profile_collect_labelled, STYPE = internal, SSPACE = 1048576,
	FINALFUNC = perfhouse_internal.profile_ensemble_final, FINALFUNC_MODIFY = READ_ONLY, PARALLEL = SAFE
);
COMMENT ON AGGREGATE ensemble(profile, text) IS
	'The union of the profiles with one column per input row: that row''s mean over its columns (absent = 0), named '
	'by label (NULL: the profile''s own source). Columns come in input order: write ensemble(p, label ORDER BY …) to '
	'fix it. Null profiles are left out; without any the result is null. A node that a profile lacks is absent in its '
	'column.';
CREATE OR REPLACE AGGREGATE mean(p profile) (
	SFUNC = perfhouse_internal.profile_collect, STYPE = internal, SSPACE = 1048576,
	FINALFUNC = perfhouse_internal.profile_mean_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = perfhouse_internal.profile_collect_combine, SERIALFUNC = perfhouse_internal.profile_collect_serialize,
	DESERIALFUNC = perfhouse_internal.profile_collect_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE mean(profile) IS
	'The mean of the profiles on the union of their trees, absent = 0, by column when all have the same columns and '
	'else over all. The order of the input does not matter, to the last bit. Null profiles are left out; without any '
	'the result is null.';
CREATE OR REPLACE AGGREGATE sum(p profile) (
	SFUNC = perfhouse_internal.profile_collect, STYPE = internal, SSPACE = 1048576,
	FINALFUNC = perfhouse_internal.profile_sum_final, FINALFUNC_MODIFY = READ_ONLY,
	COMBINEFUNC = perfhouse_internal.profile_collect_combine, SERIALFUNC = perfhouse_internal.profile_collect_serialize,
	DESERIALFUNC = perfhouse_internal.profile_collect_deserialize, PARALLEL = SAFE
);
COMMENT ON AGGREGATE sum(profile) IS
	'The sum of the profiles on the union of their trees, by column when all have the same columns and else over all. '
	'The order of the input does not matter, to the last bit. Null profiles are left out; without any the result is '
	'null.';
