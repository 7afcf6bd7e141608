/* Asks the process in this container whether it is alive, for HEALTHCHECK: the image has no other program that could. */
import http from "node:http";
import https from "node:https";

const { PORT, SLIPWAY_TLS_CERT } = process.env;
const options = {
  host: "127.0.0.1",
  port: PORT || 4000,
  path: "/healthz",
  timeout: 4_000,
  // The certificate is of another name than this address.
  rejectUnauthorized: false,
};
const fail = () => process.exit(1);
(SLIPWAY_TLS_CERT ? https : http)
  .get(options, (answer) => process.exit(answer.statusCode === 200 ? 0 : 1))
  .on("timeout", fail)
  .on("error", fail);
