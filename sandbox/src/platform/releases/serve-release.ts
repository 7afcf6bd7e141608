import type { IncomingMessage, ServerResponse } from "node:http";
import { sendText } from "../../../../edge/src/edge-text.ts";
import type { Proxy } from "../../../../edge/src/origin-proxy.ts";
import type { Visitor } from "../../../../edge/src/visitor.ts";
import { serveSite } from "../../../../edge/src/site.ts";
import type { LiveTarget } from "./releases.ts";

const RETRY_AFTER_SECONDS = 5;

/** Answers from a live release. Call it in the tick in which the target was found, so that a drain counts the request. */
export async function serveRelease(
  target: LiveTarget,
  by: "visitor" | "service",
  proxy: Proxy,
  visitor: Visitor,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (target.kind === "site") return serveSite(target.files, request, response);
  response.once("close", target.enter(by));
  const port = await target.whenUp();
  if (port === null) {
    const text = "This service is being started. Try again in a moment.";
    return sendText(response, 503, text, { "retry-after": String(RETRY_AFTER_SECONDS) });
  }
  return proxy.forwardToRelease(port, visitor, request, response);
}
