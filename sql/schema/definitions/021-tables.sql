-- 021-tables.sql - what the tables hold, for \dt+ and whoever looks at the catalog.

-- dictionary
COMMENT ON TABLE perfhouse.region IS 'Functions, loops and other places in code; a row each, shared by all runs.';
COMMENT ON TABLE perfhouse.callpath IS 'Call paths: a region below a call path; shared by all runs.';
COMMENT ON TABLE perfhouse.metric IS 'Metrics with unit and kind; shared by all runs.';
COMMENT ON TABLE perfhouse.commit IS 'Commits of the measured programs, read by perfhouse commits.';

-- runs and their profiles
COMMENT ON TABLE perfhouse.run IS 'A row per loaded run, with its metadata; run_overview shows those that are ready.';
COMMENT ON TABLE perfhouse.load_log IS 'What every load did and how long it took.';
COMMENT ON TABLE perfhouse.location IS 'Execution units of a run (ranks, threads), with their hosts.';
COMMENT ON TABLE perfhouse.derived IS 'Stored results that were computed from a run''s data, with their method''s version: run_derived.';
COMMENT ON TABLE perfhouse.label_set IS 'What runs say of their regions, by a hash of it (run.labels_id); shared by all that say the same.';
COMMENT ON TABLE perfhouse.label_data IS
    'The content of label_set, packed: what these runs say of regions beyond what all runs share. run_region unpacks it.';
COMMENT ON TABLE perfhouse.profile_tree_1 IS 'Trees of runs that releases before 0.2.0 stored.';
COMMENT ON TABLE perfhouse.run_region_1 IS 'What runs that releases before 0.2.0 stored say of regions.';
COMMENT ON TABLE perfhouse.call_tree IS 'Call trees, packed; shared by all runs that have the same (run.tree_id).';
COMMENT ON TABLE perfhouse.value_block IS 'Values of a run, packed: 256 call paths and 16,384 execution units a row.';
COMMENT ON TABLE perfhouse.profile_values_1 IS 'Values of runs that releases before 0.2.0 stored, a vector over execution units.';
COMMENT ON TABLE perfhouse.summary_block IS
    'Statistics over execution units of a run, packed: 256 call paths a row; profile_summary unpacks them.';
COMMENT ON TABLE perfhouse.profile_summary_1 IS 'The same of runs that releases before 0.2.0 stored, by call path and metric.';
COMMENT ON TABLE perfhouse.profile_sketch IS 'Distributions over execution units, which rolled up runs keep instead of values.';
COMMENT ON TABLE perfhouse.region_summary IS 'Values of a run by region and metric, for questions about many runs.';

-- traces
COMMENT ON TABLE perfhouse.trace IS 'A row per run that has a trace: counts, duration, quality of its clocks.';
COMMENT ON TABLE perfhouse.trace_region IS 'Regions of a trace, by the numbers that its events use.';
COMMENT ON TABLE perfhouse.trace_communicator IS 'Communicators of a trace and their members.';
COMMENT ON TABLE perfhouse.trace_metric IS 'Counters that a trace recorded.';
COMMENT ON TABLE perfhouse.trace_chunk IS 'Events of a trace, a packed chunk a row; read them by events() and its kin.';
COMMENT ON TABLE perfhouse.message_chunk IS 'Messages of a trace, a packed chunk a row; read them by messages().';
COMMENT ON TABLE perfhouse.trace_stream IS 'Streams of devices that a trace has, by the locations that its events use.';
COMMENT ON TABLE perfhouse.launch_configuration IS 'Grids and blocks with which a trace''s kernels were launched.';
COMMENT ON TABLE perfhouse.launch_chunk IS 'Which calls launched the activities of a trace''s streams, a packed chunk a row.';
COMMENT ON TABLE perfhouse.trace_tile IS 'Summaries of a large trace by location and time, at every zoom; read them by trace_cells().';
COMMENT ON TABLE perfhouse.logical IS 'A row per run that has logical time, with the options that assigned it.';
COMMENT ON TABLE perfhouse.phase_block IS 'Phases of logical time of processes, packed; read them by phases().';
COMMENT ON TABLE perfhouse.phase_chunk IS 'Phases of logical time of tasks, packed; read them by phases().';
COMMENT ON TABLE perfhouse.logical_chunk IS 'Steps and metrics of events in logical time, packed; read them by logical_events().';

-- traces of tasks
COMMENT ON TABLE perfhouse.task_trace IS 'A row per run of a task-based program: programming model and counts.';
COMMENT ON TABLE perfhouse.task_type IS 'Types of the chares or other entities of a task-based run.';
COMMENT ON TABLE perfhouse.task_entry IS 'Entry methods or kinds of task of a task-based run.';
COMMENT ON TABLE perfhouse.chare IS 'Chares or other entities of a task-based run.';
COMMENT ON TABLE perfhouse.logical_timeline IS 'Timelines that a task-based run has in logical time.';

-- upkeep
COMMENT ON TABLE perfhouse.regression_watch IS 'What of an application update_regressions() has searched.';
