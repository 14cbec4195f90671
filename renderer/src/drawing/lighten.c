/*
 * lighten.c - pictures that browsers can bear: what a scene has too much of is drawn plainly.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "drawing/lighten.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "drawing/arena_must.h"
#include "drawing/bare.h"
#include "drawing/draw.h"
#include "drawing/raster.h"

/* Groups of a role, or things directly in a group, from which on they are marks. */
#define LEAST_MARKS 64
/* Of the bytes, for marks that stay as they are; for everything, so that title and caption fit. */
#define WHOLE_SHARE 0.55
#define USED_SHARE 0.97
#define LEAST_CELLS 1000 /* of which an image is made */

/* Marks of one role in one group. */
typedef struct Family
{
	uint32_t container;
	const char *role; /* NULL: things directly in the group, shapes or texts */
	bool is_text;
	uint32_t n, last; /* last: item of the last of them */
	size_t bytes, share;
	PhBare *bare;
	uint32_t n_bare, n_others; /* shapes; marks that they were of */
	size_t bare_capacity;
	const PhItem *image; /* in place of the shapes; NULL: none */
} Family;

typedef struct Mark
{
	uint32_t first, last; /* items */
	uint32_t family;
	size_t bytes;
	double area;
	uint32_t lot; /* which of equal ones stay: some everywhere rather than the first ones */
	bool whole;
} Mark;

typedef struct Reduction
{
	PhScene *scene;
	PhArena *arena;
	uint32_t *bytes;	  /* by item */
	uint32_t *container;  /* by item: the group that it is in, by the item that opens it */
	uint32_t *last;		  /* by item that opens a group: the item that closes it */
	uint32_t *n_loose[2]; /* by item that opens a group: shapes, texts directly in it */
	uint32_t *n_role;	  /* by item that opens a group: groups of its role */
	Mark *marks;
	uint32_t n_marks;
	size_t mark_capacity;
	Family *families;
	uint32_t n_families;
	size_t family_capacity;
	size_t fixed; /* bytes of what is no mark */
	PhLightened result;
} Reduction;

/* ---- what the scene has -------------------------------------------------------------------- */

/* Which group everything is in. Items outside of groups are in item n_items, which is none. */
static void
find_containers(Reduction *work)
{
	const PhScene *scene = work->scene;
	uint32_t *stack = ph_need(work->arena, (size_t) scene->n_items + 1, sizeof(*stack));
	uint32_t depth = 0;

	stack[0] = scene->n_items;
	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		PhItemKind kind = scene->items[i].kind;

		if (kind == PH_ITEM_CLOSE && depth > 0)
			work->last[stack[depth--]] = i;
		work->container[i] = stack[depth];
		if (kind == PH_ITEM_OPEN)
			stack[++depth] = i;
		else if (kind != PH_ITEM_CLOSE)
			work->n_loose[kind == PH_ITEM_TEXT][stack[depth]]++;
	}
}

typedef struct Named
{
	const char *role;
	uint32_t item;
} Named;

static int
by_role(const void *a, const void *b)
{
	const Named *x = a, *y = b;
	int order = strcmp(x->role, y->role);

	return order != 0 ? order : (x->item > y->item) - (x->item < y->item);
}

static void
count_roles(Reduction *work)
{
	const PhScene *scene = work->scene;
	Named *groups = ph_need(work->arena, (size_t) scene->n_items + 1, sizeof(*groups));
	uint32_t n = 0;
	uint32_t end;

	for (uint32_t i = 0; i < scene->n_items; i++)
		if (scene->items[i].kind == PH_ITEM_OPEN)
			groups[n++] = (Named){scene->items[i].text != NULL ? scene->items[i].text : "", i};
	qsort(groups, n, sizeof(*groups), by_role);
	for (uint32_t i = 0; i < n; i = end)
	{
		for (end = i; end < n && strcmp(groups[end].role, groups[i].role) == 0;)
			end++;
		for (uint32_t k = i; k < end; k++)
			work->n_role[groups[k].item] = end - i;
	}
}

static uint32_t
family_of(Reduction *work, uint32_t container, const char *role, bool is_text)
{
	for (uint32_t i = work->n_families; i-- > 0;)
	{
		const Family *family = &work->families[i];

		if (family->container == container && family->is_text == is_text &&
			(family->role == NULL) == (role == NULL) &&
			(role == NULL || strcmp(family->role, role) == 0))
			return i;
	}
	work->families = ph_need_room(work->arena, work->families, work->n_families,
								  &work->family_capacity, sizeof(Family));
	work->families[work->n_families] =
		(Family){.container = container, .role = role, .is_text = is_text};
	return work->n_families++;
}

static void
add_mark(Reduction *work, uint32_t first, uint32_t last, const char *role)
{
	Mark mark = {.first = first, .last = last, .lot = first * 2654435769u};
	Family *family;

	mark.family = family_of(work, work->container[first], role,
							work->scene->items[first].kind == PH_ITEM_TEXT);
	for (uint32_t i = first; i <= last; i++)
	{
		mark.bytes += work->bytes[i];
		mark.area += ph_bare_area(&work->scene->items[i]);
	}
	family = &work->families[mark.family];
	family->n++;
	family->last = last;
	family->bytes += mark.bytes;
	work->marks =
		ph_need_room(work->arena, work->marks, work->n_marks, &work->mark_capacity, sizeof(Mark));
	work->marks[work->n_marks++] = mark;
}

/* The outermost groups that many are like, and shapes or texts of which many are directly in one
 * group: titles and ticks among many shapes are few. */
static void
find_marks(Reduction *work)
{
	const PhScene *scene = work->scene;

	for (uint32_t i = 0; i < scene->n_items; i++)
	{
		const PhItem *item = &scene->items[i];

		if (item->kind == PH_ITEM_OPEN && work->n_role[i] >= LEAST_MARKS && work->last[i] > i)
		{
			add_mark(work, i, work->last[i], item->text != NULL ? item->text : "");
			i = work->last[i];
		}
		else if (item->kind != PH_ITEM_OPEN && item->kind != PH_ITEM_CLOSE &&
				 work->n_loose[item->kind == PH_ITEM_TEXT][work->container[i]] >= LEAST_MARKS)
			add_mark(work, i, i, NULL);
		else
			work->fixed += work->bytes[i];
	}
}

/* ---- lines of many parts ------------------------------------------------------------------- */

static void
copy_item(PhScene *scene, const PhItem *item)
{
	scene->items =
		ph_need_room(scene->arena, scene->items, scene->n_items, &scene->capacity, sizeof(PhItem));
	scene->items[scene->n_items++] = *item;
}

static uint32_t
count_parts(const PhItem *item)
{
	uint32_t n = 0;

	for (uint32_t i = 0; item->kind == PH_ITEM_PATH && i < item->n_steps; i++)
		n += item->steps[i].op == 'M';
	return n;
}

/* Parts of an area may be holes of each other; lines are only drawn together. */
static bool
is_divisible(const PhItem *item)
{
	return item->kind == PH_ITEM_PATH && item->style.fill.a == 0 &&
		   count_parts(item) >= LEAST_MARKS;
}

static void
copy_parts(PhScene *scene, const PhItem *item)
{
	for (uint32_t i = 0; i < item->n_steps;)
	{
		PhItem part = *item;

		part.steps = &item->steps[i];
		part.n_steps = 0;
		do
		{
			part.n_steps++;
			i++;
		} while (i < item->n_steps && item->steps[i].op != 'M');
		copy_item(scene, &part);
	}
}

static bool
has_divisible(const PhScene *scene)
{
	for (uint32_t i = 0; i < scene->n_items; i++)
		if (is_divisible(&scene->items[i]))
			return true;
	return false;
}

/* A path of many lines becomes as many paths, each of which may stay or become bare. */
static void
divide_lines(PhScene *scene)
{
	const PhItem *items = scene->items;
	uint32_t n = scene->n_items;

	scene->items = NULL;
	scene->n_items = 0;
	scene->capacity = 0;
	for (uint32_t i = 0; i < n; i++)
		if (is_divisible(&items[i]))
			copy_parts(scene, &items[i]);
		else
			copy_item(scene, &items[i]);
}

/* ---- which stay ---------------------------------------------------------------------------- */

static int
by_bytes(const void *a, const void *b)
{
	const Family *const *x = a;
	const Family *const *y = b;

	if ((*x)->bytes != (*y)->bytes)
		return (*x)->bytes < (*y)->bytes ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* Every family may have as much as any other; what small ones leave goes to the large ones. */
static void
share_out(Reduction *work, size_t bytes)
{
	Family **order = ph_need(work->arena, (size_t) work->n_families + 1, sizeof(*order));

	for (uint32_t i = 0; i < work->n_families; i++)
		order[i] = &work->families[i];
	qsort(order, work->n_families, sizeof(*order), by_bytes);
	for (uint32_t i = 0; i < work->n_families; i++)
	{
		size_t part = bytes / (work->n_families - i);

		order[i]->share = order[i]->bytes < part ? order[i]->bytes : part;
		bytes -= order[i]->share;
	}
}

static int
by_area(const void *a, const void *b)
{
	const Mark *const *x = a;
	const Mark *const *y = b;

	if ((*x)->area != (*y)->area)
		return (*x)->area > (*y)->area ? -1 : 1;
	if ((*x)->lot != (*y)->lot)
		return (*x)->lot < (*y)->lot ? -1 : 1;
	return (*x > *y) - (*x < *y);
}

/* A cell or point without a group has neither tooltip nor data: plainly drawn it looks the same. */
static bool
is_plain(const Reduction *work, const Mark *mark)
{
	PhItemKind kind = work->scene->items[mark->first].kind;

	return work->families[mark->family].role == NULL &&
		   (kind == PH_ITEM_RECT || kind == PH_ITEM_CIRCLE);
}

static size_t
choose_whole(Reduction *work)
{
	Mark **order = ph_need(work->arena, (size_t) work->n_marks + 1, sizeof(*order));
	size_t used = 0;

	for (uint32_t i = 0; i < work->n_marks; i++)
		order[i] = &work->marks[i];
	qsort(order, work->n_marks, sizeof(*order), by_area);
	for (uint32_t i = 0; i < work->n_marks; i++)
	{
		Family *family = &work->families[order[i]->family];

		if (is_plain(work, order[i]))
			continue;
		order[i]->whole = order[i]->bytes <= family->share;
		if (!order[i]->whole)
		{
			family->share = 0; /* smaller ones in front of larger ones would be odd */
			continue;
		}
		family->share -= order[i]->bytes;
		used += order[i]->bytes;
	}
	return used;
}

/* ---- the others ---------------------------------------------------------------------------- */

static void
collect_bare(Reduction *work)
{
	for (uint32_t i = 0; i < work->n_marks; i++)
	{
		const Mark *mark = &work->marks[i];
		Family *family = &work->families[mark->family];
		bool any = false;

		for (uint32_t k = mark->first; !mark->whole && k <= mark->last; k++)
		{
			const PhItem *item = &work->scene->items[k];

			if (!ph_bare_is_shape(item))
				continue;
			family->bare = ph_need_room(work->arena, family->bare, family->n_bare,
										&family->bare_capacity, sizeof(PhBare));
			ph_bare_make(work->arena, item, &family->bare[family->n_bare++]);
			any = true;
		}
		family->n_others += any;
		if (!mark->whole && !is_plain(work, mark))
			*(any ? &work->result.plain : &work->result.left_out) += 1;
	}
}

/* All cells of a family, in the order of drawing: those of marks that stay as well, so that what
 * was drawn over what is so in the image. */
static PhBare *
collect_cells(Reduction *work, uint32_t family, uint32_t *n)
{
	PhBare *cells = NULL;
	size_t capacity = 0;

	*n = 0;
	for (uint32_t i = 0; i < work->n_marks; i++)
		for (uint32_t k = work->marks[i].first;
			 work->marks[i].family == family && k <= work->marks[i].last; k++)
			if (ph_bare_is_cell(&work->scene->items[k]))
			{
				cells = ph_need_room(work->arena, cells, *n, &capacity, sizeof(PhBare));
				ph_bare_make(work->arena, &work->scene->items[k], &cells[(*n)++]);
			}
	return cells;
}

/* Shapes that are not in the image. */
static void
keep_other_shapes(Family *family)
{
	uint32_t left = 0;

	for (uint32_t i = 0; i < family->n_bare; i++)
		if (!family->bare[i].is_crisp)
			family->bare[left++] = family->bare[i];
	family->n_bare = left;
}

static size_t
bytes_of_bare(const Reduction *work)
{
	size_t bytes = 0;

	for (uint32_t i = 0; i < work->n_families; i++)
		bytes += ph_bare_bytes(work->families[i].bare, work->families[i].n_bare);
	return bytes;
}

/* The cells of a family as an image. Returns its bytes; 0: they do not make one. */
static size_t
make_image(Reduction *work, uint32_t family_no, size_t bytes)
{
	Family *family = &work->families[family_no];
	PhScene scratch = {.arena = work->arena};
	size_t used = 0;
	uint32_t n;
	PhBare *cells = collect_cells(work, family_no, &n);

	if (n < LEAST_CELLS || !ph_raster_draw(&scratch, cells, n, bytes, &used))
		return 0;
	family->image = scratch.items;
	keep_other_shapes(family);
	return used;
}

/* Where shapes would fill most of the room, cells become images. Returns the room that is left. */
static size_t
make_images(Reduction *work, size_t bytes)
{
	if (bytes_of_bare(work) < bytes / 2)
		return bytes;
	for (uint32_t i = 0; i < work->n_families; i++)
		if (work->families[i].n_bare >= LEAST_CELLS)
			bytes -= make_image(work, i, bytes);
	return bytes;
}

/* Makes the shapes fit, all families alike: as they are, without curves, by ever coarser grids. */
static void
fit_bare(Reduction *work, size_t bytes)
{
	static const double grids[] = {0, 0, 1, 2, 3, 4, 6, 8, 12, 16};
	size_t needed = SIZE_MAX;

	for (size_t g = 0; g < sizeof(grids) / sizeof(grids[0]) && needed > bytes; g++)
	{
		needed = 0;
		for (uint32_t i = 0; i < work->n_families; i++)
		{
			Family *family = &work->families[i];
			uint32_t before = family->n_bare;

			if (g == 1)
				ph_bare_straighten(family->bare, before);
			family->n_bare = ph_bare_merge(work->arena, family->bare, before, grids[g]);
			work->result.merged += before - family->n_bare;
			needed += ph_bare_bytes(family->bare, family->n_bare);
		}
	}
	for (uint32_t i = 0; i < work->n_families && needed > bytes; i++)
	{
		Family *family = &work->families[i];
		size_t own = ph_bare_bytes(family->bare, family->n_bare);
		size_t most = (size_t) ((double) own / (double) needed * (double) bytes);
		uint32_t before = family->n_bare;

		family->n_bare = ph_bare_cut(work->arena, family->bare, before, most);
		work->result.left_out += before - family->n_bare;
	}
}

/* ---- the scene anew ------------------------------------------------------------------------ */

/* What became bare, behind the last of its family: larger ones stay under it. */
static void
draw_bare(PhScene *scene, const Family *family)
{
	const char *role = family->role != NULL ? family->role : "";
	uint32_t from = 0;

	if (family->image != NULL)
		copy_item(scene, family->image);
	ph_scene_open(scene, "others",
				  ph_need_format(scene->arena, "%u others, plainly drawn", family->n_others));
	if (*role != '\0')
		ph_scene_data(scene, "of", role);
	while (from < family->n_bare)
		from = ph_bare_draw(scene, family->bare, from, family->n_bare);
	ph_scene_close(scene);
}

/* Of marks that stay, the image covers the cells, so that they can be pointed at; texts, lines and
 * borders stand over it. */
static bool
is_under_image(const PhItem *item)
{
	return item->kind == PH_ITEM_OPEN || item->kind == PH_ITEM_CLOSE || ph_bare_is_cell(item);
}

/* The image shows it; it is there to be pointed at. */
static void
hide_cell(PhItem *item)
{
	if (ph_bare_is_cell(item))
		item->style.fill.a = 1;
}

static void
copy_over_image(Reduction *work, uint32_t family, const PhItem *items)
{
	for (uint32_t i = 0; work->families[family].image != NULL && i < work->n_marks; i++)
		for (uint32_t k = work->marks[i].first;
			 work->marks[i].family == family && work->marks[i].whole && k <= work->marks[i].last;
			 k++)
			if (!is_under_image(&items[k]))
				copy_item(work->scene, &items[k]);
}

static void
rebuild(Reduction *work)
{
	PhScene *scene = work->scene;
	const PhItem *items = scene->items;
	uint32_t n = scene->n_items;
	uint32_t mark = 0;

	scene->items = NULL;
	scene->n_items = 0;
	scene->capacity = 0;
	for (uint32_t i = 0; i < n; i++)
	{
		bool is_mark = mark < work->n_marks && work->marks[mark].first == i;
		const Mark *of = is_mark ? &work->marks[mark++] : NULL;

		if (of == NULL)
		{
			copy_item(scene, &items[i]);
			continue;
		}
		for (uint32_t k = of->first; of->whole && k <= of->last; k++)
			if (work->families[of->family].image == NULL || is_under_image(&items[k]))
			{
				copy_item(scene, &items[k]);
				if (work->families[of->family].image != NULL)
					hide_cell(&scene->items[scene->n_items - 1]);
			}
		i = of->last;
		if (work->families[of->family].last != i || work->families[of->family].n_others == 0)
			continue;
		draw_bare(scene, &work->families[of->family]);
		copy_over_image(work, of->family, items);
	}
}

/* Returns the bytes of all items, and in *bytes those of each. */
static size_t
count_bytes(const PhScene *scene, uint32_t **bytes)
{
	size_t total = 0;

	*bytes = ph_need(scene->arena, (size_t) scene->n_items + 1, sizeof(uint32_t));
	ph_need_memory(ph_svg_item_bytes(scene, *bytes));
	for (uint32_t i = 0; i < scene->n_items; i++)
		total += (*bytes)[i];
	return total;
}

static void
look_over(Reduction *work)
{
	size_t n = (size_t) work->scene->n_items + 1;

	work->container = ph_need(work->arena, n, sizeof(uint32_t));
	work->last = ph_need(work->arena, n, sizeof(uint32_t));
	for (int k = 0; k < 2; k++)
		work->n_loose[k] = ph_need(work->arena, n, sizeof(uint32_t));
	work->n_role = ph_need(work->arena, n, sizeof(uint32_t));
	find_containers(work);
	count_roles(work);
	find_marks(work);
}

PhLightened
ph_scene_lighten(PhScene *scene, size_t most_bytes)
{
	Reduction work = {.scene = scene, .arena = scene->arena};
	size_t room = (size_t) (USED_SHARE * (double) most_bytes);
	size_t used;

	if (count_bytes(scene, &work.bytes) <= room)
		return work.result;
	if (has_divisible(scene))
	{
		divide_lines(scene);
		(void) count_bytes(scene, &work.bytes);
	}
	look_over(&work);
	share_out(&work, (size_t) (WHOLE_SHARE * (double) (room > work.fixed ? room - work.fixed : 0)));
	used = work.fixed + choose_whole(&work);
	collect_bare(&work);
	fit_bare(&work, make_images(&work, room > used ? room - used : 0));
	rebuild(&work);
	return work.result;
}
