import type { Config } from "../config/config.ts";
import type { KeyWrap } from "../../sealing/keys/folder-key.ts";

/** The configured key service; null when keys are stored unwrapped. Part of the composition root. */
export async function openKeyWrap({ kmsKeyId }: Pick<Config, "kmsKeyId">): Promise<KeyWrap | null> {
  if (kmsKeyId === null) return null;
  const { createKmsWrap } = await import("../../cloud/aws/values/kms.ts");
  return await createKmsWrap(kmsKeyId);
}
