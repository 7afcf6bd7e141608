/** The requests of a REST API about one repository, with what their answers mean. */
import {
  type JsonObject,
  permissionRefusal,
  readJson,
  repositoryRefusal,
  requireObject,
  requireObjects,
} from "./answers.ts";
import { type GitAccess, GitError, type Repository } from "./git.ts";
import type { HttpAnswer, HttpClient, HttpRequest } from "./http-client.ts";

/** Where an API is, how it addresses a repository, and how it divides lists into pages. */
export type RestAddress = {
  /** @throws GitError `HOST_REFUSED` for a self-hosted access without a host */
  readonly apiUrlOf: (access: GitAccess) => string;
  readonly headers: Readonly<Record<string, string>>;
  readonly repositoryPath: (repository: Repository) => string;
  /** Whether the list continues after the page with these headers. */
  readonly hasMore: (headers: HttpAnswer["headers"]) => boolean;
};

/** A request to an API. @param path below the API's address */
export type SendRest = (
  access: GitAccess,
  path: string,
  options?: Partial<Pick<HttpRequest, "method" | "headers" | "expects">> & { readonly body?: JsonObject },
) => Promise<HttpAnswer>;

export function makeSendRest(fetch: HttpClient, address: RestAddress): SendRest {
  return (access, path, { method = "GET", headers = {}, expects = "listing", body } = {}) =>
    fetch({
      method,
      url: new URL(`${address.apiUrlOf(access)}/${path}`),
      headers: {
        ...address.headers,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
        ...(access.token === null ? {} : { authorization: `Bearer ${access.token}` }),
      },
      expects,
      ...(body === undefined ? {} : { body: Buffer.from(JSON.stringify(body)) }),
    });
}

/** The repository itself. @throws GitError if the host does not have it, or hides it from the token */
export async function getRepository(
  send: SendRest,
  address: RestAddress,
  access: GitAccess,
  repository: Repository,
): Promise<JsonObject> {
  const answer = await send(access, address.repositoryPath(repository));
  if (answer.status !== 200) throw repositoryRefusal(answer, repository, access);
  return requireObject(readJson(answer, repository.host), repository.host);
}

/** The API for calls about one repository that need a permission. Paths are below the repository's. */
export type RepositoryApi = {
  readonly host: string;
  readonly repository: Repository;
  readonly hasMore: RestAddress["hasMore"];
  /** The refusal for an answer to `get`. */
  refusal(answer: HttpAnswer): GitError;
  /** An answer of any status that is not refused: 200, 304 to a conditional request, and 404. */
  get(path: string, headers?: Readonly<Record<string, string>>): Promise<HttpAnswer>;
  /** Null for 404. */
  find(path: string): Promise<JsonObject | null>;
  /** The first entry of a list; null if there is none, and for 404. */
  findFirst(path: string): Promise<JsonObject | null>;
  /** An answer of any status about something else than the repository. @param path below the API's address */
  getElsewhere(path: string): Promise<HttpAnswer>;
  /** @throws GitError if the host does not have the repository, or hides it from the token */
  requireRepository(): Promise<void>;
  /** Null for 404: the host does not have it, or hides it from the token. @throws GitError `PERMISSION_MISSING` */
  write(method: "POST" | "PUT" | "PATCH", path: string, body: JsonObject): Promise<JsonObject | null>;
  /**
   * The same, for a place that exists if its subject does and the token may write there.
   * @param subject the path of a commit or a pull request; null for the repository
   * @throws GitError `PERMISSION_MISSING`, `REPORT_IMPOSSIBLE`
   */
  mustWrite(
    method: "POST" | "PUT" | "PATCH",
    path: string,
    body: JsonObject,
    subject: string | null,
  ): Promise<JsonObject>;
};

/** @param needs the permission that the calls need, for the refusal */
export function makeRepositoryApi(
  send: SendRest,
  address: RestAddress,
  access: GitAccess,
  repository: Repository,
  needs: string,
): RepositoryApi {
  const { host } = new URL(address.apiUrlOf(access));
  const pathOf = (path: string) => `${address.repositoryPath(repository)}/${path}`;
  const refusal = (answer: HttpAnswer) => permissionRefusal(answer, repository, access, needs);
  const impossible = () =>
    new GitError(
      "REPORT_IMPOSSIBLE",
      `${host} does not accept the report at ${repository.normalizedUrl}: what it is about may no longer exist.`,
    );
  const get: RepositoryApi["get"] = async (path, headers = {}) => {
    const answer = await send(access, pathOf(path), { headers });
    if (![200, 304, 404].includes(answer.status)) throw refusal(answer);
    return answer;
  };
  const sendBody = async (method: "POST" | "PUT" | "PATCH", path: string, body: JsonObject) => {
    const answer = await send(access, pathOf(path), { method, body });
    // GitHub and GitLab refuse a commit that a forced push removed.
    if (answer.status === 400 || answer.status === 422) throw impossible();
    if (answer.status !== 404 && (answer.status < 200 || answer.status > 299)) throw refusal(answer);
    return answer;
  };
  const objectOf = (answer: HttpAnswer) => requireObject(readJson(answer, host), host);
  const requireRepository = async () => void (await getRepository(send, address, access, repository));
  return {
    host,
    repository,
    hasMore: address.hasMore,
    // A list is missing only with its repository.
    refusal: (answer) => repositoryRefusal(answer, repository, access),
    get,
    async find(path) {
      const answer = await get(path);
      return answer.status === 404 ? null : objectOf(answer);
    },
    async findFirst(path) {
      const answer = await get(path);
      return answer.status === 404 ? null : (requireObjects(readJson(answer, host), host)[0] ?? null);
    },
    getElsewhere: (path) => send(access, path),
    requireRepository,
    async write(method, path, body) {
      const answer = await sendBody(method, path, body);
      return answer.status === 404 ? null : objectOf(answer);
    },
    async mustWrite(method, path, body, subject) {
      const answer = await sendBody(method, path, body);
      if (answer.status !== 404) return objectOf(answer);
      // Hosts also hide a repository with this status.
      await requireRepository();
      if (subject !== null && (await get(subject)).status === 404) throw impossible();
      throw refusal(answer);
    },
  };
}
