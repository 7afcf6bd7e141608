import assert from "node:assert/strict";
import { test } from "node:test";
import { tellField } from "./field-words.ts";

test("names of fields are shown as words", () => {
  const told = {
    role: "role",
    redirectTo: "redirect to",
    autoDns: "auto DNS",
    memoryGb: "memory GB",
    connectedAwsAccountId: "connected AWS account id",
    id: "id",
  };
  for (const [field, words] of Object.entries(told)) assert.equal(tellField(field), words);
});
