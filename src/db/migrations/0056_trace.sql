-- The trace that the entity's work belongs to, where the request that began it is traced.
ALTER TABLE reconciliations ADD COLUMN trace text;
