/** Parameters and secrets: values that Slipway writes into the account, and recognizes as its own by a tag. */
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { refuses, type CloudSuite, type ManagedKind, type ManagedWhere } from "./cloud-suite.ts";

const REGION = "us-west-2";

export function describeManagedValues(suite: CloudSuite, kind: ManagedKind): void {
  const { testOfAccounts } = suite;
  describe(kind, () => {
    const where = (name: string): ManagedWhere => ({
      region: REGION,
      name: `/slipway/shop/production/${name}`,
    });

    test("a value is written once, and its reference leads to it", async () => {
      const account = await suite.harness.connect();
      const at = where("DATABASE_URL");
      const value = "postgres://u:p@host/db?ü=😀\n ";
      const { reference } = await suite.cloud[kind].put(account, { ...at, value, token: "run-1" });
      assert.ok(reference.includes(at.name));
      assert.deepEqual(await suite.harness.readManaged(account, kind, at), { value, versionCount: 1 });
    });

    test("the same token writes one version, however often it is sent, at once and later", async () => {
      const account = await suite.harness.connect();
      const write = { ...where("KEY"), value: "one", token: "run-1" };
      const answers = await Promise.all([1, 2, 3].map(() => suite.cloud[kind].put(account, write)));
      answers.push(await suite.cloud[kind].put(account, write));
      assert.equal(new Set(answers.map(({ reference }) => reference)).size, 1);
      assert.equal((await suite.harness.readManaged(account, kind, write))?.versionCount, 1);
    });

    test("another token writes another version under the same reference", async () => {
      const account = await suite.harness.connect();
      const at = where("KEY");
      const first = await suite.cloud[kind].put(account, { ...at, value: "one", token: "run-1" });
      const second = await suite.cloud[kind].put(account, { ...at, value: "two", token: "run-2" });
      assert.deepEqual(second, first);
      assert.deepEqual(await suite.harness.readManaged(account, kind, at), { value: "two", versionCount: 2 });
    });

    testOfAccounts("accounts and regions are separate", async () => {
      const [mine, theirs] = await Promise.all([suite.harness.connect(), suite.harness.connect()]);
      const at = where("KEY");
      await suite.cloud[kind].put(mine, { ...at, value: "mine", token: "run-1" });
      assert.equal(await suite.harness.readManaged(theirs, kind, at), null);
      assert.equal(await suite.harness.readManaged(mine, kind, { ...at, region: "eu-west-1" }), null);
    });

    test("a value without our tag is neither overwritten nor deleted", async () => {
      const account = await suite.harness.connect();
      const at = where("FOREIGN");
      await suite.harness.makeForeign(account, kind, at);
      const before = await suite.harness.readManaged(account, kind, at);
      const write = suite.cloud[kind].put(account, { ...at, value: "ours", token: "run-1" });
      await refuses(write, "invalid", "NOT_OURS");
      await refuses(suite.cloud[kind].delete(account, at), "invalid", "NOT_OURS");
      assert.deepEqual(await suite.harness.readManaged(account, kind, at), before);
    });

    test("deleting removes the value, and a second deletion succeeds", async () => {
      const account = await suite.harness.connect();
      const at = where("KEY");
      await suite.cloud[kind].put(account, { ...at, value: "one", token: "run-1" });
      await suite.cloud[kind].delete(account, at);
      await suite.cloud[kind].delete(account, at);
      assert.equal(await suite.harness.readManaged(account, kind, at), null);
    });

    test("a value of the maximum size is accepted; a larger one is refused and not quoted in the error", async () => {
      const account = await suite.harness.connect();
      const maxBytes = kind === "parameters" ? 4_096 : 65_536;
      const at = where("LARGE");
      await suite.cloud[kind].put(account, { ...at, value: "x".repeat(maxBytes), token: "run-1" });
      const value = "x".repeat(maxBytes + 1);
      const error = await refuses(
        suite.cloud[kind].put(account, { ...at, value, token: "run-2" }),
        "invalid",
        "VALUE_TOO_LARGE",
      );
      assert.ok(!error.message.includes("xxx"));
    });
  });
}
