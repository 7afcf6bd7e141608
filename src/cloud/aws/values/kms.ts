/** Wraps the key of the key folder with AWS KMS, in Slipway's own account, not a customer's. */
import { SealingError } from "../../../sealing/sealing-error.ts";
import type { KeyWrap } from "../../../sealing/keys/folder-key.ts";

/** The time limit of each of three attempts. */
const TIMEOUT_MS = 5_000;
/** Shown by CloudTrail; a policy may require it (`kms:EncryptionContext:slipway:key`). */
const CONTEXT = "slipway:key";

/** @param keyId id, ARN or alias; an ARN contains its region, others are in the machine's region */
export async function createKmsWrap(keyId: string): Promise<KeyWrap> {
  // Large, so it is loaded only when it is used.
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
        // Only the key that wrapped it, not another key that this machine may use.
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
  throw new SealingError("KEY_SERVICE_UNUSABLE", `AWS KMS gave an empty answer for the key ${keyId}.`);
}

function explain(error: unknown, keyId: string): SealingError {
  const name = error instanceof Error ? error.name : "unknown";
  return new SealingError(
    "KEY_SERVICE_UNUSABLE",
    `The key ${keyId} of AWS KMS, which wraps Slipway's own keys (SLIPWAY_KMS_KEY_ID), cannot be used: ${reason(name, error)}`,
    { cause: error },
  );
}

/** What the SDK's error means for the operator. */
function reason(name: string, error: unknown): string {
  switch (name) {
    case "NotFoundException":
      return "its region has no such key. Check SLIPWAY_KMS_KEY_ID, and AWS_REGION if it is not an ARN.";
    case "AccessDeniedException":
      return "access is denied. Allow Slipway's role kms:Encrypt and kms:Decrypt with this key, in the role's policy and in the key's policy.";
    case "DisabledException":
    case "KMSInvalidStateException":
      return "it is disabled or about to be deleted. Enable it, or cancel its deletion, and start again.";
    case "IncorrectKeyException":
    case "InvalidCiphertextException":
      return "the file folder.kms in the key folder was wrapped by another key, or was changed. Restore it from a copy.";
    case "CredentialsProviderError":
      return "this process has no AWS credentials. Give the machine a role, or set AWS_PROFILE or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.";
    case "UnrecognizedClientException":
    case "InvalidSignatureException":
    case "ExpiredTokenException":
      return "AWS does not accept this process's credentials. Renew them, and check the machine's clock.";
  }
  if (error instanceof Error && /region is missing/i.test(error.message)) {
    return "its region is not set. Write SLIPWAY_KMS_KEY_ID as an ARN, or set AWS_REGION.";
  }
  return `AWS KMS did not answer (${name}). Check that this machine can reach it, and start again. Running processes are not affected.`;
}
