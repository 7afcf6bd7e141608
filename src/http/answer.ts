import type { FastifyReply, FastifyRequest } from "fastify";
import type { Reply } from "./http.ts";
import type { Answer } from "./requests/idempotency.ts";
import type { HostCookie } from "./session-cookie.ts";

export function toAnswer(reply: FastifyReply, result: Reply): Answer {
  const { status, location = null } = result;
  return {
    status,
    location,
    body: result.body === undefined ? null : serialize(reply.code(status), result.body),
    ...(result.session === undefined ? {} : { session: result.session }),
  };
}

export function sendAnswer(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
  options: { readonly isReplay: boolean; readonly sessionCookie: HostCookie },
): FastifyReply {
  const { isReplay, sessionCookie } = options;
  if (answer.session !== undefined) sessionCookie.set(request, reply, answer.session);
  if (isReplay) reply.header("idempotent-replayed", "true");
  if (answer.location !== null) reply.header("location", answer.location);
  reply.code(answer.status);
  return answer.body === null ? reply.send() : sendText(reply, answer.body);
}

/** By the route's response schema for the status that is set on `reply`. */
export function serialize(reply: FastifyReply, body: unknown): string {
  const text = reply.serialize(body);
  if (typeof text !== "string")
    throw new TypeError("A response schema serialized to something else than text.");
  return text;
}

function sendText(reply: FastifyReply, text: string): FastifyReply {
  return reply.type("application/json; charset=utf-8").serializer(String).send(text);
}
