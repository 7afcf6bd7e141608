import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  reasonAgainstReplay,
  reasonAgainstSending,
  formatAnswer,
  describeHealth,
  redeliveryLabel,
  formatTrigger,
  webhookName,
} from "./webhook-rules.ts";

describe("the name of a webhook", () => {
  it("is its description, or its address", () => {
    const url = "https://hooks.example.com/slipway";
    assert.equal(webhookName({ description: "Chat", url }), "Chat");
    assert.equal(webhookName({ description: "", url }), url);
  });
});

describe("what the state of a webhook permits", () => {
  it("sends to what is not disabled, and replays once at a time", () => {
    assert.equal(reasonAgainstSending({ status: "FAILING" }), null);
    assert.equal(reasonAgainstReplay({ status: "HEALTHY", isReplaying: false }), null);
    assert.equal(reasonAgainstReplay({ status: "HEALTHY", isReplaying: true }), "A replay is running.");
    assert.match(reasonAgainstReplay({ status: "DISABLED", isReplaying: false }) ?? "", /Enable it/);
    assert.equal(redeliveryLabel({ status: "FAILED" }), "Send again");
    assert.equal(redeliveryLabel({ status: "PENDING" }), "Send now");
  });

  it("shows its fault, and why a delivery was sent", () => {
    assert.equal(describeHealth({ status: "HEALTHY", disabledReason: null }), null);
    assert.match(describeHealth({ status: "DISABLED", disabledReason: "GONE" }) ?? "", /answered 410/);
    assert.match(describeHealth({ status: "FAILING", disabledReason: null }) ?? "", /not lost/);
    assert.equal(formatTrigger("ping"), "Test");
  });

  it("shows the result of a delivery", () => {
    assert.equal(formatAnswer({ attempts: 0, lastStatus: null, lastError: null }), "not sent yet");
    assert.equal(formatAnswer({ attempts: 1, lastStatus: 204, lastError: null }), "answer 204");
    const lastError = { code: "SERVER_ERROR", message: "It answered 500.", action: "" } as const;
    assert.equal(formatAnswer({ attempts: 3, lastStatus: 500, lastError }), "It answered 500 (3 attempts)");
  });
});
