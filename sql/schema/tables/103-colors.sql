-- 103-colors.sql - which colour a function or a module has in the pictures of an application.

CREATE TABLE perfhouse.color_of (
    application text NOT NULL,           -- '': runs without one
    name        text NOT NULL,           -- function, module, file or paradigm
    family      text NOT NULL,           -- what it is, which chooses the hue
    place       int4 NOT NULL,           -- number within application and family, from 0
    PRIMARY KEY (application, name)
);
COMMENT ON TABLE perfhouse.color_of IS
    'Colours of names in pictures, by application: given once, when a name is first loaded, and the same in all of them.';
