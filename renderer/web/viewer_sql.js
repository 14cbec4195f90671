// viewer_sql.js - what the trace view shows, as SQL: calls of the window by the clock, events of steps.
// SPDX-License-Identifier: PostgreSQL

import {app} from './viewer_app.js';

// Neighbouring numbers as one range: a trace has many locations.
function locationsText(shown)
{
	const sorted = [...shown].sort((a, b) => a - b);
	const isRange = sorted.at(-1) - sorted[0] === sorted.length - 1;
	return isRange ? `(SELECT array_agg(i) FROM generate_series(${sorted[0]}, ${sorted.at(-1)}) i)`
		: `ARRAY[${sorted.join(', ')}]`;
}

export function shownSql()
{
	const {run, view} = app;
	const [first, last] = view.shownLanes;
	const shown = locationsText(view.lanes.slice(first, last + 1));
	const query = view.isSteps ? `SELECT location, rank, thread, step, region, enter, leave, lateness
  FROM logical_event
 WHERE run_id = ${run} AND step BETWEEN ${Math.floor(view.c0)} AND ${Math.ceil(view.c1)}
   AND location = ANY (${shown})
 ORDER BY location, step` : `SELECT location, rank, thread, depth, region, enter, leave, inclusive, exclusive
  FROM calls(${run}, ${Math.floor(view.t0)}, ${Math.ceil(view.t1)},
             ${shown})
 ORDER BY location, call`;
	return `SET search_path = perfhouse, public;\n${query};`;
}
