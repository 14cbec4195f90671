-- Keep a derived metric: name $1, formula $2, unit $3 (null: what the operands give). Operands that no run has: missing.
SELECT (SELECT string_agg(quote_ident(o.name), ', ') FROM unnest(d.operands) o (name)
         WHERE NOT EXISTS (SELECT FROM perfhouse.metric m WHERE m.name = o.name)) AS missing
  FROM perfhouse.define_metric($1, $2, $3) d (operands)
