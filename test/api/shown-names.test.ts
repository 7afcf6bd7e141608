/** Names and other texts that people read on terminals and pages (T15). */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { CONFIG, createProject, type Project } from "../helpers/customers/scenario.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";

const HOSTILE: Readonly<Record<string, string>> = {
  "an escape sequence": "shop\u001B[2J",
  "a C1 control": "shop\u009B31m",
  "a line break": "shop\nadmin",
  "a carriage return": "shop\radmin",
  "a line separator": "shop\u2028admin",
  "a reversal": "shop\u202Egpj.exe",
  "an isolate": "shop\u2066admin\u2069",
  "a mark of direction": "shop\u200F",
};
/** Letters of any language, emoji with joiners, and punctuation. */
const GOOD = ["Шоп", "店舗 2", "متجر", "חנות", "👩‍👩‍👧 Families", "Q&A <b>'\"\\ 100%", "na\u0308ive"];

describe("a name", () => {
  let instance: Instance;
  let project: Project;
  let writes: readonly (readonly ["post" | "patch", string, string, (name: string) => object])[];
  before(async () => {
    instance = await startInstance();
    project = await createProject(instance.admin, "named");
    const { projectId, services, awsAccountId } = project;
    const { body: service } = await instance.admin.post("/v1/users", {
      kind: "service",
      name: "CI",
      role: "viewer",
    });
    const [environment] = CONFIG.environments;
    const [site] = environment?.services ?? [];
    const withConfig = (change: object) => ({ config: { environments: [{ ...environment, ...change }] } });
    writes = [
      ["patch", "/v1/organization", "/name", (name) => ({ name })],
      ["post", "/v1/users", "/name", (name) => ({ kind: "service", name, role: "viewer" })],
      ["patch", `/v1/users/${service.id}`, "/gitLogin", (gitLogin) => ({ gitLogin })],
      ["post", "/v1/api-keys", "/name", (name) => ({ name, userId: service.id })],
      ["patch", `/v1/aws-accounts/${awsAccountId}`, "/name", (name) => ({ name })],
      ["patch", `/v1/projects/${projectId}`, "/name", (name) => ({ name })],
      ["patch", `/v1/projects/${projectId}`, "/config/environments/0/name", (name) => withConfig({ name })],
      [
        "patch",
        `/v1/projects/${projectId}`,
        "/config/environments/0/services/0/name",
        (name) => withConfig({ services: [{ ...site, name }] }),
      ],
      [
        "post",
        `/v1/services/${services["web"]}/domain-certificate-groups`,
        "/name",
        (name) => ({
          name,
          domains: [`n${Math.random().toString(36).slice(2)}.example.com`],
          useDefaultCdn: false,
        }),
      ],
      [
        "post",
        "/v1/workload-trusts",
        "/name",
        (name) => ({
          name,
          userId: service.id,
          issuer: "https://token.actions.githubusercontent.com",
          audience: "https://slipway.example",
          conditions: { repository: "acme/shop" },
          scopes: ["read"],
        }),
      ],
      [
        "post",
        "/v1/webhook-endpoints",
        "/description",
        (description) => ({ url: "http://127.0.0.1:9/", types: ["*"], description }),
      ],
      [
        "post",
        "/v1/notification-channels",
        "/name",
        (name) => ({ kind: "slack", url: "http://127.0.0.1:9/", types: ["session.*"], name }),
      ],
    ];
  });
  after(() => instance.dispose());

  for (const [what, name] of Object.entries(HOSTILE))
    it(`with ${what} is refused everywhere`, async () => {
      for (const [method, path, pointer, body] of writes) {
        // A description may have lines.
        if (pointer === "/description" && /[\n\r]/.test(name)) continue;
        const answer = await instance.admin[method](path, body(name));
        assert.equal(answer.status, 400, `${method} ${path} ${pointer}: ${answer.text}`);
        assert.deepEqual(assertRefused(answer, 400, "INVALID_REQUEST"), [`${pointer} WRONG_FORM`], path);
        assert.ok(!answer.text.includes("\u202E") && !answer.text.includes("\u001B"));
      }
    });

  it("of any language is kept as it is", async () => {
    for (const name of GOOD) {
      for (const [method, path, pointer, body] of writes) {
        const answer = await instance.admin[method](path, body(name));
        assert.ok([200, 201].includes(answer.status), `${method} ${path} ${pointer} ${name}: ${answer.text}`);
      }
      const { body } = await instance.admin.get("/v1/organization");
      assert.equal(body.name, name);
    }
  });
});
