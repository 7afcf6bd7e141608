-- The number of days before its expiry that a certificate's last `certificate.expiring` told; null: none yet.
ALTER TABLE certificates ADD COLUMN expiry_told_days smallint;
