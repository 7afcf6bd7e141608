/**
 * Commits that are too much for the machine, pushed with git to a Slipway in a process of its own: it stays
 * up, answers at once, and does not grow.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, truncateSync } from "node:fs";
import { rm } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { type ApiClient, createApiClient } from "../helpers/api-client.ts";
import { configOf, createIacProject, deploy, ended, withConfig } from "../helpers/customers/deployments.ts";
import { HAS_GIT, openWorkingCopy } from "../helpers/customers/git-push.ts";
import { ADMIN_KEY } from "../helpers/instance.ts";
import { connectAccount, integrateGit } from "../helpers/customers/scenario.ts";
import { type ServiceProcess, startProcess } from "../helpers/processes/service-process.ts";
import { copyPgliteTemplate, makeTempDir } from "../helpers/template.ts";

const MIB = 1024 ** 2;
/**
 * Of which a machine of 512 MB still holds the service, and what a page of the log needs to be read: up to 131 MiB on a
 * busy machine, whose garbage is collected late. What a build prints, and a pack, are larger.
 */
const MAY_GROW_MIB = 180;
const SITE = { id: "site", type: "static", outputDirectory: "public" };
const PAGE = { "public/index.html": "page" };

describe("a commit that is too large", { skip: !HAS_GIT && "git is not installed" }, () => {
  let dataDir: string;
  let service: ServiceProcess;
  let admin: ApiClient;

  before(async () => {
    dataDir = await makeTempDir("limits");
    await copyPgliteTemplate(path.join(dataDir, "database"));
    service = await startProcess({ SLIPWAY_DATA_DIR: dataDir, SLIPWAY_API_KEY: ADMIN_KEY });
    admin = createApiClient(service.url, ADMIN_KEY);
    await connectAccount(admin, "main");
    await integrateGit(admin);
  });
  after(async () => {
    service.process.kill("SIGKILL");
    await service.ended;
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 });
  });

  const open = (name: string) => openWorkingCopy(dataDir, name, path.join(dataDir, `copy-${name}`));
  /** The most memory that the service ever had, in MiB. */
  const peakMib = (): number => {
    const status = readFileSync(`/proc/${service.process.pid}/status`, "utf8");
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
  };

  it("of more than 1 GiB in the repository's packs ends with the limit, before any of it is read", async () => {
    const copy = await open("packed");
    await copy.commit(withConfig(configOf([SITE]), PAGE));
    await copy.push("HEAD:main");
    await createIacProject(admin, "packed");
    // More than a hundred objects stay in the pack that they came in.
    const files = Object.fromEntries(Array.from({ length: 150 }, (_, index) => [`${index}.txt`, `${index}`]));
    await copy.commit(withConfig(configOf([SITE]), { ...PAGE, ...files }));
    await copy.push("HEAD:main");
    const packs = path.join(dataDir, "sandbox", "git", "packed.git", "objects", "pack");
    const [pack] = readdirSync(packs).filter((name) => name.endsWith(".pack"));
    assert.ok(pack !== undefined);
    // A sparse gigabyte, so that no real one has to be written.
    truncateSync(path.join(packs, pack), 1024 * MIB + 1);
    const before = peakMib();
    const done = await ended(admin, await deploy(admin, "packed"), "ERROR");
    assert.equal(done.error.code, "REPOSITORY_TOO_LARGE");
    assert.match(done.error.message, /packs have \d{10} bytes\. The limit is 1073741824 bytes/);
    assert.ok(peakMib() - before < MAY_GROW_MIB, `grew by ${peakMib() - before} MiB`);
  });

  it("whose build prints 250 MB is deployed; its log ends where it says that the rest is dropped", async () => {
    const copy = await open("loud");
    const buildCommand = "yes $(printf %0200d 0) | head -c 250000000";
    await copy.commit(withConfig(configOf([{ ...SITE, buildCommand }]), PAGE));
    await copy.push("HEAD:main");
    await createIacProject(admin, "loud");
    const before = peakMib();
    const id = await deploy(admin, "loud");
    const slowestMs = { value: 0 };
    const watching = new AbortController();
    const watch = async (): Promise<void> => {
      while (!watching.signal.aborted) {
        const askedAt = performance.now();
        assert.equal((await fetch(`${service.url}/healthz`)).status, 200);
        slowestMs.value = Math.max(slowestMs.value, performance.now() - askedAt);
      }
    };
    const watched = watch();
    await ended(admin, id);
    watching.abort();
    await watched;
    assert.ok(slowestMs.value < 15_000, `an answer took ${slowestMs.value} ms`);
    assert.ok(peakMib() - before < MAY_GROW_MIB, `grew by ${peakMib() - before} MiB`);

    let bytes = 0;
    const last: string[] = [];
    for (let cursor: string | null = null; ;) {
      const query: string = cursor === null ? "" : `?cursor=${cursor}`;
      const { body } = await admin.get(`/v1/deployments/${id}/logs${query}`);
      if (body.lines.length === 0) break;
      for (const { text } of body.lines) bytes += text.length;
      last.push(...body.lines.slice(-5).map(({ text }: { text: string }) => text));
      cursor = body.nextCursor;
    }
    assert.ok(bytes > 5 * MIB && bytes < 10 * MIB, `${bytes} bytes`);
    assert.match(last.join("\n"), /The log is full \(10485760 bytes\)\. Further lines are dropped\./);
    assert.ok(peakMib() - before < MAY_GROW_MIB, `grew by ${peakMib() - before} MiB`);
  });

  it("is not a problem if its branch is force-pushed or deleted after a deployment was accepted", async () => {
    const copy = await open("moved");
    const versionOf = (text: string) => withConfig(configOf([SITE]), { "public/index.html": text });
    const first = await copy.commit(versionOf("first"));
    await copy.push("HEAD:main");
    await createIacProject(admin, "moved");
    const forced = await deploy(admin, "moved");
    const second = await copy.commit(versionOf("second"), { isOrphan: true });
    await copy.push("--force", "HEAD:main");
    assert.equal((await ended(admin, forced)).commitHash, first);
    const deleted = await deploy(admin, "moved");
    await copy.push("--delete", "main");
    assert.equal((await ended(admin, deleted)).commitHash, second);
    const refused = await admin.post("/v1/deployments", { repoUrl: "https://git.sandbox.test/moved.git" });
    assert.equal(refused.status, 422, JSON.stringify(refused.body));
    assert.equal(refused.body.code, "BRANCH_NOT_FOUND");
  });
});
