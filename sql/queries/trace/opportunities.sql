-- The $2 single changes that would shorten run $1 most.
SELECT o.gain_ns, o.share, o.predicted_ns, rtrim(perfhouse_internal.change_text(o.change), ',') AS change, to_json(o)::text AS json
  FROM perfhouse.opportunities($1::bigint, $2::int4) o
 ORDER BY o.gain_ns DESC, o.change::text
