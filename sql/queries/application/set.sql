-- Keep what was said of application $1: keys $2 and size keys $3 (separated by commas; null: as they were), size of $4.
SELECT perfhouse.set_application($1, CASE WHEN $2::text = '' THEN '{}' ELSE string_to_array($2::text, ',') END,
    string_to_array($3::text, ','), $4)
