-- The packed call trees $1.
SELECT t.tree_id, t.tree FROM perfhouse.call_tree t WHERE t.tree_id = ANY ($1::int8[]) ORDER BY t.tree_id
