-- The previews of a template share its network on the platform, which is removed after the last of them.
ALTER TABLE environment_removals ADD COLUMN template_id text;
