/*
 * names.c - what meta.db names: the program, kinds of identifiers, modules, files, functions.
 *
 * SPDX-License-Identifier: PostgreSQL
 */
#include "readers/hpctoolkit4/database.h"

/* ---- sizes of structures in version 4.0 ---- */

#define GENERAL_SIZE 16
#define KINDS_SIZE 9
#define TABLE_SIZE 14 /* of modules, files, functions: pointer, count, size of an element */
#define MODULE_SIZE 16
#define FILE_SIZE 16
#define FUNCTION_SIZE 40
#define POINTER_SIZE 8

static PhStatus
read_title(PhHpc4 *database)
{
	const PhHpc4File *file = &database->meta;
	PhHpc4Span section;
	const char *title;
	PH_TRY(ph_hpc4_section(file, PH_HPC4_GENERAL, GENERAL_SIZE, &section));
	PH_TRY(ph_hpc4_text(file, &section, ph_hpc4_u64(file, section.at), &title));
	if (title[0] == '\0')
		return PH_OK;
	return ph_meta_set(database->env, &database->run->meta, "application", title, false);
}

static PhStatus
read_kinds(PhHpc4 *database)
{
	const PhHpc4File *file = &database->meta;
	PhHpc4Span section;
	PH_TRY(ph_hpc4_section(file, PH_HPC4_KINDS, KINDS_SIZE, &section));
	PhHpc4Array names = {.at = ph_hpc4_u64(file, section.at),
						 .count = ph_hpc4_u8(file, section.at + 8),
						 .stride = POINTER_SIZE};
	PH_TRY(ph_hpc4_array(file, &section, &names, POINTER_SIZE, "kinds of identifiers"));
	PH_TRY(PH_NEW(&database->arena, names.count, &database->kinds));
	for (uint32_t i = 0; i < names.count; i++)
		PH_TRY(ph_hpc4_text(file, &section, ph_hpc4_u64(file, names.at + i * (size_t) POINTER_SIZE),
							&database->kinds[i]));
	database->n_kinds = names.count;
	return PH_OK;
}

/* The header of a table and the check of its elements. */
static PhStatus
open_table(const PhHpc4File *file, uint32_t number, size_t least, const char *what,
		   PhHpc4Array *out)
{
	PhHpc4Span section;
	PH_TRY(ph_hpc4_section(file, number, TABLE_SIZE, &section));
	*out = (PhHpc4Array){.at = ph_hpc4_u64(file, section.at),
						 .count = ph_hpc4_u32(file, section.at + 8),
						 .stride = ph_hpc4_u16(file, section.at + 12)};
	return ph_hpc4_array(file, &section, out, least, what);
}

/* The path in element i of the modules or files. */
static PhStatus
path_of(const PhHpc4File *file, const PhHpc4Array *table, uint32_t i, const char **out)
{
	size_t at = table->at + (size_t) i * table->stride;
	return ph_hpc4_text(file, &file->sections[PH_HPC4_STRINGS], ph_hpc4_u64(file, at + 8), out);
}

/* Modules are told by their base names: builds in other folders have the same functions. */
static PhStatus
read_modules(PhHpc4 *database)
{
	const PhHpc4Array *table = &database->modules;
	PH_TRY(
		open_table(&database->meta, PH_HPC4_MODULES, MODULE_SIZE, "modules", &database->modules));
	PH_TRY(PH_NEW(&database->arena, table->count, &database->module_names));
	for (uint32_t i = 0; i < table->count; i++)
	{
		const char *path;
		PH_TRY(ph_env_poll(database->env));
		PH_TRY(path_of(&database->meta, table, i, &path));
		database->module_names[i] = ph_path_base(path);
	}
	return PH_OK;
}

static PhStatus
read_files(PhHpc4 *database)
{
	const PhHpc4Array *table = &database->files;
	PH_TRY(open_table(&database->meta, PH_HPC4_FILES, FILE_SIZE, "files", &database->files));
	PH_TRY(PH_NEW(&database->arena, table->count, &database->file_of));
	for (uint32_t i = 0; i < table->count; i++)
	{
		const char *path;
		PH_TRY(ph_env_poll(database->env));
		PH_TRY(path_of(&database->meta, table, i, &path));
		PH_TRY(ph_paths_add(&database->paths, path, &database->file_of[i]));
	}
	return ph_paths_finish(&database->paths);
}

PhStatus
ph_hpc4_read_names(PhHpc4 *database)
{
	PH_TRY(read_title(database));
	PH_TRY(read_kinds(database));
	PH_TRY(read_modules(database));
	PH_TRY(read_files(database));
	return open_table(&database->meta, PH_HPC4_FUNCTIONS, FUNCTION_SIZE, "functions",
					  &database->functions);
}

PhStatus
ph_hpc4_function(const PhHpc4 *database, size_t pointer, PhHpc4Function *out)
{
	const PhHpc4File *file = &database->meta;
	uint32_t index;
	*out = (PhHpc4Function){.name = "", .module = PH_NONE, .file = PH_NONE};
	PH_TRY(ph_hpc4_element(file, &database->functions, pointer, "function", &index));
	if (index == PH_NONE)
		return PH_OK;
	PH_TRY(ph_hpc4_text(file, &file->sections[PH_HPC4_STRINGS], ph_hpc4_u64(file, pointer),
						&out->name));
	PH_TRY(ph_hpc4_element(file, &database->modules, ph_hpc4_u64(file, pointer + 8), "module",
						   &out->module));
	out->offset = ph_hpc4_u64(file, pointer + 16);
	PH_TRY(ph_hpc4_element(file, &database->files, ph_hpc4_u64(file, pointer + 24), "file",
						   &out->file));
	out->line = ph_hpc4_u32(file, pointer + 32);
	return PH_OK;
}
