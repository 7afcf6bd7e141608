-- For the entries of one resource, newest first.
CREATE INDEX audit_entries_resource ON audit_entries (organization_id, resource_id, id);
