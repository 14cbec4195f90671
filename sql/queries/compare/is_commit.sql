-- Does $1 begin a commit of the warehouse, and is there no run of that number?
SELECT EXISTS (SELECT 1 FROM perfhouse.run WHERE state = 'ready' AND starts_with(commit_id, lower($1::text)))
   AND NOT EXISTS (SELECT 1 FROM perfhouse.run WHERE state = 'ready' AND run_id::text = $1)
