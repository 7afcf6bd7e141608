/** The HTTP server of a small cloud, which only Slipway calls. */
import { Ajv, type ValidateFunction } from "ajv";
import fastify, { type FastifyInstance } from "fastify";
import { toListenError } from "../../../src/lib/operator-error.ts";
import type { SandboxLog } from "../accounts/stacks.ts";
import { setProblemHandlers } from "./problems.ts";

export function createApi(log: SandboxLog): FastifyInstance {
  const app = fastify({
    bodyLimit: 1_048_576,
    routerOptions: { maxParamLength: 300 },
    // If the API forwarded the request, this is the API's id. A refusal then has it in its header and its log too.
    requestIdHeader: "x-request-id",
    // A caller that waits on a `timeout` fault must not delay the stop.
    forceCloseConnections: true,
  });
  const ajv = new Ajv({ allErrors: true, useDefaults: true, validateSchema: false });
  app.setValidatorCompiler(({ schema }) => {
    let validate: ValidateFunction | undefined;
    // When it is first needed: a start would compile hundreds of schemas, and use few.
    return (value: unknown) => {
      validate ??= ajv.compile(schema as object);
      return validate(value) ? { value } : { error: validate.errors ?? [] };
    };
  });
  setProblemHandlers(app, log);
  return app;
}

/** Port 0 picks a free one. @throws ListenError */
export async function listenAt(app: FastifyInstance, host: string, port: number): Promise<void> {
  await app.listen({ host, port }).catch((error: unknown) => {
    throw toListenError(error, host, port, "SLIPWAY_SANDBOX_URL");
  });
}

export function portOf(app: FastifyInstance): number {
  const address = app.server.address();
  if (address === null || typeof address === "string") throw new Error("The server listens on no port.");
  return address.port;
}

/** Where this machine reaches the server. */
export function urlOf(app: FastifyInstance, host: string): string {
  const at = reachable(host);
  return `http://${at.includes(":") ? `[${at}]` : at}:${portOf(app)}`;
}

/** The address to connect to, for an address to listen on. */
export function reachable(host: string): string {
  return host === "0.0.0.0" ? "127.0.0.1" : host === "::" ? "::1" : host;
}
