/** A commit of a pull request must not decide more than its services and plain variables. */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createConfigurationParser } from "../configuration/configuration.ts";
import type { Environment, Service } from "../projects/project.ts";
import { configuredOf } from "./preview-configuration.ts";

const parse = createConfigurationParser(null);
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const KNOWN = "arn:aws:ssm:us-west-2:123456789012:parameter/preview/token";
const STOLEN = "arn:aws:ssm:us-west-2:123456789012:parameter/production/token";

const written = (of: object = {}, more: object = {}) => ({
  environments: [
    { id: "production", region: "us-west-2", source: { branch: "main" }, services: [SITE] },
    { id: "preview", region: "us-west-2", source: { branch: "main", pr: true }, services: [SITE], ...of },
  ],
  ...more,
});
const SECRET = { TOKEN: { fromParameterStore: KNOWN } };

const TEMPLATE: Environment = {
  organizationId: "org_1",
  id: "env_1",
  projectId: "proj_1",
  configId: "preview",
  name: "Preview",
  region: "us-west-2",
  branch: "main",
  deployTrigger: "manual",
  template: parse(written({ envVariables: SECRET })).environments[1]?.template?.rules ?? null,
  templateId: null,
  isFork: false,
  pullRequest: null,
  report: "comment",
  deployers: "developer",
  approvers: null,
  approvalHours: null,
  createdAt: new Date(),
  updatedAt: new Date(),
};
const PREVIEW: Environment = {
  ...TEMPLATE,
  id: "env_2",
  configId: "preview-pr-1",
  name: "Preview #1",
  branch: "cart",
  template: null,
  templateId: TEMPLATE.id,
};

const configure = (commit: object, environment = PREVIEW) => {
  const found = configuredOf(parse(commit), environment, TEMPLATE);
  assert.ok(found);
  const { configuration, configured } = found;
  const all = [configuration, configured, ...configured.services].flatMap(({ variables }) => variables);
  return { ...configured, all: all.map(({ name }) => name), values: all.map(({ value }) => value) };
};

describe("a preview's configuration", () => {
  it("is the template's services, under the preview's own name, branch and region", () => {
    const { id, name, branch, region, trigger, template, services } = configure(written());
    const from = { id: "preview-pr-1", name: "Preview #1", branch: "cart", region: "us-west-2" };
    assert.deepEqual(
      { id, name, branch, region, trigger, template },
      { ...from, trigger: "manual", template: null },
    );
    assert.deepEqual(
      services.map((one) => one.id),
      ["site"],
    );
  });

  it("stays where it is if the commit turns previews off, or changes region, branch or filter", () => {
    const commits = [
      { source: { branch: "main" } },
      { source: { branch: "main", pr: false, trigger: "push" } },
      { region: "eu-central-1" },
      { source: { branch: "elsewhere", pr: true } },
      { source: { branch: "main", pr: true, filter: { labels: ["never"] }, previews: { max: 50 } } },
    ];
    const { all, values, ...wanted } = configure(written());
    for (const commit of commits)
      assert.deepEqual(configure(written(commit)), { ...wanted, all, values }, JSON.stringify(commit));
  });

  it("is that of no other environment that the commit adds or names", () => {
    const { environments } = written();
    const added = { ...environments[0], id: "preview-pr-1", envVariables: SECRET };
    assert.deepEqual(configure({ environments: [added, ...environments] }).all, []);
    const without = parse({ environments: [added] });
    assert.equal(configuredOf(without, PREVIEW, TEMPLATE), null);
    // The template was deleted meanwhile.
    assert.equal(configuredOf(without, PREVIEW, null), null);
  });

  it("has only secret references of the base branch, in every scope", () => {
    const stolen = { STOLEN: { fromParameterStore: STOLEN }, TOKEN: { fromParameterStore: STOLEN } };
    for (const commit of [
      written({ envVariables: stolen }),
      written({ services: [{ ...SITE, envVariables: stolen }] }),
      written({}, { envVariables: stolen }),
    ])
      assert.deepEqual(configure(commit).all, [], JSON.stringify(commit));
    const variables = { ...SECRET, PLAIN: "plain" };
    assert.deepEqual(configure(written({ envVariables: variables })).all.toSorted(), ["PLAIN", "TOKEN"]);
    const renamed = { OTHER: { fromParameterStore: KNOWN } };
    assert.deepEqual(configure(written({ envVariables: renamed })).all, []);
  });

  it("has a data store's values only if the base branch refers to its secrets, and a fork has none", () => {
    const store = (reference: string) => ({
      id: "db",
      type: "postgres",
      existing: { host: "db.acme.example", password: { fromParameterStore: reference } },
    });
    const { rules = null } =
      parse(written({ services: [SITE, store(KNOWN)] })).environments[1]?.template ?? {};
    const existingOf = (reference: string, isFork = false) => {
      const template = { ...TEMPLATE, template: rules };
      const commit = parse(written({ services: [SITE, store(reference)] }));
      const [, db] = configuredOf(commit, { ...PREVIEW, isFork }, template)?.configured.services ?? [];
      return db?.type === "postgres" ? db.settings.existing : assert.fail();
    };
    assert.deepEqual(existingOf(KNOWN), store(KNOWN).existing);
    assert.deepEqual(existingOf(STOLEN), {});
    assert.deepEqual(existingOf(KNOWN, true), {});
  });

  it("has data stores of its own only as the base branch has them, and keeps what it has", () => {
    const snapshot = `snap_${"0".repeat(26)}`;
    const base = { id: "db", type: "postgres", version: "17", snapshot };
    const { rules = null } = parse(written({ services: [SITE, base] })).environments[1]?.template ?? {};
    const template = { ...TEMPLATE, template: rules };
    const settingsOf = (store: object, environment = PREVIEW, present: readonly Service[] = []) => {
      const commit = parse(written({ services: [store] }));
      const [own] = configuredOf(commit, environment, template, present)?.configured.services ?? [];
      return own?.settings;
    };
    const common = { dependsOn: [], version: "17", deletionProtection: false };
    const own = { ...common, snapshot };
    const larger = { id: "db", type: "postgres", version: "16", size: "xlarge" };
    for (const store of [base, larger, { id: "db", type: "postgres" }])
      assert.deepEqual(settingsOf(store), own, JSON.stringify(store));
    assert.deepEqual(settingsOf(base, { ...PREVIEW, isFork: true }), common, "no data for a fork");
    for (const other of [
      { ...base, id: "more" },
      { id: "db", type: "redis" },
    ])
      assert.deepEqual(settingsOf(other), { ...settingsOf(other), existing: {} }, JSON.stringify(other));

    const settings = { ...common, version: "15" };
    const present = { id: "svc_1", configId: "db", type: "postgres", settings } as unknown as Service;
    assert.deepEqual(settingsOf(base, PREVIEW, [present]), settings);
  });

  it("has a variable's value for previews, also of a fork, and another environment does not", () => {
    const variables = {
      LEVEL: { value: "info", previewValue: "debug" },
      STRIPE: { fromSecretsManager: "acme/stripe", previewValue: "test" },
    };
    const commit = written({ envVariables: variables });
    for (const isFork of [false, true])
      assert.deepEqual(configure(commit, { ...PREVIEW, isFork }).values, [
        { kind: "plainText", value: "debug" },
        { kind: "plainText", value: "test" },
      ]);
    const base = parse(written({}, { envVariables: variables }));
    assert.deepEqual(
      base.variables.map(({ value }) => value),
      [
        { kind: "plainText", value: "info" },
        { kind: "fromSecretsManager", reference: "acme/stripe" },
      ],
    );
    // So a commit without the value for previews does not get the secret.
    assert.deepEqual(base.environments[1]?.template?.rules.references, []);
  });

  it("has no secret at all for a commit of another repository", () => {
    const fork = { ...PREVIEW, isFork: true };
    const variables = { ...SECRET, PLAIN: "plain" };
    const services = [{ ...SITE, envVariables: variables }];
    const commit = written({ envVariables: variables, services }, { envVariables: variables });
    assert.deepEqual(new Set(configure(commit, fork).all), new Set(["PLAIN"]));
  });
});
