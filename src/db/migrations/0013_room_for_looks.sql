-- What a look at a record found is written in place (a heap-only update) where the page has room for it.
ALTER TABLE dns_records SET (fillfactor = 80);
