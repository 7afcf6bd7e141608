import { readSigningKey } from "../../domain-connect/signing-key.ts";
import type { Config } from "./config.ts";
import type { createValues } from "./values.ts";

const PROVIDER_ID = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const KEY_HOST = /^_?[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/;

/** `SLIPWAY_DOMAIN_CONNECT_…`: what DNS providers know this installation by. */
export function readDomainConnect({
  text,
  list,
  problems,
}: ReturnType<typeof createValues>): Config["domainConnect"] {
  const providerId = text("SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID");
  const pem = text("SLIPWAY_DOMAIN_CONNECT_KEY");
  const keyHost = text("SLIPWAY_DOMAIN_CONNECT_KEY_HOST") ?? "_dck1";
  const allowedHosts = list("SLIPWAY_DOMAIN_CONNECT_ALLOWED_HOSTS");
  if (providerId === null && pem === null) return null;
  if (providerId === null || !PROVIDER_ID.test(providerId))
    problems.push(
      "SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID must be a domain of yours in lower case, such as slipway.example.com.",
    );
  if (!KEY_HOST.test(keyHost))
    problems.push("SLIPWAY_DOMAIN_CONNECT_KEY_HOST must be one label in lower case, such as _dck1.");
  if (pem === null) {
    problems.push(
      "SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID is set without SLIPWAY_DOMAIN_CONNECT_KEY. Set it, or SLIPWAY_DOMAIN_CONNECT_KEY_FILE to the file that has the key.",
    );
    return null;
  }
  try {
    return { providerId: providerId ?? "", key: readSigningKey(pem), keyHost, allowedHosts };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    problems.push(`SLIPWAY_DOMAIN_CONNECT_KEY ${error.message}.`);
    return null;
  }
}
