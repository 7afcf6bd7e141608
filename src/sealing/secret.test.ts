import assert from "node:assert/strict";
import { Console } from "node:console";
import { PassThrough } from "node:stream";
import { test } from "node:test";
import { format, inspect } from "node:util";
import { serialize } from "node:v8";
import { pino } from "pino";
import { Secret } from "./secret.ts";

const VALUE = "correct-horse-battery-staple";

/** Everything that `write` sent to the stream. */
function captured(write: (stream: PassThrough) => void): string {
  const stream = new PassThrough();
  write(stream);
  return String(stream.read());
}

const secret = new Secret(VALUE);
const failure = new Error("The write failed.", { cause: { secret } });

const WAYS_TO_SHOW: Record<string, () => string> = {
  // oxlint-disable-next-line typescript/restrict-template-expressions -- the very mistake that must be harmless
  "a template literal": () => `${secret}`,
  concatenation: () => "value: " + String(secret),
  "joining a list": () => [secret].join(),
  "JSON.stringify": () => JSON.stringify({ secret, list: [secret] }),
  "JSON.stringify of a copy": () => JSON.stringify(Object.assign({}, secret)),
  "util.inspect": () => inspect({ secret }),
  "util.inspect of everything hidden": () =>
    inspect(secret, { showHidden: true, customInspect: false, depth: null, getters: true }),
  "util.format with every directive": () =>
    format("%s %o %O %j %d %i", secret, secret, secret, secret, secret, secret),
  "an error's cause": () => inspect(failure, { depth: null }),
  "structured clone": () => inspect(structuredClone({ secret }), { depth: null }),
  "V8 serialization": () => serialize({ secret }).toString("latin1"),
  console: () =>
    captured((stdout) => {
      const console = new Console({ stdout, stderr: stdout });
      console.log(secret, { secret });
      console.dir(secret, { showHidden: true, depth: null });
      console.table([{ secret }]);
      console.error(failure);
    }),
  pino: () =>
    captured((stream) => {
      const log = pino({}, stream).child({ secret });
      log.info({ secret, nested: { list: [secret] } }, "Sealed %s %o.", secret, secret);
      log.error(failure, "Failed.");
      log.error({ err: Object.assign(new Error("x"), { secret }) });
    }),
};

for (const [way, show] of Object.entries(WAYS_TO_SHOW)) {
  test(`a secret is not shown by ${way}`, () => {
    const shown = show();
    assert.ok(shown.length > 0);
    assert.ok(!shown.includes(VALUE), shown.replaceAll(VALUE, "THE VALUE"));
  });
}

test("a secret shows as [secret] and reveals its value", () => {
  assert.equal(String(secret), "[secret]");
  assert.equal(inspect(secret), "[secret]");
  assert.equal(JSON.stringify(secret), '"[secret]"');
  assert.equal(secret.reveal(), VALUE);
});
