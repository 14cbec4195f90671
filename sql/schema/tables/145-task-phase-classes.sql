-- 145-task-phase-classes.sql - classes of the phases of tasks (extension/core/logical/identity.h), by phase of the row.

ALTER TABLE perfhouse.phase_chunk ADD COLUMN IF NOT EXISTS phase_class int8[];
