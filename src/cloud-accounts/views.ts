import { Type } from "typebox";
import type { CloudStack } from "../cloud/cloud.ts";
import { Instant, Nullable, NullableInstant, Words } from "../http/schemas.ts";
import { AWS_ACCOUNT_STATUSES, type AwsAccount } from "./aws-account.ts";

export const AwsAccountSchema = Type.Object(
  {
    id: Type.String(),
    givenId: Type.String(),
    name: Type.String(),
    status: Words(AWS_ACCOUNT_STATUSES, {
      description:
        "`AWAITING_CONNECTION` until the stack is created and its role verified; `DISCONNECTED` when the role no longer works.",
    }),
    connectedAwsAccountId: Nullable(Type.String({ description: "The account's number at AWS." })),
    roleArn: Nullable(Type.String()),
    lastCheckAt: NullableInstant(),
    lastCheckError: Type.Unsafe<{ code: string; message: string } | null>({
      type: ["object", "null"],
      description:
        "Why the last check did not find all as it must be. `PERMISSIONS_MISSING` on a `CONNECTED` account names what its role lacks.",
      required: ["code", "message"],
      properties: { code: { type: "string" }, message: { type: "string" } },
    }),
    createdAt: Instant(),
  },
  { description: "A cloud account connection." },
);

const CloudStackSchema = Type.Object({
  consoleUrl: Type.String({ description: "Open it in the cloud account and create the stack." }),
  template: Type.Object({
    url: Type.String(),
    stackName: Type.String(),
    region: Type.String(),
    parameters: Type.Object({ ServiceId: Type.String() }),
  }),
});

export const NewAwsAccountSchema = Type.Object({
  ...AwsAccountSchema.properties,
  cloudStack: CloudStackSchema,
});

/** Who comes back later still has to create the stack. */
export const AwsAccountWithStackSchema = Type.Object({
  ...AwsAccountSchema.properties,
  cloudStack: Type.Optional(
    Type.Object(CloudStackSchema.properties, { description: "As long as it is not `CONNECTED`." }),
  ),
});

export function viewAwsAccount(account: AwsAccount) {
  const { id, givenId, name, status, connectedAwsAccountId, roleArn, lastCheckError } = account;
  return {
    id,
    givenId,
    name,
    status,
    connectedAwsAccountId,
    roleArn,
    lastCheckAt: account.lastCheckAt?.toISOString() ?? null,
    lastCheckError,
    createdAt: account.createdAt.toISOString(),
  };
}

export function viewNewAwsAccount(account: AwsAccount, cloudStack: CloudStack) {
  return { ...viewAwsAccount(account), cloudStack };
}

export function viewAwsAccountWithStack(account: AwsAccount, cloudStack: CloudStack) {
  return account.status === "CONNECTED" ? viewAwsAccount(account) : viewNewAwsAccount(account, cloudStack);
}
