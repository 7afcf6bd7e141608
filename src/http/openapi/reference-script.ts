/**
 * Writes the script of the API reference, compressed, to standard output. `docs-routes.ts` runs it as a program of its
 * own. The script comes as 4 MB of text with Scalar's plugin for Fastify.
 */
import { gzipSync } from "node:zlib";
import scalar from "@scalar/fastify-api-reference";
import Fastify from "fastify";

const carrier = Fastify();
await carrier.register(scalar, { routePrefix: "/docs", configuration: { url: "/openapi.json" } });
const { statusCode, rawPayload } = await carrier.inject("/docs/js/scalar.js");
await carrier.close();
if (statusCode !== 200) throw new Error("The API reference's script is not where its package has it.");
process.stdout.write(gzipSync(rawPayload));
