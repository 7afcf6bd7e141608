import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type DataStore, findStoreProblem, readStoreValue } from "./existing-values.ts";

const PASSWORD = { fromSecretsManager: "acme/password" };
const SECRET = { kind: "fromSecretsManager", reference: "acme/password" } as const;
const AWS = { kind: "aws", joinsValues: false };
const SANDBOX = { kind: "sandbox", joinsValues: true };

type Existing<T> = NonNullable<Extract<DataStore, { type: T }>["settings"]["existing"]>;
const postgres = (existing: Existing<"postgres">): DataStore => ({
  type: "postgres",
  settings: { dependsOn: [], existing },
});
const redis = (existing: Existing<"redis">): DataStore => ({
  type: "redis",
  settings: { dependsOn: [], existing },
});
const text = (value: string) => ({ value: { kind: "plainText", value } });

describe("a data store", () => {
  const whole = { host: "db.acme.example", dbName: "a/b?c", username: "u@v:w%", password: PASSWORD };

  it("has its values, with references for secrets, and the usual port", () => {
    assert.deepEqual(readStoreValue(postgres(whole), "port"), text("5432"));
    assert.deepEqual(readStoreValue(postgres({ ...whole, port: 6000 }), "port"), text("6000"));
    assert.deepEqual(readStoreValue(postgres(whole), "dbName"), text("a/b?c"));
    assert.deepEqual(readStoreValue(postgres(whole), "password"), { value: SECRET });
    assert.deepEqual(readStoreValue(postgres({ password: PASSWORD }), "port"), { missing: ["port"] });
    assert.deepEqual(
      readStoreValue({ type: "bucket", settings: { dependsOn: [], existing: {} } }, "bucketName"),
      {
        missing: ["bucketName"],
      },
    );
  });

  it("has a connection string of encoded parts, around what only the platform knows", () => {
    assert.deepEqual(readStoreValue(postgres(whole), "dbConnectionString"), {
      value: {
        kind: "joined",
        parts: ["postgresql://u%40v%3Aw%25:", SECRET, "@db.acme.example:5432/a%2Fb%3Fc"],
      },
    });
    const { password: _password, ...open } = whole;
    assert.deepEqual(
      readStoreValue({ type: "mysql", settings: { dependsOn: [], existing: open } }, "dbConnectionString"),
      text("mysql://u%40v%3Aw%25@db.acme.example:3306/a%2Fb%3Fc"),
    );
    assert.deepEqual(
      readStoreValue(redis({ host: "::1", tls: true, authToken: PASSWORD }), "connectionString"),
      {
        value: { kind: "joined", parts: ["rediss://:", SECRET, "@[::1]:6379"] },
      },
    );
    assert.deepEqual(
      readStoreValue(redis({ host: "cache" }), "connectionString"),
      text("redis://cache:6379"),
    );
    assert.deepEqual(readStoreValue(postgres({ dbConnectionString: PASSWORD }), "dbConnectionString"), {
      value: SECRET,
    });
  });

  it("says what a value needs, and what AWS cannot do", () => {
    const of = (store: DataStore, property: string, cloud = SANDBOX) =>
      findStoreProblem("db", store, property, cloud);
    assert.equal(of(postgres(whole), "dbConnectionString"), null);
    assert.match(
      of(postgres(whole), "dbConnectionString", AWS) ?? "",
      /cloud aws.+existing\.dbConnectionString/,
    );
    assert.equal(of(postgres(whole), "password", AWS), null);
    assert.equal(of(postgres({ dbConnectionString: PASSWORD }), "dbConnectionString", AWS), null);
    assert.match(of(redis({}), "authToken") ?? "", /existing\.authToken of the data store db/);
    assert.match(
      of(postgres({ host: "db" }), "dbConnectionString") ?? "",
      /existing\.dbName, existing\.username/,
    );
  });
});
