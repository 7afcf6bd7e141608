-- GitHub and GitLab ignore the case of a path, so a repository is searched by its address in lower case.
CREATE INDEX projects_repo_key ON projects (organization_id, lower(normalized_repo_url));
DROP INDEX projects_repo;

INSERT INTO owners (key, kind, organization_id)
SELECT DISTINCT lower(normalized_repo_url), 'repository', organization_id FROM projects ON CONFLICT DO NOTHING;

-- For processes of the release before, which note the address as it was written.
CREATE OR REPLACE FUNCTION note_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS
  $$BEGIN INSERT INTO owners (key, kind, organization_id) VALUES (CASE TG_ARGV[0] WHEN 'repository' THEN lower(to_jsonb(NEW) ->> TG_ARGV[1]) ELSE to_jsonb(NEW) ->> TG_ARGV[1] END, TG_ARGV[0], NEW.organization_id) ON CONFLICT DO NOTHING; RETURN NULL; END$$;
