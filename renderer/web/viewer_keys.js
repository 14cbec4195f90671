// viewer_keys.js - keys of the viewer, in words. SPDX-License-Identifier: PostgreSQL

export const KEYS = [['W, S or wheel', 'zoom in, out'], ['A, D or drag', 'earlier, later'],
	['Ctrl and wheel', 'taller, flatter lanes'], ['Shift and wheel, ↑ ↓', 'other lanes'], ['click', 'the call there'],
	['Shift and drag', 'choose times and lanes: measured, with their profile and super graph'],
	['label', 'call stacks of a lane'], ['F', 'zoom to what is chosen'], ['0', 'all of it'], ['/', 'search functions'],
	['N, P', 'next, previous call of the searched function'], ['M', 'mark the time under the pointer'],
	['L', 'logical time in place of the clock, and back'], ['Esc', 'choose nothing'], ['?', 'these keys']];
