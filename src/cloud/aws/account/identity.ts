import { ListCertificatesCommand } from "@aws-sdk/client-acm";
import { ListDistributionsCommand } from "@aws-sdk/client-cloudfront";
import { ListTagsForResourceCommand } from "@aws-sdk/client-ssm";
import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { GetCallerIdentityCommand } from "@aws-sdk/client-sts";
import type { Cloud, CloudAccount } from "../../cloud.ts";
import { verifyTrust } from "../../adapter-rules.ts";
import { type Call, required } from "../calls/calls.ts";
import { nullIfGone, toCloudError } from "../calls/errors.ts";
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

  return {
    async verify(connectionId, { accountId, roleArn }) {
      const account: CloudAccount = { connectionId, accountId, roleArn };
      // Never a cached session, because the role may have been deleted since.
      await verifyTrust(connectionId, accountId, ASSUME_ROLE, {
        assume: (externalId) => assume(connectionId, roleArn, externalId),
        accountOf: (session) => callerAccountOf(connectionId, session),
      });
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
  await call(account, "acm:ListCertificates", new ListCertificatesCommand({ MaxItems: 1 }));
  await call(account, "cloudfront:ListDistributions", new ListDistributionsCommand({ MaxItems: 1 }));
  const parameter = { ResourceType: "Parameter", ResourceId: "/slipway/permission-check" } as const;
  const listTags = new ListTagsForResourceCommand(parameter);
  await call(account, "ssm:ListTagsForResource", listTags).catch(nullIfGone);
  const describe = new DescribeSecretCommand({ SecretId: "slipway/permission-check" });
  await call(account, "secretsmanager:DescribeSecret", describe).catch(nullIfGone);
}
