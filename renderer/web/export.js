// export.js - what is on a page as a file: tables as CSV, pictures as PNG or SVG. Nothing leaves the browser.
// SPDX-License-Identifier: PostgreSQL

// A cell that a spreadsheet would take for a formula is text to it.
function field(value)
{
	const text = value === null || value === undefined ? '' : String(value);
	const safe = typeof value !== 'number' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
	return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

// rows: objects; columns: their keys, in order.
export function csv(columns, rows)
{
	return [columns, ...rows.map(row => columns.map(key => row[key]))].map(one => one.map(field).join(',')).join('\r\n')
		+ '\r\n';
}

export function save(name, content, type)
{
	const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], {type}));
	const link = document.createElement('a');
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const saveCsv = (name, columns, rows) => save(`${name}.csv`, csv(columns, rows), 'text/csv');

export const saveSvg = (name, context) => save(`${name}.svg`, String(context), 'image/svg+xml');

export const savePng = (name, canvas) => canvas.toBlob(blob => save(`${name}.png`, blob), 'image/png');
