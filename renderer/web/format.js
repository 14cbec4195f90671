// format.js - numbers and dates for people.
// SPDX-License-Identifier: PostgreSQL

const PREFIXES = [[1e9, 'G'], [1e6, 'M'], [1e3, 'k'], [1, ''], [1e-3, 'm'], [1e-6, 'µ'], [1e-9, 'n']];
const SECONDS = {s: 1, ms: 1e-3, us: 1e-6, µs: 1e-6, ns: 1e-9, usec: 1e-6, sec: 1};

// 0.488 s -> "488 ms"; units other than times keep their name: 12 345 bytes -> "12.3 kbytes".
export function quantity(value, unit = '')
{
	if (value === null || value === undefined || Number.isNaN(value))
		return '';
	const time = SECONDS[unit];
	const base = time === undefined ? value : value * time;
	const name = time === undefined ? unit ?? '' : 's';
	if (base === 0)
		return `0 ${name}`.trim();
	if (name === '')
		return plain(base);
	const [factor, prefix] = PREFIXES.find(([least]) => Math.abs(base) >= least * 0.9995) ?? PREFIXES.at(-1);
	return `${threeDigits(base / factor)} ${prefix}${name}`.trim();
}

// 1.20 beside 4.51: numbers in a column are known to the same digits. Whole ones are counts and stay as they are.
const threeDigits = value => Number.isInteger(value) ? String(value)
	: Math.abs(value) < 999.5 ? value.toPrecision(3) : String(Number(value.toPrecision(3)));

// A number without a unit: as it is, unless it would be long; 16384 ranks are not 16400.
function plain(value)
{
	const size = Math.abs(value);
	if (Number.isInteger(value) && size < 1e6)
		return String(value);
	return size >= 1e6 || size < 1e-4 ? value.toExponential(2) : threeDigits(value);
}

// Numbers of one axis: 9.0 beside 9.5, as many digits behind the point as one of them needs.
export function alike(labels)
{
	const parts = labels.map(label => /^(\D*\d+)(?:\.(\d+))?(.*)$/.exec(label));
	if (parts.some(part => part === null || part[3] !== parts[0][3])) // 900 ms beside 1.10 s
		return labels;
	const behind = parts.map(part => (part[2] ?? '').replace(/0+$/, ''));
	const digits = Math.max(...behind.map(text => text.length));
	return parts.map(([, whole,, unit], i) => `${whole}${digits > 0 ? '.' : ''}${behind[i].padEnd(digits, '0')}${unit}`);
}

export const probability = value => value === null || value === undefined ? '' : value < 1e-3
? value.toExponential(1) : value.toPrecision(2);

export const percent = share => share === null || share === undefined
? '' : `${(100 * share).toFixed(Math.abs(share) < 0.1 ? 1 : 0)} %`;

export const count = value => value === null || value === undefined ? '' : value.toLocaleString('en')
	.replaceAll(',', ' ');

export const counted = (value, word) => `${count(value)} ${word}${value === 1 ? '' : 's'}`;

// In the reader's own time zone.
export function moment(text)
{
	if (!text)
		return '';
	const date = new Date(text);
	const two = number => String(number).padStart(2, '0');
	return Number.isNaN(date.getTime()) ? text
		: `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}`;
}

export const shortCommit = id => id ? id.slice(0, 9) : '';
