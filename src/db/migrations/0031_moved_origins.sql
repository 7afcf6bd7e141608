-- Whether the provider may still have another origin than the row.
ALTER TABLE distributions ADD COLUMN origin_moved boolean NOT NULL DEFAULT false;
