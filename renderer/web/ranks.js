// ranks.js - lists of ranks as the renderer writes and reads them: "0-3,8".
// SPDX-License-Identifier: PostgreSQL

export function parseRanks(text)
{
	const ranks = new Set();
	for (const part of (text ?? '').split(','))
	{
		const [first, last = first] = part.split('-').map(Number);
		if (part !== '' && Number.isInteger(first) && Number.isInteger(last))
			for (let rank = first; rank <= last; rank++)
				ranks.add(rank);
	}
	return ranks;
}

export function formatRanks(ranks)
{
	const runs = [];
	for (const rank of [...ranks].sort((a, b) => a - b))
		if (runs.length > 0 && runs.at(-1)[1] === rank - 1)
			runs.at(-1)[1] = rank;
		else
			runs.push([rank, rank]);
	return runs.map(([first, last]) => first === last ? `${first}` : `${first}-${last}`).join(',');
}
