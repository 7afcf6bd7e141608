import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Message } from "./message.ts";
import { discordPayload, mailOf, slackPayload, teamsPayload } from "./payloads.ts";

const HOSTILE = `<!channel> @everyone *bold* [x](https://evil.example) </li><script>alert(1)</script> & "q"`;
const long = (count: number): Message => ({
  id: "nch_1.x",
  title: "500 domains have one problem",
  sections: Array.from({ length: count }, () => ({
    title: "500 domains have one problem ".repeat(10),
    tone: "bad" as const,
    lines: Array.from({ length: 10 }, () => `${HOSTILE} `.repeat(5).slice(0, 300)),
    more: 490,
    url: "https://slipway.acme.example/console/domains",
  })),
});

describe("a message", () => {
  it("for Slack escapes what Slack reads as markup", () => {
    const text = JSON.stringify(slackPayload(long(1)));
    assert.ok(text.includes("&lt;!channel&gt;") && !text.includes("<!channel>"));
    assert.ok(text.includes("<https://slipway.acme.example/console/domains|Open in Slipway>"));
    assert.ok(/and 49\d more/.test(text));
  });

  it("for Discord mentions no user, and stays below 6,000 characters", () => {
    const payload = discordPayload(long(9)) as {
      readonly embeds: readonly { title: string; description: string }[];
    };
    const sum = payload.embeds.reduce(
      (all, { title, description }) => all + title.length + description.length,
      0,
    );
    assert.ok(sum <= 6_000, String(sum));
    assert.ok(JSON.stringify(payload).includes(String.raw`\\@everyone`));
    assert.deepEqual(Reflect.get(payload, "allowed_mentions"), { parse: [] });
  });

  it("for Teams stays below 28 KB", () => {
    const size = Buffer.byteLength(JSON.stringify(teamsPayload(long(9))));
    assert.ok(size < 28 * 1_024, String(size));
  });

  it("by e-mail has a text and escaped HTML", () => {
    const { subject, text, html } = mailOf(long(1), null);
    assert.equal(subject, "[Slipway] 500 domains have one problem");
    assert.ok(text.includes("https://slipway.acme.example/console/domains"));
    assert.ok(html.includes("&lt;script&gt;") && !html.includes("<script>"));
  });
});
