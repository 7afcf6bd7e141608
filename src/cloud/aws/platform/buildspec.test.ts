import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { describe, test } from "node:test";
import { buildspecOf, sourceTypeOf } from "./buildspec.ts";
import { WEB } from "./testing-templates.ts";

const SITE = { type: "static", buildCommand: "$(touch pwned)", outputDirectory: "x; touch pwned" } as const;

type Spec = { readonly phases: Readonly<Record<string, { readonly commands: readonly string[] }>> };

function commandsOf(...args: Parameters<typeof buildspecOf>): readonly string[] {
  return (JSON.parse(buildspecOf(...args)) as Spec).phases["build"]?.commands ?? [];
}

describe("what CodeBuild is told", () => {
  test("has nothing of the repository's in a command", () => {
    assert.doesNotMatch(buildspecOf(SITE, "NO_SOURCE"), /pwned/);
    assert.doesNotMatch(buildspecOf({ ...WEB, buildCommand: "touch pwned" }, "NO_SOURCE"), /pwned/);
  });

  test("fetches from GitHub by CodeBuild itself, and from elsewhere by git", () => {
    assert.equal(sourceTypeOf("https://github.com/acme/shop.git"), "GITHUB");
    assert.equal(sourceTypeOf("https://gitlab.example.com/github.com/shop.git"), "NO_SOURCE");
    assert.doesNotMatch(buildspecOf(WEB, "GITHUB"), /git fetch/);
    assert.match(buildspecOf(WEB, "NO_SOURCE"), /git fetch -q --depth 1 --/);
  });

  test("its commands are commands of a shell", () => {
    for (const commands of [commandsOf(WEB, "NO_SOURCE"), commandsOf(SITE, "GITHUB")]) {
      for (const command of commands) execFileSync("sh", ["-n", "-c", command]);
    }
  });

  test("writes the default builder's Dockerfile where the repository has none, and leaves one that it has", () => {
    const folder = mkdtempSync(path.join(tmpdir(), "slipway-buildspec-"));
    const file = path.join(folder, "slipway.Dockerfile");
    const commands = commandsOf(WEB, "GITHUB")
      .filter((command) => command.includes("SLIPWAY_DOCKERFILE=") && !command.startsWith("docker"))
      .map((command) => command.replace("/tmp/slipway.Dockerfile", file));
    const run = () =>
      execFileSync("sh", ["-c", `${commands.join("\n")}\necho "$SLIPWAY_DOCKERFILE"`], {
        cwd: folder,
        encoding: "utf8",
      });
    try {
      assert.equal(run().trim(), file);
      const lines = readFileSync(file, "utf8").trim().split("\n");
      assert.match(lines[0] ?? "", /^FROM public\.ecr\.aws\/docker\/library\/node:24$/);
      assert.deepEqual(lines.slice(-2), ['RUN sh -c "$SLIPWAY_BUILD_COMMAND"', 'CMD ["npm", "start"]']);
      writeFileSync(path.join(folder, "Dockerfile"), "FROM scratch");
      assert.equal(run().trim(), "Dockerfile");
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
