#!/bin/sh
# Slurm: TaskEpilog, or the last line of a job script. Leaves the profiles of the job in the spool and ends with 0.
#
# PERFHOUSE_PROFILES: folder of the job's profiles; a job that sets it is one that measures. SLURM_* of the job become metadata of
# the run. Only one task of a job does it.
[ -n "$PERFHOUSE_PROFILES" ] && [ -d "$PERFHOUSE_PROFILES" ] || exit 0
[ "${SLURM_PROCID:-0}" = 0 ] || exit 0
perfhouse load -q --ignore-unknown --spool "${PERFHOUSE_SPOOL:-/var/spool/perfhouse}/$(id -un)" --defer "$PERFHOUSE_PROFILES"
exit 0
