COPY perfhouse.profile_summary (run_id, callpath_id, metric_id, n,
    inclusive_sum, inclusive_sumsq, inclusive_min, inclusive_max, inclusive_argmin, inclusive_argmax,
    exclusive_sum, exclusive_sumsq, exclusive_min, exclusive_max, exclusive_argmin, exclusive_argmax)
FROM STDIN (FORMAT binary)
