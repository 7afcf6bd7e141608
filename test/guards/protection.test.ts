/**
 * Lists every way to change what runs in a protected environment, with what asks whether the caller may: routes, work
 * without a request, and files that write environments, services and runs. A new one fails until it has its line.
 */
import assert from "node:assert/strict";
import { glob, readFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { CASES, type Resources } from "./authorization-cases.ts";
import { seedResources } from "./authorization-seed.ts";
import type { ApiAnswer, ApiClient } from "../helpers/api-client.ts";
import { readOperations } from "../helpers/document/operations.ts";
import { type Instance, startInstance } from "../helpers/instance.ts";
import { assertRefused } from "../helpers/problems.ts";
import { until } from "../helpers/until.ts";
import { createUserClient } from "../helpers/users.ts";

const ROOT = path.join(import.meta.dirname, "../..");

type Way =
  /** Its path is in an environment: admission asks. It takes the role of the deployers. */
  | "environment"
  /** It may reach several environments: the command asks for each. It takes the role of the deployers. */
  | "deployment"
  /** It may change or remove every environment of the project: the command asks. A protected one requires an admin. */
  | "project"
  | { readonly cannot: string };

/** Writes of callers who are not admins. A route that requires an admin of the project already requires the most. */
const ROUTES: Readonly<Record<string, Way>> = {
  "POST /v1/deployments": "deployment",
  "POST /v1/deployments/{deploymentId}/cancel": "deployment",
  "POST /v1/deployments/{deploymentId}/redeploy": "deployment",
  "POST /v1/deployments/{deploymentId}/rollback": "deployment",
  "POST /v1/deployments/{deploymentId}/approve": "deployment",
  "POST /v1/deployments/{deploymentId}/reject": "deployment",
  "PUT /v1/projects/{projectId}/previews/{previewKey}": "deployment",
  "POST /v1/previews/{previewId}/approve": "environment",
  "POST /v1/environments/{environmentId}/preview-bypass": "environment",
  "DELETE /v1/previews/{previewId}": "environment",
  "PATCH /v1/projects/{projectId}": "project",
  "DELETE /v1/projects/{projectId}": "project",
  "POST /v1/projects/{projectId}/abandon": "project",
  "POST /v1/projects/{projectId}/plan": "project",
  "POST /v1/configurations/import": { cannot: "It stores nothing." },
  "POST /v1/environments/{environmentId}/env-variables": "environment",
  "PUT /v1/environments/{environmentId}/env-variables": "environment",
  "DELETE /v1/environments/{environmentId}/env-variables": "environment",
  "DELETE /v1/environments/{environmentId}/env-variables/{name}": "environment",
  "POST /v1/environments/{environmentId}/env-variables/{name}/restore": "environment",
  "POST /v1/services/{serviceId}/restart": "environment",
  "POST /v1/services/{serviceId}/scaling": "environment",
  "POST /v1/services/{serviceId}/runs": "environment",
  "POST /v1/services/{serviceId}/job/{jobGivenId}/execution": "environment",
  "POST /v1/executions/{executionId}/cancel": "environment",
  "POST /v1/services/{serviceId}/cloudfront/invalidation": "environment",
  "POST /v1/services/{serviceId}/snapshots": "environment",
  "DELETE /v1/snapshots/{snapshotId}": "environment",
  "POST /v1/services/{serviceId}/env-variables": "environment",
  "PUT /v1/services/{serviceId}/env-variables": "environment",
  "DELETE /v1/services/{serviceId}/env-variables": "environment",
  "DELETE /v1/services/{serviceId}/env-variables/{name}": "environment",
  "POST /v1/services/{serviceId}/env-variables/{name}/restore": "environment",
  "POST /v1/services/{serviceId}/domain-certificate-groups": "environment",
  "POST /v1/services/{serviceId}/domains/import": "environment",
  "PATCH /v1/domain-certificate-groups/{domainGroupId}": "environment",
  "DELETE /v1/domain-certificate-groups/{domainGroupId}": "environment",
  "POST /v1/domain-certificate-groups/{domainGroupId}/domains": "environment",
  "DELETE /v1/domain-certificate-groups/{domainGroupId}/domains/{managedDomainId}": "environment",
  "POST /v1/domain-certificate-groups/{domainGroupId}/abandon": "environment",
  "POST /v1/domain-certificate-groups/{domainGroupId}/retry-attachment": "environment",
  "POST /v1/domain-certificate-groups/{domainGroupId}/share-links": "environment",
  "PATCH /v1/domain-certificate-groups/{domainGroupId}/share-links/{shareLinkId}": "environment",
  "DELETE /v1/domain-certificate-groups/{domainGroupId}/share-links/{shareLinkId}": "environment",
  "PATCH /v1/domains/{domainId}": "environment",
  "POST /v1/domains/{domainId}/check": "environment",
  "POST /v1/domains/{domainId}/domain-connect": "environment",
  "POST /v1/domains/{domainId}/domain-connect/return": "environment",
  "POST /v1/git-hooks/{provider}": {
    cannot: "It starts a deployment where an environment's own row says so; the deployment's work asks.",
  },
  "POST /v1/projects": { cannot: "A new project has no protected environment." },
  "PATCH /v1/me/notifications": { cannot: "It decides which e-mail the caller gets." },
  "POST /v1/me/notifications/test": { cannot: "It sends an e-mail to the caller." },
  "POST /v1/sessions": { cannot: "A session has the rights of its user." },
  "DELETE /v1/sessions/{sessionId}": { cannot: "It ends a session." },
  "POST /v1/auth/workload-token": { cannot: "A token has the rights of its user." },
};

/** Work without a request: the kinds of `src/start/start-work.ts`. */
const WORK: Readonly<Record<string, { readonly asks: string } | { readonly cannot: string }>> = {
  deployment: { asks: "src/features/deployments/reconcile-deployment.ts" },
  "environment-deployments": { asks: "src/features/deployments/apply-run.ts" },
  "aws-account": { cannot: "It looks whether a connection works." },
  previews: {
    cannot: "It leaves protected templates as they are, and their previews have no protection of their own.",
  },
  "preview-removal": {
    cannot: "It removes a preview, whose deletion was decided, and which has no protection.",
  },
  "preview-domain": { cannot: "It brings the domain of a template to what the row of the template says." },
  "preview-sleep": { cannot: "It stops processes of previews, which have no protection of their own." },
  "git-report": { cannot: "It reports to the git host what happened." },
  distribution: { cannot: "It brings the cloud to rows." },
  "environment-removal": { cannot: "The row of the environment is deleted already." },
  "project-removal": { cannot: "The deletion was asked for by someone who may." },
  "data-store": { cannot: "It brings the cloud to rows." },
  "data-store-checks": { cannot: "It reads the cloud." },
  snapshot: { cannot: "It takes or deletes a copy, as a row says." },
  "service-scaling": { cannot: "It brings the cloud to rows." },
  "job-schedule": { cannot: "Its commands are in the configuration." },
  execution: { cannot: "Its command was asked for by someone who may, or is in the configuration." },
  invalidation: { cannot: "It removes answers from caches, as a row says." },
  "service-removal": { cannot: "The row of the service is deleted already." },
  "domain-certificate-group": { cannot: "It brings the cloud to rows." },
  "variable-scope": { cannot: "It brings the cloud to rows." },
  "webhook-endpoint": { cannot: "It sends events." },
  invitation: { cannot: "It sends an e-mail to a user." },
  "notification-channel": { cannot: "It sends messages about events." },
};

/** The functions that write what runs. Who imports one opens a way, and has a line below. */
const WRITERS = [
  "insertEnvironment",
  "updateEnvironment",
  "deleteEnvironmentRow",
  "deleteEnvironmentsOfProject",
  "insertService",
  "updateService",
  "deleteServiceRows",
  "protectEnvironment",
  "applyEnvironment",
  "applyConfiguration",
  "createEnvironment",
  "deleteEnvironment",
  "removeServices",
  "setConfiguredVariables",
  "requestServiceRemoval",
  "requestEnvironmentRemoval",
  "queueRun",
  "addRuns",
  "deleteDeploymentsOfProject",
  "deployPreview",
  "removePreview",
];
/** What asks. */
const ASKS = /\b(?:requireMayChange|checkBegin)\(/;

/** `asks`: the file itself does. Otherwise why it needs not. */
const DOORS: Readonly<Record<string, "asks" | { readonly cannot: string }>> = {
  "src/features/deployments/reconcile-deployment.ts": "asks",
  "src/features/deployments/apply-run.ts": "asks",
  "src/features/deployments/approval-commands.ts": "asks",
  "src/features/deployments/restart-service.ts": "asks",
  "src/features/previews/commands.ts": "asks",
  "src/features/previews/take-step.ts": { cannot: "Its functions are writers: see their callers." },
  "src/features/previews/reconcile-previews.ts": {
    cannot: "It writes previews, which have no protection of their own.",
  },
  "src/features/previews/reconcile-preview-removal.ts": {
    cannot: "It removes previews, whose deletion was decided.",
  },
  "src/features/previews/reconcile-preview-domain.ts": {
    cannot: "It writes the environment of a domain, which is never deployed, and follows its template.",
  },
  "src/features/previews/list-pull-requests.ts": { cannot: "It leaves protected templates as they are." },
  "src/features/project-changes/change-project.ts": "asks",
  "src/features/project-changes/delete-project.ts": "asks",
  "src/features/environments/apply-configuration.ts": {
    cannot: "Its functions are writers: see their callers.",
  },
  "src/features/environments/remove-services.ts": { cannot: "Its functions are writers: see their callers." },
  "src/features/project-changes/create-project.ts": {
    cannot: "A new project has no protected environment.",
  },
  "src/features/project-access/commands.ts": { cannot: "Its route takes an admin of the project." },
};

/** Pure. @returns the entries that only one of the two lists has */
function findDifference(found: readonly string[], listed: readonly string[]) {
  return {
    unlisted: found.filter((one) => !listed.includes(one)).toSorted(),
    gone: listed.filter((one) => !found.includes(one)).toSorted(),
  };
}
const NONE = { unlisted: [], gone: [] };

/** The writers that a source imports. Pure. */
function writersIn(text: string): readonly string[] {
  const names = [...text.matchAll(/^import \{([^}]*)\} from/gm)].flatMap(([, list = ""]) => list.split(","));
  return names.map((name) => name.trim()).filter((name) => WRITERS.includes(name));
}

describe("a way to change what runs in a protected environment", () => {
  it("that is work without a request has its line, and asks where it says so", async () => {
    const text = await readFile(path.join(ROOT, "src/start/start-work.ts"), "utf8");
    const kinds = (source: string) => {
      const [, body = ""] = /\n    reconcilers: \{\n([^]*?)\n    \},\n/.exec(source) ?? [];
      return [...body.matchAll(/^ {6}"?([a-z-]+)"?: /gm)].map(([, kind = ""]) => kind);
    };
    assert.deepEqual(findDifference(kinds(text), Object.keys(WORK)), NONE);
    for (const work of Object.values(WORK))
      if ("asks" in work) assert.match(await readFile(path.join(ROOT, work.asks), "utf8"), ASKS, work.asks);
    const planted = text.replace(
      "      deployment: ",
      '      "preview-cleanup": forget(),\n      deployment: ',
    );
    assert.deepEqual(findDifference(kinds(planted), Object.keys(WORK)).unlisted, ["preview-cleanup"]);
  });

  it("that writes what runs has its line, and asks where it says so", async () => {
    const doors = new Map<string, string>();
    for await (const file of glob("src/**/*.ts", { cwd: ROOT })) {
      const text = await readFile(path.join(ROOT, file), "utf8");
      if (!/[.]test[.]ts$|\/testing\//.test(file) && writersIn(text).length > 0) doors.set(file, text);
    }
    assert.deepEqual(findDifference([...doors.keys()], Object.keys(DOORS)), NONE);
    for (const [file, text] of doors) if (DOORS[file] === "asks") assert.match(text, ASKS, file);
    assert.deepEqual(writersIn('import {\n  queueRun,\n  type Planned,\n} from "./queue-runs.ts";\n'), [
      "queueRun",
    ]);
    assert.doesNotMatch("// requireMayChange is not asked\nqueueRun(tx, jobs, run);", ASKS);
  });

  describe("that is a route", () => {
    let instance: Instance;
    let admin: ApiClient;
    let developer: ApiClient;
    let own: Resources;
    before(async () => {
      instance = await startInstance();
      ({ admin } = instance);
      own = await seedResources(admin, "own");
      developer = await createUserClient(admin, "developer");
    });
    after(() => instance.dispose());

    const ask = async (route: string): Promise<ApiAnswer> => {
      const [method = "", template = ""] = route.split(" ");
      const { body, query } = CASES[route] ?? {};
      const filled = template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => own[name] ?? "");
      const search = query === undefined ? "" : `?${new URLSearchParams(query(own)).toString()}`;
      const send = { POST: "post", PUT: "put", PATCH: "patch", DELETE: "delete" } as const;
      return await developer[send[method as keyof typeof send]](filled + search, body?.(own));
    };
    const protect = async (protection: object) => {
      for (const id of [own["environmentId"], own["templateId"]]) {
        const changed = await admin.patch(`/v1/environments/${id}`, { protection });
        assert.equal(changed.status, 200, changed.text);
      }
      await until(
        async () => (await ask("POST /v1/projects/{projectId}/plan")).status === 403,
        "the protection is in effect",
        5_000,
      );
    };
    const those = (...kinds: readonly Way[]) =>
      Object.entries(ROUTES).flatMap(([route, way]) => (kinds.includes(way) ? [route] : []));

    it("has its line", async () => {
      const isAdmins = (route: string) => CASES[route]?.role === "admin";
      const writes = (await readOperations(instance.url))
        .map(({ route }) => route)
        .filter((route) => !route.startsWith("GET ") && !isAdmins(route));
      assert.deepEqual(findDifference(writes, Object.keys(ROUTES)), NONE);
      const planted = "POST /v1/services/{serviceId}/stop";
      assert.deepEqual(findDifference([...writes, planted], Object.keys(ROUTES)).unlisted, [planted]);
    });

    it("is refused to a developer where only admins deploy", async () => {
      await protect({ deployers: "admin" });
      for (const route of those("environment", "deployment", "project")) {
        const answer = await ask(route);
        assert.equal(answer.body.code, "ENVIRONMENT_PROTECTED", `${route}: ${answer.text}`);
      }
    });

    it("and may remove the environment is refused to a developer where only an approval is asked for", async () => {
      await protect({ deployers: "developer", approval: { approvers: "developer" } });
      for (const route of those("project")) assertRefused(await ask(route), 403, "ENVIRONMENT_PROTECTED");
    });
  });
});
