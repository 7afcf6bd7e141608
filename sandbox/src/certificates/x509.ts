/**
 * X.509 certificates on P-256 (RFC 5280), signed with node:crypto.
 * Why by no library: docs/decisions/0008-sandbox-edge-without-libraries.md
 */
import { createHash, randomBytes, sign, type KeyObject } from "node:crypto";
import {
  derBitString,
  derBoolean,
  derExplicit,
  derImplicit,
  derInteger,
  derObjectId,
  derOctetString,
  derSequence,
  derSet,
  derTime,
  derUtf8String,
} from "./der.ts";

const OID = {
  commonName: "2.5.4.3",
  ecdsaWithSha256: "1.2.840.10045.4.3.2",
  subjectKeyIdentifier: "2.5.29.14",
  keyUsage: "2.5.29.15",
  subjectAlternativeName: "2.5.29.17",
  basicConstraints: "2.5.29.19",
  authorityKeyIdentifier: "2.5.29.35",
  extendedKeyUsage: "2.5.29.37",
  serverAuth: "1.3.6.1.5.5.7.3.1",
} as const;

/** Bits of KeyUsage (RFC 5280, section 4.2.1.3), most significant first, with the bits left unused. */
const DIGITAL_SIGNATURE = derBitString(Buffer.from([0b1000_0000]), 7);
const SIGN_CERTIFICATES_AND_LISTS = derBitString(Buffer.from([0b0000_0110]), 1);

type Signer = { readonly commonName: string; readonly publicKey: KeyObject; readonly privateKey: KeyObject };

export type CertificateFields = {
  readonly commonName: string;
  readonly publicKey: KeyObject;
  /** Null makes a certificate authority. */
  readonly dnsNames: readonly string[] | null;
  readonly notBefore: Date;
  readonly notAfter: Date;
};

/** @returns PEM */
export function signCertificate(fields: CertificateFields, signer: Signer): string {
  const algorithm = derSequence(derObjectId(OID.ecdsaWithSha256));
  const toBeSigned = derSequence(
    derExplicit(0, derInteger(Buffer.from([2]))),
    derInteger(randomBytes(16)),
    algorithm,
    nameOf(signer.commonName),
    derSequence(derTime(fields.notBefore), derTime(fields.notAfter)),
    nameOf(fields.commonName),
    publicKeyInfo(fields.publicKey),
    derExplicit(3, derSequence(...extensionsOf(fields, signer))),
  );
  const signature = sign("sha256", toBeSigned, signer.privateKey);
  const certificate = derSequence(toBeSigned, algorithm, derBitString(signature));
  const lines = certificate.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN CERTIFICATE-----\n${lines.join("\n")}\n-----END CERTIFICATE-----\n`;
}

function extensionsOf(fields: CertificateFields, signer: Signer): Buffer[] {
  const keyIds = [
    extension(OID.subjectKeyIdentifier, false, derOctetString(keyIdentifier(fields.publicKey))),
    extension(
      OID.authorityKeyIdentifier,
      false,
      derSequence(derImplicit(0, keyIdentifier(signer.publicKey))),
    ),
  ];
  if (fields.dnsNames === null) {
    return [
      extension(OID.basicConstraints, true, derSequence(derBoolean(true))),
      extension(OID.keyUsage, true, SIGN_CERTIFICATES_AND_LISTS),
      ...keyIds,
    ];
  }
  const names = fields.dnsNames.map((name) => derImplicit(2, Buffer.from(name, "ascii")));
  return [
    extension(OID.basicConstraints, true, derSequence()),
    extension(OID.keyUsage, true, DIGITAL_SIGNATURE),
    extension(OID.extendedKeyUsage, false, derSequence(derObjectId(OID.serverAuth))),
    extension(OID.subjectAlternativeName, false, derSequence(...names)),
    ...keyIds,
  ];
}

function extension(oid: string, critical: boolean, value: Buffer): Buffer {
  const parts = [derObjectId(oid), ...(critical ? [derBoolean(true)] : []), derOctetString(value)];
  return derSequence(...parts);
}

function nameOf(commonName: string): Buffer {
  return derSequence(derSet(derSequence(derObjectId(OID.commonName), derUtf8String(commonName))));
}

function publicKeyInfo(key: KeyObject): Buffer {
  return key.export({ type: "spki", format: "der" });
}

function keyIdentifier(key: KeyObject): Buffer {
  return createHash("sha1").update(publicKeyInfo(key)).digest();
}
