/**
 * The chart: what Helm makes of it is kept in `rendered.yaml` and compared, and held against the schemas of Kubernetes.
 * `SLIPWAY_TEST_UPDATE=1 npm run test:install` writes it anew.
 */
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { parseAllDocuments } from "yaml";
import { openHelm } from "../helpers/processes/helm.ts";
import { openPythonEnvironment } from "../helpers/processes/python-environment.ts";
import { makeTempDir } from "../helpers/template.ts";
import { runTool } from "./run-tool.ts";

const CHART = "deploy/helm/slipway";
const RENDERED = path.join(import.meta.dirname, "rendered.yaml");
/** The oldest and the newest release of Kubernetes that the chart is for, as far as schemas are at hand. */
const KUBERNETES = ["1.27", "1.34"];
const VALUES: Readonly<Record<string, string>> = {
  existingSecret: "slipway",
  publicUrl: "https://slipway.example.com",
  awsAccountId: "123456789012",
  "keys.existingClaim": "slipway-keys",
};

type Pod = {
  readonly securityContext: Record<string, unknown>;
  readonly containers: readonly {
    readonly securityContext: Record<string, unknown>;
    readonly env: readonly { name: string; value?: string }[];
  }[];
};
type Manifest = {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly spec: { template: { spec: Pod } };
};

describe("the Helm chart", () => {
  let helm: string;
  let folder: string;
  before(async () => {
    helm = openHelm();
    folder = await makeTempDir("chart");
  });
  after(() => rm(folder, { recursive: true, force: true }));

  const template = async (values: Readonly<Record<string, string>>, more: readonly string[] = []) => {
    const set = Object.entries(values).flatMap(([name, value]) => ["--set-string", `${name}=${value}`]);
    return await runTool(helm, ["template", "try", CHART, "--namespace", "slipway", ...set, ...more]);
  };

  it("is accepted by helm lint", async () => {
    const set = Object.entries(VALUES).flatMap(([name, value]) => ["--set-string", `${name}=${value}`]);
    await runTool(helm, ["lint", "--strict", CHART, ...set]);
  });

  it("renders what it rendered", async () => {
    const rendered = await template(VALUES);
    if (process.env["SLIPWAY_TEST_UPDATE"] === "1") await writeFile(RENDERED, rendered);
    assert.equal(rendered, await readFile(RENDERED, "utf8"));
  });

  for (const release of KUBERNETES) {
    it(`renders objects of Kubernetes ${release}`, async () => {
      const all = ["--set", "networkPolicy.metricsFrom[0].namespaceSelector.matchLabels.name=monitoring"];
      const file = path.join(folder, `rendered-${release}.yaml`);
      await writeFile(file, await template(VALUES, all));
      const python = openPythonEnvironment("install");
      await runTool(python, ["-m", "kubernetes_validate", "--strict", "-k", release, file]);
    });
  }

  it("is refused without what it needs, and with a secret as a plain variable", async () => {
    for (const name of Object.keys(VALUES)) {
      const { [name]: _left, ...others } = VALUES;
      await assert.rejects(template(others), /values don't meet the specifications/, name);
    }
    for (const [name, value] of [
      ["publicUrl", "http://slipway.example.com"],
      ["awsAccountId", "1234"],
      ["env.DATABASE_URL", "postgres://a:b@c/d"],
      ["image.digest", "sha256:1234"],
    ] as const)
      await assert.rejects(
        template({ ...VALUES, [name]: value }),
        /values don't meet the specifications/,
        name,
      );
  });

  it("gives no pod more rights than it needs", async () => {
    const manifests = parseAllDocuments(await template(VALUES)).map(
      (document) => document.toJS() as Manifest | null,
    );
    const pods = manifests.flatMap((one) =>
      one !== null && ["Deployment", "Job"].includes(one.kind) ? [one.spec.template.spec] : [],
    );
    assert.equal(pods.length, 3);
    for (const { securityContext, containers } of pods) {
      assert.equal(securityContext["runAsNonRoot"], true);
      for (const container of containers) {
        const { allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities } = container.securityContext;
        assert.deepEqual(
          [allowPrivilegeEscalation, readOnlyRootFilesystem, capabilities],
          [false, true, { drop: ["ALL"] }],
        );
        const named = container.env.map(({ name }) => name);
        assert.ok(!named.includes("DATABASE_URL") && named.includes("DATABASE_URL_FILE"), named.join());
      }
    }
  });
});
