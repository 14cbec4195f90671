// metrics.js - metrics that pages offer: they add up costs of call paths, which says something of flows alone. The
// largest value of a rank, an average or a ratio of one call path is none of a function that has several.
// SPDX-License-Identifier: PostgreSQL

// kind: as the server tells it; of older bundles nobody knows.
export const addsUp = ({kind = 'flow'}) => kind === 'flow';

// Of a row of the query "run" or "tree", the primary one first; null: no run.
export const metricNames = run => run === null ? null : (run.metrics ?? []).filter(addsUp).map(({name}) => name);
