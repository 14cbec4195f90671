// eyes.mjs - how far colours are apart for people who see all of them, no green (deuteranopia) or no red (protanopia).
// SPDX-License-Identifier: PostgreSQL

// Machado, Oliveira and Fernandes (2009), severity 1, of linear channels.
const EYES = [[[1, 0, 0], [0, 1, 0], [0, 0, 1]],
	[[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
	[[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]];

const linear = channel => channel <= 10.31475 ? channel / 255 / 12.92 : ((channel / 255 + 0.055) / 1.055) ** 2.4;
const response = t => t > 216 / 24389 ? Math.cbrt(t) : (24389 / 27 * t + 16) / 116;

function lab(color, eye)
{
	const given = color.map(linear);
	const [r, g, b] = eye.map(row => Math.min(1, Math.max(0, row.reduce((sum, part, i) => sum + part * given[i], 0))));
	const x = response((0.4124564 * r + 0.3575761 * g + 0.1804375 * b) / 0.95047);
	const y = response(0.2126729 * r + 0.7151522 * g + 0.0721750 * b);
	const z = response((0.0193339 * r + 0.1191920 * g + 0.9503041 * b) / 1.08883);
	return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

// CIE's delta E (1976) to the eye that they are most alike for; [red, green, blue] each.
export const apart = (one, other) => Math.min(...EYES.map(eye => {
	const [p, q] = [lab(one, eye), lab(other, eye)];
	return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}));
