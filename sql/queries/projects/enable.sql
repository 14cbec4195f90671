CALL perfhouse.enable_projects()
