/**
 * SecureStrings in Parameter Store. It has no idempotency tokens, so the token of the last write is in the
 * description, which is written in one step with the value. Before a value is overwritten, the tags are
 * checked for ownership, because a write with `Overwrite` cannot set tags.
 */
import {
  DeleteParameterCommand,
  DescribeParametersCommand,
  ListTagsForResourceCommand,
  ParameterTier,
  PutParameterCommand,
} from "@aws-sdk/client-ssm";
import type { Cloud, CloudAccount, SecretWrite } from "../../cloud.ts";
import { type Call, required } from "../calls/calls.ts";
import { cloudError, hasName, nullIfGone } from "../calls/errors.ts";
import { isOurs, tagsFor, tokenDigest } from "../calls/tags.ts";

/** The limit of the standard tier. The advanced tier costs money, and there is no way back. */
const MAX_VALUE_BYTES = 4_096;

type Where = { readonly region: string; readonly name: string };

export function createParameters(call: Call): Cloud["parameters"] {
  /** Who created it; `absent` if it does not exist. */
  async function ownerOf(account: CloudAccount, { region, name }: Where): Promise<"us" | "other" | "absent"> {
    const api = "ssm:ListTagsForResource";
    const command = new ListTagsForResourceCommand({ ResourceType: "Parameter", ResourceId: name });
    const answer = await call(account, api, command, region).catch(nullIfGone);
    return answer === null ? "absent" : isOurs(account, answer.TagList) ? "us" : "other";
  }

  async function describedBy(account: CloudAccount, { region, name }: Where): Promise<string | null> {
    const api = "ssm:DescribeParameters";
    const command = new DescribeParametersCommand({
      ParameterFilters: [{ Key: "Name", Option: "Equals", Values: [name] }],
    });
    const { Parameters } = await call(account, api, command, region);
    return required(Parameters, api)[0]?.Description ?? null;
  }

  async function create(account: CloudAccount, write: SecretWrite, token: string): Promise<void> {
    const command = new PutParameterCommand({
      Name: write.name,
      Type: "SecureString",
      Value: write.value,
      Description: descriptionOf(token),
      Tier: ParameterTier.STANDARD,
      Tags: tagsFor(account, token),
    });
    await call(account, "ssm:PutParameter", command, write.region);
  }

  async function overwrite(account: CloudAccount, write: SecretWrite, token: string): Promise<void> {
    const description = descriptionOf(token);
    if ((await describedBy(account, write)) === description) return;
    const command = new PutParameterCommand({
      Name: write.name,
      Type: "SecureString",
      Value: write.value,
      Description: description,
      Overwrite: true,
    });
    // A blind repeat would create another version. When the caller repeats it, the description is read first.
    await call(account, "ssm:PutParameter", command, write.region, { repeat: "when-throttled" });
  }

  return {
    async put(account, write) {
      const api = "ssm:PutParameter";
      if (Buffer.byteLength(write.value) > MAX_VALUE_BYTES) {
        const message = `A parameter may have at most ${MAX_VALUE_BYTES} bytes; a secret may have more.`;
        throw cloudError(["invalid", "VALUE_TOO_LARGE"], api, { message });
      }
      const token = tokenDigest(write.token);
      const reference = { reference: write.name };
      let owner = await ownerOf(account, write);
      if (owner === "absent") {
        try {
          await create(account, write, token);
          return reference;
        } catch (error) {
          if (!hasName(error, "ParameterAlreadyExists")) throw error;
        }
        // Created in the meantime by another worker, or by our own call whose answer was lost.
        owner = await ownerOf(account, write);
      }
      if (owner === "absent") throw cloudError(["retryable", "UNAVAILABLE"], api);
      if (owner === "other") throw cloudError(["invalid", "NOT_OURS"], api);
      await overwrite(account, write, token);
      return reference;
    },

    async delete(account, where) {
      const api = "ssm:DeleteParameter";
      const owner = await ownerOf(account, where);
      if (owner === "absent") return;
      if (owner === "other") throw cloudError(["invalid", "NOT_OURS"], api);
      const command = new DeleteParameterCommand({ Name: where.name });
      await call(account, api, command, where.region).catch(nullIfGone);
    },
  };
}

function descriptionOf(token: string): string {
  return `Written by Slipway (${token})`;
}
