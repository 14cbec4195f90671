-- 16-tiles.sql - summaries of traces by location and bins of time, at every zoom: what a viewer shows.
--
-- Bins of level k have 2^k ns and begin at time 0. Rows of tier t stand for 64^t locations: 0 for one, 1 for 64, 2 for 4,096.

CREATE OR REPLACE FUNCTION trace_tiles(run bigint, level int4 DEFAULT NULL, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, tier int4 DEFAULT 0, source text DEFAULT 'any')
	RETURNS TABLE (tier int4, level int4, block int4, x int8, bytes bytea, is_stored bool)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 100
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_tiles';
COMMENT ON FUNCTION trace_tiles(bigint, int4, int8, int8, int4[], int4, text) IS
	'The tiles of a level and tier that meet the window and these locations (NULL: all), by block, then x. A tile is '
	'64 rows of the tier, from block * 64 on, in 256 bins of the level, from x * 256 on; bytes: its cells, as '
	'docs/design/format-2-traces.md 4 lays them out; trace_cells gives them as rows. level NULL: the finest that has '
	'at most 2,048 bins in the window, or the finest of the run''s pyramid, when that has no fewer than 128. A tile '
	'depends on nothing but the run''s events, so it may be kept for as long as the run is not replaced. source: any '
	'(stored tiles where the run has a pyramid, else made from its chunks: the same bytes), stored (those alone) or '
	'chunks (made anew). Tiles without anything in them may be missing. Errors: as events; 22023 for a tier or level '
	'that does not exist, and for more than 65,536 bins; PH001 for a damaged tile.';

CREATE OR REPLACE FUNCTION trace_cells(run bigint, level int4 DEFAULT NULL, t_from int8 DEFAULT NULL, t_to int8 DEFAULT NULL,
		locations int4[] DEFAULT NULL, tier int4 DEFAULT 0, source text DEFAULT 'any')
	RETURNS TABLE (location int4, n_locations int4, bin_start int8, bin_end int8, regions text[], shares float8[], compute float8,
		communication float8, waiting float8, device float8, longest_region text, longest int8, longest_location int4,
		depth int4, messages int8, n_present int4, deviant int4, deviant_compute float8, deviant_communication float8,
		deviant_waiting float8, deviant_device float8, deviant_region text, deviant_share float8,
		deviant_longest_region text, deviant_longest int8)
	LANGUAGE C STABLE PARALLEL SAFE COST 100000 ROWS 10000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_cells';
COMMENT ON FUNCTION trace_cells(bigint, int4, int8, int8, int4[], int4, text) IS
	'What locations, or groups of 64^tier of them, do in the bins of a level (2^level ns from bin_start to bin_end) '
	'that meet the window, a row per group and bin in which anything is, by group, tile of 256 bins and bin; '
	'arguments as in trace_tiles. location: the first of the group; n_locations: those of it that have calls; shares '
	'are means over them. regions, shares: up to three regions with most exclusive time and their shares of the bin '
	'(of groups too small by a ninth at most). compute, communication, waiting, device: shares of all time in calls, '
	'by what regions are; what is missing to 1 is outside of calls. longest: exclusive ns of the longest single call '
	'that ends in the bin (cut to 9 significant bits), longest_region and longest_location its own. depth: the most '
	'calls that were open at once (255: or more). messages: sends and receives (cut to 4 significant bits). '
	'n_present: locations that are in calls. deviant: the location whose shares are farthest (L1) from the means, so '
	'that one slow rank shows among thousands; deviant_…: its shares, first region with its share, longest call. '
	'Errors: as trace_tiles.';

CREATE OR REPLACE FUNCTION trace_raster(run bigint, level int4, x int8, each int4 DEFAULT 1, block int4 DEFAULT 0,
		tiles int4 DEFAULT 1) RETURNS bytea
	LANGUAGE C STABLE STRICT PARALLEL SAFE COST 100000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_trace_raster';
COMMENT ON FUNCTION trace_raster(bigint, int4, int8, int4, int4, int4) IS
	'What a viewer draws of a trace: 256 bins of 2^level ns, from x * 256 on, of up to 128 rows from block * 128 on; a row '
	'stands for each locations, a power of two. Each cell has the most common region, the mean shares of what time is '
	'spent on, and the one location that is farthest from them, with its own, so that one slow rank shows whatever a row '
	'stands for. Bytes as docs/design/format-2-traces.md 4 lays them out; tiles (1 to 8): so many of them, x, x + 1, …, one after the '
	'other, whose events are read once. As of trace_tiles, of which it is made, it '
	'depends on the run''s events alone. Null for null. Errors: as trace_tiles; 22023 for a level, x, each or block '
	'that the run does not have, and other numbers of tiles.';

CREATE OR REPLACE FUNCTION store_tiles(run bigint) RETURNS bigint
	LANGUAGE C VOLATILE PARALLEL UNSAFE COST 1000000
	SET search_path = pg_catalog, pg_temp
	AS 'MODULE_PATHNAME', 'ph_store_tiles';
COMMENT ON FUNCTION store_tiles(bigint) IS
	'Makes the pyramid of a run''s trace, as loading a large trace does, and stores it in place of one that was '
	'there; how many tiles. trace_tiles and trace_cells give the same with it and without; with it they need not '
	'read all events for a picture of all of the run. Needs the rights of a loader. Errors: as events.';

CREATE OR REPLACE FUNCTION perfhouse_internal.pyramid_version() RETURNS int
	LANGUAGE C IMMUTABLE PARALLEL SAFE AS 'MODULE_PATHNAME', 'ph_pyramid_version';
COMMENT ON FUNCTION perfhouse_internal.pyramid_version() IS
	'The version of the method of tiles: pyramids of another one are stale, and not read.';
