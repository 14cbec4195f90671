COPY pg_temp.stage_region FROM STDIN (FORMAT binary)
