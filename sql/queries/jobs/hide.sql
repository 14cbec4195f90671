-- The jobs that this transaction loaded without what is hidden ($1, salt $2), by the pseudonyms that their runs have.
UPDATE perfhouse.job
   SET user_name = CASE WHEN 'users' = ANY ($1::text[]) AND user_name IS NOT NULL
                        THEN perfhouse_internal.pseudonym('user', user_name, $2::text) ELSE user_name END,
       node_list = CASE WHEN 'hosts' = ANY ($1::text[]) AND node_list IS NOT NULL
                        THEN perfhouse_internal.pseudonym('host', node_list, $2::text) ELSE node_list END
 WHERE loaded_at = now()
