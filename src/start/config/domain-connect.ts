import { readSigningKey } from "../../domain-connect/signing-key.ts";
import type { Values } from "./values.ts";

const PROVIDER_ID = /^(?=.{4,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]$/;
const KEY_HOST = /^_?[a-z0-9](?:[a-z0-9-]{0,60}[a-z0-9])?$/;

/**
 * `SLIPWAY_DOMAIN_CONNECT_…`: what DNS providers that take part in Domain Connect know this installation by; null: none
 * knows it. `keyHost` is the label below `providerId` that has the public key. `allowedHosts` are providers that may be
 * asked although they are not public.
 */
export function readDomainConnect({ text, hosts, problems }: Values) {
  const providerId = text("SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID");
  const pem = text("SLIPWAY_DOMAIN_CONNECT_KEY");
  const keyHost = text("SLIPWAY_DOMAIN_CONNECT_KEY_HOST") ?? "_dck1";
  const allowedHosts = hosts("SLIPWAY_DOMAIN_CONNECT_ALLOWED_HOSTS");
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
