import assert from "node:assert/strict";
import { once } from "node:events";
import { Agent, createServer, request as send, type Server } from "node:http";
import { after, before, describe, it } from "node:test";
import { pino } from "pino";
import { until } from "../../../test/helpers/until.ts";
import { shedLoad } from "./shed-load.ts";

describe("while more requests wait than can be answered soon", () => {
  let server: Server;
  let port = 0;
  let isOverloaded = false;
  let shed = 0;
  let handled: string[] = [];
  let checks = 0;
  const lines: string[] = [];
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });

  before(async () => {
    const log = pino({ level: "warn" }, { write: (line: string) => void lines.push(line) });
    server = createServer(
      shedLoad(
        (request, response) => {
          handled.push(request.url ?? "");
          response.end("{}");
        },
        {
          isOverloaded: () => ((checks += 1), isOverloaded),
          onShed: () => (shed += 1),
          log,
          isPatient: (path) => path.startsWith("/v1/git-hooks/"),
        },
      ),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const address = server.address();
    port = typeof address === "object" && address !== null ? address.port : 0;
  });
  after(() => {
    agent.destroy();
    server.close();
  });

  async function ask(method: string, path: string, body?: string) {
    const request = send({ port, host: "127.0.0.1", method, path, agent });
    request.end(body);
    const [response] = await once(request, "response");
    const text: string = (await response.setEncoding("utf8").toArray()).join("");
    const headers: Record<string, string> = response.headers;
    return { status: Number(response.statusCode), headers, text, socketPort: request.socket?.localPort };
  }

  it("a new one is refused with 503, Retry-After and a problem document", async () => {
    isOverloaded = true;
    const { status, headers, text } = await ask("POST", "/v1/projects?a=b", "{}");
    assert.equal(status, 503);
    assert.match(headers["retry-after"] ?? "", /^[1-3]$/);
    assert.match(headers["content-type"] ?? "", /^application\/problem\+json/);
    const problem = JSON.parse(text);
    assert.equal(problem.code, "OVERLOADED");
    assert.equal(problem.status, 503);
    assert.equal(problem.instance, "/v1/projects");
    assert.equal(problem.requestId, headers["x-request-id"]);
    assert.deepEqual(handled, []);
    assert.equal(shed, 1);
  });

  it("one in a short rush is answered after the rush", async () => {
    isOverloaded = true;
    handled = [];
    checks = 0;
    const answered = ask("GET", "/v1/projects");
    await until(() => checks === 1, "the request has come and found no room");
    isOverloaded = false;
    assert.equal((await answered).status, 200);
    assert.deepEqual(handled, ["/v1/projects"]);
  });

  it("a git host, which sends a push only once, is not refused before it would give up", async () => {
    isOverloaded = true;
    handled = [];
    checks = 0;
    const answered = ask("POST", "/v1/git-hooks/github", "{}");
    await until(() => checks === 4, "it found no room three times more");
    isOverloaded = false;
    assert.equal((await answered).status, 200);
    assert.deepEqual(handled, ["/v1/git-hooks/github"]);
  });

  it("health checks and metrics are answered", async () => {
    isOverloaded = true;
    handled = [];
    for (const path of ["/healthz", "/readyz", "/metrics"])
      assert.equal((await ask("GET", path)).status, 200);
    assert.deepEqual(handled, ["/healthz", "/readyz", "/metrics"]);
  });

  it("the connection of a refused request, with its body unread, takes the next request", async () => {
    isOverloaded = true;
    const refused = await ask("POST", "/v1/projects", "x".repeat(200_000));
    isOverloaded = false;
    const next = await ask("GET", "/v1/projects");
    assert.deepEqual([refused.status, next.status], [503, 200]);
    assert.equal(next.socketPort, refused.socketPort);
  });

  it("the log reports it once, not for each", async () => {
    isOverloaded = true;
    for (let count = 0; count < 5; count += 1) await ask("GET", "/v1/projects");
    assert.equal(lines.length, 1);
  });
});
