import type { Resolver } from "node:dns/promises";
import { request } from "node:https";
import type { TLSSocket } from "node:tls";

export type EdgeAnswer = {
  readonly status: number;
  readonly body: string;
  /** The names in the certificate that was checked. */
  readonly names: string;
  readonly issuer: string;
};

/**
 * Sends a GET as a browser does: looks up the name over DNS, and checks the certificate for that name against one CA
 * only.
 * @throws Error when the name is not found, the certificate is refused, or the server does not answer
 */
export async function getOverTls(options: {
  readonly name: string;
  readonly port: number;
  readonly resolver: Resolver;
  readonly ca: string;
  readonly signal: AbortSignal;
  readonly headers?: Readonly<Record<string, string>>;
}): Promise<EdgeAnswer> {
  const { name, port, resolver, ca, signal, headers = {} } = options;
  const [address] = await resolver.resolve4(name);
  if (address === undefined) throw new Error(`${name} has no address.`);
  return await new Promise((resolve, reject) => {
    const get = request(
      {
        host: address,
        port,
        servername: name,
        headers: { ...headers, host: name },
        ca,
        agent: false,
        timeout: 10_000,
        signal,
      },
      (response) => {
        const certificate = (response.socket as TLSSocket).getPeerCertificate();
        let body = "";
        response.setEncoding("utf8").on("data", (text: string) => void (body += text));
        response.once("error", reject);
        response.once("end", () =>
          resolve({
            status: response.statusCode ?? 0,
            body,
            names: certificate.subjectaltname ?? "",
            issuer: String(certificate.issuer.CN),
          }),
        );
      },
    );
    get.once("timeout", () => get.destroy(new Error("The edge did not answer.")));
    get.once("error", reject);
    get.end();
  });
}
