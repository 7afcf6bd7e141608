-- When the first certificate expires, for `/metrics`.
CREATE INDEX certificates_expires_at ON certificates (expires_at) WHERE NOT is_abandoned;
