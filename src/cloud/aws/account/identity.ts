import { ListCertificatesCommand } from "@aws-sdk/client-acm";
import { ListDistributionsCommand } from "@aws-sdk/client-cloudfront";
import { ListTagsForResourceCommand } from "@aws-sdk/client-ssm";
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import { CloudError, type Cloud, type CloudAccount } from "../../cloud.ts";
import { wrongExternalIds } from "../../wrong-external-ids.ts";
import { type Call, required } from "../calls/calls.ts";
import { cloudError, toCloudError } from "../calls/errors.ts";
import { findMissingPermissions } from "./permissions.ts";
import type { Sdk, Session } from "../calls/sdk.ts";
import type { CallPolicy } from "../../calls/policy.ts";
import { ASSUME_ROLE, type Sessions } from "../calls/sessions.ts";

/** The name of a check's sessions. */
const CHECK = "check";

export function createIdentity(deps: {
  sdk: Sdk;
  sessions: Sessions;
  call: Call;
  policy: CallPolicy;
}): Cloud["identity"] {
  const { sdk, sessions, call, policy } = deps;

  const assume = (connectionId: string, roleArn: string, externalId: string | null): Promise<Session> =>
    policy.request({
      connectionId,
      operation: ASSUME_ROLE,
      prepare: async (signal) => () => sessions.assume(roleArn, externalId, CHECK, signal),
    });

  async function callerAccountOf(connectionId: string, session: Session): Promise<string> {
    const operation = "sts:GetCallerIdentity";
    const send = async (abortSignal: AbortSignal): Promise<string> => {
      try {
        const { Account } = await sdk.stsOf(session).send(new GetCallerIdentityCommand({}), { abortSignal });
        return required(Account, operation);
      } catch (error) {
        throw toCloudError(operation, error);
      }
    };
    return await policy.request({ connectionId, operation, prepare: async (signal) => () => send(signal) });
  }

  async function mustBeDenied(asking: Promise<Session>, message: string): Promise<void> {
    try {
      await asking;
    } catch (error) {
      if (error instanceof CloudError && error.kind === "denied") return;
      throw error;
    }
    throw denied(message);
  }

  return {
    async verify(connectionId, { accountId, roleArn }) {
      const account: CloudAccount = { connectionId, accountId, roleArn };
      // Never a cached session, because the role may have been deleted since.
      const session = await assume(connectionId, roleArn, connectionId);
      const callerId = await callerAccountOf(connectionId, session);
      if (callerId !== accountId) {
        throw denied(`The role belongs to account ${callerId}, not to ${accountId} as reported.`);
      }
      await mustBeDenied(
        assume(connectionId, roleArn, null),
        "The role can be assumed without the external id; its trust policy must require it.",
      );
      for (const another of wrongExternalIds(connectionId)) {
        await mustBeDenied(
          assume(connectionId, roleArn, another),
          "The role can be assumed with another external id; its trust policy must name the connection's exactly.",
        );
      }
      await tryReading(call, { ...account, purpose: CHECK });
      return account;
    },

    missingPermissions: (account) => findMissingPermissions(call, { ...account, purpose: CHECK }),
  };
}

/**
 * Makes one read call to each service: a session that AWS refuses everywhere, for a reason that a simulation
 * does not find, must not connect. The error of a denial names the action.
 */
async function tryReading(call: Call, account: CloudAccount): Promise<void> {
  await call(account, "acm:ListCertificates", (acm, options) =>
    acm.send(new ListCertificatesCommand({ MaxItems: 1 }), options),
  );
  await call(account, "cloudfront:ListDistributions", (cdn, options) =>
    cdn.send(new ListDistributionsCommand({ MaxItems: 1 }), options),
  );
  const parameter = { ResourceType: "Parameter", ResourceId: "/slipway/permission-check" } as const;
  await ignoreMissing(
    call(account, "ssm:ListTagsForResource", (ssm, options) =>
      ssm.send(new ListTagsForResourceCommand(parameter), options),
    ),
  );
  await ignoreMissing(
    call(account, "secretsmanager:DescribeSecret", (secrets, options) =>
      secrets.send(new DescribeSecretCommand({ SecretId: "slipway/permission-check" }), options),
    ),
  );
}

async function ignoreMissing(reading: Promise<unknown>): Promise<void> {
  try {
    await reading;
  } catch (error) {
    if (!(error instanceof CloudError && error.kind === "gone")) throw error;
  }
}

function denied(message: string): CloudError {
  return cloudError(["denied", "ACCESS_DENIED"], ASSUME_ROLE, { message });
}
