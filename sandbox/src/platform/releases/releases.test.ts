import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before, describe, test } from "node:test";
import type { RuntimeVariable } from "../../../../src/cloud/platform.ts";
import {
  newId,
  REGION,
  startPlatformFixture,
  type PlatformFixture,
} from "../../../../test/helpers/sandbox/platform-fixture.ts";
import {
  serverProgram,
  staticWorkload,
  webWorkload,
  workerWorkload,
} from "../../../../test/helpers/sandbox/programs.ts";
import { listProcessesIn } from "../../../../test/helpers/sandbox/processes-in.ts";
import { waitFor } from "../../../../test/helpers/sandbox/sandbox-fixture.ts";

const serverFiles = (answer: string, before = "") => ({ "server.js": serverProgram(answer, before) });
const saying = (word: string) => serverFiles(`response.end(${JSON.stringify(word)})`);

describe("releases in the sandbox", { concurrency: 3 }, () => {
  let fixture: PlatformFixture;
  before(async () => {
    fixture = await startPlatformFixture({ healthTimeoutMs: 4_000 });
  });
  after(() => fixture.stop());

  const textOf = async (token: string) =>
    (await fixture.logOf("releases", token)).map(({ text }) => text).join("\n");

  test("a distribution serves its origin until its service has a live release, then the release", async () => {
    const serviceId = newId("s");
    const nothing = await fixture.distribute({ kind: "none", serviceId });
    const demo = { kind: "repository", repoUrl: "https://git.sandbox.test/demo.git" } as const;
    const files = await fixture.distribute({ ...demo, branch: "main", directory: "public", serviceId });
    assert.match((await nothing()).body, /Nothing has been released/);
    assert.match((await files()).body, /It floats/);
    const site = { "out/index.html": "released", "out/page.html": "page", "out/404.html": "none" };
    await fixture.deploy(serviceId, site, staticWorkload("out"));
    assert.equal((await nothing()).body, "released");
    assert.equal((await files({ path: "/page" })).body, "page");
    const missing = await files({ path: "/style.css" });
    assert.deepEqual([missing.status, missing.body], [404, "none"]);
    await fixture.platform.services.remove(fixture.account, { serviceId, region: REGION });
    assert.match((await files()).body, /It floats/);
  });

  test("a list of words is run without a shell that reads them", async () => {
    const words = [
      "a b",
      "it's",
      '"',
      "$HOME",
      "`id`",
      "$(id)",
      "",
      "*",
      "@/%#",
      "a=b",
      "~",
      "-c",
      "two\nlines",
    ];
    const program = `
      const words = process.argv.slice(2);
      require("node:fs").appendFileSync("words.txt", JSON.stringify([process.cwd().split("/").at(-1), ...words]));
      if (words[0] !== "before") ${serverProgram('response.end(require("node:fs").readFileSync("words.txt"))')}`;
    for (const [basePath, last] of [
      [undefined, "app"],
      ["apps/my+web", "my+web"],
    ] as const) {
      const serviceId = newId("s");
      const ask = await fixture.distribute({ kind: "none", serviceId });
      const workload = webWorkload({
        startCommand: ["node", "server.js", ...words],
        preDeployCommand: ["node", "server.js", "before", ...words],
        ...(basePath === undefined ? {} : { basePath }),
      });
      const live = await fixture.deploy(
        serviceId,
        { [basePath === undefined ? "server.js" : `${basePath}/server.js`]: program },
        workload,
      );
      assert.equal(live.status, "LIVE", `${JSON.stringify(live)} ${await textOf(live.token)}`);
      assert.equal(
        (await ask()).body,
        [
          [last, "before", ...words],
          [last, ...words],
        ]
          .map((one) => JSON.stringify(one))
          .join(""),
      );
    }
    const missing = workerWorkload(["no-such-program", "a"]);
    const { status, failure } = await fixture.deploy(newId("s"), { "a.txt": "" }, missing);
    assert.equal(status, "FAILED");
    assert.match(failure?.message ?? "", /exit code 127/);
  });

  test("a site only serves its own files, whatever links a commit has", async () => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const command =
      "mkdir -p public && cd public && echo in > a.txt && ln -s a.txt inside && ln -s /etc outside && ln -s ../../.. up";
    await fixture.deploy(serviceId, { "slipway.json": "{}" }, staticWorkload("public", command));
    const file = await ask({ path: "/inside" });
    assert.equal(file.body, "in\n");
    const etag = file.headers.etag ?? "";
    assert.equal((await ask({ path: "/inside", headers: { "if-none-match": etag } })).status, 304);
    // From memory now.
    assert.equal((await ask({ path: "/inside" })).body, "in\n");
    assert.equal((await ask({ path: "/inside", headers: { range: "bytes=1-1" } })).body, "n");
    for (const path of ["/outside/passwd", "/outside/", "/up/", "/../slipway.json", "/%2e%2e/slipway.json"]) {
      for (const time of ["first", "again"])
        assert.equal((await ask({ path })).status, 404, `${path} ${time}`);
    }
  });

  test("no request fails while releases switch under load, from server to server to files", async () => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    // Slow enough that requests are always in flight.
    const slowly = (word: string) =>
      serverFiles(
        `setTimeout(() => response.end(${JSON.stringify(word)}), request.url === "/health" ? 0 : 50)`,
      );
    await fixture.deploy(serviceId, slowly("one"), webWorkload());
    const seen = new Map<string, number>();
    const done = new AbortController();
    const clients = Array.from({ length: 6 }, async () => {
      while (!done.signal.aborted) {
        const answer = await ask().then(
          ({ status, body }) => `${status} ${body}`,
          (error: unknown) => String(error),
        );
        seen.set(answer, (seen.get(answer) ?? 0) + 1);
      }
    });
    const until = (answer: string) => waitFor(() => ((seen.get(answer) ?? 0) > 5 ? true : null));
    await until("200 one");
    await fixture.deploy(serviceId, slowly("two"), webWorkload());
    await until("200 two");
    await fixture.deploy(serviceId, { "public/index.html": "three" }, staticWorkload());
    await until("200 three");
    done.abort();
    await Promise.all(clients);
    assert.deepEqual([...seen.keys()].sort(), ["200 one", "200 three", "200 two"]);
  });

  test("a request in flight at the switch ends before its process does", async (t) => {
    let mayEnd = false;
    const sign = createServer((_request, response) => response.end(mayEnd ? "end" : "wait"));
    sign.listen(0, "127.0.0.1");
    await once(sign, "listening");
    t.after(() => sign.close());
    const signUrl = `http://127.0.0.1:${(sign.address() as AddressInfo).port}`;
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const slow = `if (request.url !== "/slow") return void response.end("old");
      response.write("began ");
      const look = async () => {
        const answer = await (await fetch(${JSON.stringify(signUrl)})).text();
        if (answer === "end") response.end("ended");
        else setTimeout(look, 20);
      };
      void look()`;
    const files = { "old-server.js": serverProgram(slow) };
    await fixture.deploy(serviceId, files, webWorkload({ startCommand: "node old-server.js" }));
    const isOldRunning = () =>
      listProcessesIn(fixture.platformDir).some(({ command }) => command.includes("node old-server.js"));
    assert.equal((await ask()).body, "old");
    const pending = ask({ path: "/slow" });
    await fixture.deploy(serviceId, saying("new"), webWorkload());
    assert.equal((await ask()).body, "new");
    assert.ok(isOldRunning());
    mayEnd = true;
    assert.equal((await pending).body, "began ended");
    await waitFor(() => (isOldRunning() ? null : true));
  });

  test("while the health check of a new release fails, the old one serves; then the new one fails with the reason", async () => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    await fixture.deploy(serviceId, saying("old"), webWorkload());
    const sick = serverFiles("response.writeHead(500).end()");
    const { status, failure, token } = await fixture.deploy(serviceId, sick, webWorkload());
    assert.equal(status, "FAILED");
    assert.deepEqual(failure, {
      code: "HEALTH_CHECK_FAILED",
      message: "The health check at /health did not succeed within 4 s: it answered with status 500.",
    });
    assert.match(await textOf(token), /Starting: node server\.js/);
    assert.equal((await ask()).body, "old");
  });

  test("a process that ends before it was healthy is tried three times; the failure says how it ended", async () => {
    const files = { "server.js": 'console.error("cannot find the harbour"); process.exit(2);' };
    const { failure, token } = await fixture.deploy(newId("s"), files, webWorkload());
    assert.deepEqual(failure, {
      code: "PROCESS_ENDED",
      message: "The process ended with exit code 2 (3 times) before it was healthy; the log says why.",
    });
    const lines = (await fixture.logOf("releases", token)).filter(({ stream }) => stream === "stderr");
    assert.deepEqual(
      lines.map(({ text }) => text),
      Array.from({ length: 3 }, () => "cannot find the harbour"),
    );
  });

  test("a process that dies is restarted, and requests wait for it", async () => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const files = serverFiles(
      'request.url === "/die" ? process.exit(9) : response.end(id)',
      'const id = require("node:crypto").randomUUID();',
    );
    const { token } = await fixture.deploy(serviceId, files, webWorkload());
    const before = await ask();
    assert.equal((await ask({ path: "/die" })).status, 502);
    const restarted = await waitFor(async () => {
      const answer = await ask();
      return answer.status === 200 ? answer : null;
    });
    assert.notEqual(restarted.body, before.body);
    assert.match(await textOf(token), /The process ended with exit code 9\. It is restarted in 50 ms\./);
    assert.equal((await fixture.platform.releases.describe(fixture.account, token))?.status, "LIVE");
  });

  test("a worker is live when it stays up, has no address, and is restarted like any other", async () => {
    const files = {
      "worker.js":
        'console.log("tick", process.pid, process.env.PORT); setTimeout(() => process.exit(1), 900);',
    };
    const { status, url, token } = await fixture.deploy(newId("s"), files, workerWorkload("node worker.js"));
    assert.deepEqual([status, url], ["LIVE", null]);
    await waitFor(async () => ((await textOf(token)).split("tick").length > 2 ? true : null));
    assert.match(await textOf(token), /tick \d+ undefined/);
    const health = () => fixture.platform.releases.health(fixture.account, token);
    const down = await waitFor(async () => {
      const seen = await health();
      return seen?.isRunning === false ? seen : null;
    });
    assert.match(down.problem ?? "", /ended with exit code 1|is being started/);
    await waitFor(async () => ((await health())?.isRunning === true ? true : null));
    const ended = await fixture.deploy(newId("s"), files, workerWorkload("exit 0"));
    assert.equal(ended.failure?.code, "PROCESS_ENDED");
  });

  test("a process gets its variables, resolved as it starts, and none of Slipway's", async () => {
    const { cloud, account } = fixture;
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    process.env["SLIPWAY_PLANTED"] = "leaks";
    const write = { region: REGION, name: `/slipway/p/e/${serviceId}`, token: "1" };
    const parameter = await cloud.parameters.put(account, { ...write, value: "from the store" });
    const secret = await cloud.secrets.put(account, { ...write, value: "from the vault" });
    const files = serverFiles(
      'request.url === "/die" ? process.exit(0) : response.end(JSON.stringify(process.env))',
    );
    const { token, failure } = await fixture.deploy(serviceId, files, webWorkload(), [
      { name: "PLAIN", kind: "plainText", value: "a 'quoted' $value\nof two lines" },
      { name: "PORT", kind: "plainText", value: "1" },
      { name: "STORED", kind: "fromParameterStore", ...parameter },
      { name: "SECRET", kind: "fromSecretsManager", ...secret },
    ]);
    delete process.env["SLIPWAY_PLANTED"];
    assert.equal(failure, null);
    const read = async () => JSON.parse((await ask()).body) as Record<string, string>;
    const { PLAIN, PORT, STORED, SECRET, ...rest } = await read();
    assert.deepEqual(
      [PLAIN, STORED, SECRET],
      ["a 'quoted' $value\nof two lines", "from the store", "from the vault"],
    );
    assert.ok(Number(PORT) > 1);
    const others = Object.keys(rest).filter((name) => !/^(?:PWD|OLDPWD|SHLVL|_)$/.test(name));
    assert.deepEqual(others.sort(), ["HOME", "PATH"]);

    await cloud.secrets.put(account, { ...write, token: "2", value: "changed" });
    await ask({ path: "/die" });
    await waitFor(async () => ((await ask()).status === 200 ? true : null));
    assert.equal((await read())["SECRET"], "changed");
    assert.ok(!(await textOf(token)).includes("from the vault"));
  });

  test("S9: managed values in the output of a build or a service are hidden in their logs, also after a change", async () => {
    const { cloud, account } = fixture;
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const write = { region: REGION, name: `/slipway/p/e/${serviceId}`, token: "1" };
    const stored = await cloud.parameters.put(account, { ...write, value: "stored-canary" });
    const secret = await cloud.secrets.put(account, { ...write, value: "secret-canary\nof two lines" });
    const variables: readonly RuntimeVariable[] = [
      { name: "STORED", kind: "fromParameterStore", ...stored },
      { name: "SECRET", kind: "fromSecretsManager", ...secret },
      { name: "PLAIN", kind: "plainText", value: "plain-word" },
    ];
    const program = serverFiles(
      'request.url === "/die" ? process.exit(0) : response.end(process.env.SECRET)',
      "console.log(process.env); console.error(process.env.SECRET);",
    );
    const workload = webWorkload({ buildCommand: 'echo "$STORED, $SECRET, $PLAIN"; env' });
    const build = await fixture.build(serviceId, program, workload, { variables });
    const { token } = await fixture.release(serviceId, build.artifact, workload, variables);
    assert.equal((await ask()).body, "secret-canary\nof two lines");
    await cloud.secrets.put(account, { ...write, token: "2", value: "changed-canary" });
    await ask({ path: "/die" });
    await waitFor(async () => ((await ask()).body === "changed-canary" ? true : null));
    const built = (await fixture.logOf("builds", build.id)).map(({ text }) => text).join("\n");
    const ran = await textOf(token);
    assert.ok(built.includes("***, ***\n***, plain-word"), built);
    for (const log of [built, ran]) {
      assert.ok(log.includes("plain-word") && log.includes("***"), log);
      assert.ok(!/canary|of two lines/.test(log), log);
    }
  });

  test("a dangling reference fails the release, and the error names reference and region", async () => {
    const { cloud, account } = fixture;
    const name = `/slipway/p/e/${newId("p")}`;
    const write = { region: "eu-west-1", name, value: "v", token: "1" };
    const { reference } = await cloud.parameters.put(account, write);
    const variables = [{ name: "KEY", kind: "fromParameterStore", reference } as const];
    const { failure } = await fixture.deploy(newId("s"), saying("x"), webWorkload(), variables);
    assert.equal(failure?.code, "VARIABLE_NOT_FOUND");
    assert.ok(failure?.message.includes("KEY") && failure.message.includes(name));
  });

  // T14
  test("a reference to the value of another environment leads to nothing, in a build and in a release", async () => {
    const { cloud, account } = fixture;
    const write = { region: REGION, token: "1", value: "another project's" };
    const parameter = await cloud.parameters.put(account, {
      ...write,
      name: `/slipway/other/${newId("env")}/KEY`,
    });
    const secret = await cloud.secrets.put(account, { ...write, name: `slipway/other/${newId("env")}/KEY` });
    for (const variable of [
      { name: "KEY", kind: "fromParameterStore", ...parameter },
      { name: "KEY", kind: "fromSecretsManager", ...secret },
    ] as const) {
      const workload = webWorkload({ buildCommand: 'echo "$KEY" | rev' });
      const built = await fixture.build(newId("s"), saying("x"), workload, { variables: [variable] });
      assert.equal(built.failure?.code, "VARIABLE_NOT_FOUND");
      const released = await fixture.deploy(newId("s"), saying("x"), webWorkload(), [variable]);
      assert.equal(released.failure?.code, "VARIABLE_NOT_FOUND");
    }
  });

  test("a preview reads its template's values for previews, and no other of it", async () => {
    const { cloud, account } = fixture;
    const templateId = newId("env");
    const put = (name: string) =>
      cloud.parameters.put(account, { region: REGION, token: "1", value: "of the template", name });
    const forPreviews = await put(`/slipway/proj/${templateId}/previews/KEY`);
    const others = [
      await put(`/slipway/proj/${templateId}/KEY`),
      await put(`/slipway/proj/${templateId}/previews`),
      await put(`/slipway/proj/${newId("env")}/previews/KEY`),
    ];
    const workload = webWorkload({ buildCommand: 'echo "$KEY" | rev' });
    const errorOf = async (reference: string, more: object) => {
      const serviceId = newId("s");
      const service = { serviceId, environmentId: "e", region: REGION, ...more };
      const variables = [{ name: "KEY", kind: "fromParameterStore", reference }] as const;
      const built = await fixture.build(serviceId, saying("x"), workload, { variables, service });
      return built.failure?.code ?? null;
    };
    assert.equal(await errorOf(forPreviews.reference, { templateId }), null);
    assert.equal(await errorOf(forPreviews.reference, {}), "VARIABLE_NOT_FOUND");
    for (const { reference } of others)
      assert.equal(await errorOf(reference, { templateId }), "VARIABLE_NOT_FOUND");
  });

  // V7
  test("a release finds what its build installed: absolute paths and links, and caches in its home", async (t) => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const install = `printf '#!%s/tool\\n' "$PWD" > script; printf '#!/bin/sh\\nexec node server.js\\n' > tool
      chmod +x tool; ln -s "$PWD/tool" link; mkdir -p "$HOME/.cache/program" && echo cached > "$HOME/.cache/program/data"`;
    const files = serverFiles(
      'response.end(require("node:fs").readFileSync(process.env.HOME + "/.cache/program/data", "utf8") + process.cwd())',
    );
    const workload = webWorkload({ buildCommand: install, startCommand: '"$PWD/link"' });
    const { artifact } = await fixture.build(serviceId, files, workload);
    const released = await fixture.release(serviceId, artifact, workload);
    assert.equal(released.failure, null);
    if (!/own namespaces \((?:bwrap|unshare)\)/.test(fixture.server.describeCommands()))
      return t.skip("needs bubblewrap or util-linux");
    assert.equal((await ask()).body, "cached\n/app");
  });

  test("one service reaches another at an address that is the same for every release", async () => {
    const serviceId = newId("s");
    const first = await fixture.deploy(serviceId, saying("first"), webWorkload());
    const url = first.url ?? "";
    assert.equal(await (await fetch(url)).text(), "first");
    await fixture.deploy(serviceId, serverFiles("response.end(request.headers.host)"), webWorkload());
    assert.equal(`http://${await (await fetch(url)).text()}`, url);
    await fixture.deploy(serviceId, { "public/index.html": "files" }, staticWorkload());
    assert.equal(await (await fetch(url)).text(), "files");
    await fixture.platform.services.remove(fixture.account, { serviceId, region: REGION });
    await waitFor(() =>
      fetch(url).then(
        () => null,
        () => true,
      ),
    );
  });

  test("what a release writes beside its files is removed with it, and changes no artifact", async () => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const count = `const fs = require("node:fs");
      const seen = fs.existsSync("count") ? Number(fs.readFileSync("count", "utf8")) + 1 : 1;
      fs.writeFileSync("count", String(seen));`;
    const files = serverFiles("response.end(String(seen))", count);
    const { artifact } = await fixture.build(serviceId, files, webWorkload());
    for (let round = 0; round < 2; round++) {
      assert.equal((await fixture.release(serviceId, artifact, webWorkload())).status, "LIVE");
      assert.equal((await ask()).body, "1");
    }
  });

  test("a workload without a start command fails the release clearly", async () => {
    const workload = webWorkload({ startCommand: null });
    const { failure } = await fixture.deploy(newId("s"), saying("x"), workload);
    assert.equal(failure?.code, "START_COMMAND_MISSING");
  });

  test("the last five artifacts of a service and its live one are kept", async () => {
    const serviceId = newId("s");
    const ask = await fixture.distribute({ kind: "none", serviceId });
    const build = (word: string) => fixture.build(serviceId, { "public/index.html": word }, staticWorkload());
    const live = await build("live");
    await fixture.release(serviceId, live.artifact, staticWorkload());
    const old = await build("old");
    for (let index = 0; index < 5; index++) await build(`later ${index}`);
    const { failure } = await fixture.release(serviceId, old.artifact, staticWorkload());
    assert.equal(failure?.code, "ARTIFACT_NOT_FOUND");
    assert.equal((await ask()).body, "live");
    assert.equal((await fixture.release(serviceId, live.artifact, staticWorkload())).status, "LIVE");
  });
});
