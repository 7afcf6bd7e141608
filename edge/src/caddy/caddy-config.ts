/** The configuration of a Caddy that is the edge (https://caddyserver.com/docs/json/). Pure. Durations are nanoseconds. */
import { originAddressOf } from "../origin-proxy.ts";
import { FROM_EDGE, VISITOR_HEADERS } from "../visitor.ts";

/** A name, or `*.` and a name, whose requests Caddy forwards to an origin. */
export type DirectRoute = { readonly name: string; readonly origin: string };

export type CaddyParts = {
  /** Of the edge; the name in `Via`. */
  readonly id: string;
  readonly host: string;
  readonly httpPort: number;
  readonly httpsPort: number;
  readonly direct: readonly DirectRoute[];
  /** Exact names below a wildcard of `direct` that Caddy must not forward to the wildcard's origin. */
  readonly exceptions: readonly string[];
  /** Where this program serves all that Caddy does not forward to origins, on loopback. */
  readonly behind: {
    readonly httpPort: number;
    readonly httpsPort: number;
    readonly token: string;
    /** Answers with the certificate and key of a name. */
    readonly certificateUrl: string;
    /** Takes an entry for each request that Caddy forwards to an origin; null: nothing does. */
    readonly logPort: number | null;
    /** Resolves the names of origins. */
    readonly dnsPort: number;
  };
  readonly hstsSeconds: number | null;
  /** Peers that may say who the visitor is. */
  readonly trustedProxies: readonly string[];
  readonly limits: {
    readonly headersBytes: number;
    readonly headersMs: number;
    readonly keepAliveMs: number;
  };
  /** The settings of the admin API, which stay. */
  readonly admin: Readonly<Record<string, unknown>> | null;
};

const MS = 1_000_000;
/** What an origin sends bit by bit is forwarded after this time. With -1, Caddy 2.6 ends requests when routes change. */
const FLUSH_MS = 1;
const ORIGIN_TIMEOUT_MS = 30_000;
const LOGGER = "slipway";
/** Each request is compared with the routes in turn. More routes than this are put into groups. */
const ROUTES_MAX = 64;

export function buildCaddyConfig(parts: CaddyParts): object {
  const { behind, limits, trustedProxies } = parts;
  const server = {
    read_header_timeout: limits.headersMs * MS,
    idle_timeout: limits.keepAliveMs * MS,
    max_header_bytes: limits.headersBytes,
    automatic_https: { disable: true },
    protocols: ["h1", "h2"],
  };
  const toBehind = (port: number) => [
    // Caddy 2.8 and later call it `log_skip`.
    { handler: "vars", skip_log: true, log_skip: true },
    {
      handler: "reverse_proxy",
      upstreams: [{ dial: `127.0.0.1:${port}` }],
      flush_interval: FLUSH_MS * MS,
      ...(trustedProxies.length > 0 ? { trusted_proxies: trustedProxies } : {}),
      headers: { request: { set: { [FROM_EDGE]: [behind.token] } } },
    },
  ];
  return {
    // The token and the addresses of this program are of no use after its end, so they are not kept on the disk.
    admin: { ...parts.admin, config: { ...(parts.admin?.["config"] as object | undefined), persist: false } },
    logging: {
      logs: {
        default: { level: "WARN", exclude: [`http.log.access.${LOGGER}`, "tls.handshake"] },
        ...(behind.logPort === null ? {} : { [LOGGER]: requestLog(behind.logPort) }),
      },
    },
    apps: {
      http: {
        http_port: parts.httpPort,
        https_port: parts.httpsPort,
        // No grace_period: requests may then end when routes change, and with one, Caddy 2.6 does not wait at all.
        servers: {
          https: {
            ...server,
            listen: [listenAddress(parts.host, parts.httpsPort)],
            tls_connection_policies: [{}],
            // RFC 9110, section 15.5.20: a connection serves the name of its handshake only.
            strict_sni_host: true,
            ...(behind.logPort === null ? {} : { logs: { default_logger_name: LOGGER } }),
            errors: { routes: ERROR_ROUTES },
            routes: [
              ...(trustedProxies.length > 0
                ? [
                    {
                      match: [{ remote_ip: { ranges: trustedProxies } }],
                      handle: toBehind(behind.httpsPort),
                      terminal: true,
                    },
                  ]
                : []),
              ...routesOf(parts, toBehind(behind.httpsPort)),
              { handle: toBehind(behind.httpsPort) },
            ],
          },
          http: {
            ...server,
            listen: [listenAddress(parts.host, parts.httpPort)],
            routes: [{ handle: toBehind(behind.httpPort) }],
          },
        },
      },
      tls: {
        automation: {
          policies: [{ get_certificate: [{ via: "http", url: behind.certificateUrl }] }],
        },
      },
    },
  };
}

/** What an entry of Caddy's log has and this program does not use. A header may be a secret. */
const UNUSED_FIELDS = [
  "request>headers",
  "request>tls",
  "resp_headers",
  "user_id",
  "bytes_read",
  "request>remote_port",
];

function requestLog(port: number): object {
  return {
    include: [`http.log.access.${LOGGER}`],
    writer: { output: "net", address: `tcp/127.0.0.1:${port}` },
    encoder: {
      format: "filter",
      wrap: { format: "json" },
      fields: {
        ...Object.fromEntries(UNUSED_FIELDS.map((name) => [name, { filter: "delete" }])),
        // While this program is away, Caddy writes the entries into its own log. Values of a query may be secrets.
        "request>uri": { filter: "regexp", regexp: String.raw`\?.*`, value: "" },
      },
    },
  };
}

const ERROR_ROUTES = [
  errorRoute("502", "The origin of this site cannot be reached, or closed the connection."),
  errorRoute("504", "The origin of this site did not answer in time."),
  errorRoute("421", "{http.request.host} is not served on this connection."),
];

function errorRoute(status: string, text: string): object {
  return {
    match: [{ vars: { "{http.error.status_code}": [status] } }],
    handle: [
      {
        handler: "static_response",
        status_code: status,
        headers: { "Content-Type": ["text/plain; charset=utf-8"], "Cache-Control": ["no-store"] },
        body: `${text}\n`,
      },
    ],
  };
}

type Route = {
  readonly match: readonly [{ readonly host: readonly string[] }];
  readonly handle: readonly object[];
  readonly terminal: true;
};

function routesOf(parts: CaddyParts, toBehind: readonly object[]): readonly object[] {
  const { direct, exceptions } = parts;
  const route = (host: readonly string[], handle: readonly object[]): Route => ({
    match: [{ host }],
    handle,
    terminal: true,
  });
  const byOrigin = (routes: readonly DirectRoute[]): readonly Route[] =>
    [...Map.groupBy(routes, ({ origin }) => origin)].map(([origin, names]) =>
      route(
        names.map(({ name }) => name),
        forwardTo(origin, parts),
      ),
    );
  return [
    ...(exceptions.length > 0 ? [route(exceptions, toBehind)] : []),
    // An exact name before a wildcard.
    ...grouped(byOrigin(direct.filter(({ name }) => !name.startsWith("*.")))),
    ...byOrigin(direct.filter(({ name }) => name.startsWith("*."))),
  ];
}

/** Two levels of routes: as many groups as routes in each group. */
function grouped(routes: readonly Route[]): readonly object[] {
  if (routes.length <= ROUTES_MAX) return routes;
  const size = Math.ceil(Math.sqrt(routes.length));
  return Array.from({ length: Math.ceil(routes.length / size) }, (_, i) => {
    const inGroup = routes.slice(i * size, (i + 1) * size);
    const host = inGroup.flatMap(({ match }) => match[0].host);
    return { match: [{ host }], handle: [{ handler: "subroute", routes: inGroup }], terminal: true };
  });
}

function forwardTo(origin: string, { id, behind, hstsSeconds }: CaddyParts): readonly object[] {
  const { protocol, host, port } = originAddressOf(origin);
  return [
    {
      handler: "headers",
      // Visitors could forge them. Caddy itself sets X-Forwarded-For, -Host and -Proto.
      request: { delete: VISITOR_HEADERS },
    },
    {
      handler: "reverse_proxy",
      upstreams: [{ dial: addressOf(host, port) }],
      flush_interval: FLUSH_MS * MS,
      transport: {
        protocol: "http",
        versions: ["1.1"],
        resolver: { addresses: [`udp/127.0.0.1:${behind.dnsPort}`] },
        dial_timeout: ORIGIN_TIMEOUT_MS * MS,
        response_header_timeout: ORIGIN_TIMEOUT_MS * MS,
        ...(protocol === "https:" ? { tls: {} } : {}),
      },
      headers: {
        request: {
          set: {
            Host: [origin],
            Via: [`1.1 ${id}`],
            // RFC 7239, section 6: an IPv6 address has brackets, IPv4 has none.
            Forwarded: ['for="[{http.request.remote.host}]";host="{http.request.hostport}";proto=https'],
          },
          replace: { Forwarded: [{ search_regexp: String.raw`"\[([\d.]+)\]"`, replace: "$1" }] },
        },
        ...(hstsSeconds === null
          ? {}
          : {
              response: {
                // The origin's own one stays.
                require: { headers: { "Strict-Transport-Security": null } },
                set: { "Strict-Transport-Security": [`max-age=${hstsSeconds}`] },
              },
            }),
      },
    },
  ];
}

function listenAddress(host: string, port: number): string {
  return host === "::" ? `:${port}` : addressOf(host, port);
}

function addressOf(host: string, port: number): string {
  return `${host.includes(":") ? `[${host}]` : host}:${port}`;
}
