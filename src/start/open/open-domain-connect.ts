/** How DNS providers are asked whether they take part in Domain Connect. Part of the composition root. */
import type { Dns } from "../../dns/dns.ts";
import { createDomainConnect } from "../../domain-connect/domain-connect.ts";
import type { DomainConnect } from "../../domain-connect/domain-connect.ts";
import type { RecordSuffixes } from "../../domain-connect/template.ts";
import { parseAllowedHosts } from "../../egress/address-rules.ts";
import { createSafeFetch } from "../../egress/safe-fetch.ts";
import type { Config } from "../config/config.ts";
import { allowsLoopback } from "./open-egress.ts";

/** For each of the two questions. */
const TIMEOUT_MS = 3_000;

/** What the values of domains' records end with. The own server's proofs have another form than a template can name. */
export const RECORD_SUFFIXES: Readonly<Record<Exclude<Config["cloud"], "host">, RecordSuffixes>> = {
  aws: { distribution: "cloudfront.net", verification: "acm-validations.aws" },
  sandbox: { distribution: "cdn.sandbox.test", verification: "acm-validations.sandbox.test" },
};

/** Null if it is not configured. */
export function openDomainConnect(config: Config, dns: Dns): DomainConnect | null {
  if (config.domainConnect === null || config.cloud === "host") return null;
  const { allowedHosts, ...known } = config.domainConnect;
  return createDomainConnect({
    ...known,
    dns,
    suffixes: RECORD_SUFFIXES[config.cloud],
    allowsLoopback: allowsLoopback(config),
    exchange: createSafeFetch({
      allowedHosts: parseAllowedHosts(allowedHosts),
      allowsLoopback: allowsLoopback(config),
      connectTimeoutMs: TIMEOUT_MS,
      totalTimeoutMs: TIMEOUT_MS,
    }),
  });
}
