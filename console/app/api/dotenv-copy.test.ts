import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseDotenv } from "../../../sdk/src/dotenv.ts";
import type { EnvVariable } from "../../../sdk/src/generated/types.ts";
import { dotenvOf } from "./dotenv-copy.ts";

const variable = (name: string, changes: Partial<EnvVariable>): EnvVariable => ({
  name,
  source: "api",
  availableInPreviews: null,
  kind: "plainText",
  value: null,
  reference: null,
  fromService: null,
  state: "STORED",
  pending: null,
  lastError: null,
  updatedAt: "2026-11-20T10:00:00.000Z",
  ...changes,
});

describe("variables as a .env", () => {
  it("has every plain value, which reads the same again", () => {
    const values = { LOG_LEVEL: "info", GREETING: "it's # fine", LINES: "a\nb", EMPTY: "" };
    const { text, leftOut } = dotenvOf(
      Object.entries(values).map(([name, value]) => variable(name, { value })),
      String,
    );
    assert.deepEqual({ ...parseDotenv(text) }, values);
    assert.deepEqual(leftOut, []);
  });

  it("names what it leaves out, in comments that set nothing", () => {
    const { text, leftOut } = dotenvOf(
      [
        variable("DB_PASSWORD", { kind: "secretsManager", reference: "arn:of:it" }),
        variable("API_URL", { kind: "fromService", fromService: { id: "svc_1", value: "url" } }),
        variable("OWN", { kind: "fromParameterStore", reference: "/own" }),
        variable("ODD", { value: `'"$` }),
      ],
      () => "API",
    );
    assert.deepEqual({ ...parseDotenv(text) }, {});
    assert.deepEqual(
      leftOut.map(({ name }) => name),
      ["DB_PASSWORD", "API_URL", "OWN", "ODD"],
    );
    assert.match(text, /^# API_URL: the url of API, set at each deployment$/m);
    assert.ok(!text.includes("arn:of:it"));
  });
});
