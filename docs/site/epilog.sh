#!/bin/sh
# Slurm: TaskEpilog, or the last line of a job script. Leaves the profiles of the job in the spool and ends with 0.
#
# PERFHOUSE_PROFILES: folder of the job's profiles; a job that sets it is one that measures. SLURM_* of the job become metadata of
# the run. Slurm calls this after every task of every step, when other tasks may still write: the first task of a step notes the
# folder, and the end of the script leaves what is there then. (Jobs that are one srun have no script: let them use perfhouse run.)
spool=${PERFHOUSE_SPOOL:-/var/spool/perfhouse}
note=$spool/.job-$(id -u)-$SLURM_JOB_ID
if [ -n "$SLURM_STEP_ID" ]; then
    [ -n "$PERFHOUSE_PROFILES" ] && [ "${SLURM_PROCID:-0}" = 0 ] && printf '%s\n' "$PERFHOUSE_PROFILES" > "$note"
    exit 0
fi
# the script's own variable is known to its steps only
[ -n "$PERFHOUSE_PROFILES" ] || { [ -O "$note" ] && PERFHOUSE_PROFILES=$(cat "$note"); }
rm -f "$note"
[ -n "$PERFHOUSE_PROFILES" ] && [ -d "$PERFHOUSE_PROFILES" ] || exit 0
perfhouse load -q --ignore-unknown --spool "$spool/$(id -un)" --defer "$PERFHOUSE_PROFILES"
exit 0
