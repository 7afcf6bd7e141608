/**
 * How a connection becomes connected to this server: its "account" is a part of the server itself. A browser opens the
 * page of the connection's link and presses a button; an admin's key needs one POST.
 */
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type { FastifyInstance } from "fastify";
import { Type } from "typebox";
import { html } from "../../../src/lib/html.ts";
import { isLinkCode } from "../accounts/link-code.ts";
import { SERVICE_ID, type Stack, type Stacks } from "../accounts/stacks.ts";
import { callerOf, stackOf } from "../api/callers.ts";
import { type Frame, isSameOrigin, page, sendPage, STYLE } from "../api/pages.ts";
import { closed } from "../protocol.ts";

const FRAME: Frame = {
  title: "Slipway",
  style: "/host/style.css",
  heading: html`<strong>Slipway</strong> on this server`,
};

const STATUS_WORDS: Record<Stack["status"], string> = {
  CREATE_IN_PROGRESS: "Waiting until the edge listens…",
  CREATE_COMPLETE: "This server is connected. You can close this page.",
  DELETED: "This connection was taken back. Slipway changes nothing of it any more.",
};

export type HostConnectParts = {
  readonly stacks: Stacks;
  readonly secret: string;
  /** The origin of these pages for browsers. */
  readonly publicOrigin: string;
  readonly hostname: string;
  readonly addresses: readonly string[];
};

/** The pages, and the form that only the link of the connection may send. */
export function registerConnectPages(app: FastifyInstance, parts: HostConnectParts): void {
  const { stacks, secret, publicOrigin, hostname, addresses } = parts;
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: 10_000 },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );

  app.get("/host/style.css", async (_request, reply) => reply.type("text/css; charset=utf-8").send(STYLE));

  app.get<{ Querystring: Readonly<Record<string, unknown>> }>("/host/connect", async (request, reply) => {
    const { param_ServiceId: serviceId, code } = request.query;
    if (typeof serviceId !== "string" || !SERVICE_ID.test(serviceId) || typeof code !== "string")
      return sendPage(reply, 400, NO_LINK);
    const present = stacks.get(serviceId);
    if (present !== undefined && present.status !== "DELETED")
      return sendPage(reply, 200, statusPage(present));
    return sendPage(
      reply,
      200,
      page({
        title: "Connect this server",
        frame: FRAME,
        body: html`<h1>Connect this server</h1>
          <p>Its edge will serve the domains of this connection, with certificates of a public authority.</p>
          <dl>
            <dt>Domains point at</dt>
            <dd><code>${hostname}</code></dd>
            <dt>Addresses</dt>
            <dd>${addresses.join(", ")}</dd>
            <dt>Connection</dt>
            <dd><code>${serviceId}</code></dd>
          </dl>
          <form method="post" action="connect">
            <input type="hidden" name="ServiceId" value="${serviceId}" />
            <input type="hidden" name="code" value="${code}" />
            <button type="submit">Connect</button>
          </form>`,
      }),
    );
  });

  app.post("/host/connect", async (request, reply) => {
    if (!isSameOrigin(request, publicOrigin)) return sendPage(reply, 403, FOREIGN_ORIGIN);
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const [serviceId, code] = [form.get("ServiceId") ?? "", form.get("code") ?? ""];
    if (!SERVICE_ID.test(serviceId)) return sendPage(reply, 400, NO_LINK);
    if (!isLinkCode(secret, serviceId, code)) return sendPage(reply, 403, WRONG_CODE);
    // Pressing the button twice connects once.
    stacks.create(serviceId, callerOf(request).organizationId);
    const query = new URLSearchParams({ param_ServiceId: serviceId, code });
    return reply.header("location", `connect?${query.toString()}`).status(303).send();
  });
}

/** For admins: their requests come through Slipway, which says for which organization. */
export function registerConnections(fastify: FastifyInstance, stacks: Stacks): void {
  const app = fastify.withTypeProvider<TypeBoxTypeProvider>();
  app.post(
    "/host/connections",
    { schema: { body: closed({ ServiceId: Type.String({ pattern: SERVICE_ID.source }) }) } },
    async (request, reply) => {
      const { ServiceId } = request.body;
      const created = stacks.create(ServiceId, callerOf(request).organizationId);
      // Sent twice, it connects once.
      const stack = created ?? stackOf(stacks, request, ServiceId);
      return reply.status(created === null ? 200 : 201).send(view(stack));
    },
  );
  const params = Type.Object({ serviceId: Type.String() });
  app.get("/host/connections/:serviceId", { schema: { params } }, (request) =>
    view(stackOf(stacks, request, request.params.serviceId)),
  );
  app.delete("/host/connections/:serviceId", { schema: { params } }, async (request, reply) => {
    stacks.delete(stackOf(stacks, request, request.params.serviceId).serviceId);
    return reply.status(204).send();
  });
}

function view({ serviceId, accountId, roleArn, status }: Stack): object {
  return { ServiceId: serviceId, accountId, roleArn, status };
}

function statusPage({ status, serviceId }: Stack): string {
  return page({
    title: "Connection",
    frame: FRAME,
    ...(status === "CREATE_IN_PROGRESS" ? { refreshSeconds: 2 } : {}),
    body: html`<h1>Connection of this server</h1>
      <p role="status" class="status ${status.toLowerCase()}">${STATUS_WORDS[status]}</p>
      <dl>
        <dt>Connection</dt>
        <dd><code>${serviceId}</code></dd>
      </dl>`,
  });
}

const NO_LINK = page({
  title: "No connection",
  frame: FRAME,
  body: html`<h1>This link lacks its connection</h1>
    <p>Open the link that Slipway shows to admins on the page of the cloud account.</p>`,
});

const WRONG_CODE = page({
  title: "Wrong code",
  frame: FRAME,
  body: html`<h1>This is not the code of the connection</h1>
    <p>
      Open the link that Slipway shows to admins on the page of the cloud account; the code is part of it.
    </p>`,
});

const FOREIGN_ORIGIN = page({
  title: "Refused",
  frame: FRAME,
  body: html`<h1>Another site sent this form</h1>
    <p>A connection is made only from this server's own page. Open the link that Slipway shows.</p>`,
});
