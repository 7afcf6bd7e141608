import { randomBytes } from "node:crypto";
import { checkRegion, createManagedValues, type ManagedValue, type ManagedValues } from "./managed-values.ts";
import { Refusal } from "../refusal.ts";
import type { SandboxState } from "../state.ts";

const MAX_VALUE_BYTES = 65_536;

/** Secrets as AWS Secrets Manager keeps them; the token is its ClientRequestToken. */
export function createSecrets(state: SandboxState): ManagedValues {
  return createManagedValues(state.collection<ManagedValue>("secrets"), {
    quota: 500_000,
    makeReference: (accountId, region, name) =>
      `arn:aws:secretsmanager:${region}:${accountId}:secret:${name}-${randomBytes(3).toString("hex")}`,
    check({ region, name, value }) {
      checkRegion(region);
      if (!/^[a-zA-Z0-9/_+=.@-]{1,512}$/.test(name)) {
        throw new Refusal(
          "invalid",
          "INVALID_REQUEST",
          "A secret's name has 1 to 512 letters, digits and /_+=.@-.",
        );
      }
      // AWS warns of this: such a name looks like a secret's ARN, which ends with a hyphen and six characters.
      if (/-[a-zA-Z0-9]{6}$/.test(name)) {
        throw new Refusal(
          "invalid",
          "INVALID_REQUEST",
          "A secret's name must not end in a hyphen and six characters.",
        );
      }
      if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
        throw new Refusal(
          "invalid",
          "VALUE_TOO_LARGE",
          `A secret may have at most ${MAX_VALUE_BYTES} bytes.`,
        );
      }
    },
  });
}
