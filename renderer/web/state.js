// state.js - the state of a page is the query of its URL: links can be sent, back and forward work.
// SPDX-License-Identifier: PostgreSQL

// 'change' events carry the names that changed in detail.names (a Set).
export class PageState extends EventTarget
{
	#params = new URLSearchParams(location.search);

	constructor()
	{
		super();
		addEventListener('popstate', () => this.#become(new URLSearchParams(location.search)));
	}

	get(name, fallback = null) { return this.#params.get(name) ?? fallback; }

	list(name) { return this.#params.getAll(name); }

	// changes: {name: text | [texts] | null}. quiet replaces the history entry, as while dragging.
	set(changes, {quiet = false} = {})
	{
		const next = this.with(changes);
		if (next.toString() === this.#params.toString())
			return;
		const text = next.toString();
		const url = text === '' ? location.pathname : `?${text}`;
		history[quiet ? 'replaceState' : 'pushState'](null, '', url);
		this.#become(next);
	}

	with(changes)
	{
		const next = new URLSearchParams(this.#params);
		for (const [name, value] of Object.entries(changes))
		{
			next.delete(name);
			for (const one of Array.isArray(value) ? value : [value])
				if (one !== null && one !== undefined && one !== '')
					next.append(name, one);
		}
		return next;
	}

	#become(next)
	{
		const before = this.#params;
		const names = new Set([...before.keys(), ...next.keys()]
			.filter(name => before.getAll(name).join('\0') !== next.getAll(name).join('\0')));
		this.#params = next;
		if (names.size > 0)
			this.dispatchEvent(new CustomEvent('change', {detail: {names}}));
	}
}
