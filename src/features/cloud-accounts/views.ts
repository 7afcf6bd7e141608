import { Type } from "typebox";
import type { CloudStack } from "../../cloud/cloud.ts";
import { At, CreatedAt, Id, Nullable, NullableInstant, Text, Words, viewAs } from "../../http/schemas.ts";
import { AWS_ACCOUNT_STATUSES, type AwsAccount, type CheckError } from "./aws-account.ts";
import type { Abandoned, LeftInAccount } from "./left-in-account.ts";

const CheckErrorSchema = Nullable(
  Type.Object(
    {
      code: Text("The error code, for programs.", "PERMISSIONS_MISSING"),
      message: Text(
        "The cause, and what to do.",
        "The role lacks cloudfront:UpdateDistribution. Update the stack with its newest template.",
      ),
    },
    {
      title: "AwsAccountCheckError",
      description: "The problem that a check of a cloud account connection found.",
    },
  ),
);

export const AwsAccountStatusSchema = Words(AWS_ACCOUNT_STATUSES, {
  title: "AwsAccountStatus",
  description:
    "`AWAITING_CONNECTION` until the stack is created and its role verified; `DISCONNECTED` when the role no longer works.",
  examples: ["CONNECTED"],
});

const FIELDS = {
  id: Id(
    "aws",
    "Id of the connection, and the external id that its role requires. Until the connection belongs to an account, only admins see it; others see the `givenId` here.",
  ),
  givenId: Text("Your own identifier.", "acme-production"),
  name: Text("Display name.", "Acme production"),
  status: AwsAccountStatusSchema,
  expectedAwsAccountId: Nullable(Text("The only AWS account that may connect (12 digits). Null: any.", null)),
  connectedAwsAccountId: Nullable(
    Text("The AWS account's number; null until the role is verified.", "111122223333"),
  ),
  roleArn: Nullable(
    Text(
      "The role that Slipway assumes in the account; null until it is verified.",
      "arn:aws:iam::111122223333:role/slipway/access",
    ),
  ),
  lastCheckAt: NullableInstant("When the role was last verified."),
  lastCheckError: At(
    CheckErrorSchema,
    "The problem that the last check found. `PERMISSIONS_MISSING` on a `CONNECTED` account names the missing permissions. `REPORT_REFUSED` appears for a week, if nothing else is wrong, after a stack in another account asked to be connected; `POST …/check` marks it as seen.",
    null,
  ),
  createdAt: CreatedAt(),
};

const CLOUD_STACK_FIELDS = {
  consoleUrl: Text(
    "Opens the page in the cloud account where the stack is created.",
    "https://console.aws.amazon.com/cloudformation/home?region=us-east-1#/stacks/quickcreate?stackName=slipway-access",
  ),
  template: Type.Object(
    {
      url: Text("Where the template is.", "https://slipway.test/cloudformation/connection-v1.yaml"),
      stackName: Text("Name to give the stack.", "slipway-access"),
      region: Text("Region to create it in.", "us-east-1"),
      parameters: Type.Object(
        { ServiceId: Id("aws", "The connection's id.") },
        { title: "CloudStackParameters", description: "Parameters to give the stack." },
      ),
    },
    { title: "CloudStackTemplate", description: "To create the stack without the console." },
  ),
};
const CLOUD_STACK = {
  title: "CloudStack",
  description:
    "The stack that completes the connection. Only for admins, and only until the connection is `CONNECTED`.",
};

/** The members that differ from the example of a connected one. */
export const WAITING_EXAMPLE = {
  status: "AWAITING_CONNECTION",
  connectedAwsAccountId: null,
  roleArn: null,
  lastCheckAt: null,
};

export const NewAwsAccountSchema = Type.Object(
  { ...FIELDS, cloudStack: Type.Object(CLOUD_STACK_FIELDS, CLOUD_STACK) },
  { title: "NewAwsAccount", description: "A cloud account connection, and the stack that completes it." },
);

/** A client that comes back later still has to create the stack. */
export const AwsAccountSchema = Type.Object(
  { ...FIELDS, cloudStack: Type.Optional(Type.Object(CLOUD_STACK_FIELDS, CLOUD_STACK)) },
  {
    title: "AwsAccount",
    description: "A cloud account connection, with the stack that completes it while it waits for one.",
  },
);

const NamedSchema = Type.Object(
  {
    region: Text("The provider's region.", "us-west-2"),
    name: Text("The name at the provider.", "/slipway/production/DATABASE_PASSWORD"),
  },
  { title: "NamedInRegion", description: "A resource in a region of a cloud account." },
);

/** What stays in an account that does not work. Shown when a deletion is refused, and when an account is given up. */
export const LeftInAccountSchema = Type.Object(
  {
    connectedAwsAccountId: Nullable(Text("The AWS account's number.", "123456789012")),
    distributionIds: Type.Array(Text("Its AWS id.", "E2QWRUHAPOMQZL"), {
      description: "Distributions that still cost money.",
    }),
    certificateIds: Type.Array(
      Text("Its ARN.", "arn:aws:acm:us-east-1:123456789012:certificate/6f1c2a7e-3b8d-4d0e-9a51-2f7c8b6e0d14"),
      { description: "Certificates of domains." },
    ),
    domains: Type.Array(Text("A domain name.", "www.example.com"), {
      description: "Domain names that may still be served from the account; remove their DNS records.",
    }),
    parameters: Type.Array(NamedSchema, { description: "Managed values in Parameter Store." }),
    secrets: Type.Array(NamedSchema, { description: "Managed values in Secrets Manager." }),
    stacks: Type.Array(NamedSchema, {
      description: "Stacks of services and environments that were deployed.",
    }),
  },
  {
    title: "LeftInAccount",
    description:
      "The resources that stay in a cloud account that does not work; remove them there. Resources whose creation has an unknown outcome are not listed; everything that Slipway created has the tag `slipway:connection`.",
  },
);

/** The same, as a member of the problem document that refuses a deletion. */
export const LEFT_IN_PROBLEM = At(
  LeftInAccountSchema,
  "Only with `RESOURCES_WOULD_STAY`: what would stay in the cloud account.",
);

export function viewLeftInAccount(left: LeftInAccount) {
  return viewAs(LeftInAccountSchema, left);
}

export function viewAbandoned({ id, left }: Abandoned) {
  return { id, leftInAccount: viewLeftInAccount(left) };
}

/**
 * Anyone with the id of a connection without an account can bind it to their own account. So only admins see this id;
 * others see the `givenId`, which works in every path.
 */
function shown(account: AwsAccount, isAdmin: boolean) {
  const { id, givenId, connectedAwsAccountId } = account;
  return {
    ...account,
    id: isAdmin || connectedAwsAccountId !== null ? id : givenId,
    lastCheckError: account.lastCheckError ?? refusedReport(account),
  };
}

export function viewNewAwsAccount(account: AwsAccount, cloudStack: CloudStack) {
  return viewAs(NewAwsAccountSchema, { ...shown(account, true), cloudStack });
}

/** @param cloudStack null unless an admin asks */
export function viewAwsAccount(account: AwsAccount, cloudStack: CloudStack | null) {
  if (account.status !== "CONNECTED" && cloudStack !== null) return viewNewAwsAccount(account, cloudStack);
  return viewAs(AwsAccountSchema, shown(account, cloudStack !== null));
}

function refusedReport(account: AwsAccount): CheckError | null {
  const { refusedAwsAccountId, connectedAwsAccountId, expectedAwsAccountId } = account;
  if (refusedAwsAccountId === null) return null;
  const own =
    connectedAwsAccountId === null
      ? `expects the account ${expectedAwsAccountId ?? "of its stack"}`
      : `belongs to the account ${connectedAwsAccountId}`;
  const message = `A stack in the account ${refusedAwsAccountId} asked to be connected and was refused, because the connection ${own}. Its creator knows the connection's id. If it was you, delete that stack. See the audit entries for details.`;
  return { code: "REPORT_REFUSED", message };
}
