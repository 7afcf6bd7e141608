-- Whether the schedule of its job repeats a failed execution, by the settings when it failed. Null for all others, and
-- for those that an earlier release ended.
ALTER TABLE executions ADD COLUMN is_repeated boolean;
