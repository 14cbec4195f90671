-- Dictionary entries need no wait for the disk of their own: the commit of the run that uses them
-- writes everything before it.
BEGIN;
SET LOCAL synchronous_commit = off;
