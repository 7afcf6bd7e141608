/** AWS KMS as what wraps the key of the key folder. Slipway's own account's, not a customer's. */
import { SealingError } from "../../../sealing/sealing-error.ts";
import type { KeyWrap } from "../../../sealing/keys/key-wrap.ts";

/** For each of three tries. */
const TIMEOUT_MS = 5_000;
/** CloudTrail shows it, and a policy may ask for it (`kms:EncryptionContext:slipway:key`). */
const CONTEXT = "slipway:key";

/** @param keyId id, ARN or alias; an ARN says its region, others are of the machine's */
export async function createKmsWrap(keyId: string): Promise<KeyWrap> {
  // Read only where it is used: it is large.
  const { KMSClient, EncryptCommand, DecryptCommand } = await import("@aws-sdk/client-kms");
  const [, region] = /^arn:[\w-]+:kms:([\w-]+):/.exec(keyId) ?? [];
  const client = new KMSClient({
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 3_000, requestTimeout: TIMEOUT_MS },
    ...(region === undefined ? {} : { region }),
  });
  return {
    keyId,
    async wrap(key, name) {
      const command = new EncryptCommand({
        KeyId: keyId,
        Plaintext: key,
        EncryptionContext: { [CONTEXT]: name },
      });
      const { CiphertextBlob, KeyId } = await client.send(command).catch((error: unknown) => {
        throw explain(error, keyId);
      });
      return { wrapped: required(CiphertextBlob, keyId), wrappedBy: required(KeyId, keyId) };
    },
    async unwrap(wrapped, name, wrappedBy) {
      const command = new DecryptCommand({
        // Of the key that wrapped it, and no other that this machine may use.
        KeyId: wrappedBy,
        CiphertextBlob: wrapped,
        EncryptionContext: { [CONTEXT]: name },
      });
      const { Plaintext } = await client.send(command).catch((error: unknown) => {
        throw explain(error, wrappedBy);
      });
      const answered = required(Plaintext, wrappedBy);
      const key = new Uint8Array(answered);
      answered.fill(0);
      return key;
    },
  };
}

function required<T>(value: T | undefined, keyId: string): T {
  if (value !== undefined) return value;
  throw new SealingError("KEY_SERVICE_UNUSABLE", `AWS KMS answered nothing for the key ${keyId}.`);
}

function explain(error: unknown, keyId: string): SealingError {
  const name = error instanceof Error ? error.name : "unknown";
  return new SealingError(
    "KEY_SERVICE_UNUSABLE",
    `The key ${keyId} of AWS KMS, which wraps Slipway's own keys (SLIPWAY_KMS_KEY_ID), cannot be used: ${reason(name, error)}`,
    { cause: error },
  );
}

/** What the SDK's error asks of the operator. */
function reason(name: string, error: unknown): string {
  switch (name) {
    case "NotFoundException":
      return "there is no such key in its region. Check SLIPWAY_KMS_KEY_ID, and AWS_REGION where it is no ARN.";
    case "AccessDeniedException":
      return "Slipway may not. Allow its role kms:Encrypt and kms:Decrypt with this key, in the role's policy and the key's.";
    case "DisabledException":
    case "KMSInvalidStateException":
      return "it is disabled or about to be deleted. Enable it, or cancel its deletion, and start again.";
    case "IncorrectKeyException":
    case "InvalidCiphertextException":
      return "folder.kms in the key folder was not wrapped by it, or was changed. Restore that file from a copy.";
    case "CredentialsProviderError":
      return "this process has no credentials of AWS. Give its machine a role, or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";
    case "UnrecognizedClientException":
    case "InvalidSignatureException":
    case "ExpiredTokenException":
      return "AWS does not accept this process's credentials. Renew them, and check the machine's clock.";
  }
  if (error instanceof Error && /region is missing/i.test(error.message)) {
    return "nothing says its region. Write SLIPWAY_KMS_KEY_ID as an ARN, or set AWS_REGION.";
  }
  return `AWS KMS did not answer (${name}). See that this machine reaches it, and start again; what runs already goes on.`;
}
