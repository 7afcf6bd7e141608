/**
 * An edge as a process of its own, for `bench/edge.ts`: `node bench/edge-server.ts NAME ORIGIN CERTIFICATE KEY`;
 * with Caddy as the edge also `CADDY PORT HTTP_PORT COUNTS`.
 */
import { readFileSync } from "node:fs";
import { parseAllowedHosts } from "../src/egress/address-rules.ts";
import { startCaddyEdge } from "../edge/src/caddy/caddy-edge.ts";
import { type EdgeOptions, startEdge } from "../edge/src/edge.ts";
import { createProxy } from "../edge/src/origin-proxy.ts";

const [name = "", origin = "", certificateFile = "", keyFile = "", caddyUrl, port, httpPort, counts] =
  process.argv.slice(2);
const allowed = parseAllowedHosts(["127.0.0.1"]);
const proxy = createProxy({ name: "bench", lookUpFirst: () => [], allowed });
const certificate = {
  certificatePem: readFileSync(certificateFile, "utf8"),
  privateKeyPem: readFileSync(keyFile, "utf8"),
};
const options: EdgeOptions = {
  host: "127.0.0.1",
  httpsPort: 0,
  httpPort: null,
  portVariables: { https: "", http: "" },
  challenges: { httpAnswer: () => null, alpnPair: () => null },
  findSite: (host) =>
    host === name
      ? {
          id: name,
          certificate,
          redirectTo: null,
          serve: (request, response, visitor) =>
            proxy.forward(origin, () => false, visitor, request, response),
        }
      : null,
  onAnswered: () => {},
  log: { warn: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`) },
};
const edge =
  caddyUrl === undefined
    ? await startEdge(options)
    : await startCaddyEdge({
        ...options,
        id: "bench",
        caddyUrl,
        httpsPort: Number(port),
        httpPort: Number(httpPort),
        allowed,
        counts: counts === "on",
        served: () => [{ name, origin }],
      });
process.send?.(edge.port);
