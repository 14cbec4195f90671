-- 165-jobs.sql - jobs of a batch system, as its accounting tells of them, whether or not anything of them was measured.
--
-- Distributed databases leave it on one node: accounting is read in bulk, and joined with run alone.
CREATE TABLE perfhouse.job (
    cluster      text NOT NULL,          -- '': accounting did not say
    job          text NOT NULL,          -- SLURM_JOB_ID of its runs
    application  text,
    user_name    text,
    project      text,                   -- the account
    queue        text,
    state        text NOT NULL,
    exit_code    int4,
    submitted_at timestamptz,
    started_at   timestamptz,
    ended_at     timestamptz,
    elapsed      float8,
    n_nodes      int4,
    n_cpus       int4,
    cpu_time     float8,
    max_memory   float8,
    energy       float8,
    node_list    text,
    owner        text NOT NULL DEFAULT current_user,
    loaded_at    timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (cluster, job)
);
CREATE INDEX job_ended_at ON perfhouse.job (ended_at);
CREATE INDEX run_batch_job ON perfhouse.run ((meta ->> 'SLURM_JOB_ID')) WHERE meta ? 'SLURM_JOB_ID';
COMMENT ON TABLE perfhouse.job IS 'Jobs of a batch system, a row each: what load_jobs() read of its accounting.';
COMMENT ON COLUMN perfhouse.job.cluster IS 'name of the batch system''s cluster; empty: accounting did not say';
COMMENT ON COLUMN perfhouse.job.job IS 'number of the job, as runs have it in meta (SLURM_JOB_ID)';
COMMENT ON COLUMN perfhouse.job.application IS 'name of the job; null: it has none of its own';
COMMENT ON COLUMN perfhouse.job.user_name IS 'who ran it';
COMMENT ON COLUMN perfhouse.job.project IS 'account that it was charged to; its members see the row when projects are enabled';
COMMENT ON COLUMN perfhouse.job.queue IS 'partition';
COMMENT ON COLUMN perfhouse.job.state IS 'COMPLETED, FAILED, TIMEOUT, RUNNING and so on, as accounting has it';
COMMENT ON COLUMN perfhouse.job.exit_code IS 'exit code of the job script';
COMMENT ON COLUMN perfhouse.job.submitted_at IS 'when it was submitted';
COMMENT ON COLUMN perfhouse.job.started_at IS 'when it began; null: it has not';
COMMENT ON COLUMN perfhouse.job.ended_at IS 'when it ended; null: it has not';
COMMENT ON COLUMN perfhouse.job.elapsed IS 'seconds from its beginning to its end';
COMMENT ON COLUMN perfhouse.job.n_nodes IS 'nodes that it had';
COMMENT ON COLUMN perfhouse.job.n_cpus IS 'processors that it had';
COMMENT ON COLUMN perfhouse.job.cpu_time IS 'seconds of processors that it used';
COMMENT ON COLUMN perfhouse.job.max_memory IS 'largest resident memory of a task, in bytes';
COMMENT ON COLUMN perfhouse.job.energy IS 'energy that it used, in J';
COMMENT ON COLUMN perfhouse.job.node_list IS 'names of its nodes, as accounting abbreviates them';
COMMENT ON COLUMN perfhouse.job.owner IS 'role that loaded the row';
COMMENT ON COLUMN perfhouse.job.loaded_at IS 'when the row was written last';
