import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { newId } from "../../lib/ids.ts";
import { cloudNameOf, tokenOf } from "./cloud-name.ts";

const scope = {
  organizationId: newId("org"),
  projectId: newId("proj"),
  environmentId: newId("env"),
  serviceId: newId("svc"),
};

describe("the name of a managed value in the cloud", () => {
  it("is legal for both stores, however long or short the variable's name is", () => {
    for (const name of ["A", "AB_34", "N".repeat(255), "svc_x"]) {
      const parameter = cloudNameOf(scope, "parameterStore", name, false);
      assert.match(parameter, /^(?:\/[a-zA-Z0-9_.-]+){5}$/);
      assert.ok(parameter.length < 900);
      const secret = cloudNameOf(scope, "secretsManager", name, false);
      assert.match(secret, /^[a-zA-Z0-9/_+=.@-]{1,512}$/);
      assert.doesNotMatch(secret, /-.{6}$/);
    }
  });

  it("differs between an environment and its services", () =>
    assert.notEqual(
      cloudNameOf({ ...scope, serviceId: null }, "parameterStore", "A", false),
      cloudNameOf(scope, "parameterStore", "A", false),
    ));

  it("is in a folder of its own if previews may read it", () => {
    const template = { ...scope, serviceId: null };
    const folder = `/slipway/${scope.projectId}/${scope.environmentId}/previews/`;
    assert.equal(cloudNameOf(template, "parameterStore", "A", true), `${folder}A`);
    assert.ok(!cloudNameOf(template, "parameterStore", "previews", false).startsWith(folder));
  });
});

describe("the token of a write", () => {
  it("is a UUIDv5 that depends only on run and name", () => {
    const token = tokenOf("run_1", "A");
    assert.match(token, /^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    assert.equal(tokenOf("run_1", "A"), token);
    assert.notEqual(tokenOf("run_1", "B"), token);
    assert.notEqual(tokenOf("run_2", "A"), token);
  });
});
