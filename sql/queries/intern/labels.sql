-- Labels are stored: regions $1, their places $2, lines $3 (-1: null), modules $4, files $5, paradigms $6. Their id.
SELECT perfhouse_internal.intern_labels($1::int8[], $2::int4[], (SELECT array_agg(nullif(line, -1) ORDER BY place)
    FROM unnest($3::int4[]) WITH ORDINALITY u (line, place)), $4::text[], $5::text[], $6::text[])
