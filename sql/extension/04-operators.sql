-- 04-operators.sql - arithmetic operators on profiles. Run once, by CREATE EXTENSION.

CREATE OPERATOR - (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_subtract);
COMMENT ON OPERATOR - (profile, profile) IS 'difference of two profiles on the union of their trees';
CREATE OPERATOR + (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_add);
COMMENT ON OPERATOR + (profile, profile) IS 'sum of two profiles on the union of their trees';
CREATE OPERATOR * (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_multiply);
COMMENT ON OPERATOR * (profile, profile) IS 'product of two profiles, cell by cell';
CREATE OPERATOR / (LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_divide);
COMMENT ON OPERATOR / (profile, profile) IS 'quotient of two profiles, cell by cell';
CREATE OPERATOR * (LEFTARG = profile, RIGHTARG = float8, FUNCTION = profile_scale);
COMMENT ON OPERATOR * (profile, float8) IS 'every value times a number';
CREATE OPERATOR / (LEFTARG = profile, RIGHTARG = float8, FUNCTION = profile_divide);
COMMENT ON OPERATOR / (profile, float8) IS 'every value divided by a number';
