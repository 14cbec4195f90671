// viewer_colors.js - the colours of functions, as all pictures of the application have them
// (renderer/src/drawing/color.c).
// SPDX-License-Identifier: PostgreSQL

const CYCLE = [0x4477aa, 0xcc6677, 0xddcc77, 0x117733, 0x88ccee, 0x882255, 0x44aa99, 0x999933, 0xaa4499, 0x332288];
const FAMILIES = {
	'point-to-point': [0x4477aa, 0x332288, 0x6f9fd8, 0x1e78e1, 0x2da5ff, 0x96c3ff],
	collective: [0x882255, 0xaa4499, 0xb387b8, 0xf0c3d2, 0x785ab4, 0x9678d2],
	wait: [0xcc6677, 0xe39a86, 0xffc3b4, 0xb43c2d],
	mpi: [0x857e94, 0x71667e, 0xb3b0cb, 0xb4a5b4, 0xd2c3e1],
	io: [0xa0724d, 0xb8864b, 0xf0c396, 0x785a4b],
	device: [0xee7733, 0xf2a35e, 0xffb41e, 0xffc35a],
	compute: [0x117733, 0x44aa99, 0x89911f, 0xddcc77, 0x88ccee, 0x77a469, 0x2d8769, 0x697800, 0x78c396, 0x87b44b,
		0x96c3b4, 0x87e1b4],
};

export const ACTIVITIES = [['computing', 0x117733], ['communicating', 0x4477aa], ['waiting', 0xcc6677], ['on devices',
	0xee7733]];

// Ways of colouring: name, in words.
export const COLORS = [['function', 'function'], ['activity', 'kind of time'], ['waiting', 'waiting'],
	['communication', 'communication'], ['device', 'on devices'], ['blame', 'blame: others wait for it'],
	['lateness', 'lateness']];

const channels = color => [color >> 16, color >> 8 & 255, color & 255];

// Channels of a between b and c, rounded as ph_color_mix does.
const mix = (b, c, t) => b.map((from, i) => Math.floor(from + (c[i] - from) * t + 0.5));

function shade(color, use)
{
	return use === 0 ? color : mix(color, use % 2 === 1 ? [255, 255, 255] : [0, 0, 0], 0.45 - 0.3 / (use + 1));
}

function ofFamily(family, place)
{
	const hues = FAMILIES[family];
	return hues === undefined ? shade(channels(CYCLE[place % CYCLE.length]), Math.floor(place / CYCLE.length) % 3)
		: shade(channels(hues[place % hues.length]), Math.floor(place / hues.length) % 5);
}

// A function that the application has no colour for yet gets one by its name.
function hash(name)
{
	let sum = 2166136261;
	for (let i = 0; i < name.length; i++)
		sum = Math.imul(sum ^ name.charCodeAt(i), 16777619) >>> 0;
	return sum;
}

const linear = channel => channel <= 10 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
// Of dots and lines on a dark ground: CIE L* of 45, as renderer/src/drawing/dark.c has it.
const LEAST_LUMINANCE = 0.146;

function lifted(color)
{
	const luminance = ([red, green, blue]) => 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
	let [t, found] = [0, color];
	for (; luminance(found) < LEAST_LUMINANCE; t += 0.02)
		found = mix(color, [255, 255, 255], t);
	return found;
}

// The colour of a place in a list of things that are no functions.
export const cycle = (place, isDark = false) => isDark ? lifted(ofFamily('', place)) : ofFamily('', place);

// By place in names: [red, green, blue].
export function colorsOf(names, known)
{
	const kept = new Map((known?.name ?? []).map((name, i) => [name, ofFamily(known.family[i], known.place[i])]));
	return names.map(name => kept.get(name) ?? channels(CYCLE[hash(name) % CYCLE.length]));
}

export const activityColors = ACTIVITIES.map(([, color]) => channels(color));

// From the ground through the middle to what stands out from it, by a share of 1.
const HEATS = [[[255, 245, 220], [103, 0, 31]], [[44, 42, 40], [255, 226, 170]]];

export function heat(share, isDark)
{
	const [ground, most] = HEATS[isDark ? 1 : 0];
	return mix(mix(ground, [214, 96, 77], Math.min(1, share * 1.6)), most, Math.max(0, share * 1.6 - 1) / 0.6);
}

// Less of something than others have: it stands out from all shades of heat.
const LESS = [[33, 102, 172], [103, 169, 207]];

export const less = isDark => LESS[isDark ? 1 : 0];

// How strong a number is between two, by orders of magnitude: 0 to 1.
export const strength = (value, least, most) => Math.max(0, Math.min(1, Math.log(Math.max(value, least) / least)
	/ Math.log(Math.max(2, most / least))));

// What is not searched for steps back into the ground.
export const faint = (color, isDark) => mix(isDark ? [46, 46, 46] : [225, 225, 225], color, 0.15);

export const css = ([red, green, blue]) => `rgb(${red} ${green} ${blue})`;

// Black or white, whichever can be read on it.
export const inkOn = ([red, green, blue]) => red * 0.299 + green * 0.587 + blue * 0.114 > 140 ? '#000' : '#fff';
