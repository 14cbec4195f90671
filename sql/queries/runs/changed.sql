-- Others hear, at commit, that the runs $1 have changed; those that are gone were told of when they went.
SELECT perfhouse_internal.notify_runs($1::int8[], 'changed')
