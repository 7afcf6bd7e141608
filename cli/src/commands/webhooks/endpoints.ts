import type { WebhookEndpoint } from "../../../../sdk/src/index.ts";
import type { Context } from "../../context.ts";
import { PAGE, takeLimited } from "../../find/limited.ts";
import { findEnvironment, findProject } from "../../find/scope.ts";
import { UsageError } from "../../output/failure.ts";
import type { Handler } from "../../table/command.ts";
import type { Input } from "../../table/input.ts";
import { splitHeader } from "../tools.ts";

export const listEndpoints: Handler = async (context, input) => {
  const client = await context.client();
  context.output.list(
    await takeLimited(input, context.output, client.webhookEndpoints.list({ limit: PAGE })),
    [
      { title: "id", of: ({ id }) => id },
      { title: "status", of: ({ status }) => status },
      { title: "url", of: ({ url }) => url },
      { title: "types", of: ({ types }) => types.join(",") },
      { title: "description", of: ({ description }) => description, isProse: true },
    ],
  );
};

export const createEndpoint: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const description = input.text("description");
  const headers = Object.fromEntries(input.many("header").map(splitHeader));
  const endpoint = await client.webhookEndpoints.create(
    {
      url: input.argument("URL"),
      types: typesOf(input) ?? ["*"],
      ...(description === undefined ? {} : { description }),
      ...(Object.keys(headers).length === 0 ? {} : { headers }),
      ...(await scopeOf(context, input)),
    },
    { signal },
  );
  output.progress("The secret is shown this once. Deliveries are verified with it.");
  output.item(endpoint, [...fieldsOf(endpoint), ["secret", endpoint.secret]]);
};

export const showEndpoint: Handler = async (context, input) => {
  const client = await context.client();
  show(context, await client.webhookEndpoints.get(input.argument("ENDPOINT_ID"), { signal: context.signal }));
};

export const updateEndpoint: Handler = async (context, input) => {
  const { signal } = context;
  const client = await context.client();
  const id = input.argument("ENDPOINT_ID");
  const [url, types, description] = [input.text("to"), typesOf(input), input.text("description")];
  const change = {
    ...(url === undefined ? {} : { url }),
    ...(types === undefined ? {} : { types }),
    ...(description === undefined ? {} : { description }),
  };
  const [enable, disable] = [input.isSet("enable"), input.isSet("disable")];
  if (enable && disable) throw new UsageError("Give --enable or --disable, not both.");
  if (input.isSet("from-now") && !enable) throw new UsageError("--from-now is for --enable.");
  const isChange = Object.keys(change).length > 0;
  if (!isChange && !enable && !disable)
    throw new UsageError("What changes? Give --to, --types, --description, --enable or --disable.");
  if (isChange) await client.webhookEndpoints.update(id, change, { signal });
  if (enable)
    await client.webhookEndpoints.enable(
      id,
      { from: input.isSet("from-now") ? "now" : "cursor" },
      { signal },
    );
  if (disable) await client.webhookEndpoints.disable(id, { signal });
  show(context, await client.webhookEndpoints.get(id, { signal }));
};

export const deleteEndpoint: Handler = async (context, input) => {
  const { output, prompt, signal } = context;
  const client = await context.client();
  const { id, url } = await client.webhookEndpoints.get(input.argument("ENDPOINT_ID"), { signal });
  await prompt.confirm(`Delete the endpoint ${url}?`);
  await client.webhookEndpoints.delete(id, { signal });
  output.item({ id, isDeleted: true }, [["deleted", id]]);
};

export const rotateSecret: Handler = async (context, input) => {
  const { output, signal } = context;
  const client = await context.client();
  const id = input.argument("ENDPOINT_ID");
  if (input.isSet("revoke-previous")) {
    show(context, await client.webhookEndpoints.revokePreviousSecret(id, { signal }));
    return;
  }
  const overlapHours = input.number("overlap-hours", 0);
  const made = await client.webhookEndpoints.rotateSecret(
    id,
    { ...(overlapHours === undefined ? {} : { overlapHours }), force: input.isSet("force") },
    { signal },
  );
  output.progress("The secret is shown this once.");
  output.item(made, [
    ["secret", made.secret],
    ["the one before signs until", made.previousSecretUntil],
  ]);
};

/** `domain.*,deployment.failed` */
export function typesOf(input: Input): readonly string[] | undefined {
  return input
    .text("types")
    ?.split(",")
    .map((type) => type.trim());
}

async function scopeOf(
  context: Context,
  input: Input,
): Promise<{ projectId?: string; environmentId?: string }> {
  if (input.text("environment") !== undefined) {
    const { id, projectId } = await findEnvironment(context, input);
    return { projectId, environmentId: id };
  }
  const named = input.text("project");
  return named === undefined ? {} : { projectId: (await findProject(context, named)).id };
}

function show({ output }: Context, endpoint: WebhookEndpoint): void {
  output.item(endpoint, fieldsOf(endpoint));
}

function fieldsOf(endpoint: WebhookEndpoint): readonly (readonly [string, unknown])[] {
  return [
    ["id", endpoint.id],
    ["url", endpoint.url],
    ["types", endpoint.types.join(",")],
    ["status", endpoint.status],
    ["disabled by", endpoint.disabledReason],
    ["failing since", endpoint.failingSince],
    ["description", endpoint.description],
  ];
}
