import { createHash } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";

/**
 * Answers a page of a list as GitHub and GitLab do: the next page in `Link` and `X-Next-Page`, an entity tag of the page,
 * and 304 to a conditional request with it.
 */
export function answerPage(
  request: IncomingMessage,
  response: ServerResponse,
  items: readonly object[],
): void {
  const url = new URL(request.url ?? "", "https://host");
  const perPage = Number(url.searchParams.get("per_page") ?? 30);
  const page = Number(url.searchParams.get("page") ?? 1);
  const hasMore = items.length > page * perPage;
  url.searchParams.set("page", String(page + 1));
  if (hasMore) response.setHeader("link", `<${url.href}>; rel="next"`);
  response.setHeader("x-next-page", hasMore ? String(page + 1) : "");
  const body = JSON.stringify(items.slice((page - 1) * perPage, page * perPage));
  const tag = `W/"${createHash("sha256").update(body).digest("hex")}"`;
  response.setHeader("etag", tag);
  if (request.headers["if-none-match"] === tag) response.writeHead(304).end();
  else response.writeHead(200, { "content-type": "application/json; charset=utf-8" }).end(body);
}
