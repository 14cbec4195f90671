-- 01-types.sql - the types profile and supergraph: text and binary I/O, equality, casts.
--
-- This file is run once, by CREATE EXTENSION; the other files hold functions only and are also
-- appended to upgrade scripts.

CREATE TYPE profile;
CREATE TYPE supergraph;

CREATE FUNCTION perfhouse_internal.profile_in(cstring) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_in';
COMMENT ON FUNCTION perfhouse_internal.profile_in(cstring) IS
	'Reads the text form of a profile: "profile:1:" and the base64 of its flat form. Errors: PH001 when the text is '
	'not a whole and sound profile.';
CREATE FUNCTION perfhouse_internal.profile_out(profile) RETURNS cstring
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_out';
COMMENT ON FUNCTION perfhouse_internal.profile_out(profile) IS
	'Writes the text form of a profile: "profile:1:" and the base64 of its flat form, on one line.';
CREATE FUNCTION perfhouse_internal.profile_recv(internal) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_recv';
COMMENT ON FUNCTION perfhouse_internal.profile_recv(internal) IS
	'Reads the binary form of a profile: its flat form, versioned and little-endian. Errors: PH001 when the bytes are '
	'not a whole and sound profile.';
CREATE FUNCTION perfhouse_internal.profile_send(profile) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_send';
COMMENT ON FUNCTION perfhouse_internal.profile_send(profile) IS
	'Writes the binary form of a profile: its flat form, versioned and little-endian. The same profile always gives the same bytes.';

CREATE TYPE profile (
	INPUT = perfhouse_internal.profile_in,
	OUTPUT = perfhouse_internal.profile_out,
	RECEIVE = perfhouse_internal.profile_recv,
	SEND = perfhouse_internal.profile_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);
COMMENT ON TYPE profile IS
	'A calling-context forest in normal form with one or more metrics, each a vector over columns (ranks, threads, '
	'iterations or runs) per node, and the provenance of its numbers. A value: functions that take and return '
	'profiles compose.';

CREATE FUNCTION perfhouse_internal.supergraph_in(cstring) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_in';
COMMENT ON FUNCTION perfhouse_internal.supergraph_in(cstring) IS
	'Reads the text form of a super graph: "supergraph:1:" and the base64 of its flat form. Errors: PH001 when the '
	'text is not a whole and sound super graph.';
CREATE FUNCTION perfhouse_internal.supergraph_out(supergraph) RETURNS cstring
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_out';
COMMENT ON FUNCTION perfhouse_internal.supergraph_out(supergraph) IS
	'Writes the text form of a super graph: "supergraph:1:" and the base64 of its flat form, on one line.';
CREATE FUNCTION perfhouse_internal.supergraph_recv(internal) RETURNS supergraph
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_recv';
COMMENT ON FUNCTION perfhouse_internal.supergraph_recv(internal) IS
	'Reads the binary form of a super graph: its flat form, versioned and little-endian. Errors: PH001 when the bytes '
	'are not a whole and sound super graph.';
CREATE FUNCTION perfhouse_internal.supergraph_send(supergraph) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_send';
COMMENT ON FUNCTION perfhouse_internal.supergraph_send(supergraph) IS
	'Writes the binary form of a super graph: its flat form, versioned and little-endian.';

CREATE TYPE supergraph (
	INPUT = perfhouse_internal.supergraph_in,
	OUTPUT = perfhouse_internal.supergraph_out,
	RECEIVE = perfhouse_internal.supergraph_recv,
	SEND = perfhouse_internal.supergraph_send,
	INTERNALLENGTH = VARIABLE,
	STORAGE = extended
);
COMMENT ON TYPE supergraph IS
	'A partition of a profile''s segments into supernodes (modules, files, functions), acyclic, carrying the profile '
	'it came from, so that it can be split, drilled into, restricted and repopulated.';

CREATE FUNCTION profile_eq(profile, profile) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_eq';
COMMENT ON FUNCTION profile_eq(profile, profile) IS
	'Whether two profiles have the same flat form, byte by byte: tree, columns, metrics, values and provenance.';
CREATE FUNCTION profile_ne(profile, profile) RETURNS boolean
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_ne';
COMMENT ON FUNCTION profile_ne(profile, profile) IS
	'Whether two profiles differ in any byte of their flat form.';

CREATE OPERATOR = (
	LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_eq,
	COMMUTATOR = OPERATOR(perfhouse.=), NEGATOR = OPERATOR(perfhouse.<>),
	RESTRICT = eqsel, JOIN = eqjoinsel
);
COMMENT ON OPERATOR = (profile, profile) IS 'same profile, byte by byte';
CREATE OPERATOR <> (
	LEFTARG = profile, RIGHTARG = profile, FUNCTION = profile_ne,
	COMMUTATOR = OPERATOR(perfhouse.<>), NEGATOR = OPERATOR(perfhouse.=),
	RESTRICT = neqsel, JOIN = neqjoinsel
);
COMMENT ON OPERATOR <> (profile, profile) IS 'not the same profile';

CREATE FUNCTION flat_form(profile) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_flat_form';
COMMENT ON FUNCTION flat_form(profile) IS
	'The flat form of a profile as bytes: what a table stores and COPY BINARY sends.';
CREATE FUNCTION from_flat_form(bytea) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_from_flat_form';
COMMENT ON FUNCTION from_flat_form(bytea) IS
	'The profile with this flat form. Errors: PH001 when the bytes are not a whole and sound profile.';
CREATE FUNCTION skeleton(profile) RETURNS bytea
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_profile_skeleton_bytes';
COMMENT ON FUNCTION skeleton(profile) IS
	'The tree of a profile alone (nodes, regions, names; no metrics, columns or provenance) as bytes: what '
	'perfhouse.profile_tree.tree holds.';
CREATE FUNCTION profile(sg supergraph) RETURNS profile
	LANGUAGE C IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS 'MODULE_PATHNAME', 'ph_supergraph_profile';
COMMENT ON FUNCTION profile(supergraph) IS
	'The profile that a super graph carries.';

CREATE CAST (profile AS bytea) WITH FUNCTION flat_form(profile);
COMMENT ON CAST (profile AS bytea) IS 'the flat form of a profile';
CREATE CAST (bytea AS profile) WITH FUNCTION from_flat_form(bytea);
COMMENT ON CAST (bytea AS profile) IS 'the profile with this flat form; checked';
CREATE CAST (supergraph AS profile) WITH FUNCTION profile(supergraph);
COMMENT ON CAST (supergraph AS profile) IS 'the profile that a super graph carries';
