-- 058-storage-comments.sql - what the columns of tables are that hold packed content, which views and functions unpack.

COMMENT ON COLUMN perfhouse.call_tree.tree_id IS 'hash of the tree''s content';
COMMENT ON COLUMN perfhouse.call_tree.used_at IS 'when a load asked for it last; what nobody asks for is removed';
COMMENT ON COLUMN perfhouse.call_tree.n_nodes IS 'call paths';
COMMENT ON COLUMN perfhouse.call_tree.crc IS 'checksum of tree';
COMMENT ON COLUMN perfhouse.call_tree.callpath_ids IS 'hashes of the call paths, in the order of the tree';
COMMENT ON COLUMN perfhouse.call_tree.tree IS 'the tree in its flat form, without metrics';

COMMENT ON COLUMN perfhouse.chare.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.chare.chare_id IS 'number of the chare (object with tasks)';
COMMENT ON COLUMN perfhouse.chare.type_id IS 'number of the type';
COMMENT ON COLUMN perfhouse.chare.collection IS 'number of the array of chares that it is in; null: of none';
COMMENT ON COLUMN perfhouse.chare.index IS 'its place in that array, a number a dimension';
COMMENT ON COLUMN perfhouse.chare.processor IS 'processor that it began on';
COMMENT ON COLUMN perfhouse.chare.name IS 'name as the trace has it';
COMMENT ON COLUMN perfhouse.chare.is_runtime IS 'does it belong to the run time and not to the program?';
COMMENT ON COLUMN perfhouse.chare.first_location IS 'first location with events of it';

COMMENT ON COLUMN perfhouse.label_data.labels_id IS 'hash of the labels'' content';
COMMENT ON COLUMN perfhouse.label_data.labels IS 'what runs say of regions (module, file, line, paradigm), packed; module_of() unpacks it';

COMMENT ON COLUMN perfhouse.label_set.labels_id IS 'hash of the labels'' content';
COMMENT ON COLUMN perfhouse.label_set.used_at IS 'when a load asked for it last; what nobody asks for is removed';
COMMENT ON COLUMN perfhouse.label_set.n_regions IS 'regions that are labelled';
COMMENT ON COLUMN perfhouse.label_set.crc IS 'checksum of the labels';

COMMENT ON COLUMN perfhouse.launch_chunk.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.launch_chunk.location_id IS 'location of the trace, from 0';
COMMENT ON COLUMN perfhouse.launch_chunk.chunk_no IS 'number of the chunk within its location, from 0';
COMMENT ON COLUMN perfhouse.launch_chunk.n_links IS 'entries';
COMMENT ON COLUMN perfhouse.launch_chunk.t_call_min IS 'least time of a call that launched one of its activities, ns';
COMMENT ON COLUMN perfhouse.launch_chunk.t_call_max IS 'greatest such time, ns';
COMMENT ON COLUMN perfhouse.launch_chunk.links IS 'of each activity of the chunk the call that launched it, packed';
COMMENT ON COLUMN perfhouse.launch_chunk.crc IS 'checksum of what the row has; null: stored before rows had one';

COMMENT ON COLUMN perfhouse.logical_chunk.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.logical_chunk.location_id IS 'first location of the chunk, of neighbouring ones that share it';
COMMENT ON COLUMN perfhouse.logical_chunk.chunk_no IS 'number of the chunk within its location, from 0';
COMMENT ON COLUMN perfhouse.logical_chunk.format IS 'version of the form of the bytes';
COMMENT ON COLUMN perfhouse.logical_chunk.n_events IS 'events';
COMMENT ON COLUMN perfhouse.logical_chunk.n_ends IS 'messages that end in its events';
COMMENT ON COLUMN perfhouse.logical_chunk.first_seq IS 'number of its first communication event within the location';
COMMENT ON COLUMN perfhouse.logical_chunk.step_first IS 'least logical step';
COMMENT ON COLUMN perfhouse.logical_chunk.step_last IS 'greatest logical step';
COMMENT ON COLUMN perfhouse.logical_chunk.t_first IS 'time of the first event, ns';
COMMENT ON COLUMN perfhouse.logical_chunk.t_last IS 'time of the last event, ns';
COMMENT ON COLUMN perfhouse.logical_chunk.places IS 'steps, phases and times of the events, packed';
COMMENT ON COLUMN perfhouse.logical_chunk.metrics IS 'lateness and the other metrics of logical time, packed';
COMMENT ON COLUMN perfhouse.logical_chunk.causes IS 'who caused the lateness of each event, packed';
COMMENT ON COLUMN perfhouse.logical_chunk.ends IS 'which messages end in each event, packed';
COMMENT ON COLUMN perfhouse.logical_chunk.counters IS 'counters at the events, packed; null: none';
COMMENT ON COLUMN perfhouse.logical_chunk.tasks IS 'what tasks add to events, packed; null: of processes';
COMMENT ON COLUMN perfhouse.logical_chunk.last_location IS 'last location of the chunk';
COMMENT ON COLUMN perfhouse.logical_chunk.crc IS 'checksum of what the row has; null: stored before rows had one';

COMMENT ON COLUMN perfhouse.logical_timeline.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.logical_timeline.location_id IS 'location of logical time: a chare, or the run time of a processor';
COMMENT ON COLUMN perfhouse.logical_timeline.name IS 'name as the trace has it';
COMMENT ON COLUMN perfhouse.logical_timeline.is_runtime IS 'does it belong to the run time and not to the program?';
COMMENT ON COLUMN perfhouse.logical_timeline.chare_id IS 'number of the chare (object with tasks)';
COMMENT ON COLUMN perfhouse.logical_timeline.first_location IS 'processor of a run time; null: of chares';

COMMENT ON COLUMN perfhouse.message_chunk.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.message_chunk.location_id IS 'location of the trace, from 0';
COMMENT ON COLUMN perfhouse.message_chunk.chunk_no IS 'number of the chunk within its location, from 0';
COMMENT ON COLUMN perfhouse.message_chunk.n_links IS 'entries';
COMMENT ON COLUMN perfhouse.message_chunk.t_send_min IS 'least time of sending, ns';
COMMENT ON COLUMN perfhouse.message_chunk.t_send_max IS 'greatest time of sending, ns';
COMMENT ON COLUMN perfhouse.message_chunk.links IS 'of each receive of the chunk where its message came from, packed';
COMMENT ON COLUMN perfhouse.message_chunk.crc IS 'checksum of what the row has; null: stored before rows had one';

COMMENT ON COLUMN perfhouse.phase_block.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.phase_block.first_phase IS 'number of its first phase';
COMMENT ON COLUMN perfhouse.phase_block.n_phases IS 'phases in it';
COMMENT ON COLUMN perfhouse.phase_block.packed IS 'the phases, packed; phases() unpacks them';
COMMENT ON COLUMN perfhouse.phase_block.crc IS 'checksum of what the row has; null: stored before rows had one';

COMMENT ON COLUMN perfhouse.phase_chunk.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.phase_chunk.first_phase IS 'number of its first phase; each array below has an element a phase';
COMMENT ON COLUMN perfhouse.phase_chunk.first_step IS 'first logical steps';
COMMENT ON COLUMN perfhouse.phase_chunk.last_step IS 'last logical steps';
COMMENT ON COLUMN perfhouse.phase_chunk.n_events IS 'numbers of communication events';
COMMENT ON COLUMN perfhouse.phase_chunk.n_locations IS 'numbers of locations with events';
COMMENT ON COLUMN perfhouse.phase_chunk.leap IS 'steps of the order in which phases follow each other';
COMMENT ON COLUMN perfhouse.phase_chunk.max_lateness IS 'greatest lateness, ns';
COMMENT ON COLUMN perfhouse.phase_chunk.t_first IS 'times of the first events, ns';
COMMENT ON COLUMN perfhouse.phase_chunk.t_last IS 'times of the last events, ns';
COMMENT ON COLUMN perfhouse.phase_chunk.pattern IS 'how the messages of the phase run';
COMMENT ON COLUMN perfhouse.phase_chunk.merge_reason IS 'why it was joined of smaller ones, the last reason; null: it was not';
COMMENT ON COLUMN perfhouse.phase_chunk.merge_reasons IS 'all the reasons';
COMMENT ON COLUMN perfhouse.phase_chunk.regions IS 'the calls in it';
COMMENT ON COLUMN perfhouse.phase_chunk.followed_by IS 'numbers of the phases that follow';
COMMENT ON COLUMN perfhouse.phase_chunk.is_runtime IS 'is it of the run time and not of the program?';
COMMENT ON COLUMN perfhouse.phase_chunk.imbalance IS 'of tasks: imbalance of the processors, ns';
COMMENT ON COLUMN perfhouse.phase_chunk.max_idle IS 'of tasks: greatest idle time, ns';
COMMENT ON COLUMN perfhouse.phase_chunk.max_duration IS 'of tasks: longest event, ns';
COMMENT ON COLUMN perfhouse.phase_chunk.phase_class IS 'hash that phases with the same calls share';

COMMENT ON COLUMN perfhouse.profile_sketch.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.profile_sketch.callpath_id IS 'hash of the call path, the same in every run';
COMMENT ON COLUMN perfhouse.profile_sketch.metric_id IS 'number of the metric';
COMMENT ON COLUMN perfhouse.profile_sketch.inclusive IS 'sketch of the inclusive values over units, of a run that was rolled up';
COMMENT ON COLUMN perfhouse.profile_sketch.exclusive IS 'sketch of the exclusive ones';
COMMENT ON COLUMN perfhouse.profile_sketch.crc IS 'checksum of what the row has; null: stored before rows had one';

COMMENT ON COLUMN perfhouse.profile_summary_1.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.profile_summary_1.callpath_id IS 'hash of the call path, the same in every run';
COMMENT ON COLUMN perfhouse.profile_summary_1.metric_id IS 'number of the metric';
COMMENT ON COLUMN perfhouse.profile_summary_1.n IS 'units with the call path';
COMMENT ON COLUMN perfhouse.profile_summary_1.inclusive_sum IS 'sum of the inclusive values over units';
COMMENT ON COLUMN perfhouse.profile_summary_1.inclusive_sumsq IS 'sum of their squares';
COMMENT ON COLUMN perfhouse.profile_summary_1.inclusive_min IS 'least inclusive value';
COMMENT ON COLUMN perfhouse.profile_summary_1.inclusive_max IS 'greatest inclusive value';
COMMENT ON COLUMN perfhouse.profile_summary_1.inclusive_argmin IS 'unit of the least one';
COMMENT ON COLUMN perfhouse.profile_summary_1.inclusive_argmax IS 'unit of the greatest one';
COMMENT ON COLUMN perfhouse.profile_summary_1.exclusive_sum IS 'sum of the exclusive values over units';
COMMENT ON COLUMN perfhouse.profile_summary_1.exclusive_sumsq IS 'sum of their squares';
COMMENT ON COLUMN perfhouse.profile_summary_1.exclusive_min IS 'least exclusive value';
COMMENT ON COLUMN perfhouse.profile_summary_1.exclusive_max IS 'greatest exclusive value';
COMMENT ON COLUMN perfhouse.profile_summary_1.exclusive_argmin IS 'unit of the least one';
COMMENT ON COLUMN perfhouse.profile_summary_1.exclusive_argmax IS 'unit of the greatest one';

COMMENT ON COLUMN perfhouse.profile_tree_1.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.profile_tree_1.n_nodes IS 'call paths';
COMMENT ON COLUMN perfhouse.profile_tree_1.tree IS 'the tree in its flat form, without metrics';

COMMENT ON COLUMN perfhouse.profile_values_1.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.profile_values_1.callpath_id IS 'hash of the call path, the same in every run';
COMMENT ON COLUMN perfhouse.profile_values_1.metric_id IS 'number of the metric';
COMMENT ON COLUMN perfhouse.profile_values_1.block IS 'number of the block of 4,096 columns, from 0';
COMMENT ON COLUMN perfhouse.profile_values_1.inclusive IS 'inclusive values, an element a column; null: absent';
COMMENT ON COLUMN perfhouse.profile_values_1.exclusive IS 'exclusive values, an element a column; null: absent';

COMMENT ON COLUMN perfhouse.region_month.application IS 'name of the application';
COMMENT ON COLUMN perfhouse.region_month.month IS 'first day of the month';
COMMENT ON COLUMN perfhouse.region_month.region_id IS 'hash of the region, the same in every run';
COMMENT ON COLUMN perfhouse.region_month.metric_id IS 'number of the metric';
COMMENT ON COLUMN perfhouse.region_month.is_excluded IS 'are these runs that are left out of comparisons?';
COMMENT ON COLUMN perfhouse.region_month.n_runs IS 'runs that were counted';
COMMENT ON COLUMN perfhouse.region_month.exclusive IS 'sum of the exclusive cost, mean over units, over the runs';
COMMENT ON COLUMN perfhouse.region_month.unit_exclusive IS 'the same of the unit with most, summed over the runs';
COMMENT ON COLUMN perfhouse.region_month.host_excess IS 'how much more the dearest host had than the mean of hosts, summed over the runs';
COMMENT ON COLUMN perfhouse.region_month.runs IS 'the runs, as numbers from the first one of the application';
COMMENT ON COLUMN perfhouse.region_month."values" IS 'exclusive cost, an element a run';

COMMENT ON COLUMN perfhouse.regression_watch.application IS 'name of the application';
COMMENT ON COLUMN perfhouse.regression_watch.runs IS 'how many runs there were when regressions were searched for';
COMMENT ON COLUMN perfhouse.regression_watch.fingerprint IS 'what the runs said of themselves then';
COMMENT ON COLUMN perfhouse.regression_watch.searched_at IS 'when that was';

COMMENT ON COLUMN perfhouse.run_month.application IS 'name of the application';
COMMENT ON COLUMN perfhouse.run_month.month IS 'first day of the month';
COMMENT ON COLUMN perfhouse.run_month.n_runs IS 'runs that were counted';
COMMENT ON COLUMN perfhouse.run_month.last_run IS 'the latest run that was counted';
COMMENT ON COLUMN perfhouse.run_month.mark IS 'hash of what the runs said of themselves then: another one now means old figures';
COMMENT ON COLUMN perfhouse.run_month.refreshed_at IS 'when the month was counted';

COMMENT ON COLUMN perfhouse.run_region_1.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.run_region_1.region_id IS 'hash of the region, the same in every run';
COMMENT ON COLUMN perfhouse.run_region_1.local_id IS 'number of it in the runs own files';
COMMENT ON COLUMN perfhouse.run_region_1.module IS 'module that the run''s map gives the region';
COMMENT ON COLUMN perfhouse.run_region_1.raw_file IS 'source file as the run''s files name it';
COMMENT ON COLUMN perfhouse.run_region_1.line IS 'line in that file';
COMMENT ON COLUMN perfhouse.run_region_1.paradigm IS 'mpi, openmp, user, ...; null: not said';

-- perfhouse makes this one, before anything is applied
DO $$ BEGIN
    IF to_regclass('perfhouse.schema_version') IS NOT NULL THEN
        COMMENT ON TABLE perfhouse.schema_version IS 'What init applied: each file of tables or definitions, when, with a checksum.';
        COMMENT ON COLUMN perfhouse.schema_version.version IS 'number of the file of tables or definitions';
        COMMENT ON COLUMN perfhouse.schema_version.name IS 'its name';
        COMMENT ON COLUMN perfhouse.schema_version.checksum IS 'of its text when it was applied';
        COMMENT ON COLUMN perfhouse.schema_version.applied_at IS 'when that was';
    END IF;
END $$;

COMMENT ON COLUMN perfhouse.summary_block.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.summary_block.metric_id IS 'number of the metric';
COMMENT ON COLUMN perfhouse.summary_block.block IS 'number of the block of 256 call paths, from 0';
COMMENT ON COLUMN perfhouse.summary_block.bytes IS 'statistics over units of these call paths, packed; the view profile_summary shows them';

COMMENT ON COLUMN perfhouse.task_entry.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.task_entry.local_id IS 'number of it in the runs own files';
COMMENT ON COLUMN perfhouse.task_entry.type_id IS 'number of the type';
COMMENT ON COLUMN perfhouse.task_entry.name IS 'name as the trace has it';

COMMENT ON COLUMN perfhouse.task_trace.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.task_trace.model IS 'programming model of the tasks';
COMMENT ON COLUMN perfhouse.task_trace.tick IS 'length of a tick of the trace''s clock';
COMMENT ON COLUMN perfhouse.task_trace.n_chares IS 'chares (objects with tasks)';
COMMENT ON COLUMN perfhouse.task_trace.n_blocks IS 'serial blocks';

COMMENT ON COLUMN perfhouse.task_type.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.task_type.type_id IS 'number of the type';
COMMENT ON COLUMN perfhouse.task_type.name IS 'name as the trace has it';
COMMENT ON COLUMN perfhouse.task_type.dimensions IS 'of arrays of such chares';
COMMENT ON COLUMN perfhouse.task_type.is_runtime IS 'does it belong to the run time and not to the program?';

COMMENT ON COLUMN perfhouse.trace_chunk.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace_chunk.location_id IS 'location of the trace, from 0';
COMMENT ON COLUMN perfhouse.trace_chunk.chunk_no IS 'number of the chunk within its location, from 0';
COMMENT ON COLUMN perfhouse.trace_chunk.format IS 'version of the form of the bytes';
COMMENT ON COLUMN perfhouse.trace_chunk.n_events IS 'events';
COMMENT ON COLUMN perfhouse.trace_chunk.n_enter IS 'calls that begin in it';
COMMENT ON COLUMN perfhouse.trace_chunk.n_message IS 'messages that are sent or received in it';
COMMENT ON COLUMN perfhouse.trace_chunk.first_seq IS 'number of its first event within the location';
COMMENT ON COLUMN perfhouse.trace_chunk.t_prev IS 'time of the event before it, ns';
COMMENT ON COLUMN perfhouse.trace_chunk.t_first IS 'time of the first event, ns';
COMMENT ON COLUMN perfhouse.trace_chunk.t_last IS 'time of the last event, ns';
COMMENT ON COLUMN perfhouse.trace_chunk.stack IS 'calls that are open at its start, packed';
COMMENT ON COLUMN perfhouse.trace_chunk.dt IS 'times between events, packed';
COMMENT ON COLUMN perfhouse.trace_chunk.kind IS 'kinds of events, packed';
COMMENT ON COLUMN perfhouse.trace_chunk.region IS 'calls that begin, packed';
COMMENT ON COLUMN perfhouse.trace_chunk.msg IS 'partners, tags and sizes of messages, packed';
COMMENT ON COLUMN perfhouse.trace_chunk.extra IS 'what other events have, packed';
COMMENT ON COLUMN perfhouse.trace_chunk.crc IS 'checksum of what the row has; null: stored before rows had one';

COMMENT ON COLUMN perfhouse.trace_text.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace_text.number IS 'number by which events name the text';
COMMENT ON COLUMN perfhouse.trace_text.text IS 'the text';

COMMENT ON COLUMN perfhouse.trace_tile.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.trace_tile.tier IS 'how many locations a row stands for: 0: one, 1: 64, 2: 4,096';
COMMENT ON COLUMN perfhouse.trace_tile.level IS 'bins of 2^level ns';
COMMENT ON COLUMN perfhouse.trace_tile.block IS 'which rows, from 0';
COMMENT ON COLUMN perfhouse.trace_tile.x IS 'which bins, from 0';
COMMENT ON COLUMN perfhouse.trace_tile.bytes IS 'what the bins have, packed (docs/design/format-2-traces.md)';
COMMENT ON COLUMN perfhouse.trace_tile.crc IS 'checksum of what the row has; null: stored before rows had one';

COMMENT ON COLUMN perfhouse.value_block.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.value_block.metric_id IS 'number of the metric';
COMMENT ON COLUMN perfhouse.value_block.stripe IS 'which 16,384 columns, from 0';
COMMENT ON COLUMN perfhouse.value_block.block IS 'which 256 call paths, from 0';
COMMENT ON COLUMN perfhouse.value_block.bytes IS 'inclusive and exclusive values, packed; the view profile_values shows them';
