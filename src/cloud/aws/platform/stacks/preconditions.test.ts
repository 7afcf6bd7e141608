import assert from "node:assert/strict";
import { it } from "node:test";
import { findLostVariable } from "./preconditions.ts";

it("a value that is put together fails a release without a call, and says what to refer to", async () => {
  const secret = { kind: "fromSecretsManager", reference: "acme/password" } as const;
  const failure = await findLostVariable(
    () => assert.fail("it asks AWS"),
    { connectionId: "con_1", accountId: "111122223333", roleArn: "arn:aws:iam::111122223333:role/slipway" },
    "us-west-2",
    [
      { name: "A", kind: "plainText", value: "a" },
      { name: "DATABASE_URL", kind: "joined", parts: ["postgresql://a:", secret, "@b/c"] },
    ],
  );
  assert.equal(failure?.code, "VARIABLE_NOT_ALLOWED");
  assert.match(failure?.message ?? "", /DATABASE_URL.+whole connection string/);
});
