-- Makes those of run $1 anew.
SELECT perfhouse.remake_derived($1::int8)
