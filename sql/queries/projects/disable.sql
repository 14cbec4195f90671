CALL perfhouse.disable_projects()
