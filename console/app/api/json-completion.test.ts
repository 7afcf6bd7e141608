import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { CONFIGURATION_SCHEMA } from "../../../src/features/configuration/configuration-schema.ts";
import { completeJson, type JsonSchema } from "./json-completion.ts";
import { lineOf, offsetOf, scanJson } from "./json-scan.ts";

const SCHEMA = CONFIGURATION_SCHEMA as unknown as JsonSchema;

/** @param marked text with | at the caret */
function complete(marked: string) {
  const caret = marked.indexOf("|");
  const text = marked.replace("|", "");
  const { place } = scanJson(text, caret);
  if (place === null) return null;
  const found = completeJson(SCHEMA, place);
  const [first] = found;
  const after = first === undefined ? text : text.slice(0, place.from) + first.insert + text.slice(place.to);
  return { labels: found.map(({ label }) => label), after };
}
const labels = (marked: string) => complete(marked)?.labels ?? null;
const inService = (rest: string) => `{"environments":[{"services":[{${rest}}]}]}`;

describe("completion of slipway.json", () => {
  it("offers the names of an object that are not there, the required ones first", () => {
    assert.deepEqual(labels("{|}"), ["environments", "$schema", "envVariables"]);
    assert.deepEqual(labels('{"environments":[],|}'), ["$schema", "envVariables"]);
    assert.deepEqual(labels('{"environments":[{"id":"a",\n  |\n}]}'), [
      "region",
      "source",
      "services",
      "name",
      "envVariables",
    ]);
  });

  it("completes what is typed, with or without quotes", () => {
    assert.equal(complete('{"env|"}')?.after, '{"environments": []}');
    assert.equal(complete("{envV|}")?.after, '{"envVariables": {}}');
    assert.deepEqual(labels('{"VAR|"}'), ["envVariables"]);
    assert.deepEqual(labels('{"zzz|"}'), []);
  });

  it("offers the fields of a type of service, and the types", () => {
    assert.deepEqual(labels(inService('"type":"|"')), [
      "static",
      "web",
      "web-private",
      "worker",
      "scheduler",
      "external",
      "postgres",
      "mysql",
      "redis",
      "bucket",
    ]);
    assert.deepEqual(labels(inService('"type":"w|"')), ["web", "web-private", "worker"]);
    const fields = labels(inService('|"type":"static"')) ?? [];
    assert.ok(fields.includes("outputDirectory") && !fields.includes("port"));
    assert.ok(labels(inService('"type":"web",|'))?.includes("healthCheckPath"));
    assert.ok(labels(inService("|"))?.includes("hostname"), "all of them before the type is known");
  });

  it("offers values: words, examples and defaults", () => {
    assert.deepEqual(labels('{"environments":[{"source":{"trigger":|}}]}'), ["manual", "push"]);
    assert.deepEqual(labels('{"environments":[{"region":"|"}]}'), ["us-west-2"]);
    assert.deepEqual(labels(inService('"type":"web","port":|')), ["3000"]);
    assert.deepEqual(labels('{"envVariables":{"A":{|}}}'), [
      "value",
      "previewValue",
      "fromService",
      "fromParameterStore",
      "fromSecretsManager",
    ]);
    assert.deepEqual(labels('{"envVariables":{"A":{"fromService":{"value":"p|"}}}}'), ["port", "password"]);
  });

  it("offers nothing where nothing fits", () => {
    for (const text of ['{"environments"|:[]}', '{"environments":[]|}', '"a"|', '{"a":1} |', '{"id":"x"|}'])
      assert.equal(labels(text), null, text);
    assert.deepEqual(labels('{"unknown":{|}}'), []);
    assert.deepEqual(labels('{"constructor":{"prototype":{|}}}'), []);
  });
});

describe("positions in JSON", () => {
  const text = '{\n  "environments": [\n    { "id": "a", "region": 7 }\n  ]\n}';

  it("are those of the values, or of what is around a missing one", () => {
    const scan = scanJson(text);
    assert.equal(scan.error, null);
    assert.deepEqual(lineOf(text, offsetOf(scan, "/environments/0/region")), { line: 3, column: 28 });
    assert.deepEqual(lineOf(text, offsetOf(scan, "/environments/0/services")), { line: 3, column: 5 });
    assert.deepEqual(lineOf(text, offsetOf(scan, "")), { line: 1, column: 1 });
    assert.equal(offsetOf(scanJson(""), "/a"), 0);
  });

  it("are said for the first fault, exactly if JSON.parse finds one", () => {
    const faults: Readonly<Record<string, readonly [at: number, message: RegExp]>> = {
      "": [0, /end is missing/],
      "{": [1, /end is missing/],
      '{"a":1,}': [7, /name in double quotes/],
      "[1,]": [3, /a value/],
      "[1 2]": [3, /a comma or the end/],
      '{"a" 1}': [5, /a colon/],
      "{a:1}": [1, /name in double quotes before a/],
      '{"a":b}': [5, /b is not a value/],
      "{}}": [2, /closes nothing/],
      "[}": [1, /closes nothing/],
      '{"a":"b': [5, /no closing quote/],
      '{"a":"b\\"}': [5, /no closing quote/],
      "[1],": [3, /nothing more/],
      "[1] 2": [4, /nothing more/],
      "[01]": [1, /not a value/],
      ":": [0, /a value/],
    };
    for (const [wrong, [at, message]] of Object.entries(faults)) {
      const { error } = scanJson(wrong);
      assert.equal(error?.at, at, wrong);
      assert.match(error.message, message, wrong);
      assert.throws(() => JSON.parse(wrong) as unknown, wrong);
    }
    for (const right of [
      "1",
      '"a"',
      "[]",
      "{}",
      "[[],{}]",
      '{"a":{"b":[1,true,null,-1.5e3]},"c":"\\\\"}',
      " [ ] ",
    ])
      assert.equal(scanJson(right).error, null, right);
    assert.match(scanJson('{"a":1,"a":2}').error?.message ?? "", /there twice/);
  });
});
