/** A git host with real git: the repositories of a folder over HTTPS, by git's own `http-backend` (a CGI program). */
import { spawn } from "node:child_process";
import type { IncomingMessage, ServerResponse } from "node:http";
import { type LocalServer, startLocalServer } from "./local-server.ts";

export type GitServer = LocalServer & {
  /** Addresses of the requests so far, with what they were authorized by. */
  readonly requests: readonly { readonly url: string; readonly authorization: string | undefined }[];
};

/**
 * @param options.folder has the bare repositories `NAME.git`
 * @param options.login `USER:TOKEN`, which every request needs; null for public repositories
 * @param options.answerInstead answers requests for which it returns true
 */
export async function startGitServer(options: {
  readonly folder: string;
  readonly login: string | null;
  readonly answerInstead?: (request: IncomingMessage, response: ServerResponse) => boolean;
}): Promise<GitServer> {
  const { folder, login, answerInstead = () => false } = options;
  const expected = login === null ? null : `Basic ${Buffer.from(login).toString("base64")}`;
  const requests: { url: string; authorization: string | undefined }[] = [];
  const server = await startLocalServer("https", (request, response) => {
    const { authorization } = request.headers;
    requests.push({ url: request.url ?? "", authorization });
    if (answerInstead(request, response)) return;
    if (expected !== null && authorization !== expected) {
      response.writeHead(401, { "www-authenticate": 'Basic realm="git"' }).end();
    } else answerByGit(folder, request, response);
  });
  return { ...server, requests };
}

function answerByGit(folder: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? "", "https://host");
  const header = (name: string) => String(request.headers[name] ?? "");
  const backend = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env["PATH"],
      GIT_PROJECT_ROOT: folder,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      PATH_INFO: pathname,
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method,
      CONTENT_TYPE: header("content-type"),
      HTTP_CONTENT_ENCODING: header("content-encoding"),
      GIT_PROTOCOL: header("git-protocol"),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  // The client may leave before either is done.
  request.pipe(backend.stdin.on("error", () => undefined));
  response.on("close", () => backend.kill());
  let head = Buffer.alloc(0);
  backend.stdout.on("data", function readHead(chunk: Buffer) {
    head = Buffer.concat([head, chunk]);
    const end = head.indexOf("\r\n\r\n");
    if (end < 0) return;
    backend.stdout.off("data", readHead);
    for (const line of head.toString("latin1", 0, end).split("\r\n")) {
      const [, name = "", value = ""] = /^([^:]+): (.*)$/.exec(line) ?? [];
      if (name === "Status") response.statusCode = Number.parseInt(value, 10);
      else response.setHeader(name, value);
    }
    response.write(head.subarray(end + 4));
    backend.stdout.pipe(response);
  });
}
