-- 048-usage.sql - who used the machine for what: runs by user, project, queue and size of the job, with what was lost.

CREATE OR REPLACE VIEW perfhouse.run_usage WITH (security_invoker = true) AS
SELECT r.run_id, r.application, r.user_name, r.project,
       coalesce(r.meta ->> 'SLURM_JOB_PARTITION', r.meta ->> 'slurm_job_partition', r.meta ->> 'partition', r.meta ->> 'queue') AS queue,
       r.cluster, r.n_ranks,
       (8 ^ width_bucket(r.n_ranks - 1, '{1, 8, 64, 512, 4096, 32768, 262144, 2097152, 16777216}'::int4[]))::int8 AS ranks_up_to,
       coalesce(r.started_at, r.loaded_at) AS measured_at, r.excluded_reason, h.node_hours,
       r.parallel_efficiency, r.load_balance, r.communication_efficiency, r.thread_efficiency, r.efficiency_estimated,
       h.node_hours * (1 - r.parallel_efficiency) AS lost_node_hours,
       h.node_hours * (1 - r.load_balance) AS lost_to_imbalance,
       h.node_hours * r.load_balance * (1 - r.communication_efficiency) AS lost_to_communication,
       h.node_hours * r.load_balance * r.communication_efficiency * (1 - r.thread_efficiency) AS lost_to_threads
FROM perfhouse.run r
LEFT JOIN (SELECT metric_id, CASE WHEN dimension = 'time' AND kind <> 1 THEN 1 END AS seconds FROM perfhouse.metric_overview) m
    ON m.metric_id = r.primary_metric_id
CROSS JOIN LATERAL (SELECT r.total * m.seconds * coalesce(r.n_hosts, 1) / 3600 AS node_hours) h
WHERE r.state = 'ready' AND r.derived_from IS NULL;
COMMENT ON VIEW perfhouse.run_usage IS
    'A row per measured run for questions about the machine: who ran it, for which project, in which queue, how large, '
    'and how many of its node-hours were not spent computing. Lost node-hours are null where the run has no parallel '
    'efficiency; what was lost to imbalance, communication and threads adds up to it.';
COMMENT ON COLUMN perfhouse.run_usage.run_id IS 'number of the run';
COMMENT ON COLUMN perfhouse.run_usage.application IS 'application, null where the file names none';
COMMENT ON COLUMN perfhouse.run_usage.user_name IS 'who ran it';
COMMENT ON COLUMN perfhouse.run_usage.project IS 'project that the run belongs to';
COMMENT ON COLUMN perfhouse.run_usage.queue IS
    'partition or queue of the batch system: the metadata SLURM_JOB_PARTITION, slurm_job_partition, partition or queue';
COMMENT ON COLUMN perfhouse.run_usage.cluster IS 'machine it ran on';
COMMENT ON COLUMN perfhouse.run_usage.n_ranks IS 'processes of the run';
COMMENT ON COLUMN perfhouse.run_usage.ranks_up_to IS 'size of the job: the smallest power of eight that is not below n_ranks';
COMMENT ON COLUMN perfhouse.run_usage.measured_at IS 'when it began, or was loaded where the file does not say';
COMMENT ON COLUMN perfhouse.run_usage.excluded_reason IS 'why it is left out of comparisons; null: it is not';
COMMENT ON COLUMN perfhouse.run_usage.node_hours IS
    'node-hours, as in run_cost: of one node when the file names no hosts; null: its primary metric is no time';
COMMENT ON COLUMN perfhouse.run_usage.parallel_efficiency IS 'share of the time that was spent computing, 0 to 1; null: not known';
COMMENT ON COLUMN perfhouse.run_usage.load_balance IS 'mean over maximum of the processes'' computation, 0 to 1';
COMMENT ON COLUMN perfhouse.run_usage.communication_efficiency IS 'share of the busiest process''s time that it computed, 0 to 1';
COMMENT ON COLUMN perfhouse.run_usage.thread_efficiency IS 'efficiency of the threads of a process, 0 to 1; null: it has one';
COMMENT ON COLUMN perfhouse.run_usage.efficiency_estimated IS 'the efficiencies come from a profile, not from events';
COMMENT ON COLUMN perfhouse.run_usage.lost_node_hours IS 'node-hours x (1 - parallel efficiency)';
COMMENT ON COLUMN perfhouse.run_usage.lost_to_imbalance IS 'node-hours x (1 - load balance)';
COMMENT ON COLUMN perfhouse.run_usage.lost_to_communication IS 'node-hours x load balance x (1 - communication efficiency)';
COMMENT ON COLUMN perfhouse.run_usage.lost_to_threads IS
    'node-hours x load balance x communication efficiency x (1 - thread efficiency); null: no threads';
