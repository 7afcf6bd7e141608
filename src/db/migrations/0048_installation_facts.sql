-- What concerns the whole installation, by name: a copy into this database that has not ended, that the installation
-- has moved to another one, the last verified backup (`src/db/facts.ts`).
CREATE TABLE IF NOT EXISTS installation_facts (
  name text PRIMARY KEY,
  fact jsonb NOT NULL,
  recorded_at timestamptz NOT NULL DEFAULT now()
);
