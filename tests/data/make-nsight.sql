-- make-nsight.sql - a small export as Nsight Systems writes them, two processes of two ranks: what tests read as
-- tests/data/profiles/small.nsys.sqlite. sqlite3 small.nsys.sqlite < make-nsight.sql
PRAGMA page_size = 512;
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE META_DATA_EXPORT (name TEXT NOT NULL, value TEXT);
CREATE TABLE TARGET_INFO_SYSTEM_ENV (name TEXT NOT NULL, value TEXT NOT NULL);
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
CREATE TABLE TARGET_INFO_GPU (id INTEGER NOT NULL, name TEXT);
CREATE TABLE MPI_RANKS (globalTid INTEGER NOT NULL, rank INTEGER NOT NULL);
CREATE TABLE ThreadNames (nameId INTEGER NOT NULL, priority INTEGER, globalTid INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER NOT NULL, end INTEGER, eventType INTEGER NOT NULL, text TEXT, globalTid INTEGER,
    textId INTEGER, domainId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER NOT NULL, end INTEGER NOT NULL, eventClass INTEGER NOT NULL,
    globalTid INTEGER, correlationId INTEGER, nameId INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER NOT NULL, gridX INTEGER NOT NULL, gridY INTEGER NOT NULL, gridZ INTEGER NOT NULL,
    blockX INTEGER NOT NULL, blockY INTEGER NOT NULL, blockZ INTEGER NOT NULL, registersPerThread INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER,
    bytes INTEGER NOT NULL, copyKind INTEGER NOT NULL);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER NOT NULL, end INTEGER NOT NULL, deviceId INTEGER NOT NULL,
    contextId INTEGER NOT NULL, streamId INTEGER NOT NULL, correlationId INTEGER, globalPid INTEGER, syncType INTEGER);

INSERT INTO StringIds VALUES (1, 'cudaLaunchKernel_v7000'), (2, 'cudaGraphLaunch_v10000'), (3, 'cudaMemcpy'),
    (4, 'cudaMemcpy_v3020'), (5, 'add(float *, int)'), (6, 'scale(float *)'), (7, 'main thread'), (8, 'step'), (9, 'MPI');
INSERT INTO META_DATA_EXPORT VALUES ('EXPORT_PRODUCT_VERSION', '2024.5.1.0');
INSERT INTO TARGET_INFO_SYSTEM_ENV VALUES ('Hostname', 'node1'), ('DeviceEnvironment', 'A=1;SLURM_JOB_ID=42;SLURM_PROCID=9');
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1700000000000000000);
INSERT INTO TARGET_INFO_GPU VALUES (0, 'NVIDIA Test');
-- processes 100 (rank 3) and 200 (rank 1); globalTid = process << 24 | thread
INSERT INTO MPI_RANKS VALUES (100 << 24 | 100, 3), (200 << 24 | 200, 1);
INSERT INTO ThreadNames VALUES (7, 0, 100 << 24 | 100);
INSERT INTO NVTX_EVENTS VALUES (0, NULL, 75, 'MPI', 100 << 24 | 100, NULL, 2),
    (1000, 9000, 59, NULL, 100 << 24 | 100, 8, 0), (9000, 9500, 59, 'MPI_Barrier', 100 << 24 | 100, NULL, 2),
    (1500, NULL, 34, 'a mark', 100 << 24 | 100, NULL, 0), (8500, 9200, 60, 'crossing', 100 << 24 | 100, NULL, 0);
-- correlation 2 is one call in two rows; correlations are of their process
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 2100, 0, 100 << 24 | 100, 1, 1),
    (3000, 3900, 67, 100 << 24 | 100, 2, 3), (3100, 3800, 0, 100 << 24 | 100, 2, 4),
    (5000, 5200, 0, 100 << 24 | 101, 3, 2), (2000, 2400, 0, 200 << 24 | 200, 1, 1), (1, 2, 31, 100 << 24, 9, 1);
-- a graph's two kernels overlap; correlation 77 has no call
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (2300, 2800, 0, 1, 7, 1, 100 << 24, 5, 4, 1, 1, 64, 1, 1, 16),
    (5300, 6300, 0, 1, 7, 3, 100 << 24, 5, 4, 1, 1, 64, 1, 1, 16), (5500, 5900, 0, 1, 7, 3, 100 << 24, 6, 8, 1, 1, 32, 1, 1, 8),
    (2600, 3000, 0, 1, 13, 1, 200 << 24, 6, 8, 1, 1, 32, 1, 1, 8), (1200, 1300, 0, 1, 13, 77, 200 << 24, 6, 8, 1, 1, 32, 1, 1, 8);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (3200, 3700, 0, 1, 7, 2, 100 << 24, 4096, 1);
INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (3200, 3750, 0, 1, 7, 2, 100 << 24, 3);
