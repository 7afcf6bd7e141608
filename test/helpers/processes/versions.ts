/** A project of three services, one of each kind, that is deployed again and again in processes that are killed. */
import assert from "node:assert/strict";
import type { DeployingProcesses } from "./deploying-processes.ts";
import {
  configOf,
  createIacProject,
  deploy,
  ended,
  listServices,
  push,
  withConfig,
} from "../customers/deployments.ts";
import { connectAccount, integrateGit } from "../customers/scenario.ts";
import { until } from "../until.ts";

/** A build takes long enough that it is described more than once. */
const CONFIG = configOf([
  { id: "api", type: "web", buildCommand: "sleep 0.3", startCommand: "node server.js", port: 3000 },
  { id: "jobs", type: "worker", startCommand: "node worker.js" },
  { id: "site", type: "static", outputDirectory: "public" },
]);
const filesOf = (version: string) => ({
  "server.js": `require("node:http").createServer((request, response) => response.end("${version}"))
    .listen(process.env.PORT, "127.0.0.1");`,
  "worker.js": `console.log("${version}"); setInterval(() => undefined, 1000);`,
  "public/index.html": version,
});
/** What the sandbox keeps of each service. */
const KEPT_ARTIFACTS = 5;
const KEPT_BUILDS = 20;

export type Versions = {
  /** Where the edge serves the service `api`. */
  readonly apiHost: string;
  /** Pushes a new version. @returns its name, which its pages say */
  push(): Promise<string>;
  /** Begins to deploy what was pushed last. @returns the deployment's id */
  deploy(): Promise<string>;
  /** Checks that the version is live, was built once, and that nothing else runs or is left. */
  assertServes(version: string): Promise<void>;
};

/** Deploys the first version. */
export async function deployFirstVersion(rig: DeployingProcesses, name: string): Promise<Versions> {
  const { admin } = rig;
  let pushed = 0;
  const pushNext = async (): Promise<string> => {
    pushed += 1;
    const version = `version-${pushed}`;
    await push(rig, name, withConfig(CONFIG, filesOf(version)));
    return version;
  };
  await connectAccount(admin, "main");
  await integrateGit(admin);
  const first = await pushNext();
  const ids = await listServices(admin, await createIacProject(admin, name));
  await ended(admin, await deploy(admin, name));
  const hostOf = async (id: string): Promise<string> =>
    (await admin.get(`/v1/services/${ids[id]}`)).body.cdnDomainName;
  const [apiHost, siteHost] = await Promise.all([hostOf("api"), hostOf("site")]);

  /** Null if nothing unexpected is left; replaced releases end in their own time. */
  async function findLeftovers(): Promise<object | null> {
    const processes = rig.listProcesses();
    const commands = processes.map(({ command }) => command).filter((one) => one.startsWith("node "));
    const used = new Set(processes.map(({ folder }) => folder.split("/")[1] ?? folder));
    const { builds, releases } = rig.listFolders();
    const { body } = await admin.get("/sandbox/state");
    const services: { builds: { id: string }[] }[] = body.accounts[0].services;
    const kept = services.flatMap((service) => service.builds.slice(-KEPT_ARTIFACTS).map(({ id }) => id));
    const begun = services.map((service) => service.builds.length);
    const isClean =
      isSame(commands, ["node server.js", "node worker.js"]) &&
      isSame([...used], releases) &&
      releases.length === 2 &&
      isSame(builds, kept) &&
      begun.every((count) => count === Math.min(pushed, KEPT_BUILDS));
    return isClean ? null : { pushed, processes, releases, builds, kept, begun };
  }

  const versions: Versions = {
    apiHost,
    push: pushNext,
    deploy: () => deploy(admin, name),
    async assertServes(version) {
      for (const host of [apiHost, siteHost]) assert.equal((await rig.getPage(host)).body, version);
      let leftovers: object | null = null;
      try {
        await until(
          async () => (leftovers = await findLeftovers()) === null,
          "one process of each service runs in its own folder, and no other runs or lies about",
        );
      } catch (error) {
        throw new Error(`Left over: ${JSON.stringify(leftovers, null, 1)}`, { cause: error });
      }
    },
  };
  await versions.assertServes(first);
  return versions;
}

function isSame(left: readonly string[], right: readonly string[]): boolean {
  return left.toSorted().join() === right.toSorted().join();
}
