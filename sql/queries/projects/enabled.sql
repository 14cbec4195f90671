SELECT perfhouse_internal.projects_enabled()
