/** What a user may get wrong, and what the world may: each has its exit code, and says what to do. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { after, before, describe, it } from "node:test";
import { examplesOf } from "../../cli/src/command.ts";
import { helpOfCommand } from "../../cli/src/help.ts";
import { TABLE } from "../../cli/src/table.ts";
import { createProject } from "../helpers/customers/scenario.ts";
import { ADMIN_KEY, type Instance, startInstance } from "../helpers/instance.ts";
import { freePort } from "../helpers/free-port.ts";
import { type CommandLine, createCommandLine } from "./command-line.ts";

describe("the command line refuses", () => {
  let instance: Instance;
  let cli: CommandLine;
  /** Another server, which would take any key. */
  let stranger: Server;
  let strangerUrl: string;
  const asked: { readonly url: string; readonly authorization: string | undefined }[] = [];
  before(async () => {
    instance = await startInstance();
    await createProject(instance.admin, "Shop");
    cli = await createCommandLine();
    stranger = createServer((request, response) => {
      asked.push({ url: request.url ?? "", authorization: request.headers.authorization });
      response.writeHead(200, { "content-type": "application/json" }).end("{}");
    }).listen(0, "127.0.0.1");
    await once(stranger, "listening");
    strangerUrl = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`;
    const ended = await cli.run(["login", "--url", instance.url, "--token-stdin"], { stdin: ADMIN_KEY });
    assert.equal(ended.code, 0, ended.stderr);
  });
  after(async () => {
    stranger.close();
    await cli.dispose();
    await instance.dispose();
  });

  const typed: readonly (readonly [args: string, said: RegExp])[] = [
    ["domians list", /There is no command domians[.] Did you mean domains\?/],
    ["domains ad x.example.com", /There is no command domains ad[.] Did you mean domains add\?/],
    [
      "domains add x.example.com --servce web",
      /There is no flag --servce[.] Did you mean --service\?[^]*domains add --help/,
    ],
    ["domains add x.example.com -z", /There is no flag -z[.]/],
    ["domains list --status", /--status needs a value/],
    ["domains list --name --json", /--name needs a value/],
    ["domains list --all=yes", /--all takes no value/],
    ["domains list -s a -s b", /--service was given twice/],
    ["domains show", /The argument DOMAIN is missing/],
    ["domains show a b", /Unexpected argument: "b"/],
    ["domains wait a --until served-soon", /--until must be one of attached, served/],
    ["domains wait a --timeout soon", /--timeout must be a duration such as 90s/],
    ["domains list --limit none", /--limit must be a whole number/],
    ["domains add x.example.com --in-sandbox", /give --wait, too/],
    ["completion tcsh", /SHELL must be one of bash, zsh, fish/],
    ["api GET v1/me", /PATH begins with a slash/],
    ["api POST /v1/users --body {", /The body is not JSON/],
    ["env set A=1 B", /Give NAME=VALUE for each/],
    ["env set A=1 --stdin", /Give only NAME with --stdin/],
    ["env set PASSWORD", /Give --stdin or --from-file/],
    ["env set PASSWORD=secret --store secrets-manager", /must not be an argument/],
    ["env diff", /Give another environment, or --file/],
    ["events listen --forward-to https://example.com/hooks", /must be an address of this machine/],
    ["projects delete Shop", /Give --yes to confirm/],
    ["login --url http://slipway.example.com --token-stdin", /is not HTTPS/],
    ["login --url https://user:secret@slipway.example.com", /must be the address of a server/],
    ["--profile unknown whoami", /There is no profile unknown/],
    ["--profile constructor whoami", /There is no profile constructor/],
    ["profile use __proto__", /There is no profile __proto__/],
    ["deployments show ..", /is not an id/],
  ];
  for (const [args, said] of typed) {
    it(`with 2: slipway ${args}`, async () => {
      const before = asked.length;
      const { code, stdout, stderr } = await cli.run(args.split(" "));
      assert.equal(code, 2, stderr);
      assert.equal(stdout, "");
      assert.match(stderr, said);
      assert.doesNotMatch(stderr, /^\s+at /m, "no stack");
      const asJson = await cli.run([...args.split(" "), "--json"]);
      assert.equal(asJson.code, 2);
      assert.equal(asJson.error().exitCode, 2);
      assert.equal(asked.length, before, "nothing was sent");
    });
  }

  it("a group without its command, and shows the commands", async () => {
    const { code, stdout, stderr } = await cli.run(["domains"]);
    assert.deepEqual([code, stdout], [2, ""]);
    assert.match(stderr, /domains add NAME[.]{3}/);
  });

  it("what is not there with 5, and names what is", async () => {
    const domain = await cli.run(["domains", "show", "nope.example.com", "--json"]);
    assert.deepEqual([domain.code, domain.error().code], [5, "NOT_FOUND"]);
    const service = await cli.run(["domains", "add", "x.example.com", "-s", "wbe", "--json"]);
    assert.equal(service.code, 5);
    assert.match(service.error().hint, /web \(svc_/);
  });

  it("invalid requests with every fault", async () => {
    const { code, error } = await cli.run(["domains", "add", "localhost", "10.0.0.1", "-s", "web", "--json"]);
    assert.equal(code, 1);
    assert.equal(error().code, "INVALID_REQUEST");
    assert.equal(error().errors.length, 2);
    assert.match(error().requestId, /^[\w-]+$/);
    const { stderr } = await cli.run(["domains", "add", "localhost", "-s", "web"]);
    assert.equal(stderr.split("has no dot").length, 2, `a single fault is printed once: ${stderr}`);
  });

  it("to continue without a network, with 7", async () => {
    const url = `http://127.0.0.1:${await freePort()}`;
    const { code, error } = await cli.run(["--json", "--url", url, "whoami"], {
      env: { SLIPWAY_TOKEN: "any" },
    });
    assert.deepEqual([code, error().code], [7, "UNREACHABLE"]);
  });

  it("a key that has ended, with 4", async () => {
    const env = { SLIPWAY_URL: instance.url, SLIPWAY_TOKEN: "slw_0123456789abcdefghijklmnopqrstuvw" };
    const { code, error } = await cli.run(["--json", "whoami"], { env });
    assert.deepEqual([code, error().code], [4, "UNAUTHENTICATED"]);
    assert.match(error().hint, /slipway login/);
  });

  it("a key that cannot be one with 4, and says what is wrong with it but not what it is", async () => {
    for (const key of [`\u201c${ADMIN_KEY}\u201d`, `${ADMIN_KEY} ${ADMIN_KEY}`]) {
      const env = { SLIPWAY_URL: instance.url, SLIPWAY_TOKEN: key };
      const { code, stderr, error } = await cli.run(["--json", "whoami"], { env });
      assert.deepEqual([code, error().code], [4, "INVALID_KEY"]);
      assert.match(
        error().message,
        /SLIPWAY_TOKEN is not an API key: its character \d+ is (?:U[+]201C|a blank)/,
      );
      assert.ok(!stderr.includes(ADMIN_KEY));
    }
  });

  it("nothing about an address without its scheme in the environment", async () => {
    const env = { SLIPWAY_URL: ` ${new URL(instance.url).host}/ `, SLIPWAY_TOKEN: ADMIN_KEY };
    const { code, stderr, json } = await cli.run(["--json", "whoami"], { env });
    assert.equal(code, 0, stderr);
    assert.deepEqual([json().url, json().tokenFrom], [instance.url, "SLIPWAY_TOKEN"]);
  });

  it("to store a key that the server does not take", async () => {
    const args = ["login", "--url", instance.url, "--profile", "other", "--token-stdin", "--json"];
    const { code } = await cli.run(args, { stdin: "slw_0123456789abcdefghijklmnopqrstuvw" });
    assert.equal(code, 4);
    const profiles = (await cli.run(["profile", "list", "--json"])).json();
    assert.deepEqual(
      profiles.map(({ name }: { name: string }) => name),
      ["default"],
    );
  });

  it("to send a stored key to another server, however that is named", async () => {
    const linked = path.join(cli.folder, "cloned");
    await mkdir(linked);
    const link = { url: strangerUrl, projectId: "proj_1" };
    await writeFile(path.join(linked, ".slipway-link.json"), JSON.stringify(link));
    const env = { SLIPWAY_TOKEN: ADMIN_KEY };
    const ways = [
      cli.run(["whoami", "--url", strangerUrl, "--json"]),
      cli.run(["whoami", "--url", strangerUrl, "--profile", "default", "--json"]),
      cli.run(["whoami", "--json"], { env: { SLIPWAY_URL: strangerUrl } }),
      cli.run(["whoami", "--json"], { cwd: linked }),
      cli.run(["projects", "list", "--json"], { cwd: linked, env }),
      cli.run(["whoami", "--url", strangerUrl, "--json"], { env: { ...env, SLIPWAY_URL: instance.url } }),
    ];
    for (const [index, way] of ways.entries()) {
      const { code, error } = await way;
      assert.deepEqual([code, error().code], [4, "NOT_LOGGED_IN"], String(index));
    }
    assert.deepEqual(asked, [], "the stranger was never asked");
    // The same server is asked when its own key is given with its address: so it would have noticed.
    await cli.run(["api", "GET", "/v1/me"], { env: { SLIPWAY_URL: strangerUrl, SLIPWAY_TOKEN: "its-own" } });
    assert.deepEqual(asked, [{ url: "/v1/me", authorization: "Bearer its-own" }]);
  });

  it("to follow a redirect to another server", async () => {
    const before = asked.length;
    const redirecting = createServer((_request, response) => {
      response.writeHead(302, { location: `${strangerUrl}/stolen` }).end();
    }).listen(0, "127.0.0.1");
    await once(redirecting, "listening");
    const url = `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}`;
    const { code, error } = await cli.run(["whoami", "--json"], {
      env: { SLIPWAY_URL: url, SLIPWAY_TOKEN: ADMIN_KEY },
    });
    redirecting.close();
    assert.deepEqual([code, error().code], [1, "REDIRECTED"]);
    assert.equal(asked.length, before);
  });

  it("a .env file with a broken quote, and names the line", async () => {
    const { code, error } = await cli.run(["env", "import", "-", "--json"], { stdin: 'A=1\nB="two\nC=3\n' });
    assert.deepEqual([code, error().code], [1, "INVALID_FILE"]);
    assert.match(error().message, /^Line 2: The value of B/);
  });

  it("variables that the server does not take, each with its reason, and sets none of the others", async () => {
    const ended = await cli.run(["env", "import", "-", "--json"], { stdin: "GOOD=1\nBAD.NAME=2\n" });
    assert.equal(ended.code, 1, ended.stderr);
    assert.match(ended.error().hint, /BAD[.]NAME: /);
    assert.deepEqual((await cli.run(["env", "list", "--json"])).json(), []);
  });

  it("empty values, and bytes that are not text", async () => {
    for (const [args, stdin] of [
      [["env", "set", "A", "--stdin"], "\n"],
      [["env", "set", "A="], ""],
      [["env", "import", "-"], "A=\n"],
    ] as const) {
      const { code, error } = await cli.run([...args, "--json"], { stdin });
      assert.deepEqual([code, error().code], [2, "EMPTY_VALUE"], args.join(" "));
    }
    const binary = await cli.run(["env", "set", "A", "--stdin", "--json"], {
      stdin: new Uint8Array([0xff, 0xfe]),
    });
    assert.equal(binary.code, 2);
    assert.match(binary.error().message, /not text in UTF-8/);
    const listed = await cli.run(["env", "list", "--json"]);
    assert.deepEqual(listed.json(), [], "nothing was stored");
    const empty = await cli.run(["env", "set", "A=", "--allow-empty", "--json"]);
    assert.equal(empty.code, 0, empty.stderr);
  });

  it("to let others read the stored keys: it closes the file", async () => {
    const file = path.join(cli.home, ".config/slipway/credentials.json");
    await chmod(file, 0o644);
    assert.equal((await cli.run(["whoami"])).code, 0);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
  });

  it("files that are not as it writes them", async () => {
    const linked = path.join(cli.folder, "broken");
    await mkdir(linked);
    await writeFile(path.join(linked, ".slipway-link.json"), "{");
    const { code, error } = await cli.run(["whoami", "--json"], { cwd: linked });
    assert.deepEqual([code, error().code], [1, "LINK_UNREADABLE"]);
    await rm(linked, { recursive: true });
  });

  it("to print a key, a value or a token with --debug", async () => {
    const { code, stdout, stderr } = await cli.run(["env", "set", "A", "--stdin", "--debug"], {
      stdin: "a-value-to-hide",
    });
    assert.equal(code, 0, stderr);
    assert.match(stderr, /POST http.*\/env-variables answered 200/);
    for (const hidden of [ADMIN_KEY, "a-value-to-hide", "Bearer"])
      assert.ok(!`${stdout}${stderr}`.includes(hidden), hidden);
  });

  it("to let text of others control the terminal, whatever a server sends", async () => {
    const user = { id: "user_1", email: "x@acme.example", role: "viewer", name: "\u001b[2Jred\u0007" };
    const hostile = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ users: [{ ...user, lastSeenAt: null }], nextCursor: null }));
    }).listen(0, "127.0.0.1");
    await once(hostile, "listening");
    const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`;
    const { stdout } = await cli.run(["users", "list"], {
      env: { SLIPWAY_URL: url, SLIPWAY_TOKEN: "its-own" },
    });
    hostile.close();
    assert.match(stdout, /x@acme[.]example .* red +-\n/);
  });

  it("no help: each command has its own, with an example of itself", async () => {
    for (const args of [
      ["domains", "add", "--help"],
      ["help", "domains", "add"],
      ["-h", "domains", "add"],
    ])
      assert.match((await cli.run(args)).stdout, /^Usage: slipway domains add NAME/);
    for (const command of TABLE.commands) {
      const { words, flags } = command;
      const examples = examplesOf(command);
      const help = helpOfCommand(command);
      assert.ok(help.startsWith(`Usage: slipway ${words}`), words);
      assert.ok(examples.length > 0 && examples.every((line) => line.includes(`slipway ${words}`)), words);
      for (const { name } of flags ?? []) assert.ok(help.includes(`--${name}`), `${words} --${name}`);
    }
  });
});
