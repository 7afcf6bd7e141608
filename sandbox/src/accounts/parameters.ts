import { checkRegion, createManagedValues, type ManagedValue, type ManagedValues } from "./managed-values.ts";
import { Refusal } from "../refusal.ts";
import type { SandboxState } from "../state.ts";
import type { SandboxTuning } from "../tuning.ts";

/** The standard tier's limit (AWS Systems Manager quotas). */
const MAX_VALUE_BYTES = 4_096;
/** The limit counts the ARN before the name too. */
const MAX_ARN_LENGTH = 1_011;
const MAX_LEVELS = 15;

/** SecureStrings as AWS Systems Manager Parameter Store keeps them. */
export function createParameters(state: SandboxState, tuning: SandboxTuning): ManagedValues {
  return createManagedValues(state.collection<ManagedValue>("parameters"), {
    quota: tuning.parametersQuota,
    makeReference: (_accountId, _region, name) => name,
    check({ region, name, value }) {
      checkRegion(region);
      const problem = findNameProblem(region, name);
      if (problem !== null) throw new Refusal("invalid", "INVALID_REQUEST", problem);
      if (value === "") throw new Refusal("invalid", "INVALID_REQUEST", "A parameter cannot be empty.");
      if (Buffer.byteLength(value) > MAX_VALUE_BYTES) {
        throw new Refusal(
          "invalid",
          "VALUE_TOO_LARGE",
          `A parameter may have at most ${MAX_VALUE_BYTES} bytes.`,
        );
      }
    },
  });
}

function findNameProblem(region: string, name: string): string | null {
  if (!/^(?:\/[a-zA-Z0-9_.-]+)+$/.test(name)) {
    return "A parameter's name is a path of letters, digits and _.- between slashes.";
  }
  if (/^\/(?:aws|ssm)/i.test(name)) return "A parameter's name may not begin with aws or ssm.";
  if (name.split("/").length - 1 > MAX_LEVELS)
    return `A parameter's name may have at most ${MAX_LEVELS} levels.`;
  const arnPrefixLength = `arn:aws:ssm:${region}:000000000000:parameter`.length;
  return arnPrefixLength + name.length > MAX_ARN_LENGTH ? "The parameter's name is too long." : null;
}
