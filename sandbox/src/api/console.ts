/** The sandbox's stand-in for CloudFormation's quick-create page: it shows a stack and creates it. */
import type { FastifyInstance } from "fastify";
import { stackNameOf } from "../../../src/cloud/adapter-rules.ts";
import { html } from "../../../src/lib/html.ts";
import { isSameOrigin, page, sendPage, STYLE } from "./pages.ts";
import { isLinkCode } from "../accounts/link-code.ts";
import { SERVICE_ID, STACK_REGION, type Stack, type Stacks } from "../accounts/stacks.ts";
import { TEMPLATE } from "../accounts/template.ts";

const STATUS_WORDS: Record<Stack["status"], string> = {
  CREATE_IN_PROGRESS: "The role exists. The stack is reporting it to Slipway…",
  CREATE_COMPLETE: "Slipway is connected to this account. You can close this page.",
  DELETED: "The stack and its role were deleted. Slipway can no longer access this account.",
};

type QuickCreateQuery = { readonly [name: string]: string | string[] | undefined };

export type ConsoleParts = {
  readonly stacks: Stacks;
  /** The secret that link codes are derived from; null if the sandbox has none. */
  readonly secret: string | null;
  /** The origin of these pages for browsers behind a proxy; null: this server's own address. */
  readonly publicOrigin: string | null;
  readonly caCertificatePem: string;
  /** Where a browser on this machine sees what is served for a host name; null if nothing is served. */
  readonly findLocalUrl: (hostName: string) => string | null;
};

export function registerConsoleRoutes(app: FastifyInstance, parts: ConsoleParts): void {
  const { stacks, secret, publicOrigin, caCertificatePem, findLocalUrl } = parts;
  app.addContentTypeParser(
    "application/x-www-form-urlencoded",
    { parseAs: "string", bodyLimit: 10_000 },
    (_request, body, done) => done(null, new URLSearchParams(String(body))),
  );

  app.get("/sandbox/template.json", async () => TEMPLATE);
  // Public, like every CA certificate: clients need it to check the edge's certificates (RFC 8555, 9.1 names the type).
  app.get("/sandbox/ca.pem", async (_request, reply) =>
    reply.type("application/pem-certificate-chain").send(caCertificatePem),
  );
  app.get("/sandbox/console/style.css", async (_request, reply) =>
    reply.type("text/css; charset=utf-8").send(STYLE),
  );

  app.get<{ Params: { hostName: string } }>("/sandbox/console/open/:hostName", async (request, reply) => {
    const url = findLocalUrl(request.params.hostName);
    return url === null
      ? sendPage(reply, 404, NOT_SERVED)
      : reply.header("location", url).header("cache-control", "no-store").status(302).send();
  });

  app.get<{ Querystring: QuickCreateQuery }>("/sandbox/console/stacks/new", async (request, reply) => {
    const { query } = request;
    const serviceId = first(query["param_ServiceId"]);
    if (!SERVICE_ID.test(serviceId)) return sendPage(reply, 400, NO_SERVICE_ID);
    const stackName = first(query["stackName"]) || stackNameOf(serviceId);
    const link = {
      serviceId,
      stackName,
      templateUrl: first(query["templateURL"]),
      code: first(query["code"]),
    };
    return sendPage(reply, 200, quickCreatePage(link));
  });

  app.post("/sandbox/console/stacks", async (request, reply) => {
    if (!isSameOrigin(request, publicOrigin)) return sendPage(reply, 403, FOREIGN_ORIGIN);
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const serviceId = form.get("ServiceId") ?? "";
    if (!SERVICE_ID.test(serviceId)) return sendPage(reply, 400, NO_SERVICE_ID);
    if (!isLinkCode(secret, serviceId, (form.get("code") ?? "").trim()))
      return sendPage(reply, 403, WRONG_CODE);
    // Pressing the button twice creates one stack.
    stacks.create(serviceId);
    return reply.header("location", `stacks/${serviceId}`).status(303).send();
  });

  app.get<{ Params: { serviceId: string } }>("/sandbox/console/stacks/:serviceId", async (request, reply) => {
    const stack = stacks.get(request.params.serviceId);
    return stack === undefined ? sendPage(reply, 404, NO_STACK) : sendPage(reply, 200, statusPage(stack));
  });
}

function quickCreatePage(link: {
  readonly serviceId: string;
  readonly stackName: string;
  readonly templateUrl: string;
  readonly code: string;
}): string {
  const { serviceId, stackName, templateUrl, code } = link;
  return page({
    title: "Quick create stack",
    body: html`<h1>Quick create stack</h1>
      <p>
        Slipway asks for access to this account. In the sandbox the account is made up, and creating the stack
        costs nothing and touches nothing outside this machine.
      </p>
      <dl>
        <dt>Stack name</dt>
        <dd>${stackName}</dd>
        <dt>Region</dt>
        <dd>${STACK_REGION}</dd>
        <dt>Template</dt>
        <dd>${templateUrl === "" ? "sandbox template" : templateUrl}</dd>
        <dt>Parameter <code>ServiceId</code></dt>
        <dd><code>${serviceId}</code></dd>
      </dl>
      <h2>What will be created</h2>
      <ul>
        <li>
          <strong>A role</strong> that only Slipway may assume, and only with this ServiceId as external id.
        </li>
        <li><strong>A report</strong> of the account number and the role to Slipway, sent once it exists.</li>
      </ul>
      <form method="post" action="../stacks">
        <input type="hidden" name="ServiceId" value="${serviceId}" />
        ${code === "" ? ASK_FOR_CODE : html`<input type="hidden" name="code" value="${code}" />`}
        <button type="submit">Create stack</button>
      </form>`,
  });
}

function statusPage(stack: Stack): string {
  return page({
    title: `Stack ${stack.status}`,
    ...(stack.status === "CREATE_IN_PROGRESS" ? { refreshSeconds: 2 } : {}),
    body: html`<h1>Stack of account ${stack.accountId}</h1>
      <p role="status" class="status ${stack.status.toLowerCase()}">
        <strong>${stack.status}</strong> ${STATUS_WORDS[stack.status]}
      </p>
      <dl>
        <dt>Account</dt>
        <dd>${stack.accountId}</dd>
        <dt>Role</dt>
        <dd><code>${stack.roleArn}</code></dd>
        <dt>Parameter <code>ServiceId</code></dt>
        <dd><code>${stack.serviceId}</code></dd>
      </dl>`,
  });
}

/** A stack binds the connection to its account, so only someone with the admin's link may create it. */
const ASK_FOR_CODE = html`<p>
  <label for="code">Code</label>
  <input id="code" name="code" required autocomplete="off" />
  <small>It is in the <code>cloudStack.consoleUrl</code> that the connection's admin was given.</small>
</p>`;

const WRONG_CODE = page({
  title: "Wrong code",
  body: html`<h1>This is not the code of the connection</h1>
    <p>
      Open the <code>cloudStack.consoleUrl</code> that Slipway gives the admins of the connection; the code is
      part of it. A link from before the sandbox's secret changed has an old one.
    </p>`,
});

const NO_SERVICE_ID = page({
  title: "No connection",
  body: html`<h1>This link lacks its connection</h1>
    <p>
      Open the <code>cloudStack.consoleUrl</code> that Slipway gave you, with its
      <code>param_ServiceId</code>.
    </p>`,
});

const NOT_SERVED = page({
  title: "Not served",
  body: html`<h1>Nothing is served under this name</h1>
    <p>Deploy the service, or wait until its domain is served. Then open the link again.</p>`,
});

const NO_STACK = page({
  title: "No such stack",
  body: html`<h1>There is no such stack</h1>
    <p>It has not been created yet. Open the link that Slipway gave you.</p>`,
});

const FOREIGN_ORIGIN = page({
  title: "Refused",
  body: html`<h1>Another site sent this form</h1>
    <p>Stacks are created from this console's own page only. Open the link that Slipway gave you.</p>`,
});

/** The first value of a query parameter that may have been given several times. */
function first(value: string | string[] | undefined): string {
  return (Array.isArray(value) ? value[0] : value) ?? "";
}
