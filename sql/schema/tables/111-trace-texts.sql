-- 111-trace-texts.sql - texts that a trace's events refer to by number.

CREATE TABLE perfhouse.trace_text (
    run_id int8 NOT NULL,
    number int8 NOT NULL,                -- as in values of events: PROGRAM_BEGIN has the program's, a count, the arguments'
    text   text NOT NULL,
    PRIMARY KEY (run_id, number)
);
COMMENT ON TABLE perfhouse.trace_text IS
    'Texts that events of a trace refer to by number: names and arguments of programs that begin, values of parameters.';
