-- Where new dictionary entries wait; made once a connection.
CREATE TEMP TABLE IF NOT EXISTS stage_region (
    region_id int8, kind int2, name text, library text, file text, line int4) ON COMMIT DELETE ROWS;
CREATE TEMP TABLE IF NOT EXISTS stage_callpath (
    callpath_id int8, parent_id int8, region_id int8, depth int4) ON COMMIT DELETE ROWS;
