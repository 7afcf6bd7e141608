-- For the sweep that drops entries which are kept no longer, whoever has them.
CREATE INDEX audit_entries_at ON audit_entries (at);
