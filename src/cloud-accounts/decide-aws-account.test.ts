import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AwsAccount } from "./aws-account.ts";
import { decideAwsAccount } from "./decide-aws-account.ts";

const NOW = new Date("2026-11-21T12:00:00Z");
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const ago = (ms: number) => new Date(NOW.getTime() - ms);

const ACCOUNT: AwsAccount = {
  organizationId: "org_1",
  id: "aws_1",
  givenId: "main",
  name: "Main",
  status: "CONNECTED",
  reportedAccountId: "123456789012",
  reportedRoleArn: "arn:aws:iam::123456789012:role/access",
  connectedAwsAccountId: "123456789012",
  roleArn: "arn:aws:iam::123456789012:role/access",
  checkRequestedAt: null,
  lastCheckAt: ago(HOUR_MS),
  lastCheckError: null,
  createdAt: ago(48 * HOUR_MS),
  updatedAt: ago(HOUR_MS),
};
const LACKING = { code: "PERMISSIONS_MISSING", message: "" };
const VERIFY = { kind: "verify" } as const;
const wait = (runAfterMs: number) => ({ kind: "wait", runAfterMs }) as const;

describe("a connection", () => {
  const cases: readonly (readonly [string, Partial<AwsAccount>, ReturnType<typeof decideAwsAccount>])[] = [
    ["rests until its stack reports", { reportedRoleArn: null, lastCheckAt: null }, { kind: "rest" }],
    ["is verified once it was reported", { status: "AWAITING_CONNECTION", lastCheckAt: null }, VERIFY],
    ["is verified daily", { lastCheckAt: ago(24 * HOUR_MS) }, VERIFY],
    ["that works is left alone in between", {}, wait(23 * HOUR_MS)],
    ["is verified when that is asked for", { checkRequestedAt: ago(MINUTE_MS) }, VERIFY],
    ["that lacks permissions is looked at every hour", { lastCheckError: LACKING }, VERIFY],
    [
      "that lacks permissions is not looked at sooner",
      { lastCheckError: LACKING, lastCheckAt: ago(59 * MINUTE_MS) },
      wait(MINUTE_MS),
    ],
    [
      "that is disconnected is looked at every five minutes",
      { status: "DISCONNECTED", lastCheckAt: ago(5 * MINUTE_MS) },
      VERIFY,
    ],
    [
      "that is disconnected and was reported anew is looked at again soon",
      { status: "DISCONNECTED", checkRequestedAt: ago(30_000), lastCheckAt: ago(4_000) },
      wait(6_000),
    ],
    [
      "that was just reported is looked at again soon, for roles take a moment",
      { status: "AWAITING_CONNECTION", checkRequestedAt: ago(30_000), lastCheckAt: ago(4_000) },
      wait(6_000),
    ],
    [
      "whose role was refused for ten minutes is looked at hourly",
      { status: "AWAITING_CONNECTION", checkRequestedAt: ago(10 * MINUTE_MS), lastCheckAt: ago(MINUTE_MS) },
      wait(59 * MINUTE_MS),
    ],
  ];
  for (const [name, changes, expected] of cases) {
    test(name, () => assert.deepEqual(decideAwsAccount({ ...ACCOUNT, ...changes }, NOW), expected));
  }
});
