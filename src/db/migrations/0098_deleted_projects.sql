-- Projects that only their members saw, once they are deleted, with the members that they had: their events are still
-- there, and stay hidden from others.
CREATE TABLE deleted_projects (
  organization_id text NOT NULL,
  id text NOT NULL,
  member_ids text[] NOT NULL,
  deleted_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
ALTER TABLE deleted_projects ENABLE ROW LEVEL SECURITY;
CREATE POLICY of_organization ON deleted_projects
  USING (organization_id = current_setting('slipway.organization_id', true));
-- Of those that were deleted before, it is not known who saw them last. One whose access was ever changed is hidden from
-- all but admins.
INSERT INTO deleted_projects (organization_id, id, member_ids)
SELECT DISTINCT e.organization_id, e.project_id, '{}'::text[] FROM events e
 WHERE e.type = 'project.changed' AND e.data -> 'fields' @> '["access"]'::jsonb
   AND NOT EXISTS (SELECT 1 FROM projects p WHERE p.organization_id = e.organization_id AND p.id = e.project_id);
