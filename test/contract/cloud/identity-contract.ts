/** The stack that a customer creates, and the role that it makes. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refuses, type CloudSuite } from "./cloud-suite.ts";

export function describeIdentity(suite: CloudSuite): void {
  const { create, testOfAccounts } = suite;
  describe("the stack", () => {
    test("a stack's link contains the connection id", () => {
      const stack = suite.cloud.stackFor("aws_0123456789");
      assert.ok(URL.canParse(stack.consoleUrl));
      assert.ok(stack.consoleUrl.includes("aws_0123456789"));
      assert.ok(URL.canParse(stack.template.url));
      assert.notEqual(stack.template.stackName, "");
      assert.match(stack.template.region, /^[a-z]{2}-[a-z]+-\d$/);
      assert.deepEqual(stack.template.parameters, { ServiceId: "aws_0123456789" });
      assert.deepEqual(suite.cloud.stackFor("aws_0123456789"), stack);
    });
  });

  describe("identity", () => {
    test("a role that only trusts the connection's external id is verified", async () => {
      const account = await suite.harness.connect();
      const verified = await suite.cloud.identity.verify(account.connectionId, account);
      assert.deepEqual(verified, account);
    });

    testOfAccounts("a role of another connection is denied", async () => {
      const mine = await suite.harness.connect();
      const theirs = await suite.harness.connect();
      await refuses(suite.cloud.identity.verify(mine.connectionId, theirs), "denied", "ACCESS_DENIED");
    });

    test("a reported account number other than the role's is denied", async () => {
      const account = await suite.harness.connect();
      const reported = { ...account, accountId: "123456789012" };
      await refuses(suite.cloud.identity.verify(account.connectionId, reported), "denied", "ACCESS_DENIED");
    });

    test("a role that does not exist is denied", async () => {
      const account = await suite.harness.connect();
      const reported = { ...account, roleArn: `${account.roleArn}-no` };
      await refuses(suite.cloud.identity.verify(account.connectionId, reported), "denied", "ACCESS_DENIED");
    });

    testOfAccounts(
      "after the stack is deleted, the role is denied for verification and for work",
      async () => {
        const account = await suite.harness.connect();
        await suite.harness.disconnect(account);
        await refuses(suite.cloud.identity.verify(account.connectionId, account), "denied", "ACCESS_DENIED");
        await refuses(create(account, "t"), "denied", "ACCESS_DENIED");
      },
    );
  });
}
