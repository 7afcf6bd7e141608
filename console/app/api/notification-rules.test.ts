import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  describeChannelHealth,
  formatReceiver,
  formatReceiverAnswer,
  formatReported,
} from "./notification-rules.ts";

describe("a notification channel", () => {
  it("is described by its receiver and its events", () => {
    assert.equal(formatReceiver({ host: "hooks.slack.com", recipients: null }), "hooks.slack.com");
    assert.equal(
      formatReceiver({ host: null, recipients: ["a@b.example", "c@d.example"] }),
      "a@b.example, c@d.example",
    );
    assert.equal(formatReported({ types: null }), "Default set");
    assert.equal(formatReported({ types: ["domain.*"] }), "Domains");
  });

  it("says why it sends nothing", () => {
    assert.equal(describeChannelHealth({ status: "HEALTHY", disabledReason: null }), null);
    assert.match(describeChannelHealth({ status: "FAILING", disabledReason: null }) ?? "", /retries/);
    assert.match(
      describeChannelHealth({ status: "DISABLED", disabledReason: "GONE" }) ?? "",
      /410.*receives nothing/,
    );
  });

  it("shows the receiver's own answer", () => {
    assert.equal(formatReceiverAnswer({ status: 404, answer: "no_service" }), "404 no_service");
    assert.equal(formatReceiverAnswer({ status: null, answer: "250 OK" }), "250 OK");
    assert.equal(formatReceiverAnswer({ status: null, answer: null }), null);
  });
});
