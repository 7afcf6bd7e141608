/**
 * Asks a registry which image a tag names, without credentials
 * (https://github.com/opencontainers/distribution-spec/blob/v1.1.1/spec.md,
 * https://distribution.github.io/distribution/spec/auth/token/).
 */
import { EgressError, type EgressFault } from "../../../../egress/egress-error.ts";
import type { EgressAnswer, EgressRequest } from "../../../../egress/http-exchange.ts";
import type { SafeFetch } from "../../../../egress/safe-fetch.ts";
import { member } from "../../../../lib/json/is-object.ts";
import { CloudError } from "../../../cloud.ts";
import type { ObservedBuild } from "../../../platform.ts";

export type ImageFailure = NonNullable<ObservedBuild["failure"]>;

export type ImageName = {
  /** As it was written, without tag and digest. */
  readonly name: string;
  /** A host, with a port if it has one. */
  readonly registry: string;
  readonly repository: string;
  readonly tag: string;
  readonly digest: string | null;
};

const DOCKER_HUB = "docker.io";

/** As Docker reads it: without a host, the image is Docker Hub's. Pure. */
export function parseImageName(image: string): ImageName {
  const [tagged = "", digest = null] = image.split("@");
  const colon = tagged.lastIndexOf(":");
  const hasTag = colon > tagged.lastIndexOf("/");
  const name = hasTag ? tagged.slice(0, colon) : tagged;
  const [first = "", ...rest] = name.split("/");
  const hasHost = rest.length > 0 && (/[.:]/.test(first) || first === "localhost");
  const registry = hasHost ? first : DOCKER_HUB;
  const path = hasHost ? rest.join("/") : name;
  const repository = registry === DOCKER_HUB && !path.includes("/") ? `library/${path}` : path;
  return { name, registry, repository, tag: hasTag ? tagged.slice(colon + 1) : "latest", digest };
}

/** An index of several platforms, or one image. */
const MANIFESTS = [
  "application/vnd.oci.image.index.v1+json",
  "application/vnd.docker.distribution.manifest.list.v2+json",
  "application/vnd.oci.image.manifest.v1+json",
  "application/vnd.docker.distribution.manifest.v2+json",
].join(", ");
const OPERATION = "registry:HeadManifest";
const TOKEN_MAX_BYTES = 64 * 1024;
/** Another attempt may succeed. */
const PASSING: ReadonlySet<EgressFault> = new Set([
  "CONNECT_TIMEOUT",
  "ANSWER_TIMEOUT",
  "UNREACHABLE",
  "CLOSED",
]);

/** @returns the digest, or why there is none @throws CloudError `retryable` */
export async function findDigest(
  registries: SafeFetch,
  { registry, repository, tag }: ImageName,
): Promise<string | ImageFailure> {
  const host = registry === DOCKER_HUB ? "registry-1.docker.io" : registry;
  // As with Docker, one of this machine has no TLS; only tests reach one.
  const scheme = /^(?:localhost|127\.0\.0\.1)(?::|$)/.test(host) ? "http" : "https";
  const address = `${scheme}://${host}/v2/${repository}/manifests/${tag}`;
  if (!URL.canParse(address))
    return {
      code: "IMAGE_REGISTRY_FAILED",
      message: `${registry} is not the host of a registry. Correct image.`,
    };
  const url = new URL(address);
  const ask = (headers: Readonly<Record<string, string>>) =>
    send(registries, {
      method: "HEAD",
      url,
      headers: { accept: MANIFESTS, ...headers },
      bodyLimit: { bytesOf: () => 0, ifLarger: "cut" },
    });
  try {
    const first = await ask({});
    const token =
      first.status === 401 ? await findToken(registries, first.headers["www-authenticate"] ?? "") : null;
    const { status, headers } = token === null ? first : await ask({ authorization: `Bearer ${token}` });
    const digest = headers["docker-content-digest"];
    if (status === 200 && typeof digest === "string" && /^sha256:[0-9a-f]{64}$/.test(digest)) return digest;
    return refusalOf(status, `${registry}/${repository}:${tag}`);
  } catch (error) {
    if (!(error instanceof EgressError)) throw error;
    return {
      code: "IMAGE_REGISTRY_FAILED",
      message: `${error.message} Write image with its digest, or correct it.`,
    };
  }
}

/** @throws CloudError `retryable`; EgressError of another fault */
async function send(registries: SafeFetch, request: EgressRequest): Promise<EgressAnswer> {
  try {
    const answer = await registries.send(request);
    if (answer.status !== 429 && answer.status < 500) return answer;
    throw unavailable(`The registry ${request.url.host} answered ${answer.status}.`);
  } catch (error) {
    if (error instanceof EgressError && PASSING.has(error.fault)) throw unavailable(error.message, error);
    throw error;
  }
}

/** Not the account's fault, so it must not count as an account that is unreachable. */
function unavailable(message: string, cause?: unknown): CloudError {
  return new CloudError("retryable", "THROTTLED", OPERATION, message, { cause });
}

/** A token that anyone gets; null if the registry gives none. */
async function findToken(registries: SafeFetch, challenge: string): Promise<string | null> {
  const given = (name: string) => new RegExp(`\\b${name}="([^"]*)"`).exec(challenge)?.[1] ?? "";
  const realm = given("realm");
  if (!/^bearer /i.test(challenge) || !URL.canParse(realm)) return null;
  const url = new URL(realm);
  for (const name of ["service", "scope"]) if (given(name) !== "") url.searchParams.set(name, given(name));
  const { status, body } = await send(registries, {
    method: "GET",
    url,
    headers: { accept: "application/json" },
    bodyLimit: { bytesOf: () => TOKEN_MAX_BYTES, ifLarger: "refuse" },
  });
  const answer = status === 200 ? parse(body.toString()) : null;
  const token = member(answer, "token") ?? member(answer, "access_token");
  return typeof token === "string" && /^[\w.~+/=-]+$/.test(token) ? token : null;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function refusalOf(status: number, image: string): ImageFailure {
  if (status === 404)
    return { code: "IMAGE_NOT_FOUND", message: `There is no image ${image}. Push it, or correct image.` };
  if (status === 401 || status === 403) {
    const message = `The image ${image} is private, or does not exist. Make it public, or push it to a repository of ECR in the account.`;
    return { code: "IMAGE_NOT_READABLE", message };
  }
  const message = `The registry answered ${status} for ${image}, without a digest. Write image with its digest.`;
  return { code: "IMAGE_REGISTRY_FAILED", message };
}
