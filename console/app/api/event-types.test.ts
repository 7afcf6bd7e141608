import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { EVENT_TYPES, eventChoices, formatEventType } from "./event-types.ts";

describe("the types of events", () => {
  it("are in one group each, with a description", () => {
    const options = eventChoices([]).flatMap((group) => group.options);
    assert.deepEqual(options.map(({ value }) => value).toSorted(), EVENT_TYPES.toSorted());
    for (const { value, detail = "" } of options) assert.match(detail, /^[A-Z].*[.]$/, value);
  });

  it("keep a type that this release does not know", () => {
    const [last] = eventChoices(["domain.*", "domain.moved_away"]).slice(-1);
    assert.deepEqual(
      last?.options.map(({ value }) => value),
      ["domain.moved_away"],
    );
  });

  it("are in words", () => {
    assert.equal(formatEventType("deployment.environment_failed"), "Deployment: environment failed");
    assert.equal(formatEventType("api_key.created"), "API key: created");
    assert.equal(formatEventType("aws_account.connected"), "Cloud account: connected");
  });
});
