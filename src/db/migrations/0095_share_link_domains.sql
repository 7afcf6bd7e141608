-- The ids of the domains that a link shows. Null in links of earlier releases: the domains that the group had before.
ALTER TABLE share_links ADD COLUMN domain_ids text[];
