-- A small sample is enough to know how large tables are and how run_id is spread; the vectors themselves need no
-- statistics.
SET default_statistics_target = 10;
ANALYZE perfhouse.run, perfhouse.region, perfhouse.callpath, perfhouse.metric, perfhouse.location,
    perfhouse.call_tree (tree_id, n_nodes), perfhouse.label_set, perfhouse.label_data (labels_id),
    perfhouse.value_block (run_id, metric_id, stripe, block), perfhouse.summary_block (run_id, metric_id, block),
    perfhouse.region_summary;
RESET default_statistics_target;
