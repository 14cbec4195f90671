// theme.js - light or dark: the system's wish until the reader chooses.
// SPDX-License-Identifier: PostgreSQL

const KEY = 'perfhouse-theme';
const dark = matchMedia('(prefers-color-scheme: dark)');

function chosen()
{
	try { return localStorage.getItem(KEY); }
	catch { return null; }
}

export function applyTheme()
{
	document.documentElement.dataset.theme = chosen() ?? (dark.matches ? 'dark' : 'light');
}

export function toggleTheme()
{
	const next = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
	try { localStorage.setItem(KEY, next); }
	catch { /* private windows keep nothing: the page changes all the same */ }
	document.documentElement.dataset.theme = next;
}

export const isDark = () => document.documentElement.dataset.theme === 'dark';

// How large letters are beside those of a laptop: a wall is far away, its style says (base.css). Canvases scale by it.
const BASE_LETTERS = 15; // pixels

export const lettersScale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / BASE_LETTERS;

// What pictures of the server are asked with.
export const themed = () => isDark() ? [['theme', 'dark']] : [];

// Calls when the theme changes.
export const onTheme = changed => new MutationObserver(() => changed()).observe(document.documentElement,
	{attributeFilter: ['data-theme']});

dark.addEventListener('change', applyTheme);
applyTheme();
