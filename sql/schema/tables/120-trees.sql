-- 120-trees.sql - call trees and labels of regions are stored once for all runs that have the same.
--
-- Keyed by a hash of their content, like the dictionary: run.tree_id and run.labels_id point to them. Reference tables on
-- a distributed database. What runs of older releases have stays in tables of their own until they are converted.

ALTER TABLE perfhouse.profile_tree RENAME TO profile_tree_1;
ALTER TABLE perfhouse.profile_tree_1 RENAME CONSTRAINT profile_tree_pkey TO profile_tree_1_pkey;
ALTER TABLE perfhouse.run_region RENAME TO run_region_1;
ALTER TABLE perfhouse.run_region_1 RENAME CONSTRAINT run_region_pkey TO run_region_1_pkey;

CREATE TABLE perfhouse.call_tree (
    tree_id      int8 PRIMARY KEY,       -- content_id(tree): XXH3-64
    used_at      timestamptz NOT NULL DEFAULT now(), -- when a load last asked for it, to the hour
    n_nodes      int4 NOT NULL,
    crc          int4 NOT NULL,          -- CRC-32C of tree
    callpath_ids int8[] NOT NULL,        -- of its nodes, in pre-order
    tree         bytea NOT NULL          -- ph_profile_flatten(ph_profile_skeleton(profile))
);
ALTER TABLE perfhouse.call_tree ALTER tree SET COMPRESSION lz4, ALTER callpath_ids SET COMPRESSION lz4;

CREATE TABLE perfhouse.label_set (
    labels_id int8 PRIMARY KEY,          -- content_id of its rows in region_label
    used_at   timestamptz NOT NULL DEFAULT now(), -- as in call_tree
    n_regions int4 NOT NULL,
    crc       int4 NOT NULL              -- CRC-32C of the same
);

CREATE TABLE perfhouse.region_label (    -- regions as runs have them
    labels_id int8 NOT NULL,
    region_id int8 NOT NULL,
    local_id  int4 NOT NULL,             -- dense from 0
    line      int4,                      -- definition line as these runs have it
    module    text,                      -- label from the module map
    raw_file  text,                      -- path before normalisation
    paradigm  text,
    PRIMARY KEY (labels_id, region_id)
);

ALTER TABLE perfhouse.run ADD COLUMN tree_id int8, ADD COLUMN labels_id int8;
COMMENT ON COLUMN perfhouse.run.tree_id IS 'its call tree in call_tree; null: in profile_tree_1, or it has none';
COMMENT ON COLUMN perfhouse.run.labels_id IS 'what it says of its regions, in region_label; null: in run_region_1, or it has none';
