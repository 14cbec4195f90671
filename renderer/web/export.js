// export.js - what is on a page as a file: tables as CSV, canvases as PNG or SVG. Nothing leaves the browser.
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

// The texts of an SVG are drawn again, so that they can be searched; what is between is a picture.
export function canvasSvg(canvas, texts = [])
{
	const escaped = text => text.replace(/[&<>"]/g, one => `&#${one.charCodeAt(0)};`);
	const {width, height} = canvas;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">`
		+ `<image width="${width}" height="${height}" href="${canvas.toDataURL('image/png')}"/>`
		+ texts.map(({x, y, text}) => `<text x="${x}" y="${y}" opacity="0">${escaped(text)}</text>`).join('') + '</svg>\n';
}

export function saveCanvas(name, canvas, type)
{
	if (type === 'svg')
		save(`${name}.svg`, canvasSvg(canvas), 'image/svg+xml');
	else
		canvas.toBlob(blob => save(`${name}.png`, blob), 'image/png');
}
