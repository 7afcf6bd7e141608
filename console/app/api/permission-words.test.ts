import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Permission } from "../../../sdk/src/generated/types.ts";
import { operationOf, reasonAgainst } from "./permission-words.ts";

const ADA = { id: "user_1", name: "Ada" };
const GRACE = { id: "user_2", name: "Grace" };
const HERE = { projectId: "proj_1", environmentId: "env_1" };

describe("why a user must not do something", () => {
  it("is nothing for what is allowed, and for what the server does not know", () => {
    const allowed = { allowed: true, refusedBy: null, neededRole: null, neededScope: null };
    assert.equal(reasonAgainst({ operations: { deploy: allowed }, admins: [ADA] }, "deploy", HERE), null);
    assert.equal(reasonAgainst({ operations: {}, admins: [ADA] }, "deploy", HERE), null);
  });

  it("names the role, where it is needed, and whom to ask", () => {
    const role = { refusedBy: "role", neededRole: "admin" } as const;
    assert.equal(
      tell(role, HERE, [ADA, GRACE]),
      "This needs the role admin in this project. Ask Ada or Grace.",
    );
    assert.equal(tell(role, {}, [ADA]), "This needs the role admin in your organization. Ask Ada.");
    assert.match(tell(role, {}, [ADA, GRACE, { id: "user_3", name: "Ann" }]), /Ask Ada, Grace or Ann\.$/);
    assert.match(tell(role, {}, [ADA, GRACE, ADA, ADA]), /Ask Ada, Grace or another admin\.$/);
    const leftward = { id: "user_4", name: "שרה" };
    assert.match(tell(role, {}, [leftward, ADA]), /Ask \u2068שרה\u2069 or Ada\.$/);
    assert.match(tell(role, {}, []), /Ask an admin of your organization\.$/);
  });

  it("says that the environment is protected, or one of the project", () => {
    const protection = { refusedBy: "protection", neededRole: "admin" } as const;
    assert.equal(
      tell(protection, HERE, [ADA]),
      "This environment is protected: this needs the role admin in this project. Ask Ada.",
    );
    assert.match(tell(protection, { projectId: "proj_1" }, [ADA]), /^An environment of this project is/);
  });

  it("names what the key lacks", () => {
    assert.match(
      tell({ refusedBy: "scope", neededScope: "deploy" }, HERE, [ADA]),
      /lacks the scope deploy\./,
    );
    assert.match(tell({ refusedBy: "projects" }, {}, [ADA]), /limited to projects/);
  });

  it("asks of a project whether it may be changed, and without one whether one may be made", () => {
    assert.equal(operationOf("manage projects", {}), "createProject");
    assert.equal(operationOf("manage projects", HERE), "updateProject");
    assert.equal(operationOf("deploy", HERE), "createDeployment");
  });

  function tell(
    refusal: Partial<Permission>,
    target: Parameters<typeof reasonAgainst>[2],
    admins: readonly { readonly id: string; readonly name: string }[],
  ): string {
    const permission = { allowed: false, refusedBy: null, neededRole: null, neededScope: null, ...refusal };
    return reasonAgainst({ operations: { deploy: permission }, admins }, "deploy", target) ?? "";
  }
});
