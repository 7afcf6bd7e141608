-- Whose something is that is searched without an organization: an API key by its hash, a connection by the id that its
-- stack knows, a repository by its address. In a distributed database it is one look at one node. A row may outlive what
-- it leads to, so whoever finds one asks its organization.
CREATE TABLE owners (
  key text NOT NULL,
  kind text NOT NULL,
  organization_id text NOT NULL,
  PRIMARY KEY (key, kind, organization_id)
);
ALTER TABLE owners ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON owners
  USING (organization_id = current_setting('slipway.organization_id', true));

INSERT INTO owners (key, kind, organization_id)
SELECT hash::text, 'api-key', organization_id FROM api_keys
 UNION SELECT id, 'connection', organization_id FROM aws_accounts
 UNION SELECT normalized_repo_url, 'repository', organization_id FROM projects;

-- For processes of the release before, which write no owners. `slipway distribute` drops these triggers.
CREATE FUNCTION note_owner() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path FROM CURRENT AS
  $$BEGIN INSERT INTO owners (key, kind, organization_id) VALUES (to_jsonb(NEW) ->> TG_ARGV[1], TG_ARGV[0], NEW.organization_id) ON CONFLICT DO NOTHING; RETURN NULL; END$$;
CREATE TRIGGER api_keys_owner AFTER INSERT ON api_keys
  FOR EACH ROW EXECUTE FUNCTION note_owner('api-key', 'hash');
CREATE TRIGGER aws_accounts_owner AFTER INSERT OR UPDATE OF id ON aws_accounts
  FOR EACH ROW EXECUTE FUNCTION note_owner('connection', 'id');
CREATE TRIGGER projects_owner AFTER INSERT OR UPDATE OF normalized_repo_url ON projects
  FOR EACH ROW EXECUTE FUNCTION note_owner('repository', 'normalized_repo_url');

-- A table is not distributed by a generated column. The trigger fills it for processes of the release before.
ALTER TABLE proven_names ALTER COLUMN parent DROP EXPRESSION;
CREATE FUNCTION note_parent() RETURNS trigger LANGUAGE plpgsql AS
  $$BEGIN NEW.parent := substring(NEW.name FROM position('.' IN NEW.name) + 1); RETURN NEW; END$$;
CREATE TRIGGER proven_names_note_parent BEFORE INSERT ON proven_names
  FOR EACH ROW WHEN (NEW.parent IS NULL) EXECUTE FUNCTION note_parent();
