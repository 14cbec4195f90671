COPY pg_temp.stage_callpath FROM STDIN (FORMAT binary)
