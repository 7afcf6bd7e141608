import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { AwsAccount, ConnectionReport } from "./aws-account.ts";
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
  suspectedAt: null,
  expectedAwsAccountId: null,
  refusedAwsAccountId: null,
  lastCheckAt: ago(HOUR_MS),
  lastCheckError: null,
  createdAt: ago(48 * HOUR_MS),
  updatedAt: ago(HOUR_MS),
};
const LACKING = { code: "PERMISSIONS_MISSING", message: "" };
const OWN = { accountId: "123456789012", roleArn: "arn:aws:iam::123456789012:role/access" };
const VERIFY = { kind: "verify", roles: [OWN] } as const;
const wait = (runAfterMs: number) => ({ kind: "wait", runAfterMs }) as const;

describe("a connection", () => {
  const cases: readonly (readonly [string, Partial<AwsAccount>, ReturnType<typeof decideAwsAccount>])[] = [
    ["is verified daily", { lastCheckAt: ago(24 * HOUR_MS) }, VERIFY],
    ["that works is not checked in between", {}, wait(23 * HOUR_MS)],
    ["is verified when that is asked for", { checkRequestedAt: ago(MINUTE_MS) }, VERIFY],
    [
      "W8: that a call was denied in is checked a minute after its last check, not at once",
      { suspectedAt: ago(10_000), lastCheckAt: ago(20_000) },
      wait(40_000),
    ],
    [
      "W8: whose last check was a minute before a call was denied is checked",
      { suspectedAt: ago(1_000), lastCheckAt: ago(MINUTE_MS) },
      VERIFY,
    ],
    [
      "W8: that was checked since a call was denied is not checked again",
      { suspectedAt: ago(2 * HOUR_MS) },
      wait(23 * HOUR_MS),
    ],
    ["that lacks permissions is checked every hour", { lastCheckError: LACKING }, VERIFY],
    [
      "that lacks permissions is not checked sooner",
      { lastCheckError: LACKING, lastCheckAt: ago(59 * MINUTE_MS) },
      wait(MINUTE_MS),
    ],
    [
      "that is disconnected is checked every five minutes",
      { status: "DISCONNECTED", lastCheckAt: ago(5 * MINUTE_MS) },
      VERIFY,
    ],
    [
      "that is disconnected and was reported anew is checked again soon",
      { status: "DISCONNECTED", checkRequestedAt: ago(30_000), lastCheckAt: ago(4_000) },
      wait(6_000),
    ],
  ];
  for (const [name, changes, expected] of cases) {
    test(name, () => assert.deepEqual(decideAwsAccount({ ...ACCOUNT, ...changes }, [], NOW), expected));
  }

  test("that belongs to an account tries its own role first, then the account's reports, newest first", () => {
    const due = { ...ACCOUNT, lastCheckAt: ago(24 * HOUR_MS) };
    const reports = [
      reportOf(OWN),
      reportOf({ ...OWN, roleArn: "older" }),
      reportOf({ ...OWN, roleArn: "newer" }, { reportedAt: ago(1_000) }),
      reportOf({ accountId: "210987654321", roleArn: "foreign" }),
    ];
    const step = decideAwsAccount(due, reports, NOW);
    assert.equal(step.kind, "verify");
    assert.deepEqual(step.kind === "verify" && step.roles.map(({ roleArn }) => roleArn), [
      OWN.roleArn,
      "newer",
      "older",
    ]);
  });
});

const reportOf = (
  role: { accountId: string; roleArn: string },
  changes: Partial<ConnectionReport> = {},
): ConnectionReport => ({
  ...role,
  firstReportedAt: ago(30_000),
  reportedAt: ago(30_000),
  lastCheckAt: null,
  refusedAt: null,
  ...changes,
});

describe("a connection that does not belong to an account yet", () => {
  const WAITING: AwsAccount = {
    ...ACCOUNT,
    status: "AWAITING_CONNECTION",
    connectedAwsAccountId: null,
    roleArn: null,
    reportedAccountId: null,
    reportedRoleArn: null,
    lastCheckAt: null,
  };
  const ANOTHER = { accountId: "210987654321", roleArn: "arn:aws:iam::210987654321:role/access" };
  const verify = (report: ConnectionReport) => ({ kind: "verifyReport", report }) as const;
  const tried = (ms: number) => ({ lastCheckAt: ago(ms) });

  const cases: Readonly<
    Record<string, [Partial<AwsAccount>, readonly ConnectionReport[], ReturnType<typeof decideAwsAccount>]>
  > = {
    "rests until its stack reports": [{}, [], { kind: "rest" }],
    "has what was reported verified": [{}, [reportOf(OWN)], verify(reportOf(OWN))],
    "S3: verifies each report separately, the unchecked report first": [
      {},
      [reportOf(OWN, tried(11_000)), reportOf(ANOTHER)],
      verify(reportOf(ANOTHER)),
    ],
    "S3: ignores reports of another account than the expected one": [
      { expectedAwsAccountId: OWN.accountId },
      [reportOf(ANOTHER)],
      { kind: "rest" },
    ],
    "checks a new role again soon, because roles take a moment": [
      {},
      [reportOf(OWN, tried(4_000))],
      wait(6_000),
    ],
    "checks hourly a role that was refused for ten minutes": [
      {},
      [reportOf(OWN, { reportedAt: ago(10 * MINUTE_MS), ...tried(MINUTE_MS) })],
      wait(59 * MINUTE_MS),
    ],
    "gives one up after a week": [
      {},
      [reportOf(OWN, { reportedAt: ago(7 * 24 * HOUR_MS), ...tried(2 * HOUR_MS) })],
      { kind: "rest" },
    ],
    "checks a report that was given up when an admin asks": [
      { checkRequestedAt: ago(1_000) },
      [reportOf(OWN, { reportedAt: ago(7 * 24 * HOUR_MS), ...tried(2 * HOUR_MS) })],
      verify(reportOf(OWN, { reportedAt: ago(7 * 24 * HOUR_MS), ...tried(2 * HOUR_MS) })),
    ],
    "knows a report that a release before took": [
      { reportedAccountId: OWN.accountId, reportedRoleArn: OWN.roleArn, checkRequestedAt: ago(1_000) },
      [],
      verify(reportOf(OWN, { firstReportedAt: ago(1_000), reportedAt: ago(1_000) })),
    ],
  };
  for (const [name, [changes, reports, expected]] of Object.entries(cases)) {
    test(name, () => assert.deepEqual(decideAwsAccount({ ...WAITING, ...changes }, reports, NOW), expected));
  }
});
