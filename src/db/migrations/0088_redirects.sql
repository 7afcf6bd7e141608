-- The other name of its group to which a domain redirects; null: it does not.
ALTER TABLE domains ADD COLUMN redirect_to text;
-- Whether the distribution was seen to do so everywhere, or to have stopped, since that was last changed.
ALTER TABLE domains ADD COLUMN is_redirect_live boolean NOT NULL DEFAULT true;
-- Why the distribution could not be changed so.
ALTER TABLE domains ADD COLUMN redirect_problem jsonb;
