/** The provider's settings, its templates, and the page on which an owner agrees. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import { html, type SafeHtml } from "../../../src/lib/html.ts";
import { isSameOrigin, page, sendPage } from "./pages.ts";
import type { RecordSet } from "../dns/records.ts";
import { ApplyRefusal, type ApplyRequest, type OnboardedTemplate } from "../dns-provider/apply-request.ts";
import { CONNECT_SERVERS, type DnsProvider } from "../dns-provider/provider.ts";

/** Below the open part of the sandbox's addresses: browsers and Slipway come without a key. */
export const CONNECT_PATH = "/sandbox/console/domain-connect";

const NAME = "Sandbox DNS";
type TemplatePath = { Params: { providerId: string; serviceId: string } };

export function registerConnectRoutes(
  app: FastifyInstance,
  {
    provider,
    publicOrigin,
    baseUrl,
  }: {
    readonly provider: DnsProvider;
    readonly publicOrigin: string | null;
    /** The address before `/sandbox`, for browsers. */
    readonly baseUrl: () => string;
  },
): void {
  app.get<{ Params: { zone: string } }>(`${CONNECT_PATH}/v2/:zone/settings`, async (request, reply) => {
    if (provider.findZone(request.params.zone) === undefined) return reply.status(404).send({});
    const here = `${baseUrl()}${CONNECT_PATH}`;
    return reply.send({
      providerId: "dns.sandbox.test",
      providerName: NAME,
      urlSyncUX: here,
      urlAPI: here,
      width: 750,
      height: 750,
      nameServers: CONNECT_SERVERS,
    });
  });

  const templatePath = `${CONNECT_PATH}/v2/domainTemplates/providers/:providerId/services/:serviceId`;
  app.get<TemplatePath>(templatePath, async ({ params }, reply) => {
    const template = provider.findTemplate(params.providerId, params.serviceId);
    return reply.status(template === undefined ? 404 : 200).send({});
  });

  const find = ({ providerId, serviceId }: TemplatePath["Params"]): OnboardedTemplate => {
    const template = provider.findTemplate(providerId, serviceId);
    if (template === undefined) throw new ApplyRefusal("The template is not known here.");
    return template;
  };
  const showingRefusals = {
    errorHandler(error: unknown, _request: FastifyRequest, reply: FastifyReply) {
      if (error instanceof ApplyRefusal) return sendRefusal(reply, error.message);
      throw error;
    },
  };

  app.get<TemplatePath>(`${templatePath}/apply`, showingRefusals, async (request, reply) => {
    const template = find(request.params);
    const query = queryOf(request.url);
    const asked = await provider.read(template, query);
    const content = consentPage(template, query, asked, provider.replacedBy(asked));
    return sendPage(reply, 200, content, asked.back === null ? [] : [asked.back.origin]);
  });

  app.post(`${CONNECT_PATH}/decisions`, showingRefusals, async (request, reply) => {
    if (!isSameOrigin(request, publicOrigin)) throw new ApplyRefusal("Another site sent this form.");
    const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams();
    const [providerId, serviceId] = [form.get("providerId") ?? "", form.get("serviceId") ?? ""];
    const asked = await provider.read(find({ providerId, serviceId }), form.get("query") ?? "");
    const isAgreed = form.get("answer") === "yes";
    if (isAgreed) provider.apply(asked);
    if (asked.back === null) return sendPage(reply, 200, isAgreed ? DONE : LEFT);
    if (!isAgreed) {
      asked.back.searchParams.set("error", "access_denied");
      asked.back.searchParams.set("error_description", "user_cancel");
    }
    return reply.header("location", asked.back.href).status(303).send();
  });
}

function queryOf(url: string): string {
  const start = url.indexOf("?");
  return start === -1 ? "" : url.slice(start + 1);
}

function consentPage(
  template: OnboardedTemplate,
  query: string,
  { name, sets }: ApplyRequest,
  replaced: readonly RecordSet[],
): string {
  return page({
    title: `Connect ${name}`,
    body: html`<h1>Connect ${name} to ${template.providerName}?</h1>
      <p>${NAME} will set these records for ${template.serviceName}:</p>
      ${listOf(sets)}
      ${
        replaced.length === 0
          ? NOTHING
          : html`<p>They replace:</p>
              ${listOf(replaced)}`
      }
      <form method="post" action="${CONNECT_PATH}/decisions">
        <input type="hidden" name="providerId" value="${template.providerId}" />
        <input type="hidden" name="serviceId" value="${template.serviceId}" />
        <input type="hidden" name="query" value="${query}" />
        <button type="submit" name="answer" value="yes">Connect</button>
        <button type="submit" name="answer" value="no">Cancel</button>
      </form>`,
  });
}

const NOTHING = html``;

function listOf(sets: readonly RecordSet[]): SafeHtml {
  return sets.reduce(
    (all, { name, type, values }) =>
      html`${all}
        <p><code>${name} ${type} ${values.join(", ")}</code></p>`,
    NOTHING,
  );
}

function sendRefusal(reply: FastifyReply, reason: string): FastifyReply {
  const body = html`<h1>This cannot be connected</h1>
    <p role="alert">${reason}</p>`;
  return sendPage(reply, 400, page({ title: "Refused", body }));
}

const DONE = page({ title: "Connected", body: html`<h1>Connected</h1>` });
const LEFT = page({
  title: "Not connected",
  body: html`<h1>Nothing was changed</h1>`,
});
