/** A certificate authority of its own: a root, and leaf certificates below it. */
import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject } from "node:crypto";
import type { KeyPair } from "../../../edge/src/key-pair.ts";
import { signCertificate } from "./x509.ts";

export type CertificateAuthority = {
  /** The root certificate, which clients must trust to accept the edge's certificates. */
  readonly certificatePem: string;
  /** A server certificate with its own key. The common name is the first name (RFC 5280: at most 64 octets). */
  issue(names: readonly string[], notBefore: Date, notAfter: Date): KeyPair;
};

const ROOT_NAME = "Slipway Sandbox Root CA";
const ROOT_VALIDITY_MS = 20 * 365 * 86_400_000;
/** Clients' clocks may be slow. */
const BACKDATING_MS = 300_000;

/** @param root as `createRoot` made it */
export function createCertificateAuthority(root: KeyPair): CertificateAuthority {
  const privateKey = createPrivateKey(root.privateKeyPem);
  const signer = { commonName: ROOT_NAME, privateKey, publicKey: createPublicKey(privateKey) };
  return {
    certificatePem: root.certificatePem,
    issue(names, notBefore, notAfter) {
      const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const certificatePem = signCertificate(
        {
          commonName: names[0] ?? "",
          publicKey: keys.publicKey,
          dnsNames: names,
          notBefore: new Date(notBefore.getTime() - BACKDATING_MS),
          notAfter,
        },
        signer,
      );
      return { certificatePem, privateKeyPem: pemOf(keys.privateKey) };
    },
  };
}

/** The key pair of a new authority; keep it. */
export function createRoot(now: Date): KeyPair {
  const keys = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const certificatePem = signCertificate(
    {
      commonName: ROOT_NAME,
      publicKey: keys.publicKey,
      dnsNames: null,
      notBefore: new Date(now.getTime() - BACKDATING_MS),
      notAfter: new Date(now.getTime() + ROOT_VALIDITY_MS),
    },
    { commonName: ROOT_NAME, ...keys },
  );
  return { certificatePem, privateKeyPem: pemOf(keys.privateKey) };
}

function pemOf(key: KeyObject): string {
  return String(key.export({ type: "pkcs8", format: "pem" }));
}
