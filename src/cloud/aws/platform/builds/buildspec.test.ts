/** The instructions are run, by a shell with git, and with programs of the test's own in place of docker and aws. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { randomBytes } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";
import type { BuildPhase } from "@aws-sdk/client-codebuild";
import type { RuntimeVariable, Workload } from "../../../platform.ts";
import { endingOf, startBuildInput } from "./codebuild.ts";
import { buildspecOf, INSTALL_FAILED_STATUS, sourceTypeOf, TOO_LARGE_STATUS } from "./buildspec.ts";
import { ACCOUNT, SERVICE, WEB } from "../stacks/templates/testing-templates.ts";

const SITE = { type: "static", buildCommand: "$(touch pwned)", outputDirectory: "x; touch pwned" } as const;
const ODD = 'it\'s "odd" $HOME `id` \\ ünï\nand ends with a line\n';

type Spec = { readonly phases: Readonly<Record<string, { readonly commands: readonly string[] }>> };

function scriptOf(phase: "pre_build" | "build", ...args: Parameters<typeof buildspecOf>): string {
  const commands = (JSON.parse(buildspecOf(...args)) as Spec).phases[phase]?.commands ?? [];
  assert.equal(commands.length, 1);
  return commands[0] ?? "";
}

/** What CodeBuild would have in the environment, with managed values looked up by their references. */
function environmentOf(workload: Workload, variables: readonly RuntimeVariable[]): Record<string, string> {
  const source = { repoUrl: "https://git.example.com/shop.git", commit: "c".repeat(40), branch: "main" };
  const request = { token: "t", service: SERVICE, workload, source, variables, timeLimitSeconds: 60 };
  const { environmentVariablesOverride } = startBuildInput(ACCOUNT, request);
  const pairs = (environmentVariablesOverride ?? []).map(
    ({ name = "", value = "", type }) => [name, type === "PLAINTEXT" ? value : `value of ${value}`] as const,
  );
  return { ...Object.fromEntries(pairs), SLIPWAY_IMAGES: "registry/images", SLIPWAY_FILES: "files" };
}

describe("the instructions for CodeBuild", () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(path.join(tmpdir(), "slipway-buildspec-"));
    mkdirSync(path.join(folder, "bin"));
    // docker: its arguments, and what the default Dockerfile's RUN would do.
    const docker = `[ "$1" = build ] || exit 0
for one in "$@"; do last="$one"; done
(cd "$last" && pwd) > "$OUT/context"
for one in "$@"; do printf '%s\\0' "$one"; done > "$OUT/arguments"
for one in "$@"; do case "$one" in
  *src=*) . "\${one#*src=}" ;;
  */Dockerfile) cp "$one" "$OUT/Dockerfile" ;;
esac; done
case "$*" in *"--target installed"*) command="$SLIPWAY_INSTALL_COMMAND" ;; *) command="$SLIPWAY_BUILD_COMMAND" ;; esac
cd "$OUT" && { sh -c "$command" || exit 1; }`;
    const aws = `echo "$AWS_PROFILE" > "$OUT/profile"; echo "$*" >> "$OUT/uploads"`;
    for (const [name, text] of Object.entries({ docker, aws })) {
      writeFileSync(path.join(folder, "bin", name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
    }
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function run(script: string, env: Record<string, string>, files: Readonly<Record<string, string>> = {}) {
    const cwd = mkdtempSync(path.join(folder, "w-"));
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(cwd, name)), { recursive: true });
      writeFileSync(path.join(cwd, name), text);
    }
    const PATH = `${path.join(folder, "bin")}:/usr/local/bin:/usr/bin:/bin`;
    const { status, stdout } = spawnSync("sh", ["-c", script], {
      cwd,
      env: { HOME: cwd, TMPDIR: cwd, ...env, PATH, OUT: cwd },
      encoding: "utf8",
    });
    const read = (name: string) => readFileSync(path.join(cwd, name), "utf8");
    return { status, stdout, read, cwd };
  }

  test("S9: managed values reach a build only as references, whose values CodeBuild hides in its log", () => {
    const variables: readonly RuntimeVariable[] = [
      { name: "STORED", kind: "fromParameterStore", reference: "/slipway/p/e/STORED" },
      { name: "SECRET", kind: "fromSecretsManager", reference: "arn:aws:secretsmanager:x:1:secret:y" },
    ];
    const source = { repoUrl: "https://git.example.com/shop.git", commit: "c".repeat(40), branch: "main" };
    const request = { token: "t", service: SERVICE, source, variables, timeLimitSeconds: 60 };
    for (const workload of [SITE, WEB]) {
      const input = startBuildInput(ACCOUNT, { ...request, workload });
      const managed = input.environmentVariablesOverride?.filter(({ type }) => type !== "PLAINTEXT");
      assert.deepEqual(managed, [
        { name: "SLIPWAY_VAR_STORED", value: "/slipway/p/e/STORED", type: "PARAMETER_STORE" },
        { name: "SLIPWAY_VAR_SECRET", value: "arn:aws:secretsmanager:x:1:secret:y", type: "SECRETS_MANAGER" },
      ]);
    }
  });

  test("contain nothing from the repository in a command", () => {
    assert.doesNotMatch(buildspecOf(SITE, "NO_SOURCE"), /pwned/);
    assert.doesNotMatch(buildspecOf({ ...WEB, buildCommand: "touch pwned" }, "NO_SOURCE"), /pwned/);
  });

  test("fetch from GitHub with CodeBuild itself, and from other hosts with git", () => {
    assert.equal(sourceTypeOf("https://github.com/acme/shop.git"), "GITHUB");
    assert.equal(sourceTypeOf("https://gitlab.example.com/github.com/shop.git"), "NO_SOURCE");
    assert.doesNotMatch(buildspecOf(WEB, "GITHUB"), / fetch /);
    assert.match(scriptOf("pre_build", WEB, "NO_SOURCE"), / fetch -q --depth 1 -- /);
  });

  test("a service in a folder is built there, with the whole repository unless it has its own Dockerfile", () => {
    const basePath = "apps/web";
    const site = { ...SITE, basePath, buildCommand: "mkdir out && pwd > out/at", outputDirectory: "out" };
    const files = { "apps/web/page.txt": "", "shared/words.txt": "" };
    const built = run(scriptOf("build", site, "GITHUB"), environmentOf(site, []), files);
    assert.equal(built.status, 0, built.stdout);
    assert.match(built.read("apps/web/out/at"), /\/apps\/web$/m);
    const web = { ...WEB, basePath };
    const script = scriptOf("build", web, "GITHUB");
    const inRoot = run(script, environmentOf(web, []), files);
    assert.equal(inRoot.read("context").trim(), inRoot.cwd);
    assert.match(inRoot.read("arguments"), /--build-arg\0SLIPWAY_BASE\0/);
    assert.match(inRoot.read("Dockerfile"), /COPY \. \.\nARG SLIPWAY_BASE\nWORKDIR \/app\/\$SLIPWAY_BASE\n/);
    assert.equal(environmentOf(web, [])["SLIPWAY_BASE"], basePath);
    const inFolder = run(script, environmentOf(web, []), {
      "apps/web/Dockerfile": "FROM x",
      Dockerfile: "FROM y",
    });
    assert.equal(inFolder.read("context").trim(), path.join(inFolder.cwd, basePath));
    assert.match(inFolder.read("arguments"), /--file\0Dockerfile\0/);
    const named = environmentOf({ ...web, dockerfilePath: "docker/a" }, []);
    const byName = run(script, named, { "apps/web/docker/a": "FROM x", "apps/web/Dockerfile": "FROM y" });
    assert.equal(byName.read("context").trim(), path.join(byName.cwd, basePath));
    assert.match(byName.read("arguments"), /--file\0docker\/a\0/);
    const missing = run(script, named, { "apps/web/Dockerfile": "FROM y" });
    assert.equal(missing.status, 1);
    assert.match(missing.stdout, /There is no Dockerfile apps\/web\/docker\/a in the repository\./);
    for (const [dockerContext, seen] of [
      [".", ""],
      ["shared", "/shared"],
    ] as const) {
      const own = environmentOf({ ...web, dockerfilePath: "docker/a", dockerContext }, []);
      const elsewhere = run(script, own, { "apps/web/docker/a": "FROM x", "shared/a": "" });
      assert.equal(elsewhere.status, 0, elsewhere.stdout);
      assert.equal(elsewhere.read("context").trim(), `${elsewhere.cwd}${seen}`);
      assert.match(elsewhere.read("arguments"), /--file\0docker\/a\0/);
      const without = run(script, own, { "apps/web/Dockerfile": "FROM x", "shared/a": "" });
      assert.equal(without.status, 1);
      assert.match(without.stdout, /There is no Dockerfile apps\/web\/docker\/a in the repository\./);
    }
    const nowhere = environmentOf({ ...web, dockerContext: "shared" }, []);
    const noFolder = run(script, nowhere, { "apps/web/Dockerfile": "FROM x", shared: "a file" });
    assert.equal(noFolder.status, 1);
    assert.match(noFolder.stdout, /no folder shared in the repository, which dockerContext names/);
    const noFile = run(script, nowhere, { "apps/web/page.txt": "", "shared/a": "" });
    assert.match(noFile.stdout, /There is no Dockerfile apps\/web\/Dockerfile/, "not the default builder");
    assert.notEqual(
      run(script, environmentOf(web, []), { Dockerfile: "FROM y" }).status,
      0,
      "no such folder",
    );
  });

  describe("the limit of a repository's size", () => {
    /** A repository of 100 random files of this size, and its commit. */
    function makeRepository(bytes: number): { url: string; commit: string } {
      const at = mkdtempSync(path.join(folder, "r-"));
      const git = (...args: string[]) =>
        execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", ...args], {
          cwd: at,
          encoding: "utf8",
        });
      git("init", "-q");
      for (let index = 0; index < 100; index += 1) {
        writeFileSync(path.join(at, `${index}.bin`), randomBytes(bytes / 100));
      }
      git("add", ".");
      git("commit", "-qm", "files");
      return { url: `file://${at}`, commit: git("rev-parse", "HEAD").trim() };
    }
    function fetch({ url, commit }: { url: string; commit: string }, maxKib: number) {
      const script = scriptOf("pre_build", WEB, "NO_SOURCE");
      // The only protocol is HTTPS, which the test has no server for.
      return run(script.replace("GIT_ALLOW_PROTOCOL=https", "GIT_ALLOW_PROTOCOL=file"), {
        SLIPWAY_REPOSITORY: url,
        SLIPWAY_COMMIT: commit,
        SLIPWAY_MAX_KIB: String(maxKib),
      });
    }

    test("a smaller repository is fetched and checked out", () => {
      const { status, cwd } = fetch(makeRepository(500_000), 2_000);
      assert.equal(status, 0);
      assert.ok(existsSync(path.join(cwd, "99.bin")));
    });

    test("a larger one ends with its own exit status, and is not fetched completely", () => {
      const { status, stdout, cwd } = fetch(makeRepository(8_000_000), 2_000);
      assert.equal(status, TOO_LARGE_STATUS);
      assert.match(stdout, /larger than the limit of 2000 KiB/);
      assert.ok(!existsSync(path.join(cwd, "0.bin")));
      const kib = Number(execFileSync("sh", ["-c", "du -sk .git"], { cwd, encoding: "utf8" }).split("\t")[0]);
      assert.ok(kib < 5_000, `${kib} KiB`);
    });

    test("a small repository with large files ends with the same status", () => {
      const { url, commit } = makeRepository(100);
      const at = new URL(url).pathname;
      writeFileSync(path.join(at, "zeros.bin"), Buffer.alloc(4_000_000));
      execFileSync("git", ["add", "."], { cwd: at });
      execFileSync("git", ["-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"], { cwd: at });
      const grown = execFileSync("git", ["rev-parse", "HEAD"], { cwd: at, encoding: "utf8" }).trim();
      assert.equal(fetch({ url, commit }, 2_000).status, 0);
      assert.equal(fetch({ url, commit: grown }, 2_000).status, TOO_LARGE_STATUS);
    });

    test("a missing commit has another status", () => {
      const { status } = fetch({ ...makeRepository(1_000), commit: "0".repeat(40) }, 2_000);
      assert.ok(status !== 0 && status !== TOO_LARGE_STATUS, String(status));
    });
  });

  describe("the hints in the log", () => {
    const files = {
      "package.json": JSON.stringify(
        { engines: { npm: "11", node: "^20" }, devDependencies: { vite: "8" } },
        null,
        2,
      ),
      ".nvmrc": "$(touch pwned)\n",
      "photo.jpg": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n",
    };
    const NODE_ENV = { name: "NODE_ENV", kind: "plainText", value: "production" } as const;
    const site = { type: "static", buildCommand: "npm ci && npm run build", outputDirectory: "out" } as const;
    const logOf = (
      workload: Workload,
      variables: readonly RuntimeVariable[],
      own: Record<string, string>,
    ) => {
      const env = { SLIPWAY_MAX_KIB: "2000", ...environmentOf(workload, variables) };
      const { status, stdout, cwd } = run(scriptOf("pre_build", workload, "GITHUB"), env, own);
      assert.equal(status, 0, stdout);
      assert.ok(!existsSync(path.join(cwd, "pwned")));
      return stdout;
    };

    test("name the version of Node.js and what asks for another, devDependencies and pointers of Git LFS", () => {
      const log = logOf(site, [NODE_ENV], files);
      assert.match(
        log,
        /Node\.js is 22.*; \.nvmrc asks for \$\(touch pwned\); engines in package\.json ask for \^20\./,
      );
      assert.match(
        log,
        /NODE_ENV is production, so package managers leave out devDependencies\. .*add --include=dev/,
      );
      assert.match(log, /Files of Git LFS are not fetched\..*:\n\.\/photo\.jpg\n/);
      assert.match(
        logOf({ ...WEB, buildCommand: null }, [], files),
        /^Node\.js is 24, .*default builder.*\^20\.$/m,
      );
    });

    test("are left out where they do not apply", () => {
      assert.doesNotMatch(logOf(site, [], files), /devDependencies/);
      assert.doesNotMatch(logOf({ ...site, buildCommand: "true" }, [NODE_ENV], files), /devDependencies/);
      assert.doesNotMatch(logOf(WEB, [NODE_ENV], { ...files, Dockerfile: "FROM scratch" }), /Node/);
      assert.equal(logOf(site, [NODE_ENV], { "index.html": "Hello" }), "");
      assert.match(logOf(site, [NODE_ENV], { "package.json": "not JSON" }), /^Node\.js is 22[^;]*\.\n$/);
    });
  });

  describe("of variables", () => {
    const variables: readonly RuntimeVariable[] = [
      { name: "ODD", kind: "plainText", value: ODD },
      { name: "AWS_PROFILE", kind: "plainText", value: "theirs" },
      { name: "name", kind: "plainText", value: "a name" },
      { name: "KEY", kind: "fromSecretsManager", reference: "slipway/key" },
    ];
    const buildCommand = 'printf "%s|%s|%s|%s" "$ODD" "$AWS_PROFILE" "$name" "$KEY" > seen';
    const expected = `${ODD}|theirs|a name|value of slipway/key`;

    test("the build command of a site has the variables unchanged, and no command of ours has them", () => {
      const site = { type: "static", buildCommand, outputDirectory: "." } as const;
      const { status, read } = run(scriptOf("build", site, "GITHUB"), environmentOf(site, variables));
      assert.deepEqual([status, read("seen"), read("profile")], [0, expected, "\n"]);
    });

    // V10
    test("a file of a site without an extension is stored for the address that CloudFront asks for, and so is a 404 page", () => {
      const site = {
        type: "static",
        buildCommand:
          "mkdir -p out/.well-known && cp LICENSE about about.html out && cp LICENSE out/.well-known/token",
        outputDirectory: "out",
      } as const;
      const files = { LICENSE: "MIT", about: "a file", "about.html": "a page" };
      const env = environmentOf(site, []);
      const { status, read } = run(scriptOf("build", site, "GITHUB"), env, files);
      assert.equal(status, 0);
      const extra = read("uploads")
        .split("\n")
        .filter((line) => line.includes("--content-type"));
      const to = `s3://files/${env["SLIPWAY_FOLDER"]}`;
      assert.deepEqual(extra.sort(), [
        `s3 cp --no-progress --content-type application/octet-stream ./.well-known/token ${to}/.well-known/token.html`,
        `s3 cp --no-progress --content-type application/octet-stream ./LICENSE ${to}/LICENSE.html`,
        `s3 cp --no-progress --content-type text/plain; charset=utf-8 - ${to}/404.html`,
      ]);
    });

    test("the default builder, for a repository without a Dockerfile, has them too", () => {
      const workload = { ...WEB, buildCommand };
      const { status, read } = run(scriptOf("build", workload, "GITHUB"), environmentOf(workload, variables));
      assert.deepEqual([status, read("seen"), read("profile")], [0, expected, "\n"]);
      assert.match(read("Dockerfile"), /^FROM public\.ecr\.aws\/docker\/library\/node:24 AS installed\n/);
      assert.ok(!read("arguments").includes("value of slipway/key"), "no value is an argument");
    });

    test("a Dockerfile gets plain ones as arguments and managed ones as secrets, by name", () => {
      const files = { Dockerfile: "FROM scratch" };
      const script = scriptOf("build", { ...WEB, buildCommand: "true" }, "GITHUB");
      const { status, read } = run(script, environmentOf({ ...WEB, buildCommand: "true" }, variables), files);
      assert.equal(status, 0);
      const given = read("arguments").split("\0");
      assert.ok(given.includes(`ODD=${ODD}`) && given.includes("AWS_PROFILE=theirs"));
      assert.ok(given.includes("id=KEY,env=SLIPWAY_VAR_KEY"));
      assert.equal(given[given.indexOf("--file") + 1], "Dockerfile");
    });

    test("a build command that fails is the build's failure", () => {
      const site = { type: "static", buildCommand: "exit 3", outputDirectory: "." } as const;
      const { status, cwd } = run(scriptOf("build", site, "GITHUB"), environmentOf(site, []));
      assert.equal(status, 3);
      assert.ok(!existsSync(path.join(cwd, "profile")));
    });

    test("installCommand runs before it, and its failure has its own exit status", () => {
      const site = { type: "static", outputDirectory: "." } as const;
      const image = { ...WEB };
      for (const base of [site, image]) {
        const builds = (commands: { installCommand?: string; buildCommand: string | null }) => {
          const workload: Workload = { ...base, ...commands };
          return run(scriptOf("build", workload, "GITHUB"), environmentOf(workload, variables));
        };
        const built = builds({
          installCommand: 'printf "%s" "$KEY" > in',
          buildCommand: "cat in in > seen",
        });
        assert.deepEqual([built.status, built.read("seen")], [0, "value of slipway/key".repeat(2)]);
        const failed = builds({ installCommand: "exit 3", buildCommand: "touch seen" });
        assert.equal(failed.status, INSTALL_FAILED_STATUS);
        assert.ok(!existsSync(path.join(failed.cwd, "seen")));
        assert.equal(builds({ buildCommand: `exit ${INSTALL_FAILED_STATUS}` }).status, 1);
      }
      const { status, read } = run(
        scriptOf("build", image, "GITHUB"),
        environmentOf({ ...image, installCommand: "exit 3", buildCommand: "true" }, []),
        { Dockerfile: "FROM scratch" },
      );
      assert.equal(status, 0, "a Dockerfile decides itself");
      assert.match(read("arguments"), /--build-arg\0SLIPWAY_INSTALL_COMMAND\0/);
    });

    test("the failure of installCommand names it", () => {
      const source = { repoUrl: "https://github.com/a/b.git", commit: "c", branch: "main" };
      const request = {
        token: "t",
        service: SERVICE,
        workload: WEB,
        source,
        variables,
        timeLimitSeconds: 60,
      };
      const endingAt = (status: number) => {
        const message = `Error while executing command: (...). Reason: exit status ${status}`;
        const phases: BuildPhase[] = [
          { phaseType: "BUILD", phaseStatus: "FAILED", contexts: [{ message }] },
          { phaseType: "FINALIZING", phaseStatus: "SUCCEEDED" },
        ];
        return endingOf({ buildStatus: "FAILED", phases }, request).failure?.code;
      };
      assert.equal(endingAt(INSTALL_FAILED_STATUS), "INSTALL_COMMAND_FAILED");
      assert.equal(endingAt(1), "BUILD_COMMAND_FAILED");
      assert.equal(endingAt(TOO_LARGE_STATUS), "BUILD_COMMAND_FAILED");
    });

    test("CodeBuild is given references, never values of managed ones", () => {
      const source = { repoUrl: "https://github.com/a/b.git", commit: "c", branch: "main" };
      const request = {
        token: "t",
        service: SERVICE,
        workload: WEB,
        source,
        variables,
        timeLimitSeconds: 60,
      };
      const given = startBuildInput(ACCOUNT, request).environmentVariablesOverride;
      assert.deepEqual(
        given?.find(({ name }) => name === "SLIPWAY_VAR_KEY"),
        { name: "SLIPWAY_VAR_KEY", value: "slipway/key", type: "SECRETS_MANAGER" },
      );
    });
  });
});
