-- 198-pseudonyms.sql - the salt of the pseudonyms that guests read (060-pseudonyms.sql): every warehouse has its own.
--
-- Distributed databases leave it on one node, where the views are read.
CREATE TABLE perfhouse.pseudonym_salt (
    is_one boolean PRIMARY KEY DEFAULT true CHECK (is_one),
    salt   text NOT NULL
);
COMMENT ON TABLE perfhouse.pseudonym_salt IS
    'One row: what guests cannot know, so that they find out by no trying of names whom a pseudonym stands for. '
    'Another salt makes other pseudonyms.';
COMMENT ON COLUMN perfhouse.pseudonym_salt.is_one IS 'true';
COMMENT ON COLUMN perfhouse.pseudonym_salt.salt IS 'goes into every pseudonym that guests read';
INSERT INTO perfhouse.pseudonym_salt (salt) VALUES (gen_random_uuid()::text || gen_random_uuid()::text);
