-- The release before searches by projects_repo, which a later release drops.
-- GitHub and GitLab ignore the case of a path, so a repository is searched by its address in lower case.
CREATE INDEX projects_repo_key ON projects (organization_id, lower(normalized_repo_url));

INSERT INTO owners (key, kind, organization_id)
SELECT DISTINCT lower(normalized_repo_url), 'repository', organization_id FROM projects ON CONFLICT DO NOTHING;
