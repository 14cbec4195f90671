-- 199-searches.sql - what searches decide by themselves, what they saw of the runs, and of which runs noise was made.

ALTER TABLE perfhouse.regression ADD COLUMN by_search boolean NOT NULL DEFAULT false, ADD COLUMN scope text NOT NULL DEFAULT '';
COMMENT ON COLUMN perfhouse.regression.by_search IS
    'a search made it ignored or fixed; false: its state is new or what people decided';
COMMENT ON COLUMN perfhouse.regression.scope IS
    'a hash of what the search that found it saw of the runs; empty: all of them';

-- Until here reasons alone told who had decided.
UPDATE perfhouse.regression SET by_search = true
WHERE state = 'ignored' AND reason LIKE 'with % runs it is no longer told from noise'
   OR state = 'fixed' AND reason LIKE 'faster again with %';

ALTER TABLE perfhouse.noise ADD COLUMN mark int8;
COMMENT ON COLUMN perfhouse.noise.mark IS
    'a hash of the condition''s runs and when they were measured and loaded; null: made before this was kept';
