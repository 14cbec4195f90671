-- Keep an alias: name $1, to_name $2, application $3, library $4, file $5, to_library $6, to_file $7, is_pattern $8, reason $9.
-- With its id: how many regions of the warehouse it is about now.
SELECT perfhouse.add_alias($1, $2, $3, $4, $5, $6, $7, $8::boolean, $9) AS id,
       (SELECT count(*) FROM perfhouse.region g,
           perfhouse_internal.alias_target(jsonb_build_array(jsonb_strip_nulls(jsonb_build_object('name', $1, 'library', $4,
            'file', $5, 'is_pattern', $8::boolean, 'to_name', $2, 'to_library', $6, 'to_file', $7))), g.kind, g.name, g.library,
                g.file, g.line) t
        WHERE (t.to_name, t.to_library, t.to_file) IS DISTINCT FROM (g.name, g.library, g.file)) AS regions
