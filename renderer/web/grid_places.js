// grid_places.js - where ranks stand on a screen: a Cartesian grid as planes of its last two dimensions beside each
// other, or as many cells a line as there is room for.
// SPDX-License-Identifier: PostgreSQL

const GAP = 1; // cells between planes

// coordinates: of each rank; sizes: of the dimensions. {x, y: by rank, across, down, planes: [{x, y, label}]}; ratio:
// width of the place by its height.
export function planesOf({coordinates, sizes, dimensions}, ratio)
{
	const n = sizes.length;
	const [wide, tall] = [sizes[n - 1], n > 1 ? sizes[n - 2] : 1];
	const count = sizes.slice(0, Math.max(0, n - 2)).reduce((product, size) => product * size, 1);
	const side = Math.max(1, Math.min(count, Math.round(Math.sqrt(count * ratio * (tall + GAP) / (wide + GAP)))));
	const planeOf = at => at.slice(0, Math.max(0, n - 2)).reduce((sum, one, i) => sum * sizes[i] + one, 0);
	const corner = plane => [plane % side * (wide + GAP), Math.floor(plane / side) * (tall + GAP)];
	const places = coordinates.map(at => {
		const [left, top] = corner(planeOf(at));
		return [left + at[n - 1], top + (n > 1 ? at[n - 2] : 0)];
	});
	const rows = Math.ceil(count / side);
	const planes = Array.from({length: count}, (_, plane) => {
		let rest = plane;
		const at = sizes.slice(0, Math.max(0, n - 2)).reverse().map(size => {
			const one = rest % size;
			rest = Math.floor(rest / size);
			return one;
		}).reverse();
		const [x, y] = corner(plane);
		return {x, y, label: at.map((one, i) => `${dimensions[i]} ${one}`).join(', ')};
	});
	return {x: places.map(([x]) => x), y: places.map(([, y]) => y), across: side * (wide + GAP) - GAP,
		down: rows * (tall + GAP) - GAP, planes, wide, tall};
}

// n cells, so many a line; across 0: as the place is.
export function linesOf(n, ratio, across = 0)
{
	const wide = across > 0 ? across : Math.max(1, Math.ceil(Math.sqrt(n * ratio)));
	const down = Math.max(1, Math.ceil(n / wide));
	return {x: Array.from({length: n}, (_, i) => i % wide), y: Array.from({length: n}, (_, i) => Math.floor(i / wide)),
		across: wide, down, planes: [], wide, tall: down};
}
