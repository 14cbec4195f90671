-- 170-saved-queries.sql - queries with names: pages, addresses of the API and panels (perfhouse query).
--
-- Distributed databases leave it on one node: it is small and joined with nothing.
CREATE TABLE perfhouse.saved_query (
    name       text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
    title      text,
    about      text,
    sql        text NOT NULL CHECK (octet_length(sql) <= 65536),
    parameters jsonb NOT NULL DEFAULT '[]' CHECK (jsonb_typeof(parameters) = 'array'),
    view       text,
    owner      text NOT NULL DEFAULT current_user,
    saved_at   timestamptz NOT NULL DEFAULT now()
);
COMMENT ON TABLE perfhouse.saved_query IS
    'Queries with names: perfhouse serve has each as a page, data and a picture, run as perfhouse_reader whoever saved it.';
COMMENT ON COLUMN perfhouse.saved_query.name IS 'as addresses have it: /q/NAME, /api/q/NAME';
COMMENT ON COLUMN perfhouse.saved_query.title IS 'of its page and panel; null: the name';
COMMENT ON COLUMN perfhouse.saved_query.about IS 'what it tells, in words; null: nothing is said';
COMMENT ON COLUMN perfhouse.saved_query.sql IS 'one SELECT; :name and :''name'' are values of its parameters';
COMMENT ON COLUMN perfhouse.saved_query.parameters IS
    'an object for each: name, type (as PostgreSQL deduced it), default (text; null: it must be given)';
COMMENT ON COLUMN perfhouse.saved_query.view IS 'view that draws it, such as bar; null: it is a table only';
COMMENT ON COLUMN perfhouse.saved_query.owner IS 'who saved it';
COMMENT ON COLUMN perfhouse.saved_query.saved_at IS 'when';
