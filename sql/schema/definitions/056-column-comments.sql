-- 056-column-comments.sql - what the columns of tables are that people read; views say it beside their text.

COMMENT ON COLUMN perfhouse.run.run_id IS 'number of the run, which everything else about it has';
COMMENT ON COLUMN perfhouse.run.fingerprint IS 'SHA-256 of the names and contents of its files: the same content is loaded once';
COMMENT ON COLUMN perfhouse.run.repeat IS 'which load of the same content it is, from 0 (load --if-exists append)';
COMMENT ON COLUMN perfhouse.run.state IS 'loading, ready or failed; readers see ready ones';
COMMENT ON COLUMN perfhouse.run.application IS 'the program''s name, by which runs are compared';
COMMENT ON COLUMN perfhouse.run.title IS 'what people call it, by default the file''s name';
COMMENT ON COLUMN perfhouse.run.source IS 'path that was loaded';
COMMENT ON COLUMN perfhouse.run.format IS 'the reader that read it';
COMMENT ON COLUMN perfhouse.run.commit_id IS 'commit that was measured, full hash; null: not said';
COMMENT ON COLUMN perfhouse.run.branch IS 'branch of that commit';
COMMENT ON COLUMN perfhouse.run.started_at IS 'when the program started';
COMMENT ON COLUMN perfhouse.run.user_name IS 'who ran it';
COMMENT ON COLUMN perfhouse.run.cluster IS 'machine that it ran on';
COMMENT ON COLUMN perfhouse.run.n_ranks IS 'processes';
COMMENT ON COLUMN perfhouse.run.n_threads IS 'threads a process';
COMMENT ON COLUMN perfhouse.run.n_nodes IS 'call paths of its profile';
COMMENT ON COLUMN perfhouse.run.n_columns IS 'columns of its profile: execution units, times iterations where there are some';
COMMENT ON COLUMN perfhouse.run.n_units IS 'execution units: n_columns without iterations';
COMMENT ON COLUMN perfhouse.run.metrics IS 'names of its metrics, the primary one first';
COMMENT ON COLUMN perfhouse.run.metric_ids IS 'numbers of the metrics, in the order of metrics';
COMMENT ON COLUMN perfhouse.run.residual_cells IS 'values whose source disagreed with itself';
COMMENT ON COLUMN perfhouse.run.missing_columns IS 'ranks that should be there and are not';
COMMENT ON COLUMN perfhouse.run.meta IS 'whatever else its source and load --set said';
COMMENT ON COLUMN perfhouse.run.tags IS 'words of people (perfhouse tag)';
COMMENT ON COLUMN perfhouse.run.excluded_reason IS 'why it is left out of comparisons; null: it is not';
COMMENT ON COLUMN perfhouse.run.loaded_at IS 'when it was loaded';
COMMENT ON COLUMN perfhouse.run.loader_pid IS 'process of the server that loads it; null: it is loaded';
COMMENT ON COLUMN perfhouse.run.rolled_up_at IS 'when its vectors became sketches; null: they are there';
COMMENT ON COLUMN perfhouse.run.total IS 'sum of the primary metric over the roots, mean over units';
COMMENT ON COLUMN perfhouse.run.n_hosts IS 'nodes (hosts) that it ran on';
COMMENT ON COLUMN perfhouse.run.project IS 'whose it is, where projects are kept apart; null: of everybody';
COMMENT ON COLUMN perfhouse.run.owner IS 'role that loaded it';
COMMENT ON COLUMN perfhouse.run.completeness IS 'complete, incomplete or unknown, as its files prove';
COMMENT ON COLUMN perfhouse.run.missing IS 'what an incomplete one lacks';

COMMENT ON COLUMN perfhouse.trace.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace.n_locations IS 'processes, threads and streams with events';
COMMENT ON COLUMN perfhouse.trace.n_events IS 'events';
COMMENT ON COLUMN perfhouse.trace.duration IS 'ns from the first event to the last';
COMMENT ON COLUMN perfhouse.trace.epoch_ns IS 'time 0 in ns since 1970; null: unknown';
COMMENT ON COLUMN perfhouse.trace.n_messages IS 'matched pairs of sends and receives';
COMMENT ON COLUMN perfhouse.trace.unmatched_sends IS 'sends without a receive';
COMMENT ON COLUMN perfhouse.trace.unmatched_receives IS 'receives without a send';
COMMENT ON COLUMN perfhouse.trace.reversed_messages IS 'received before they were sent, by the clocks';
COMMENT ON COLUMN perfhouse.trace.worst_reversal IS 'of those the most, ns';
COMMENT ON COLUMN perfhouse.trace.n_collectives IS 'collective operations of the application';
COMMENT ON COLUMN perfhouse.trace.open_calls IS 'calls not left at the end: the trace was cut off';
COMMENT ON COLUMN perfhouse.trace.unknown_records IS 'records of kinds that the reader does not know';
COMMENT ON COLUMN perfhouse.trace.clock IS 'what was done to clocks: uncorrected, offsets or logical';
COMMENT ON COLUMN perfhouse.trace.events_dropped_at IS 'when retention dropped its events; null: they are there';
COMMENT ON COLUMN perfhouse.trace.n_stream_waits IS 'waits of streams of devices for each other';

COMMENT ON COLUMN perfhouse.metric.metric_id IS 'number of the metric';
COMMENT ON COLUMN perfhouse.metric.name IS 'as the profiler calls it; not unique, see run.metric_ids';
COMMENT ON COLUMN perfhouse.metric.unit IS 'its unit; '''': none';
COMMENT ON COLUMN perfhouse.metric.kind IS '0 flow (adds up over tree and units), 1 ratio, 2 value (never added up)';
COMMENT ON COLUMN perfhouse.metric.combine IS 'of values: 0 mean, 1 least, 2 greatest, 3 sum';
COMMENT ON COLUMN perfhouse.metric.is_signed IS 'values may be below 0';
COMMENT ON COLUMN perfhouse.metric.numerator_id IS 'of ratios: metric above the line';
COMMENT ON COLUMN perfhouse.metric.denominator_id IS 'of ratios: metric below the line';
COMMENT ON COLUMN perfhouse.metric.better IS '-1 less is better, 1 more is better, 0 neither';
COMMENT ON COLUMN perfhouse.metric.dimension IS 'what the unit measures, such as time';
COMMENT ON COLUMN perfhouse.metric.factor IS 'value in the base unit of its dimension = value x factor';

COMMENT ON COLUMN perfhouse.region.region_id IS
    'hash of kind, name, library, file (and line of loops and statements): the same in every warehouse';
COMMENT ON COLUMN perfhouse.region.kind IS '0 function, 1 region, 2 loop, 3 statement, 4 root of a program''s start';
COMMENT ON COLUMN perfhouse.region.name IS 'its name';
COMMENT ON COLUMN perfhouse.region.library IS 'load module, path normalised; null: unknown';
COMMENT ON COLUMN perfhouse.region.file IS 'source file, path normalised; null: unknown';
COMMENT ON COLUMN perfhouse.region.line IS 'of loops and statements';

COMMENT ON COLUMN perfhouse.callpath.callpath_id IS 'hash of parent and region: the same call path in every run and warehouse';
COMMENT ON COLUMN perfhouse.callpath.parent_id IS 'the call path above; null: a root';
COMMENT ON COLUMN perfhouse.callpath.region_id IS 'what is called';
COMMENT ON COLUMN perfhouse.callpath.depth IS 'calls above it; roots have 0';

COMMENT ON COLUMN perfhouse.commit.commit_id IS 'full hash';
COMMENT ON COLUMN perfhouse.commit.repository IS 'where it is from';
COMMENT ON COLUMN perfhouse.commit.parents IS 'commits before it';
COMMENT ON COLUMN perfhouse.commit.subject IS 'first line of its message';
COMMENT ON COLUMN perfhouse.commit.author IS 'who wrote it';
COMMENT ON COLUMN perfhouse.commit.authored_at IS 'when it was written';
COMMENT ON COLUMN perfhouse.commit.committed_at IS 'when it was committed';
COMMENT ON COLUMN perfhouse.commit.first_parent_position IS 'commits before it along first parents; null: it is not on that line';
COMMENT ON COLUMN perfhouse.commit.position IS 'number in an order with parents before children';

COMMENT ON COLUMN perfhouse.commit_ref.repository IS 'where it is from';
COMMENT ON COLUMN perfhouse.commit_ref.name IS 'short name: main, v1.0';
COMMENT ON COLUMN perfhouse.commit_ref.kind IS 'head, branch, remote or tag';
COMMENT ON COLUMN perfhouse.commit_ref.commit_id IS 'commit that it names';

COMMENT ON COLUMN perfhouse.location.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.location.location_id IS 'from 0: the column of the profile''s vectors';
COMMENT ON COLUMN perfhouse.location.kind IS '0 execution unit, 2 group, 3 processor of a task-based program (PE), 4 chare';
COMMENT ON COLUMN perfhouse.location.rank IS 'process; null: not one''s';
COMMENT ON COLUMN perfhouse.location.thread IS 'thread of the process; null: of programs without';
COMMENT ON COLUMN perfhouse.location.host IS 'node that it ran on';
COMMENT ON COLUMN perfhouse.location.name IS 'as its source calls it';
COMMENT ON COLUMN perfhouse.location.iteration IS 'second axis; null: none';
COMMENT ON COLUMN perfhouse.location.source_id IS 'number in the source file';

COMMENT ON COLUMN perfhouse.region_summary.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.region_summary.region_id IS 'function, loop or statement';
COMMENT ON COLUMN perfhouse.region_summary.metric_id IS 'metric';
COMMENT ON COLUMN perfhouse.region_summary.n_nodes IS 'call paths that end in it';
COMMENT ON COLUMN perfhouse.region_summary.inclusive IS 'mean over units, absent = 0, of its outermost calls';
COMMENT ON COLUMN perfhouse.region_summary.exclusive IS 'own cost, mean over units, absent = 0';
COMMENT ON COLUMN perfhouse.region_summary.min IS 'least own cost of a unit, absent = 0';
COMMENT ON COLUMN perfhouse.region_summary.max IS 'greatest own cost of a unit';

COMMENT ON COLUMN perfhouse.load_log.load_id IS 'number of the attempt';
COMMENT ON COLUMN perfhouse.load_log.run_id IS 'run that came of it; null: none';
COMMENT ON COLUMN perfhouse.load_log.source IS 'path that was given';
COMMENT ON COLUMN perfhouse.load_log.outcome IS 'loaded, replaced, appended, skipped or failed';
COMMENT ON COLUMN perfhouse.load_log.message IS 'why it failed';
COMMENT ON COLUMN perfhouse.load_log.bytes IS 'size of the input';
COMMENT ON COLUMN perfhouse.load_log.seconds IS 'how long it took';
COMMENT ON COLUMN perfhouse.load_log.at IS 'when';
COMMENT ON COLUMN perfhouse.load_log.by_user IS 'role that loaded';

COMMENT ON COLUMN perfhouse.application.application IS 'name of the program';
COMMENT ON COLUMN perfhouse.application.keys IS 'what makes runs comparable; null: perfhouse.default_keys()';
COMMENT ON COLUMN perfhouse.application.size_keys IS
    'numbers in meta whose product is the size of the problem; null: perfhouse.default_size_keys()';
COMMENT ON COLUMN perfhouse.application.size_of IS 'what that is the size of: run or rank; null: not said';
COMMENT ON COLUMN perfhouse.application.set_by IS 'role that set it';
COMMENT ON COLUMN perfhouse.application.set_at IS 'when';

COMMENT ON COLUMN perfhouse.baseline.application IS 'name of the program';
COMMENT ON COLUMN perfhouse.baseline.name IS 'name of the baseline';
COMMENT ON COLUMN perfhouse.baseline.commit_id IS 'commit that others are compared with';
COMMENT ON COLUMN perfhouse.baseline.reason IS 'why';
COMMENT ON COLUMN perfhouse.baseline.set_by IS 'role that set it';
COMMENT ON COLUMN perfhouse.baseline.set_at IS 'when';

COMMENT ON COLUMN perfhouse.derived_metric.name IS 'name of the metric';
COMMENT ON COLUMN perfhouse.derived_metric.formula IS 'of other metrics, as derive() takes it';
COMMENT ON COLUMN perfhouse.derived_metric.unit IS 'its unit; null: what the operands'' units give';
COMMENT ON COLUMN perfhouse.derived_metric.set_by IS 'role that defined it';
COMMENT ON COLUMN perfhouse.derived_metric.set_at IS 'when';

COMMENT ON COLUMN perfhouse.noise.application IS 'name of the program';
COMMENT ON COLUMN perfhouse.noise.experiment IS 'the condition: run_experiment.experiment';
COMMENT ON COLUMN perfhouse.noise.metric_id IS 'primary metric of the runs';
COMMENT ON COLUMN perfhouse.noise.callpath_id IS 'call path; 0: the whole';
COMMENT ON COLUMN perfhouse.noise.n_runs IS 'the latest runs that have it';
COMMENT ON COLUMN perfhouse.noise.level IS 'inclusive, mean over units, in the base unit of the metric';
COMMENT ON COLUMN perfhouse.noise.spread IS 'standard deviation of one run';
COMMENT ON COLUMN perfhouse.noise.autocorrelation IS 'of neighbouring runs';
COMMENT ON COLUMN perfhouse.noise.degrees IS 'of freedom with which spread is known';
COMMENT ON COLUMN perfhouse.noise.latest_run IS 'last of the condition''s runs';

COMMENT ON COLUMN perfhouse.regression.regression_id IS 'number of the regression';
COMMENT ON COLUMN perfhouse.regression.application IS 'name of the program';
COMMENT ON COLUMN perfhouse.regression.n_ranks IS 'processes of the runs';
COMMENT ON COLUMN perfhouse.regression.n_threads IS 'threads a process';
COMMENT ON COLUMN perfhouse.regression.cluster IS 'machine';
COMMENT ON COLUMN perfhouse.regression.metric_id IS 'metric that changed';
COMMENT ON COLUMN perfhouse.regression.callpath_id IS 'top of the smallest subtree that explains the change';
COMMENT ON COLUMN perfhouse.regression.path IS 'names from the root on, / between them';
COMMENT ON COLUMN perfhouse.regression.commit_id IS 'first commit measured with the new level';
COMMENT ON COLUMN perfhouse.regression.previous_commit_id IS 'last commit measured with the old level';
COMMENT ON COLUMN perfhouse.regression.run_id IS 'first run of the new level';
COMMENT ON COLUMN perfhouse.regression.mean_before IS 'inclusive, mean over units and runs, before';
COMMENT ON COLUMN perfhouse.regression.mean_after IS 'the same after';
COMMENT ON COLUMN perfhouse.regression.own_change IS 'part of the change that is the path''s own cost';
COMMENT ON COLUMN perfhouse.regression.total_change IS 'change of the whole program at the same place';
COMMENT ON COLUMN perfhouse.regression.p_value IS 'chance of such a change without one';
COMMENT ON COLUMN perfhouse.regression.q_value IS 'the same with all call paths that were looked at counted in';
COMMENT ON COLUMN perfhouse.regression.n_before IS 'runs before';
COMMENT ON COLUMN perfhouse.regression.n_after IS 'runs after';
COMMENT ON COLUMN perfhouse.regression.lost_node_hours IS 'in runs of the new level so far';
COMMENT ON COLUMN perfhouse.regression.state IS 'new, active, ignored or fixed';
COMMENT ON COLUMN perfhouse.regression.reason IS 'what people said';
COMMENT ON COLUMN perfhouse.regression.changed_by IS 'role that changed its state';
COMMENT ON COLUMN perfhouse.regression.found_at IS 'when it was found';
COMMENT ON COLUMN perfhouse.regression.changed_at IS 'when its state changed';

COMMENT ON COLUMN perfhouse.region_alias.alias_id IS 'number of the alias';
COMMENT ON COLUMN perfhouse.region_alias.application IS 'of which program; null: of all';
COMMENT ON COLUMN perfhouse.region_alias.name IS 'name that it is about; null: any';
COMMENT ON COLUMN perfhouse.region_alias.library IS 'library that it is about; null: any';
COMMENT ON COLUMN perfhouse.region_alias.file IS 'file that it is about; null: any';
COMMENT ON COLUMN perfhouse.region_alias.is_pattern IS 'name, library and file are regular expressions';
COMMENT ON COLUMN perfhouse.region_alias.to_name IS 'name that it counts as; null: stays';
COMMENT ON COLUMN perfhouse.region_alias.to_library IS 'library that it counts as; null: stays, '''': none';
COMMENT ON COLUMN perfhouse.region_alias.to_file IS 'file that it counts as; null: stays';
COMMENT ON COLUMN perfhouse.region_alias.reason IS 'why';
COMMENT ON COLUMN perfhouse.region_alias.set_by IS 'role that set it';
COMMENT ON COLUMN perfhouse.region_alias.set_at IS 'when';

COMMENT ON COLUMN perfhouse.trace_region.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace_region.local_id IS 'number in the trace';
COMMENT ON COLUMN perfhouse.trace_region.region_id IS 'the region in the dictionary; of regions that no call uses it is not there';
COMMENT ON COLUMN perfhouse.trace_region.name IS 'its name';
COMMENT ON COLUMN perfhouse.trace_region.paradigm IS 'mpi, openmp, user, ...; '''': not said';
COMMENT ON COLUMN perfhouse.trace_region.role IS 'what it is for, such as barrier; '''': not said';

COMMENT ON COLUMN perfhouse.trace_communicator.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace_communicator.local_id IS 'number in the trace';
COMMENT ON COLUMN perfhouse.trace_communicator.name IS 'its name; '''': none';
COMMENT ON COLUMN perfhouse.trace_communicator.parent IS 'communicator that it was made of';
COMMENT ON COLUMN perfhouse.trace_communicator.is_mpi IS 'of MPI, not of another paradigm';
COMMENT ON COLUMN perfhouse.trace_communicator.members IS 'locations by their rank in it';

COMMENT ON COLUMN perfhouse.trace_metric.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace_metric.metric_class IS 'number of its class in the trace';
COMMENT ON COLUMN perfhouse.trace_metric.member IS 'place in the class';
COMMENT ON COLUMN perfhouse.trace_metric.name IS 'name of the counter';
COMMENT ON COLUMN perfhouse.trace_metric.unit IS 'its unit';
COMMENT ON COLUMN perfhouse.trace_metric.type IS '0 unsigned, 1 signed, 2 floating';
COMMENT ON COLUMN perfhouse.trace_metric.is_accumulated IS 'it only grows: differences count';
COMMENT ON COLUMN perfhouse.trace_metric.scale IS 'value in the unit = stored value x scale';

COMMENT ON COLUMN perfhouse.trace_stream.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace_stream.location_id IS 'location of the stream';
COMMENT ON COLUMN perfhouse.trace_stream.rank IS 'process that owns it';
COMMENT ON COLUMN perfhouse.trace_stream.host IS 'node of the process';
COMMENT ON COLUMN perfhouse.trace_stream.name IS 'its name';
COMMENT ON COLUMN perfhouse.trace_stream.device IS 'device, as the process numbers it';
COMMENT ON COLUMN perfhouse.trace_stream.context IS 'context of the device';
COMMENT ON COLUMN perfhouse.trace_stream.stream IS 'number within the context';
COMMENT ON COLUMN perfhouse.trace_stream.lane IS 'from 1: what ran while the stream was busy is on another lane';

COMMENT ON COLUMN perfhouse.retention_policy.name IS 'name of the policy';
COMMENT ON COLUMN perfhouse.retention_policy.action IS 'roll up (vectors become sketches) or drop trace (events go)';
COMMENT ON COLUMN perfhouse.retention_policy.older_than IS 'since the run was loaded';
COMMENT ON COLUMN perfhouse.retention_policy.filter IS 'condition on runs, as perfhouse runs --filter has it; null: every run';
COMMENT ON COLUMN perfhouse.retention_policy.keep_tags IS 'runs with one of these tags stay as they are';
COMMENT ON COLUMN perfhouse.retention_policy.enabled IS 'perfhouse retention applies it';
COMMENT ON COLUMN perfhouse.retention_policy.set_by IS 'role that set it';
COMMENT ON COLUMN perfhouse.retention_policy.set_at IS 'when';

COMMENT ON COLUMN perfhouse.run_provenance.run_id IS 'number of a derived run';
COMMENT ON COLUMN perfhouse.run_provenance.place IS 'from 1, in their order';
COMMENT ON COLUMN perfhouse.run_provenance.item IS 'what is said, as provenance() has it';
COMMENT ON COLUMN perfhouse.run_provenance.value IS 'what of it';

COMMENT ON COLUMN perfhouse.run_change.change_id IS 'number of the change';
COMMENT ON COLUMN perfhouse.run_change.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.run_change.key IS 'name of the metadata';
COMMENT ON COLUMN perfhouse.run_change.old_value IS 'before; null: there was none';
COMMENT ON COLUMN perfhouse.run_change.new_value IS 'after; null: removed';
COMMENT ON COLUMN perfhouse.run_change.changed_by IS 'role that changed it';
COMMENT ON COLUMN perfhouse.run_change.changed_at IS 'when';

COMMENT ON COLUMN perfhouse.color_of.application IS 'name of the program; '''': runs without one';
COMMENT ON COLUMN perfhouse.color_of.name IS 'function, module, file or paradigm';
COMMENT ON COLUMN perfhouse.color_of.family IS 'what it is, which chooses the hue';
COMMENT ON COLUMN perfhouse.color_of.place IS 'number within application and family, from 0';

COMMENT ON COLUMN perfhouse.project_member.project IS 'name of the project';
COMMENT ON COLUMN perfhouse.project_member.member IS 'role that sees its runs, and all who are members of that';
COMMENT ON COLUMN perfhouse.project_member.granted_by IS 'role that granted it';
COMMENT ON COLUMN perfhouse.project_member.granted_at IS 'when';

COMMENT ON COLUMN perfhouse.derived.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.derived.kind IS 'what was computed, of derived_kinds()';
COMMENT ON COLUMN perfhouse.derived.version IS 'of the method that made it';
COMMENT ON COLUMN perfhouse.derived.made_at IS 'when';

COMMENT ON COLUMN perfhouse.run.load_balance IS 'mean over ranks of the time outside of MPI / its maximum';
COMMENT ON COLUMN perfhouse.run.communication_efficiency IS
    'longest time of a rank outside of MPI / elapsed time; with events serialisation_efficiency x transfer_efficiency';
COMMENT ON COLUMN perfhouse.run.serialisation_efficiency IS
    'longest time of a rank outside of MPI / elapsed time with a network that takes no time; null: estimated';
COMMENT ON COLUMN perfhouse.run.transfer_efficiency IS 'elapsed time with a network that takes no time / elapsed time; null: estimated';
COMMENT ON COLUMN perfhouse.run.thread_efficiency IS
    'what threads use of the time that their ranks are outside of MPI; null: one thread a rank';
COMMENT ON COLUMN perfhouse.run.thread_load_balance IS
    'what threads use of that time while they are in calls: the rest is waiting for each other; null: estimated';
COMMENT ON COLUMN perfhouse.run.thread_serialisation IS
    'the part of that time in which threads are in calls: the rest are serial parts and forks; null: estimated';
COMMENT ON COLUMN perfhouse.run.device_efficiency IS
    'device_efficiency(run): what devices compute of the time in which they are used; null: no devices, or not known';
COMMENT ON COLUMN perfhouse.run.device_load_balance IS 'mean over devices of the time that they compute / its maximum';
COMMENT ON COLUMN perfhouse.run.device_communication IS
    'longest time that a device computes / longest that one does anything: copies and communication that nothing hides';
COMMENT ON COLUMN perfhouse.run.device_orchestration IS
    'longest time that a device does anything / elapsed time of devices: the rest they are idle';

COMMENT ON COLUMN perfhouse.logical.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.logical.version IS 'of the method that found it';
COMMENT ON COLUMN perfhouse.logical.options IS 'what assign_logical_steps was told';
COMMENT ON COLUMN perfhouse.logical.n_locations IS 'processes, or chares, with steps';
COMMENT ON COLUMN perfhouse.logical.n_events IS 'communication events';
COMMENT ON COLUMN perfhouse.logical.n_messages IS 'messages between them';
COMMENT ON COLUMN perfhouse.logical.n_phases IS 'phases';
COMMENT ON COLUMN perfhouse.logical.last_step IS 'greatest step';
COMMENT ON COLUMN perfhouse.logical.notes IS 'what was odd in the trace, counted';
COMMENT ON COLUMN perfhouse.logical.assigned_at IS 'when it was computed';

COMMENT ON COLUMN perfhouse.launch_configuration.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.launch_configuration.local_id IS 'number in the trace';
COMMENT ON COLUMN perfhouse.launch_configuration.grid IS 'blocks in each direction';
COMMENT ON COLUMN perfhouse.launch_configuration.block IS 'threads in each direction';
COMMENT ON COLUMN perfhouse.launch_configuration.registers IS 'a thread';
COMMENT ON COLUMN perfhouse.launch_configuration.static_memory IS 'shared memory of the kernel, bytes';
COMMENT ON COLUMN perfhouse.launch_configuration.dynamic_memory IS 'shared memory asked for by the launch, bytes';

COMMENT ON COLUMN perfhouse.exchange_pattern.application IS 'name of the program';
COMMENT ON COLUMN perfhouse.exchange_pattern.name IS 'name of the pattern';
COMMENT ON COLUMN perfhouse.exchange_pattern.expression IS 'what it is, as define_exchange_pattern() takes it';
COMMENT ON COLUMN perfhouse.exchange_pattern.set_by IS 'role that defined it';
COMMENT ON COLUMN perfhouse.exchange_pattern.set_at IS 'when';
