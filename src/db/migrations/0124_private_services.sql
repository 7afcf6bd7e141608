-- Services of the type 'web-private' are deployed. Reads check the type.
ALTER TABLE deployment_services DROP CONSTRAINT deployment_services_type_check;
