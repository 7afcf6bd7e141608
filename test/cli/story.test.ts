/** From nothing to a served domain with only the command line, and every command on the way. */
import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { TABLE } from "../../cli/src/table.ts";
import { webhooks } from "../../sdk/src/index.ts";
import { push } from "../helpers/customers/deployments.ts";
import { becomeKnown, CONNECT_ENV, delegateZone, openConsent } from "../helpers/customers/dns-provider.ts";
import { CONFIG } from "../helpers/customers/scenario.ts";
import { startForgingProvider } from "../helpers/identity/forging-provider.ts";
import { startChat } from "../helpers/notifications/chat.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { until } from "../helpers/until.ts";
import { type CommandLine, createCommandLine, type Ended } from "./command-line.ts";

const NAME = "www.shop.example.com";

describe("the command line, from nothing to a served domain", () => {
  let instance: Instance;
  let cli: CommandLine;
  before(async () => {
    instance = await startInstance({ env: CONNECT_ENV });
    cli = await createCommandLine();
  });
  after(async () => {
    await cli.dispose();
    await instance.dispose();
  });

  /** The document of a command that must succeed. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into documents of every shape
  const json = async (args: readonly string[], stdin = ""): Promise<any> => {
    const ended = await cli.run([...args, "--json"], { stdin });
    assert.equal(ended.code, 0, `${args.join(" ")}\n${ended.stderr}`);
    for (const line of ended.stderr.split("\n"))
      if (line !== "") assert.doesNotThrow(() => JSON.parse(line), line);
    return ended.json();
  };
  const text = async (args: readonly string[], stdin = ""): Promise<Ended> => {
    const ended = await cli.run(args, { stdin });
    assert.equal(ended.code, 0, `${args.join(" ")}\n${ended.stderr}`);
    return ended;
  };
  const file = (name: string): string => path.join(cli.folder, name);
  /** What the customer would see in its own account. */
  const sandboxState = async (): Promise<string> => (await instance.admin.get("/sandbox/state")).text;
  let domainId = "";
  let deploymentId = "";

  /** A file without anything that blocks, and one with a secret and a function. */
  const importsFlightcontrol = async (): Promise<void> => {
    const site = {
      id: "site",
      name: "Site",
      type: "static",
      outputDirectory: "public",
      buildCommand: "npm ci",
    };
    const environment = {
      id: "production",
      name: "Production",
      region: "us-west-2",
      source: { branch: "main" },
    };
    const written = { environments: [{ ...environment, services: [site] }] };
    await writeFile(file("flightcontrol.json"), `\uFEFF${JSON.stringify(written)}`);
    const whole = await text(["import", "flightcontrol", "flightcontrol.json", "--out", "proposed.json"]);
    assert.match(whole.stdout, /^Changed: 1\n {2}production source\.trigger\n/);
    assert.match(whole.stdout, /Copied: \d+ \(--all lists them\)/);
    const first = await readFile(file("proposed.json"), "utf8");
    assert.deepEqual(JSON.parse(first).environments[0].source, { branch: "main", trigger: "push" });
    const again = await text(
      ["import", "flightcontrol", "-", "--out", "proposed.json", "--all"],
      JSON.stringify(written),
    );
    assert.match(again.stdout, /Copied: \d+\n/);
    assert.equal(await readFile(file("proposed.json"), "utf8"), first, "a second import differs");

    const services = [
      { ...site, name: "Other site", envVariables: { API_KEY: "canary-5f2b" } },
      { id: "function", name: "Function", type: "lambda-function" },
    ];
    const blocked = JSON.stringify({ environments: [{ ...environment, services }] });
    const refused = await cli.run(["import", "flightcontrol", "-", "--out", "proposed.json"], {
      stdin: blocked,
    });
    assert.equal(refused.code, 2, "an existing file is replaced only after a confirmation");
    assert.equal(await readFile(file("proposed.json"), "utf8"), first);
    const ended = await cli.run(["import", "flightcontrol", "-", "--out", "proposed.json", "--yes"], {
      stdin: blocked,
    });
    assert.equal(ended.code, 3, ended.stderr);
    assert.match(ended.stdout, /^Blocking: 1\n {2}production\/function\n/);
    assert.match(ended.stdout, /Secrets to move[^]*production\/site API_KEY/);
    const asJson = await cli.run(["import", "flightcontrol", "-", "--json"], { stdin: blocked });
    assert.deepEqual(
      [asJson.code, asJson.json().isBlocked, asJson.error().code],
      [3, true, "IMPORT_BLOCKED"],
    );
    for (const output of [
      ended.stdout,
      ended.stderr,
      asJson.stdout,
      asJson.stderr,
      await readFile(file("proposed.json"), "utf8"),
    ])
      assert.ok(!output.includes("canary-5f2b"), output);

    for (const [stdin, code, message] of [
      ["{ // comment\n}", 1, /line 1, column 3/],
      [JSON.stringify({ environments: [] }), 1, /must have an environment/],
      [`{"a": "${"x".repeat(600_000)}"}`, 2, /longer than 524,288 characters/],
    ] as const) {
      const bad = await cli.run(["import", "flightcontrol", "-"], { stdin });
      assert.equal(bad.code, code, bad.stderr);
      assert.match(bad.stderr, message);
    }
  };

  it("logs in, and keeps the key where only its owner reads it", async () => {
    const made = await json(["login", "--url", instance.url, "--token-stdin"], `${ADMIN_KEY}\n`);
    assert.deepEqual([made.profile, made.user.role], ["default", "admin"]);
    const stored = path.join(cli.home, ".config/slipway/credentials.json");
    assert.equal((await stat(stored)).mode & 0o777, 0o600);
    assert.equal((await stat(path.dirname(stored))).mode & 0o777, 0o700);
    assert.equal((await json(["whoami"])).tokenFrom, "profile default");
    assert.ok((await json(["doctor"])).every(({ isOk }: { isOk: boolean }) => isOk));
  });

  it("connects an account, git and a project", async () => {
    const account = await json(["accounts", "add", "acme", "--in-sandbox", "--wait"]);
    assert.equal(account.status, "CONNECTED");
    assert.equal((await json(["accounts", "check", "acme", "--wait"])).status, "CONNECTED");
    assert.equal((await json(["accounts", "show", account.id])).givenId, "acme");
    assert.equal((await json(["accounts", "list"])).length, 1);
    const { id } = await json(["git", "add", "github", "--token-stdin"], "any\n");
    await json(["git", "update", id, "--token-stdin"], "another\n");
    assert.match((await json(["git", "hook-secret", id])).url, /\/v1\/git-hooks\/provider_a$/);
    assert.equal((await json(["git", "check", id])).tokenStatus, "WORKING");
    assert.equal((await json(["git", "repositories", id]))[0].url, "https://git.sandbox.test/demo");
    assert.equal((await json(["git", "list"]))[0].id, id);
    await importsFlightcontrol();
    const detected = await text(["projects", "detect", "--repo", "https://git.sandbox.test/demo.git"]);
    assert.equal(JSON.parse(detected.stdout).environments[0].services[0].outputDirectory, "public");
    assert.match(detected.stderr, /Framework: Static files[^]*already has a slipway\.json/);
    const shop = await json(["projects", "create", "Shop", "--repo", "https://git.sandbox.test/demo.git"]);
    assert.deepEqual(
      shop.environments.map((one: { services: { configId: string }[] }) => one.services[0]?.configId),
      ["web"],
    );
    assert.equal((await json(["projects", "show"])).id, shop.id, "the only one");
    assert.equal((await json(["projects", "list"])).length, 1);
  });

  it("deploys: stdout has the id and the addresses, stderr the log", async () => {
    const { stdout, stderr } = await text(["deploy", "--wait"]);
    const [id = "", url = "", ...more] = stdout.trimEnd().split("\n");
    assert.match(id, /^depl_\w+$/);
    assert.match(stderr, /web platform \| .*[^]*: SUCCESS/);
    const service = (await json(["services", "list", "-p", "Shop"]))[0];
    assert.deepEqual([url, more], [`https://${service.cdnDomainName}`, []], "the public address");
    const page = /browser on the sandbox's machine: (\S+)$/m.exec(stderr)?.[1] ?? "";
    const opened = await fetch(page, { redirect: "manual" });
    assert.equal(opened.status, 302, "the sandbox leads a browser to it");
    deploymentId = id;
    assert.equal((await json(["deployments", "show", id])).status, "SUCCESS");
    assert.equal((await json(["deployments", "list", "-p", "Shop"]))[0].id, id);
    const lines = (await text(["logs", id, "--json"])).lines();
    assert.ok(lines.length > 0 && lines.every((line) => line.service === "web"));
    assert.ok((await text(["logs", "-s", "web", "--follow"])).stdout.includes("web platform | "));
  });

  it("deploys the same commit again, rolls back, cancels, and restarts no files", async () => {
    const same = await json(["deployments", "redeploy", deploymentId, "--wait"]);
    assert.equal(same.status, "SUCCESS");
    assert.equal(same.commit, (await json(["deployments", "show", deploymentId])).commit);
    const again = await json(["deployments", "rollback", deploymentId, "--wait"]);
    assert.deepEqual([again.status, again.rollbackOf], ["SUCCESS", deploymentId]);
    const cancelled = await cli.run(["deployments", "cancel", again.id, "--json"]);
    assert.deepEqual([cancelled.code, cancelled.error().code], [6, "DEPLOYMENT_ENDED"]);
    const restarted = await cli.run(["services", "restart", "-p", "Shop", "-s", "web", "--json"]);
    assert.deepEqual([restarted.code, restarted.error().code], [6, "SERVICE_NOT_RESTARTABLE"]);
  });

  it("says that it waits for a second person, bypasses that with a reason, and is refused a rejection", async () => {
    const { environmentId } = (await json(["deployments", "show", deploymentId])).services[0];
    const protection = (approval: object | null) =>
      instance.admin.patch(`/v1/environments/${environmentId}`, { protection: { approval } });
    await protection({ approvers: "developer" });
    const held = cli.start(["deployments", "rollback", deploymentId, "--wait"]);
    const [, id = ""] = await held.said(
      /A second person has to approve it: slipway deployments approve (depl_\w+)/,
    );
    const own = await cli.run(["deployments", "reject", id, "--json"]);
    assert.deepEqual([own.code, own.error().code], [4, "SECOND_PERSON_REQUIRED"]);
    const bypassed = ["deployments", "approve", id, "--bypass", "--comment", "The others are asleep."];
    assert.equal((await json(bypassed)).approvals[0].isBypass, true);
    const ended = await held.ended;
    assert.equal(ended.code, 0, ended.stderr);
    await protection(null);
  });

  it("runs a command in a service, ends as it does, and cancels it on Ctrl-C", async () => {
    const worker = { id: "queue", type: "worker", startCommand: "exec sleep 86400" };
    const nightly = { command: "echo night", schedule: "0 3 * * *" };
    const scheduler = { id: "jobs", type: "scheduler", jobs: { nightly } };
    // Few machines have this version; a snapshot fails there.
    const store = { id: "db", type: "postgres", version: "14", deletionProtection: false };
    const environment = { id: "production", region: "us-west-2", source: { branch: "main" } };
    // A template is none of the environments among which the only one needs no name.
    const template = {
      ...environment,
      id: "preview",
      source: { branch: "main", pr: true },
      services: [worker],
    };
    const config = JSON.stringify({
      environments: [{ ...environment, services: [worker, scheduler, store] }, template],
    });
    await push(instance, "runs", { "slipway.json": config, word: "the word\n" });
    await json(["projects", "create", "Runs", "--repo", "https://git.sandbox.test/runs.git"]);
    const run = ["run", "queue", "-p", "Runs"];
    const early = await cli.run([...run, "--json", "--", "true"]);
    assert.deepEqual([early.code, early.error().code], [6, "COMMAND_NOT_RUNNABLE"]);
    await json(["deploy", "-p", "Runs", "--wait"]);
    assert.match((await text(["logs", "-p", "Runs", "-e", "production"])).stdout, /^queue platform /m);
    assert.equal((await cli.run(["logs", "-p", "Runs", "-e", "preview"])).code, 5);

    const ended = await cli.run([...run, "--timeout", "5", "--", "cat word; echo why >&2; exit 7"]);
    assert.deepEqual([ended.code, ended.stdout], [7, "the word\n"], ended.stderr);
    assert.match(ended.stderr, /^why$[^]*The command ended with exit code 7\./m);
    assert.equal((await text([...run, "--", "echo", "two  words", "--json"])).stdout, "two  words --json\n");
    const lines = (await text([...run, "--json", "--", "echo one"])).lines();
    assert.equal(lines.find(({ stream }) => stream === "stdout").text, "one");

    const detached = (await text([...run, "--detach", "--", "exec sleep 86400"])).stdout.trimEnd();
    assert.match(detached, /^exec_\w+$/);
    assert.equal((await json(["executions", "cancel", detached, "--wait"])).status, "CANCELLED");
    const followed = await cli.run(["executions", "logs", detached, "--follow", "--json"]);
    assert.deepEqual([followed.code, followed.error().code], [3, "ENDED_BADLY"]);

    const held = cli.start([...run, "--", "echo begun; exec sleep 86400"]);
    await held.said(/^begun$/m);
    held.interrupt();
    const cancelled = await held.ended;
    assert.equal(cancelled.code, 130, cancelled.stderr);
    assert.match(cancelled.stderr, /Cancelling the command\.[^]*Interrupted\. The command was cancelled\./);

    const all = await json(["executions", "list", "queue", "-p", "Runs"]);
    assert.deepEqual(
      all.map(({ status }: { status: string }) => status),
      ["CANCELLED", "CANCELLED", "SUCCEEDED", "SUCCEEDED", "FAILED"],
    );
    const failed = await json(["executions", "list", "queue", "-p", "Runs", "--status", "FAILED"]);
    const { id } = failed[0];
    assert.deepEqual([failed.length, (await json(["executions", "show", id])).exitCode], [1, 7]);
    const printed = await text(["executions", "logs", id]);
    assert.equal(printed.stdout, "the word\n");
    assert.match(printed.stderr, /^why$/m);

    const jobs = await json(["jobs", "list", "-p", "Runs"]);
    assert.match(JSON.stringify(jobs), /"schedule":"0 3 \* \* \*"/);
    assert.match((await text(["jobs", "list", "-p", "Runs"])).stdout, /^nightly +0 3 \* \* \* +UTC /m);
    const begun = await text(["jobs", "run", "nightly", "-p", "Runs", "-s", "jobs"]);
    assert.match(begun.stdout, /^exec_\w+\n$/);
    assert.match(begun.stderr, /slipway executions logs exec_\w+ --follow/);
    const { dataStore } = await json(["services", "show", "db", "-p", "Runs"]);
    assert.ok(["AVAILABLE", "FAILED", "CREATING"].includes(dataStore.status));
    assert.match((await text(["services", "show", "db", "-p", "Runs"])).stdout, /data store +[A-Z]+/);
    const taken = await cli.run(["snapshots", "create", "db", "-p", "Runs", "--wait", "--json"]);
    assert.ok([0, 3].includes(taken.code ?? -1), taken.stderr);
    const [snapshot, ...others] = await json(["snapshots", "list", "db", "-p", "Runs"]);
    assert.deepEqual(await json(["snapshots", "show", snapshot.id]), snapshot);
    assert.deepEqual([taken.json().id, snapshot.serviceConfigId, others], [snapshot.id, "db", []]);
    assert.deepEqual(await json(["snapshots", "list"]), [snapshot]);
    assert.equal((await cli.run(["snapshots", "list", "-e", "production"])).code, 2);
    const deleted = await json(["snapshots", "delete", snapshot.id, "--yes", "--wait"]);
    assert.equal(deleted.status, "DELETING");
    assert.deepEqual(await json(["snapshots", "list"]), []);
    const queue = ["-p", "Runs", "-s", "queue"];
    assert.match(JSON.stringify(await json(["services", "instances", ...queue])), /1/);
    const scaled = await cli.run(["services", "scale", "2", ...queue, "--json"]);
    assert.deepEqual([scaled.code, scaled.error().code], [6, "SERVICE_NOT_SCALABLE"]);
    const invalidated = await cli.run(["services", "invalidate", "/*", ...queue, "--json"]);
    assert.deepEqual([invalidated.code, invalidated.error().code], [6, "SERVICE_HAS_NO_CACHE"]);
    await json(["projects", "delete", "Runs", "--wait", "--yes"]);
  });

  it("adds a domain, and ends when it is served", async () => {
    const { stdout, stderr } = await text(["domains", "add", NAME, "-s", "web", "--wait", "--in-sandbox"]);
    assert.match(stdout, new RegExp(`^NAME .*\\n${NAME.replaceAll(".", "[.]")} +dom_\\w+ +ATTACHED`));
    assert.match(stderr, /Set this DNS record for www[^]*type {3}CNAME\n {2}name {3}_\w+[.]www[.]shop/);
    assert.ok((await sandboxState()).includes(NAME), "it is on the distribution");
    const found = await json(["domains", "show", NAME]);
    domainId = found.id;
    assert.equal((await json(["domains", "list", "--name", "*.example.com"]))[0].id, domainId);
    const entries = await json(["domains", "timeline", NAME]);
    assert.equal(entries.at(-1).kind, "DOMAIN_ADDED");
  });

  it("changes and restores the branding of share pages", async () => {
    const changed = await json(["organization", "rebrand", "--name", "Acme Sites", "--color", "#0a5c36"]);
    assert.deepEqual([changed.name, changed.accentColor], ["Acme Sites", "#0a5c36"]);
    assert.deepEqual(await json(["organization", "branding"]), changed);
    const restored = await json(["organization", "rebrand", "--reset", "name", "--reset", "color"]);
    assert.deepEqual([restored.name, restored.accentColor], [null, null]);
    const refused = await cli.run(["organization", "rebrand", "--json"]);
    assert.equal(refused.code, 2);
  });

  it("shares what to set with the owner of a domain, until the link is revoked", async () => {
    const { id, url } = await json(["domains", "share", NAME, "--days", "2"]);
    assert.equal((await fetch(url)).status, 200);
    const [listed] = await json(["domains", "shares", NAME]);
    assert.equal(listed.id, id);
    assert.notEqual(listed.openedAt, null);
    await json(["domains", "unshare", NAME, id, "--yes"]);
    assert.equal((await fetch(url)).status, 404);
    const refused = await cli.run(["domains", "share", NAME, "--days", "31", "--json"]);
    assert.equal(refused.error().code, "INVALID_REQUEST");
  });

  it("adds a domain whose records Slipway sets, and says so", async () => {
    const [zone, name] = ["self.example.net", "www.self.example.net"];
    const [account] = await json(["accounts", "list"]);
    const made = JSON.stringify({ ServiceId: account.id, name: zone });
    await text(["api", "POST", "/sandbox/zones", "--body", made]);
    const add = ["domains", "add", name, "-s", "web", "--auto-dns"];
    const refused = await cli.run(add);
    assert.equal(refused.code, 2, refused.stderr);
    assert.match(refused.stderr, /does not set records itself: add --separate/);
    const { stdout, stderr } = await text([...add, "--separate", "--wait"]);
    assert.match(stdout, /www[.]self[.]example[.]net +dom_\w+ +ATTACHED/);
    assert.match(stderr, /Slipway sets the records of www[.]self[.]example[.]net itself/);
    assert.doesNotMatch(stderr, /Set this DNS record/);
    await json(["domains", "remove", name, "--wait", "--yes"]);
  });

  it("says what is wrong with a record, until it is right", async () => {
    const other = "other.example.com";
    const { records } = await startDomain(other);
    const wrong = { name: records[0].name, type: "CNAME", values: ["wrong.example.net"] };
    const waiting = cli.start(["domains", "wait", other, "--until", "attached"]);
    await waiting.said(/No record is found there yet/);
    await text(["api", "PUT", "/sandbox/dns/records", "--body", JSON.stringify(wrong)]);
    await waiting.said(/Found wrong[.]example[.]net/);
    const checked = await json(["domains", "check", other]);
    assert.equal(checked[0].lastPropagationCheckError.code, "WRONG_VALUE");
    const right = { ...wrong, values: [records[0].value] };
    await text(["api", "PUT", "/sandbox/dns/records", "--body", "-"], JSON.stringify(right));
    const ended = await waiting.ended;
    assert.equal(ended.code, 0, ended.stderr);
    const itself = await cli.run(["domains", "redirect", other, other, "--json"]);
    assert.notEqual(itself.code, 0);
    assert.match(itself.stderr, /REDIRECT_TO_ITSELF/);
    assert.equal((await json(["domains", "redirect", other, "--wait"])).redirectStatus, null);
    const removed = await json(["domains", "remove", other, "--wait", "--yes"]);
    assert.equal(removed.isDeleted, true);
  });

  async function startDomain(name: string) {
    const [domain] = await json(["domains", "add", name, "-s", "web"]);
    const waiting = cli.start(["domains", "wait", domain.id, "--timeout", "5m"]);
    await waiting.said(/Set this DNS record/);
    waiting.interrupt();
    const { code, stderr } = await waiting.ended;
    assert.equal(code, 130);
    assert.match(stderr, /The work continues[.] To wait again: slipway domains wait /);
    return { domain, records: await json(["domains", "records", name]) };
  }

  it("prints where an owner agrees that the DNS provider sets the records", async () => {
    const name = "www.connected-shop.com";
    await becomeKnown(instance.admin);
    await delegateZone(instance.admin, "connected-shop.com");
    await startDomain(name);
    const { json: started } = await until(async () => {
      const ended = await cli.run(["domains", "connect", name, "--json"]);
      return ended.code === 0 && ended;
    }, "the provider's offer is found");
    assert.match(started().applyUrl, /\/services\/custom-domain\/apply[?]distribution=.*&sig=/);
    assert.equal((await openConsent(started().applyUrl)).status, 200);
    await json(["domains", "remove", name, "--wait", "--yes"]);
  });

  it("imports domains from a file, and shows the records of a project as a file", async () => {
    const names = "domain,owner\nimported.example.com,A\nnot a name,B\n";
    const dry = await cli.run(["domains", "import", "-", "--dry-run", "--json"], { stdin: names });
    assert.equal(dry.code, 3, dry.stderr);
    assert.equal((await cli.run(["domains", "show", "imported.example.com"])).code, 5);
    const done = await cli.run(["domains", "import", "-", "--json", "--per-group", "5"], { stdin: names });
    assert.deepEqual([done.code, done.error().code], [3, "LINES_REFUSED"]);
    assert.deepEqual(
      JSON.parse(done.stdout).map(({ line, fate }: Record<string, unknown>) => [line, fate]),
      [
        [1, "skipped"],
        [2, "accepted"],
        [3, "invalid"],
      ],
    );
    await writeFile(
      file("customers.csv"),
      Buffer.from("\uFEFFKunde\tWebsite\r\nMüller\thttps://müller.example.com/x\r\n", "utf16le"),
    );
    const table = await cli.run(["domains", "import", file("customers.csv"), "--dry-run"]);
    assert.equal(table.code, 0, table.stderr);
    assert.match(table.stdout, /xn--mller-kva\.example\.com +accepted +www\.shop\.example\.com/);
    assert.equal((await json(["domains", "show", "imported.example.com"])).name, "imported.example.com");
    const csv = await cli.run(["domains", "records", "--format", "csv"]);
    assert.match(csv.stdout, /^domain,status,type,name,value,purpose\r\n/);
    assert.ok(Array.isArray(await json(["domains", "records"])));
  });

  it("ends with 8 after --timeout, and with 6 for what cannot be tried again", async () => {
    const { domain } = await startDomain("late.example.com");
    const late = await cli.run(["domains", "wait", domain.name, "--timeout", "300ms", "--json"]);
    assert.equal(late.code, 2, "no such unit");
    const pending = await cli.run(["domains", "wait", domain.name, "--timeout", "1s", "--json"]);
    assert.deepEqual([pending.code, pending.error().code], [8, "STILL_PENDING"]);
    assert.match(pending.error().hint, /slipway domains wait late[.]example[.]com/);
    const retried = await cli.run(["domains", "retry", domain.name, "--json"]);
    assert.equal(retried.code, 6, retried.stderr);
  });

  it("sets variables, plain and secret", async () => {
    await json(["env", "set", "LOG_LEVEL=info", "REGION=eu"]);
    const set = await json(
      ["env", "set", "PASSWORD", "--store", "secrets-manager", "--stdin", "--wait"],
      "p 4\n",
    );
    assert.equal(set[0].store, "secrets-manager");
    assert.ok((await sandboxState()).includes('"p 4"'), "without the newline");
    await writeFile(file("pem"), "one\ntwo\n");
    await json(["env", "set", "PASSWORD", "--from-file", file("pem"), "--wait"]);
    assert.ok((await sandboxState()).includes(String.raw`"one\ntwo\n"`), "of several lines all");
    await json(["env", "set", "FLAGS", "--parameter", "/acme/flags"]);
    const listed = await json(["env", "list"]);
    assert.deepEqual(
      listed.map(({ name, kind }: { name: string; kind: string }) => `${name} ${kind}`),
      ["FLAGS fromParameterStore", "LOG_LEVEL plainText", "PASSWORD secretsManager", "REGION plainText"],
    );
    assert.equal((await json(["env", "list", "-s", "web", "--effective"])).length, 4);
    assert.deepEqual(await json(["env", "status"]), []);
    const run = await cli.run(["env", "set", "PASSWORD", "--from-file", file("pem"), "--json"]);
    const { runId } = run.json()[0];
    assert.equal((await json(["env", "status", runId, "--wait"])).isFinished, true);
  });

  it("ends with 3 if a value cannot be stored, and says why", async () => {
    const fault = JSON.stringify({ operation: "secrets.put", kind: "denied" });
    await text(["api", "PUT", "/sandbox/faults", "--body", fault]);
    const args = ["env", "set", "LOST", "--store", "secrets-manager", "--stdin", "--wait", "--json"];
    const ended = await cli.run(args, { stdin: "lost" });
    await text(["api", "DELETE", "/sandbox/faults"]);
    assert.deepEqual([ended.code, ended.error().code], [3, "ENDED_BADLY"], ended.stderr);
    assert.match(ended.error().hint, /^LOST: /);
  });

  it("pushes, pulls and compares files", async () => {
    const values = `A=1\nB='two words'\nPASSWORD=new\nM="x\\ny"\nLOG_LEVEL=info\n`;
    await writeFile(file(".env"), values);
    const planned = await json(["env", "push", "--dry-run"]);
    assert.deepEqual(
      planned.map(({ name, change }: { name: string; change: string }) => `${name} ${change}`),
      ["A added", "B added", "LOG_LEVEL unchanged", "M added", "PASSWORD unknown"],
    );
    assert.equal((await json(["env", "list"])).length, 4, "nothing was written");
    await json(["env", "push", "--prune", "--yes", "--wait"]);
    const pulled = await json(["env", "pull", "pulled"]);
    assert.deepEqual(pulled.notWritten, ["FLAGS", "PASSWORD"]);
    const content = await readFile(file("pulled"), "utf8");
    assert.match(
      content,
      /^A=1\nB='two words'\n# FLAGS is .*\nLOG_LEVEL=info\nM='x\ny'\n# PASSWORD is secrets-manager/,
    );
    assert.equal((await stat(file("pulled"))).mode & 0o077, 0);
    assert.equal((await text(["env", "pull", "-"])).stdout, content);
    const differences = await json(["env", "diff", "--file", ".env"]);
    assert.deepEqual(
      differences.map(({ name, is }: { name: string; is: string }) => `${name} ${is}`),
      ["A same", "B same", "FLAGS only here", "LOG_LEVEL same", "M same", "PASSWORD unknown"],
    );
    await json(["env", "import", "-", "--store", "parameter-store", "--wait"], "TOKEN=t\n");
    await json(["env", "unset", "TOKEN", "A", "--yes"]);
  });

  it("compares environments, and means what a folder is linked to", async () => {
    const [production] = CONFIG.environments;
    const staging = { ...production, id: "staging", name: "Staging" };
    await writeFile(file("config.json"), JSON.stringify({ environments: [production, staging] }));
    const repository = ["--repo", "https://git.sandbox.test/demo.git", "--account", "acme"];
    const made = await json(["projects", "create", "Two", ...repository, "--config-file", "config.json"]);
    assert.equal(made.environments.length, 2);
    const ambiguous = await cli.run(["env", "list", "--json"]);
    assert.deepEqual([ambiguous.code, ambiguous.error().code], [2, "USAGE"]);
    assert.match(ambiguous.error().message, /Which project\? Give --project/);
    const linked = await json(["link", "-p", "Two", "-e", "staging"]);
    assert.equal(linked.projectId, made.id);
    await json(["env", "set", "A=1", "B=1"]);
    await json(["env", "set", "A=2", "C=1", "-e", "production"]);
    await json(["env", "set", "SITE", "-s", "jobs", "--from-service", "web.url"]);
    assert.deepEqual(
      (await json(["env", "diff", "production"])).map(
        ({ name, is }: { name: string; is: string }) => `${name} ${is}`,
      ),
      ["A different", "B only here", "C only there"],
    );
    assert.deepEqual((await json(["env", "diff", "production", "-s", "jobs"]))[0].is, "only here");
    await json(["link", "--remove"]);
  });

  it("makes previews, and approves a commit of another repository", async () => {
    const service = { id: "site", type: "static", outputDirectory: "public" };
    const source = { branch: "main", pr: true };
    const template = { id: "preview", region: "us-west-2", source, services: [service] };
    await writeFile(file("template.json"), JSON.stringify({ environments: [template] }));
    const repository = ["--repo", "https://git.sandbox.test/demo.git", "--account", "acme"];
    await json(["projects", "create", "Three", ...repository, "--config-file", "template.json"]);
    const head = await push(instance, "stranger", { "public/index.html": "from a fork" }, "evil");
    const asked = { base: "main", head: "evil", headRepository: "stranger", state: "open" };
    await instance.admin.put("/sandbox/git/repositories/demo/pull-requests/7", asked);
    const put = ["previews", "put", "change-1", "-p", "Three", "--expires", "2d", "--wait"];
    const [id, url] = (await text(put)).stdout.trimEnd().split("\n");
    assert.match(`${id} ${url}`, /^prev_\w+ https:/);
    const shown = await json(["previews", "show", "change-1", "-p", "Three"]);
    assert.deepEqual([shown.id, shown.state, shown.urls], [id, "ACTIVE", [url]]);
    const again = await json(["previews", "put", "change-1", "-p", "Three", "-e", "preview"]);
    assert.equal(again.id, id);
    await writeFile(file("xdg-open"), `#!/bin/sh\necho "$1" > '${file("opened")}'\n`, { mode: 0o755 });
    const open = ["previews", "open", "change-1", "-p", "Three", "--browser"];
    const opened = await cli.run(open, { env: { PATH: `${cli.folder}:/usr/bin:/bin` } });
    assert.deepEqual([opened.code, opened.stdout], [0, `${url}\n`], opened.stderr);
    const page = `${instance.url}/sandbox/console/open/${new URL(url ?? "").hostname}`;
    await until(
      async () => (await readFile(file("opened"), "utf8").catch(() => "")) === `${page}\n`,
      "opened",
    );
    assert.match((await text(["previews", "logs", id ?? "", "--follow"])).stdout, /site platform \| /);
    const kept = await json(["services", "list", "-p", "Three", "--environment-type", "preview"]);
    assert.deepEqual(
      kept.map(({ configId }: { configId: string }) => configId),
      ["site"],
    );
    const { header, secret } = await json(["previews", "bypass", "-p", "Three"]);
    assert.deepEqual([header, typeof secret], ["x-slipway-bypass", "string"]);
    const list = ["previews", "list", "-p", "Three", "--state", "WAITING_FOR_APPROVAL"];
    assert.equal((await json(list))[0].key, "pr-7");
    const early = await cli.run(["previews", "open", "7", "-p", "Three", "--json"]);
    assert.deepEqual([early.code, early.error().code], [5, "NOT_FOUND"]);
    assert.match(early.error().hint, new RegExp(`previews approve prev_\\w+ --commit ${head}`));
    const approve = ["previews", "approve", "7", "-p", "Three", "--commit"];
    const wrong = await cli.run([...approve, "0".repeat(40), "--json"]);
    assert.deepEqual([wrong.code, wrong.error().code], [6, "PREVIEW_MOVED"]);
    assert.equal((await json([...approve, head])).commitHash, head);
    for (const one of ["change-1", "7"])
      assert.equal((await json(["previews", "delete", one, "-p", "Three", "--yes"])).state, "DELETING");
    const left = await json(["previews", "orphans", "-p", "Three"]);
    assert.ok(left.every(({ waitsFor }: { waitsFor: string }) => waitsFor === "slipway"));
  });

  it("renames the organization, and says for how long it keeps what", async () => {
    assert.equal((await json(["organization", "rename", "Acme"])).name, "Acme");
    assert.equal((await json(["organization", "show"])).name, "Acme");
    assert.match((await text(["organization", "show"])).stdout, /audit entries kept +400 days/);
  });

  it("manages users and keys", async () => {
    const user = await json(["users", "create", "ada@acme.example", "--role", "developer", "--name", "Ada"]);
    assert.equal((await json(["users", "update", "ada@acme.example", "--role", "viewer"])).role, "viewer");
    const key = await json(["keys", "create", "ci", "--user", "ada@acme.example"]);
    assert.match((await text(["users", "invite", "ada@acme.example", "--text"])).stdout, /^Hello Ada,/);
    const notSent = await cli.run(["users", "invite", "ada@acme.example", "--json"]);
    assert.deepEqual([notSent.code, notSent.error().code], [1, "EMAIL_NOT_CONFIGURED"]);
    const ada = { SLIPWAY_URL: instance.url, SLIPWAY_TOKEN: key.key };
    const asAda = await cli.run(["whoami", "--json"], { env: ada });
    assert.deepEqual([asAda.json().user.id, asAda.json().tokenFrom], [user.id, "SLIPWAY_TOKEN"]);
    const refused = await cli.run(["keys", "list", "--json"], { env: ada });
    assert.deepEqual([refused.code, refused.error().code], [4, "ROLE_TOO_LOW"]);
    assert.equal((await json(["keys", "list"])).length, 2);
    await json(["keys", "revoke", key.id, "--yes"]);
    // Within five seconds.
    await until(async () => (await cli.run(["whoami"], { env: ada })).code === 4, "the key is refused");
    await json(["users", "delete", "ada@acme.example", "--yes"]);
    assert.equal((await json(["users", "list"])).length, 1);
    assert.equal((await json(["audit", "list", "--limit", "1"]))[0].action, "user.deleted");
    assert.equal((await json(["audit", "list", "--resource", user.id])).length, 3);
  });

  it("limits keys, and manages service accounts, members, protection and sessions", async () => {
    const { id: userId } = await json(["service-accounts", "create", "CI", "--role", "developer"]);
    assert.deepEqual(
      (await json(["service-accounts", "list"])).map(({ id }: { id: string }) => id),
      [userId],
    );
    const limits = ["--scope", "deploy", "--scope", "read", "-p", "Shop", "--expires", "90d"];
    const key = await json(["keys", "create", "ci", "--user", "CI", ...limits]);
    assert.deepEqual([key.userId, key.scopes, key.projectIds.length], [userId, ["deploy", "read"], 1]);
    const days = (Date.parse(key.expiresAt) - Date.now()) / 86_400_000;
    assert.ok(days > 89 && days <= 90, key.expiresAt);
    assert.match((await text(["keys", "list"])).stdout, /SCOPES +LAST USED +EXPIRES[^]*deploy read/);
    const member = await json(["members", "set", "CI", "admin", "-p", "Shop"]);
    assert.deepEqual([member.userId, member.role], [userId, "admin"]);
    assert.equal((await json(["members", "list", "-p", "Shop"]))[0].userId, userId);
    const shown = await json(["protection", "show", "-p", "Shop"]);
    assert.equal(shown.deployers, "developer");
    assert.equal((await json(["protection", "set", "admin", "-p", "Shop"])).deployers, "admin");
    assert.equal((await json(["protection", "set", "developer", "-p", "Shop"])).deployers, "developer");
    await json(["members", "remove", "CI", "-p", "Shop", "--yes"]);
    assert.equal((await json(["members", "list", "-p", "Shop"])).length, 0);
    const { body: session } = await instance.admin.post("/v1/sessions");
    assert.equal((await json(["sessions", "list"]))[0].id, session.id);
    await json(["sessions", "revoke", session.id, "--yes"]);
    assert.equal((await json(["sessions", "list"])).length, 0);
    await json(["keys", "revoke", key.id, "--yes"]);
  });

  it("lets jobs of CI act without a key, by what their platform signs", async () => {
    const issuer = await startForgingProvider();
    const asked: (string | undefined)[] = [];
    const now = Math.floor(Date.now() / 1_000);
    const claims = {
      iss: issuer.issuer,
      sub: "repo:acme/shop",
      repository: "acme/shop",
      iat: now,
      exp: now + 300,
    };
    const sign = (aud: string) => issuer.sign({ ...claims, aud });
    // As GitHub Actions answers a job.
    const actions = createServer((request, response) => {
      const url = new URL(request.url ?? "", "http://localhost");
      asked.push(request.headers.authorization, url.searchParams.get("audience") ?? undefined);
      void sign(url.searchParams.get("audience") ?? "").then((value) =>
        response.end(JSON.stringify({ value })),
      );
    }).listen(0, "127.0.0.1");
    await once(actions, "listening");
    try {
      const limits = ["--condition", "repository=acme/*", "--scope", "read", "-p", "Shop"];
      const create = ["workload-trusts", "create", "ci", "--service-account", "CI"];
      const trust = await json([...create, "--issuer", issuer.issuer, ...limits]);
      assert.deepEqual([trust.audience, trust.conditions], [instance.url, { repository: "acme/*" }]);
      assert.equal((await json(["workload-trusts", "list"]))[0].id, trust.id);
      const env = { SLIPWAY_URL: instance.url, SLIPWAY_WORKLOAD_TRUST: trust.id };
      const denied = await cli.run(["whoami"], { env });
      assert.match(denied.stderr, /permissions: id-token: write/);
      const { port } = actions.address() as AddressInfo;
      const github = {
        ...env,
        ACTIONS_ID_TOKEN_REQUEST_URL: `http://127.0.0.1:${port}/token?api-version=2.0`,
        ACTIONS_ID_TOKEN_REQUEST_TOKEN: "of-the-job",
      };
      const me = (await cli.run(["whoami", "--json"], { env: github })).json();
      assert.deepEqual([me.user.name, me.tokenFrom], ["CI", "SLIPWAY_WORKLOAD_TRUST"]);
      assert.deepEqual(asked, ["Bearer of-the-job", instance.url]);
      const gitlab = { ...env, SLIPWAY_ID_TOKEN: await sign(instance.url) };
      assert.equal((await cli.run(["projects", "list", "--json"], { env: gitlab })).json().length, 1);
      await json(["workload-trusts", "delete", trust.id, "--yes"]);
      const refused = await cli.run(["whoami", "--json"], { env: gitlab });
      assert.deepEqual([refused.code, refused.error().code], [5, "NOT_FOUND"]);
      await json(["users", "delete", "CI", "--yes"]);
    } finally {
      actions.close();
      await issuer.stop();
    }
  });

  it("lists and follows events, and forwards them signed, from where it stopped", async () => {
    const listed = await json(["events", "list", "--types", "user.*"]);
    assert.ok(listed.length >= 3);
    const tail = cli.start([
      "events",
      "tail",
      "--after",
      String(listed.at(-1).sequence - 1),
      "--types",
      "user.*",
      "--json",
    ]);
    await tail.said(/"type":"user.deleted"/);
    tail.interrupt();
    const tailed = await tail.ended;
    assert.equal(tailed.code, 130);
    assert.equal(tailed.lines()[0].sequence, listed.at(-1).sequence);

    const received: { readonly body: string; readonly headers: Record<string, string | undefined> }[] = [];
    // The first is refused once, as by a program that is just starting.
    const receiver = createServer((request, response) => {
      let body = "";
      request.setEncoding("utf8").on("data", (chunk: string) => (body += chunk));
      request.once("end", () => {
        received.push({ body, headers: request.headers as Record<string, string | undefined> });
        response.writeHead(received.length === 1 ? 500 : 204).end();
      });
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    try {
      const target = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
      const listen = ["events", "listen", "--forward-to", target, "--types", "user.*"];
      const first = cli.start([...listen, "--after", "0"]);
      const [, secret = ""] = await first.said(/signed with (whsec_\S+)/);
      // All that happened, not only the first that is like the last.
      await first.said(new RegExp(`^${listed.at(-1).sequence} .* 204$`, "m"));
      first.interrupt();
      assert.equal((await first.ended).code, 130);
      await json(["users", "create", "eve@acme.example"]);
      const second = cli.start(listen);
      const [, sameSecret] = await second.said(/signed with (whsec_\S+)/);
      assert.equal(sameSecret, secret);
      await second.said(/user[.]created .* 204/);
      second.interrupt();
      assert.equal((await second.ended).stdout.trimEnd().split("\n").length, 1, "only what is new");
      for (const { body, headers } of received) {
        const event = await webhooks.unwrap(body, headers, secret);
        assert.match(event.type, /^user[.]/);
      }
      assert.equal(received[0]?.headers["webhook-id"], received[1]?.headers["webhook-id"]);
    } finally {
      receiver.close();
    }
  });

  it("manages webhook endpoints, and shows what they were sent", async () => {
    let answer = 204;
    const seen: string[] = [];
    const receiver = createServer((request, response) => {
      request.resume();
      seen.push(request.headers["x-own"] as string);
      request.once("end", () => void response.writeHead(answer).end());
    }).listen(0, "127.0.0.1");
    await once(receiver, "listening");
    try {
      const url = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hooks`;
      const made = await json(["webhooks", "create", url, "--types", "user.*", "--header", "X-Own: 1"]);
      assert.match(made.secret, /^whsec_/);
      const { id } = made;
      assert.deepEqual((await json(["webhooks", "show", id])).headerNames, ["x-own"]);
      const ping = await json(["webhooks", "ping", id]);
      assert.deepEqual([ping.status, seen], ["DELIVERED", ["1"]]);
      assert.equal((await json(["webhooks", "delivery", id, ping.id])).log[0].status, 204);
      assert.equal((await json(["webhooks", "deliveries", id]))[0].id, ping.id);
      await json(["webhooks", "redeliver", id, ping.id]);
      await until(() => seen.length === 2, "it is sent again");
      assert.ok((await json(["webhooks", "replay", id, "--all", "--types", "user.*"])).count >= 0);
      answer = 500;
      const failed = await cli.run(["webhooks", "ping", id, "--json"]);
      assert.deepEqual([failed.code, failed.json().lastStatus], [3, 500]);
      const rotated = await json(["webhooks", "rotate", id, "--overlap-hours", "1"]);
      assert.notEqual(rotated.secret, made.secret);
      assert.equal((await cli.run(["webhooks", "rotate", id])).code, 6, "in the overlap");
      assert.equal((await json(["webhooks", "rotate", id, "--revoke-previous"])).previousSecretUntil, null);
      assert.equal((await json(["webhooks", "update", id, "--disable"])).status, "DISABLED");
      const changed = await json([
        "webhooks",
        "update",
        id,
        "--enable",
        "--from-now",
        "--types",
        "domain.*,user.*",
      ]);
      assert.deepEqual([changed.status, changed.types], ["HEALTHY", ["domain.*", "user.*"]]);
      const { projectId, environmentId } = await json([
        "webhooks",
        "update",
        id,
        "-p",
        "Shop",
        "-e",
        "Production",
      ]);
      assert.match(`${projectId} ${environmentId}`, /^proj_\w+ env_\w+$/);
      const ofProject = await json(["webhooks", "update", id, "-p", "Shop"]);
      assert.deepEqual([ofProject.projectId, ofProject.environmentId], [projectId, null]);
      assert.match((await text(["webhooks", "show", id])).stdout, new RegExp(`^project +${projectId}$`, "m"));
      assert.equal((await cli.run(["webhooks", "update", id, "-p", "Shop", "--all-projects"])).code, 2);
      assert.equal((await json(["webhooks", "update", id, "--all-projects"])).projectId, null);
      const limited = ["webhooks", "update", id, "--header", "X-New: 2", "--max-per-second", "5"];
      const { headerNames, maxPerSecond } = await json(limited);
      assert.deepEqual([headerNames, maxPerSecond], [["x-new"], 5]);
      assert.equal((await cli.run([...limited, "--no-headers"])).code, 2);
      assert.equal((await cli.run([...limited, "--no-maximum"])).code, 2);
      const plain = await json(["webhooks", "update", id, "--no-headers", "--no-maximum"]);
      assert.deepEqual([plain.headerNames, plain.maxPerSecond], [[], null]);
      assert.equal((await json(["webhooks", "list"])).length, 1);
      await json(["webhooks", "delete", id, "--yes"]);
    } finally {
      receiver.close();
      receiver.closeAllConnections();
    }
  });

  it("manages notification channels, and shows what their receiver answers to a test", async () => {
    const chat = await startChat("slack");
    try {
      const made = await json(["notifications", "create", "slack", "Operations", "--webhook", chat.url]);
      const { id } = made;
      assert.deepEqual([made.status, made.types], ["HEALTHY", null]);
      const test = await json(["notifications", "test", id]);
      assert.deepEqual([test.isAccepted, test.answer, chat.accepted.length], [true, "ok", 1]);
      chat.answer = (response) => void response.writeHead(403).end("action_prohibited");
      const failed = await cli.run(["notifications", "test", id, "--json"]);
      assert.deepEqual([failed.code, failed.json().answer], [3, "action_prohibited"]);
      const shown = await text(["notifications", "show", id]);
      assert.match(shown.stdout, /action_prohibited/);
      assert.ok(!shown.stdout.includes(chat.url), "its URL is a secret");
      const changed = await json(["notifications", "update", id, "--types", "domain.*", "--disable"]);
      assert.deepEqual([changed.status, changed.types], ["DISABLED", ["domain.*"]]);
      const again = await json(["notifications", "update", id, "--default-types", "--enable"]);
      assert.deepEqual([again.status, again.types], ["HEALTHY", null]);
      const ofShop = await json(["notifications", "update", id, "-p", "Shop"]);
      assert.match(`${ofShop.projectId} ${ofShop.environmentId}`, /^proj_\w+ null$/);
      assert.match((await text(["notifications", "show", id])).stdout, /^environment +all$/m);
      assert.equal((await json(["notifications", "update", id, "--all-projects"])).projectId, null);
      assert.equal((await json(["notifications", "list"])).length, 1);
      await json(["notifications", "delete", id, "--yes"]);
      const mail = ["notifications", "create", "email", "Mail", "--to", "ops@acme.example"];
      assert.equal((await cli.run(mail)).code, 1, "there is no mail server");
      const own = await json(["my-notifications", "update", "--types", "domain.*", "--project", "Shop"]);
      assert.deepEqual([own.enabled, own.types, own.projectIds.length], [false, ["domain.*"], 1]);
      await json(["my-notifications", "update", "--default-types", "--all-projects"]);
      const mine = await json(["my-notifications", "show"]);
      assert.deepEqual([mine.types, mine.projectIds, mine.mailServer], [null, null, false]);
      assert.equal((await cli.run(["my-notifications", "update", "--enable"])).code, 1);
      assert.equal((await cli.run(["my-notifications", "update"])).code, 2);
      assert.equal((await cli.run(["my-notifications", "test"])).code, 3);
    } finally {
      await chat.close();
    }
  });

  it("has profiles, and removes everything", async () => {
    await json(["login", "--url", instance.url, "--profile", "second", "--token-stdin"], ADMIN_KEY);
    assert.deepEqual(
      (await json(["profile", "list"])).map(({ name }: { name: string }) => name),
      ["default", "second"],
    );
    await json(["profile", "use", "default"]);
    await json(["profile", "remove", "second"]);
    for (const name of ["late.example.com", "imported.example.com", NAME])
      await json(["domains", "remove", name, "--wait", "--yes"]);
    for (const name of ["Shop", "Two", "Three"]) await json(["projects", "delete", name, "--wait", "--yes"]);
    await json(["accounts", "remove", "acme", "--yes"]);
    await json(["git", "remove", (await json(["git", "list"]))[0].id, "--yes"]);
    await json(["logout"]);
    const out = await cli.run(["whoami", "--json"]);
    assert.deepEqual([out.code, out.error().code], [4, "NOT_LOGGED_IN"]);
  });

  it("describes itself", async () => {
    const { commands } = await json(["commands"]);
    assert.equal(commands.length, TABLE.commands.length);
    for (const shell of ["bash", "zsh", "fish"]) {
      const { stdout } = await text(["completion", shell]);
      for (const { words } of TABLE.commands)
        assert.ok(stdout.includes(words.split(" ").at(-1) ?? ""), words);
    }
  });

  it("ran every command of the table", () => {
    assert.deepEqual(
      TABLE.commands.map(({ words }) => words).filter((words) => !cli.ran.has(words)),
      [],
    );
  });
});
