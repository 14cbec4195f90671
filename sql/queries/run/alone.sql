-- On several nodes who inserts rows of run and changes others, or the same, in one transaction asks for that first: INSERT lets others
-- insert, UPDATE lets nobody, and two who have inserted would wait for each other. No row has this number.
UPDATE perfhouse.run SET state = state WHERE run_id = 0
