-- corrupt.sql - functions that damage what is stored and take it back, for tests of check_run. Schema public.

-- A value that is damaged: bytes, or numbers of which one gets another value.
CREATE FUNCTION public.damaged(old bytea, how text) RETURNS bytea LANGUAGE plpgsql AS $$
DECLARE
	place int := floor(random() * length(old));
BEGIN
	RETURN CASE how
		WHEN 'bit' THEN set_byte(old, place, get_byte(old, place) # (1 << floor(random() * 8)::int))
		WHEN 'cut' THEN substr(old, 1, place)
		WHEN 'long' THEN old || substr(old, 1, 1 + floor(random() * 20)::int) END;
END $$;
CREATE FUNCTION public.damaged(old float8[], how text) RETURNS float8[] LANGUAGE plpgsql AS $$
DECLARE
	place int := 1 + floor(random() * cardinality(old));
BEGIN
	IF how = 'bit' THEN
		old[place] := CASE WHEN old[place] IS NULL THEN 1 ELSE old[place] * 1.001 + 0.001 END;
		RETURN old;
	END IF;
	RETURN CASE how WHEN 'cut' THEN old[1:place - 1] WHEN 'long' THEN old || 0.0::float8 END;
END $$;

-- Numbers, truth values and texts: the next one, none where there was one, another text.
CREATE FUNCTION public.other_value(of_type regtype, col name) RETURNS text LANGUAGE sql AS $$
	SELECT format(CASE
		WHEN of_type IN ('int2'::regtype, 'int4'::regtype, 'int8'::regtype, 'float8'::regtype) THEN 'coalesce(%1$I, 0) + 1'
		WHEN of_type = 'bool'::regtype THEN 'NOT coalesce(%1$I, false)'
		WHEN of_type = 'text'::regtype THEN 'coalesce(%1$I, '''') || ''x'''
		WHEN of_type IN ('int4[]'::regtype, 'int8[]'::regtype) THEN 'coalesce(%1$I, ''{}'') || 1'
		WHEN of_type = 'text[]'::regtype THEN 'coalesce(%1$I, ''{}'') || ''x''::text'
		WHEN of_type = 'bool[]'::regtype THEN 'coalesce(%1$I, ''{}'') || true'
		WHEN of_type = 'jsonb'::regtype THEN 'jsonb_build_object(''x'', %1$I)'
		END, col)
$$;

-- Damages a value; false: it cannot be damaged so.
CREATE FUNCTION public.damage(tab text, col text, at tid, how text) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
	other tid;
BEGIN
	-- trees as 0.1.0 stored them have no checksum: a bit may make another tree, another run's of as many nodes may take its place
	IF how IN ('bit', 'swap') AND tab = 'perfhouse.profile_tree_1' THEN
		RETURN false;
	END IF;
	IF how = 'gone' THEN
		-- what shows that a row was there: numbers that follow each other, or sums
		IF tab IN ('perfhouse.trace_tile', 'perfhouse.call_tree', 'perfhouse.label_data', 'perfhouse.row_sum') THEN
			RETURN false;
		END IF;
		EXECUTE format('DELETE FROM %s WHERE ctid = $1', tab) USING at;
		RETURN true;
	END IF;
	IF how = 'other' THEN
		EXECUTE format('UPDATE %s SET %I = %s WHERE ctid = $1', tab, col,
			public.other_value((SELECT atttypid FROM pg_attribute WHERE (attrelid, attname) = (tab::regclass, col)), col)) USING at;
		RETURN true;
	END IF;
	IF how = 'swap' THEN
		EXECUTE format('SELECT o.ctid FROM %1$s o, %1$s t WHERE t.ctid = $1 AND o.%2$I <> t.%2$I AND o.%2$I IS NOT NULL ORDER BY random() LIMIT 1', tab, col) INTO other USING at;
		IF other IS NULL THEN
			RETURN false;
		END IF;
		EXECUTE format('UPDATE %1$s t SET %2$I = o.%2$I FROM %1$s o WHERE (t.ctid, o.ctid) IN (($1, $2), ($2, $1))', tab, col) USING at, other;
		RETURN true;
	END IF;
	EXECUTE format('UPDATE %1$s SET %2$I = public.damaged(%2$I, $2) WHERE ctid = $1', tab, col) USING at, how;
	RETURN true;
END $$;

-- Damages so many values, each kind as often, and says of each kind and way how many check_run found.
CREATE FUNCTION public.corruptions(wanted int, seed float8) RETURNS TABLE (kind text, how text, n int, found int, example text) LANGUAGE plpgsql AS $$
DECLARE
	target record;
	one record;
	hit boolean;
	way text;
	note text;
	done int := 0;
BEGIN
	PERFORM setseed(seed);
	CREATE TEMP TABLE tried (kind text, how text, found boolean, note text);
	CREATE TEMP TABLE spot (tab text, col text, at tid, run bigint);
	FOR target IN SELECT 'perfhouse.' || c.relname AS tab, a.attname AS col FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.atttypid IN ('bytea'::regtype, 'float8[]'::regtype) AND NOT a.attisdropped
			WHERE c.oid IN (SELECT perfhouse.tables_by_run()) ORDER BY 1, 2 LOOP
		EXECUTE format('INSERT INTO spot SELECT %1$L, %2$L, ctid, run_id FROM %1$s WHERE length(%2$I::text) > 2', target.tab, target.col);
	END LOOP;
	-- rows that only row_sum proves: one of each run and column
	FOR target IN SELECT 'perfhouse.' || c.relname AS tab, a.attname AS col, c.relname FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE c.relnamespace = 'perfhouse'::regnamespace AND c.relname IN (SELECT relation FROM perfhouse.row_sum) AND public.other_value(a.atttypid, a.attname) IS NOT NULL
			AND NOT a.attnum = ANY (SELECT unnest(i.indkey::int2[]) FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary) ORDER BY 1, 2 LOOP
		EXECUTE format('INSERT INTO spot SELECT %1$L, %2$L, (array_agg(t.ctid ORDER BY random()))[1], t.run_id FROM %1$s t JOIN perfhouse.row_sum s ON s.run_id = t.run_id AND s.relation = %3$L GROUP BY t.run_id',
			target.tab, target.col, target.relname);
	END LOOP;
	-- rows that others prove: the summaries of functions, the checksums themselves
	FOR target IN SELECT 'perfhouse.' || c.relname AS tab, a.attname AS col FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
			WHERE c.oid IN ('perfhouse.region_summary'::regclass, 'perfhouse.row_sum'::regclass, 'perfhouse.profile_sketch'::regclass, 'perfhouse.trace_tile'::regclass) AND public.other_value(a.atttypid, a.attname) IS NOT NULL
			AND NOT a.attnum = ANY (SELECT unnest(i.indkey::int2[]) FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary) ORDER BY 1, 2 LOOP
		EXECUTE format('INSERT INTO spot SELECT %1$L, %2$L, (array_agg(t.ctid ORDER BY random()))[1], t.run_id FROM %1$s t GROUP BY t.run_id', target.tab, target.col);
	END LOOP;
	INSERT INTO spot SELECT 'perfhouse.call_tree', col, t.ctid, r.run_id FROM perfhouse.call_tree t JOIN perfhouse.run r USING (tree_id), unnest('{n_nodes,crc,callpath_ids}'::text[]) col;
	INSERT INTO spot SELECT 'perfhouse.call_tree', 'tree', t.ctid, r.run_id FROM perfhouse.call_tree t JOIN perfhouse.run r USING (tree_id);
	INSERT INTO spot SELECT 'perfhouse.label_data', 'labels', t.ctid, r.run_id FROM perfhouse.label_data t JOIN perfhouse.run r USING (labels_id);
	CREATE TEMP TABLE counted AS SELECT tab, col, row_number() OVER (ORDER BY tab, col) AS place, 0.0 AS n_tried FROM spot GROUP BY tab, col;
	WHILE done < wanted LOOP
		SELECT * INTO target FROM counted ORDER BY n_tried, place LIMIT 1;
		SELECT * INTO one FROM spot s WHERE s.tab = target.tab AND s.col = target.col ORDER BY random() LIMIT 1;
		way := CASE WHEN (SELECT a.atttypid FROM pg_attribute a WHERE (a.attrelid, a.attname) = (one.tab::regclass, one.col)) NOT IN ('bytea'::regtype, 'float8[]'::regtype)
			THEN (ARRAY['other', 'other', 'gone'])[1 + floor(random() * 3)] ELSE (ARRAY['bit', 'bit', 'cut', 'long', 'swap', 'gone'])[1 + floor(random() * 6)] END;
		hit := NULL;
		note := NULL;
		BEGIN
			IF public.damage(one.tab, one.col, one.at, way) THEN
				SELECT count(*) FILTER (WHERE NOT c.ok) > 0 INTO hit FROM perfhouse.check_run(one.run) c;
			END IF;
			RAISE EXCEPTION USING ERRCODE = 'PHOK0'; -- takes it back
		EXCEPTION WHEN SQLSTATE 'PHOK0' OR check_violation THEN NULL;
			WHEN OTHERS THEN
				hit := SQLSTATE LIKE 'PH%';
				note := SQLSTATE || ' ' || SQLERRM;
		END;
		-- a way that a kind cannot be damaged in leaves it the next in turn, ten times at most
		UPDATE counted SET n_tried = n_tried + CASE WHEN hit IS NULL THEN 0.1 ELSE 1 END WHERE place = target.place;
		IF hit IS NOT NULL THEN
			done := done + 1;
			INSERT INTO tried VALUES (one.tab || '.' || one.col, way, hit, CASE WHEN NOT hit THEN format('run %s at %s: %s', one.run, one.at, coalesce(note, 'all is well')) END);
		END IF;
	END LOOP;
	RETURN QUERY SELECT t.kind, t.how, count(*)::int, count(*) FILTER (WHERE t.found)::int, min(t.note) FROM tried t GROUP BY 1, 2 ORDER BY 1, 2;
END $$;
