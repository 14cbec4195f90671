-- 200-row-identity.sql - rows that logical replication can name: nodes of a distributed database move and copy tables by it.

-- Its key may be null, so it is no primary one.
ALTER TABLE perfhouse.exchange_pattern REPLICA IDENTITY FULL;
