/** An edge as a process of its own, for `bench/edge.ts`: `node bench/edge-server.ts NAME ORIGIN CERTIFICATE KEY`. */
import { readFileSync } from "node:fs";
import { parseAllowedHosts } from "../src/egress/address-rules.ts";
import { startEdge } from "../edge/src/edge.ts";
import { createProxy } from "../edge/src/origin-proxy.ts";

const [name = "", origin = "", certificateFile = "", keyFile = ""] = process.argv.slice(2);
const proxy = createProxy({
  name: "bench",
  lookUpFirst: () => [],
  allowed: parseAllowedHosts(["127.0.0.1"]),
});
const certificate = {
  certificatePem: readFileSync(certificateFile, "utf8"),
  privateKeyPem: readFileSync(keyFile, "utf8"),
};
const edge = await startEdge({
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
});
process.send?.(edge.port);
