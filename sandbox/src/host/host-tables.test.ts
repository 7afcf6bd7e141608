import assert from "node:assert/strict";
import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rm,
  stat,
  symlink,
  writeFile,
} from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { Readable } from "node:stream";
import { after, before, describe, it } from "node:test";
import { openState, type SandboxState } from "../state.ts";
import { readHostLines, removeCopies, writeHostLines } from "./backup-stream.ts";
import { draftHost } from "./restore-tables.ts";

const build = (id: string, serviceId: string) => ({
  id,
  accountId: "111122223333",
  input: { token: id, service: { serviceId } },
  hasArtifact: true,
});

describe("the tables of an own server", () => {
  let folder: string;
  let from: string;
  let state: SandboxState;
  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), "slipway-host-tables-"));
    from = path.join(folder, "host");
    state = openState(from);
    const builds = state.collection<object>("platform-builds");
    for (const id of ["build-1", "build-2", "build-3"]) {
      builds.put(id, build(id, "svc_1"));
      const source = path.join(from, "platform/builds", id, "source");
      await mkdir(path.join(source, "empty"), { recursive: true });
      await writeFile(path.join(source, "run.sh"), id);
      await chmod(path.join(source, "run.sh"), 0o755);
    }
    const live = path.join(from, "platform/builds/build-1");
    await symlink("run.sh", path.join(live, "source/link"));
    await mkdir(path.join(live, "home"));
    await writeFile(path.join(live, "home/large"), "y".repeat(700_000));
    await writeFile(path.join(live, "home/nothing"), "");
    state.collection<object>("platform-releases").put("release-1", {
      status: "LIVE",
      input: { artifact: "build-1", service: { serviceId: "svc_1" } },
    });
  });
  after(async () => {
    state.close();
    await rm(folder, { recursive: true });
  });

  it("make the same folder elsewhere, with the builds that are needed", async () => {
    const to = path.join(folder, "restored");
    const draft = await draftHost(to);
    const lines = createInterface({ input: Readable.from(writeHostLines(state, from)) });
    for await (const table of readHostLines(lines)) await draft.write(table);
    await draft.publish();
    const restored = openState(to);
    const builds = [...restored.collection<{ id: string; hasArtifact: boolean }>("platform-builds").values()];
    restored.close();
    assert.deepEqual(
      builds.map(({ id, hasArtifact }) => [id, hasArtifact]),
      [
        ["build-1", true],
        ["build-2", false],
        ["build-3", true],
      ],
    );
    const at = (place: string) => path.join(to, "platform/builds", place);
    assert.deepEqual((await readdir(at(""))).toSorted(), ["build-1", "build-3"]);
    assert.equal(await readFile(at("build-3/source/run.sh"), "utf8"), "build-3");
    assert.equal((await stat(at("build-3/source/run.sh"))).mode & 0o777, 0o755);
    assert.deepEqual(await readdir(at("build-1/source/empty")), []);
    assert.equal(await readlink(at("build-1/source/link")), "run.sh");
    assert.equal((await readFile(at("build-1/home/large"), "utf8")).length, 700_000);
    assert.equal((await stat(at("build-1/home/nothing"))).size, 0);
    assert.deepEqual(
      (await readdir(from)).filter((one) => one.startsWith("backup")),
      [],
      "the copy is removed",
    );
  });

  it("are not taken for complete if the connection breaks", async () => {
    const all: string[] = [];
    for await (const text of writeHostLines(state, from)) all.push(text);
    const lines = createInterface({ input: Readable.from(all.slice(0, -1)) });
    await assert.rejects(async () => {
      for await (const { rows } of readHostLines(lines)) for await (const read of rows) assert.ok(read);
    }, /not complete/);
  });

  it("leave no copy of the documents if the process was killed", async () => {
    for (const name of ["backup-00.db", "backup-00.db-wal", "sandbox.db-other"])
      await writeFile(path.join(from, name), "");
    removeCopies(from);
    assert.deepEqual(
      (await readdir(from)).filter((one) => /backup|other/.test(one)),
      ["sandbox.db-other"],
    );
  });
});
