import { declareErrors } from "../../lib/errors.ts";

export const DOMAIN_CONNECT_ERRORS = declareErrors({
  DOMAIN_CONNECT_NOT_OFFERED: {
    status: 409,
    title: "The DNS provider does not set these records",
    cause:
      "Domain Connect needs an installation that DNS providers know, a provider that supports it for the domain's zone and knows the template, and records that are known. Wildcards are not supported.",
    remedy:
      "Read `dnsProvider.supports.domainConnect`. Set the records by hand as `dnsRecords` shows them, or check the domain now if the provider has changed.",
  },
  DOMAIN_CONNECT_ENDED: {
    status: 409,
    title: "This attempt has ended",
    cause: "An attempt ends with its first return, after an hour, or when the same user begins another.",
    remedy: "Read the domain: `dnsRecords` shows which records are set. Begin again if records are missing.",
  },
});
