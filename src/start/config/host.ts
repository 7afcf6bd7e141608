import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { readOpenBao } from "./open-bao.ts";
import { readEdgePlace } from "./edge.ts";
import { isLoopbackUrl, type Values } from "./values.ts";

export const LETS_ENCRYPT = "https://acme-v02.api.letsencrypt.org/directory";

const HOST_NAME =
  /^(?=.{1,200}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/;

/** The own server (`SLIPWAY_CLOUD=host`): where its edge listens, and which CA issues its certificates. */
export type HostConfig = Readonly<ReturnType<typeof readOwnServer>>;

/** Null with any other cloud. */
export function readHost(
  values: Values,
  {
    cloud,
    publicUrl,
    isolation,
  }: { readonly cloud: string; readonly publicUrl: string | null; readonly isolation: string },
): HostConfig | null {
  if (cloud !== "host") return null;
  const { problems } = values;
  if (publicUrl?.startsWith("http:") === true && !isLoopbackUrl(publicUrl)) {
    problems.push(
      'SLIPWAY_PUBLIC_URL begins with http:// and SLIPWAY_CLOUD is "host": API keys would be sent in clear text. Use https://; see docs/how-to/harden.md.',
    );
  }
  if (isolation === "none") {
    problems.push(
      'SLIPWAY_SANDBOX_ISOLATION is "none" and SLIPWAY_CLOUD is "host": commands of repositories could read the keys of this machine. Leave it unset.',
    );
  }
  if (values.text("SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID") !== null) {
    problems.push(
      'SLIPWAY_DOMAIN_CONNECT_PROVIDER_ID is set and SLIPWAY_CLOUD is "host", with which Domain Connect is not available. Leave it unset.',
    );
  }
  return readOwnServer(values);
}

function readOwnServer(values: Values) {
  const { text, url, wholeNumber, problems } = values;
  const hostname = text("SLIPWAY_EDGE_HOSTNAME")?.toLowerCase().replace(/\.$/, "") ?? null;
  if (hostname === null) {
    problems.push(
      'SLIPWAY_CLOUD is "host": set SLIPWAY_EDGE_HOSTNAME to the host name of this server that customers\' CNAME records point to, such as edge.example.com.',
    );
  } else if (!HOST_NAME.test(hostname)) {
    problems.push(`SLIPWAY_EDGE_HOSTNAME is "${hostname}"; it must be a host name such as edge.example.com.`);
  }
  const place = readEdgePlace(values);
  if (place.addresses.length === 0) {
    problems.push(
      'SLIPWAY_CLOUD is "host": set SLIPWAY_EDGE_ADDRESSES to the public addresses of this server, such as 192.0.2.10,2001:db8::10.',
    );
  }
  return {
    hostname: hostname ?? "",
    ...place,
    /** Null: the server's own documents have the managed values, sealed. */
    openBao: readOpenBao(values),
    dnsPort: wholeNumber("SLIPWAY_EDGE_DNS_PORT", 53, 0, 65_535),
    acme: {
      directory: url("SLIPWAY_ACME_DIRECTORY", ["https:"]) ?? LETS_ENCRYPT,
      /** A second CA, used if the first one fails; null: none. */
      fallbackDirectory: url("SLIPWAY_ACME_FALLBACK_DIRECTORY", ["https:"]),
      /** PEM of the CA that signed the directory's own certificate; null: a public one. */
      caPem: readCaFile(values),
      email: readEmail(values),
      eab: readEab(values),
      /** One of the profiles that the CA offers; null: its default. */
      profile: readProfile(values),
    },
  };
}

function readCaFile({ text, problems }: Values): string | null {
  const file = text("SLIPWAY_ACME_CA_FILE");
  if (file === null) return null;
  try {
    const pem = readFileSync(file, "utf8");
    // It throws for anything else.
    return new X509Certificate(pem).raw.length > 0 ? pem : null;
  } catch {
    problems.push(
      `SLIPWAY_ACME_CA_FILE is "${file}", which is not a certificate (PEM) that this user can read.`,
    );
    return null;
  }
}

function readEmail({ text, problems }: Values): string | null {
  const email = text("SLIPWAY_ACME_EMAIL");
  if (email !== null && !/^[^\s@,]+@[^\s@,]+$/.test(email))
    problems.push(
      `SLIPWAY_ACME_EMAIL is "${email}"; it must be one email address, to which the CA may write.`,
    );
  return email;
}

/** External account binding (RFC 8555, section 7.3.4). */
function readEab({ text, problems }: Values): { readonly kid: string; readonly hmac: string } | null {
  const [kid, hmac] = [text("SLIPWAY_ACME_EAB_KID"), text("SLIPWAY_ACME_EAB_HMAC")];
  if ((kid === null) !== (hmac === null)) {
    const [set, unset] = kid === null ? ["HMAC", "KID"] : ["KID", "HMAC"];
    problems.push(
      `SLIPWAY_ACME_EAB_${set} is set without SLIPWAY_ACME_EAB_${unset}. Set both as the CA gave them, or neither.`,
    );
  }
  if (kid === null || hmac === null) return null;
  // The value is a secret, and never repeated in a message.
  if (!/^[A-Za-z0-9_-]{16,}={0,2}$/.test(hmac))
    problems.push("SLIPWAY_ACME_EAB_HMAC must be the base64url text that the CA gave with the key id.");
  return { kid, hmac };
}

function readProfile({ text, problems }: Values): string | null {
  const profile = text("SLIPWAY_ACME_PROFILE");
  if (profile !== null && !/^[\w.-]{1,64}$/.test(profile))
    problems.push(
      `SLIPWAY_ACME_PROFILE is "${profile}"; it must be the name of a profile of the CA, such as tlsserver.`,
    );
  return profile;
}
