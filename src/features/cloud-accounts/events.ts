import { Type } from "typebox";
import { Flag, Nullable, Text, Words } from "../../http/schemas.ts";
import { CodedErrorSchema } from "../events/error-views.ts";
import { declareEvents } from "../events/event.ts";
import { AWS_ACCOUNT_STATUSES, type AwsAccount } from "./aws-account.ts";

const ACCOUNT = {
  givenId: Text("Your own identifier of the connection.", "acme-production"),
  name: Text("The connection's name.", "Acme production"),
  status: Words(AWS_ACCOUNT_STATUSES, { description: "The present status.", examples: ["CONNECTED"] }),
  connectedAwsAccountId: Nullable(Text("The AWS account's number, if it has one.", "111122223333")),
};

const PREVIOUS_STATUS = {
  previousStatus: Words(AWS_ACCOUNT_STATUSES, {
    description: "The previous status.",
    examples: ["AWAITING_CONNECTION"],
  }),
};

export const DISCONNECTION_REASONS = ["ROLE_FAILED", "UNBOUND"] as const;

/** A client that knows the id of a connection without an account can bind it to one. */
const ADMINS = "admin";

export const AWS_ACCOUNT_EVENTS = declareEvents({
  "aws_account.created": {
    subject: "aws_account",
    description:
      "A cloud account connection was created, or got a new id because it was unbound from its account.",
    data: Type.Object({
      ...ACCOUNT,
      replaces: Nullable(Text("The id that it had before it was unbound.", null)),
    }),
    role: ADMINS,
  },
  "aws_account.updated": {
    subject: "aws_account",
    description: "The name, the `givenId` or the expected account of a connection was changed.",
    data: Type.Object(ACCOUNT),
    role: ADMINS,
  },
  "aws_account.connected": {
    subject: "aws_account",
    description:
      "A connection works: its role was verified, again or for the first time, or it has another role.",
    data: Type.Object({ ...ACCOUNT, ...PREVIOUS_STATUS }),
  },
  "aws_account.permissions_missing": {
    subject: "aws_account",
    description: "The role of a connection works but lacks permissions, or lacks others than before.",
    data: Type.Object({ ...ACCOUNT, error: CodedErrorSchema }),
  },
  "aws_account.permissions_restored": {
    subject: "aws_account",
    description: "The role has all permissions again.",
    data: Type.Object(ACCOUNT),
  },
  "aws_account.disconnected": {
    subject: "aws_account",
    description: "The role no longer works, or an admin unbound the connection from its account.",
    data: Type.Object({
      ...ACCOUNT,
      ...PREVIOUS_STATUS,
      reason: Words(DISCONNECTION_REASONS, {
        description:
          "`ROLE_FAILED`: a check failed, and `error` says why. `UNBOUND`: an admin unbound the connection.",
        examples: ["ROLE_FAILED"],
      }),
      error: Type.Optional(CodedErrorSchema),
    }),
  },
  "aws_account.deleted": {
    subject: "aws_account",
    description: "A connection was deleted or abandoned.",
    data: Type.Object({
      ...ACCOUNT,
      isAbandoned: Flag("Whether it was abandoned, so that resources may be left in the account.", false),
    }),
  },
});

/** The data of all events of a connection. */
export function accountData({ givenId, name, status, connectedAwsAccountId }: AwsAccount) {
  return { givenId, name, status, connectedAwsAccountId };
}
