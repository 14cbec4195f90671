-- export-otf2-configurations.sql - how kernels of a run's trace were launched, as texts (PH_OTF2_CONFIGURATION_FORMAT); $1: run.
SELECT local_id, format('grid %s block %s registers %s static %s dynamic %s', array_to_string(grid, ','), array_to_string(block, ','),
	registers, static_memory, dynamic_memory)
FROM perfhouse.launch_configuration WHERE run_id = $1::bigint ORDER BY local_id;
