-- Whether a value is for previews of its environment's pull requests too. It is part of where the value is in the cloud.
ALTER TABLE env_variable_managed_values ADD COLUMN in_previews boolean NOT NULL DEFAULT false;
