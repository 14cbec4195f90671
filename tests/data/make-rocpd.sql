-- make-rocpd.sql - a small database as ROCm's profilers write it, after their schema: two processes, each with the tables of
-- one version of it. sqlite3 devices/small.rocpd.db < make-rocpd.sql
PRAGMA page_size = 512;
-- process 100, rank 3: times and places in the rows
CREATE TABLE rocpd_metadata_a (id INTEGER NOT NULL PRIMARY KEY, tag TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE rocpd_string_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, string TEXT NOT NULL);
CREATE TABLE rocpd_info_node_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, hostname TEXT);
CREATE TABLE rocpd_info_process_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, init BIGINT, environment JSONB);
CREATE TABLE rocpd_info_thread_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, pid INTEGER, tid INTEGER, name TEXT);
CREATE TABLE rocpd_info_agent_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, type TEXT, type_index INTEGER, name TEXT, product_name TEXT);
CREATE TABLE rocpd_info_stream_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, name TEXT);
CREATE TABLE rocpd_info_kernel_symbol_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT,
    arch_vgpr_count INTEGER, group_segment_size INTEGER);
CREATE TABLE rocpd_event_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER);
CREATE TABLE rocpd_region_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT,
    name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, pid INTEGER, tid INTEGER, agent_id INTEGER,
    kernel_id INTEGER, queue_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT, workgroup_size_x INTEGER,
    workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);
CREATE TABLE rocpd_memory_copy_a (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT,
    name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, queue_id INTEGER, stream_id INTEGER, event_id INTEGER);
INSERT INTO rocpd_metadata_a VALUES (1, 'schema_version', '3');
INSERT INTO rocpd_string_a (id, string) VALUES (1, 'MARKER_CORE_API'), (2, 'HIP_RUNTIME_API'), (3, 'HSA_CORE_API'), (4, 'KERNEL_DISPATCH'),
    (5, 'MEMORY_COPY'), (6, 'step'), (7, 'hipLaunchKernel'), (8, 'hipMemcpy'), (9, 'hsa_queue_submit'), (10, 'MEMORY_COPY_HOST_TO_DEVICE');
INSERT INTO rocpd_info_node_a VALUES (1, NULL, 'node1');
INSERT INTO rocpd_info_process_a VALUES (1, NULL, 1, 100, 500, '{"PATH":"/bin","SLURM_JOB_ID":"42","SLURM_PROCID":"3","n":1}');
INSERT INTO rocpd_info_thread_a VALUES (100, NULL, 1, 100, 'main thread');
INSERT INTO rocpd_info_agent_a VALUES (1, NULL, 'CPU', 0, 'host', 'host'), (5, NULL, 'GPU', 0, 'gfx90a', 'AMD Test');
INSERT INTO rocpd_info_stream_a VALUES (0, NULL, 'Default Stream'), (7, NULL, 'Stream 7');
INSERT INTO rocpd_info_kernel_symbol_a VALUES (1, NULL, '_Z3addPfi', 'add(float *, int)', 16, 256), (2, NULL, 'raw', NULL, 8, 0);
-- stack 2 is a call within call 1, stack 77 has no call
INSERT INTO rocpd_event_a (id, category_id, stack_id, parent_stack_id) VALUES (1, 1, 0, 0), (2, 2, 1, 0), (3, 3, 2, 1), (4, 2, 3, 0),
    (5, 4, 1, 1), (6, 5, 3, 3), (7, 4, 77, 77), (9, 4, 0, 3);
INSERT INTO rocpd_region_a (id, pid, tid, start, end, name_id, event_id) VALUES (1, 1, 100, 1000, 9000, 6, 1), (2, 1, 100, 2000, 2100, 7, 2),
    (3, 1, 100, 2010, 2050, 9, 3), (4, 1, 100, 3100, 3800, 8, 4);
INSERT INTO rocpd_kernel_dispatch_a VALUES (1, NULL, 1, 100, 5, 1, 1, 7, 2300, 2800, 64, 1, 1, 256, 1, 1, 5),
    (2, NULL, 1, 100, 5, 2, 1, 0, 1200, 1300, 64, 2, 1, 100, 2, 1, 7), (3, NULL, 1, 100, 5, 2, 1, 0, 4100, 4200, 64, 2, 1, 100, 2, 1, 9);
INSERT INTO rocpd_memory_copy_a VALUES (1, NULL, 1, 100, 3200, 3700, 10, 5, 1, 4096, NULL, 7, 6);
-- process 200, no environment: times and places in tables of their own, streams are not known
CREATE TABLE rocpd_metadata_b (id INTEGER NOT NULL PRIMARY KEY, tag TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE rocpd_string_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, string TEXT NOT NULL);
CREATE TABLE rocpd_info_process_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, init BIGINT, environment JSONB);
CREATE TABLE rocpd_info_agent_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, type TEXT, type_index INTEGER, name TEXT);
CREATE TABLE rocpd_info_kernel_symbol_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, kernel_name TEXT, display_name TEXT);
CREATE TABLE rocpd_track_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, nid INTEGER, pid INTEGER, tid INTEGER, agent_id INTEGER,
    queue_id INTEGER, stream_id INTEGER);
CREATE TABLE rocpd_timestamp_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, value BIGINT NOT NULL);
CREATE TABLE rocpd_event_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER);
CREATE TABLE rocpd_region_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, track_id INTEGER, name_id INTEGER, start_id INTEGER,
    end_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch_b (id INTEGER NOT NULL PRIMARY KEY, guid TEXT, track_id INTEGER, kernel_id INTEGER,
    start_id INTEGER, end_id INTEGER, event_id INTEGER);
INSERT INTO rocpd_metadata_b VALUES (1, 'schema_version', '4.0.0');
INSERT INTO rocpd_string_b (id, string) VALUES (1, 'hipLaunchKernel'), (2, 'HIP_RUNTIME_API');
INSERT INTO rocpd_info_process_b VALUES (9, NULL, 1, 200, 600, 'no object');
INSERT INTO rocpd_info_agent_b VALUES (2, NULL, 'GPU', 1, 'gfx90a');
INSERT INTO rocpd_info_kernel_symbol_b VALUES (1, NULL, 'scale', 'scale(float *)');
INSERT INTO rocpd_track_b VALUES (1, NULL, 1, 9, 200, NULL, NULL, NULL), (4, NULL, 1, 9, 200, 2, 11, 0);
INSERT INTO rocpd_timestamp_b VALUES (1, NULL, 2000), (2, NULL, 2400), (3, NULL, 2600), (4, NULL, 3000), (5, NULL, 2500), (6, NULL, 2450);
INSERT INTO rocpd_event_b (id, category_id, stack_id, parent_stack_id) VALUES (1, 2, 1, 0), (2, NULL, 1, 1);
-- one region ends before it begins
INSERT INTO rocpd_region_b VALUES (1, NULL, 1, 1, 1, 2, 1), (2, NULL, 1, 1, 5, 6, 1);
INSERT INTO rocpd_kernel_dispatch_b VALUES (1, NULL, 4, 1, 3, 4, 2);
