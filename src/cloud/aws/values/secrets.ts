/**
 * Secrets in Secrets Manager. The token is the ClientRequestToken, which becomes the version's id, so AWS
 * itself drops a repeated write. A deleted secret keeps its name for the recovery window. If it is
 * ours, it is restored and written; any other secret is not changed.
 */
import {
  CreateSecretCommand,
  DeleteSecretCommand,
  DescribeSecretCommand,
  type DescribeSecretResponse,
  PutSecretValueCommand,
  RestoreSecretCommand,
} from "@aws-sdk/client-secrets-manager";
import type { Cloud, CloudAccount } from "../../cloud.ts";
import { type Call, required } from "../calls/calls.ts";
import { cloudError, hasName, nullIfGone } from "../calls/errors.ts";
import { isOurs, tagsFor, tokenDigest } from "../calls/tags.ts";

const MAX_VALUE_BYTES = 65_536;
/** The shortest window that AWS allows. Until its end, the customer can restore a deleted secret. */
const RECOVERY_WINDOW_DAYS = 7;

type Where = { readonly region: string; readonly name: string };

export function createSecrets(call: Call): Cloud["secrets"] {
  async function find(
    account: CloudAccount,
    { region, name }: Where,
  ): Promise<DescribeSecretResponse | null> {
    const api = "secretsmanager:DescribeSecret";
    const command = new DescribeSecretCommand({ SecretId: name });
    return await call(account, api, command, region).catch(nullIfGone);
  }

  async function restore(account: CloudAccount, { region, name }: Where): Promise<void> {
    const api = "secretsmanager:RestoreSecret";
    const command = new RestoreSecretCommand({ SecretId: name });
    await call(account, api, command, region);
  }

  return {
    async put(account, write) {
      const { region, name, value } = write;
      const api = "secretsmanager:CreateSecret";
      if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
        const message = `A secret may have at most ${MAX_VALUE_BYTES} bytes.`;
        throw cloudError(["invalid", "VALUE_TOO_LARGE"], api, { message });
      }
      const token = tokenDigest(write.token);
      const create = new CreateSecretCommand({
        Name: name,
        SecretString: value,
        ClientRequestToken: token,
        Tags: tagsFor(account, token),
      });
      try {
        const made = await call(account, api, create, region);
        return { reference: required(made.ARN, api) };
      } catch (error) {
        // The second error means that the name exists and its secret is scheduled for deletion.
        if (!hasName(error, "ResourceExistsException", "InvalidRequestException")) throw error;
        const present = await find(account, write);
        if (present === null) {
          // After a forced deletion, the name is not free at once.
          if (hasName(error, "ResourceExistsException")) {
            throw cloudError(["retryable", "UNAVAILABLE"], api, { cause: error });
          }
          throw error;
        }
        if (!isOurs(account, present.Tags)) throw cloudError(["invalid", "NOT_OURS"], api, { cause: error });
        if (present.DeletedDate !== undefined) await restore(account, write);
        const reference = { reference: required(present.ARN, "secretsmanager:DescribeSecret") };
        if (present.VersionIdsToStages?.[token] !== undefined) return reference;
        const put = new PutSecretValueCommand({
          SecretId: name,
          SecretString: value,
          ClientRequestToken: token,
        });
        await call(account, "secretsmanager:PutSecretValue", put, region);
        return reference;
      }
    },

    async delete(account, where) {
      const api = "secretsmanager:DeleteSecret";
      const present = await find(account, where);
      if (present === null || present.DeletedDate !== undefined) return;
      if (!isOurs(account, present.Tags)) throw cloudError(["invalid", "NOT_OURS"], api);
      const command = new DeleteSecretCommand({
        SecretId: where.name,
        RecoveryWindowInDays: RECOVERY_WINDOW_DAYS,
      });
      try {
        await call(account, api, command, where.region);
      } catch (error) {
        // Already scheduled, by another worker or by our own call whose answer was lost.
        const isRefused = hasName(error, "InvalidRequestException");
        if (isRefused && (await find(account, where))?.DeletedDate !== undefined) return;
        nullIfGone(error);
      }
    },
  };
}
