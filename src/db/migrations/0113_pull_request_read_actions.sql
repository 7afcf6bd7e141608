-- What to do about the error, while there is one.
ALTER TABLE pull_request_reads ADD COLUMN error_action text;
