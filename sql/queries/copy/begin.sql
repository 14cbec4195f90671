-- What is read of the source is of one moment.
BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY
