import { generateKeyPairSync } from "node:crypto";
import { signCertificate } from "../../../sandbox/src/certificates/x509.ts";

const DAY_MS = 86_400_000;

/** A self-signed certificate for a name with its own key, valid from yesterday for this many days. */
export function makeCertificate(
  days = 30,
  name = "localhost",
): { readonly cert: string; readonly key: string } {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const yesterday = new Date(Date.now() - DAY_MS);
  const fields = {
    commonName: name,
    publicKey,
    dnsNames: [name],
    notBefore: yesterday,
    notAfter: new Date(yesterday.getTime() + days * DAY_MS),
  };
  return {
    cert: signCertificate(fields, { commonName: name, privateKey, publicKey }),
    key: String(privateKey.export({ type: "pkcs8", format: "pem" })),
  };
}
