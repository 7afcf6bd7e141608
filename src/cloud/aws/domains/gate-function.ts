/**
 * The gate of a protected preview as code of a CloudFront function. It decides as `edge/src/gate.ts` does, which one
 * table of cases tests for both. Pure. CloudFront's own names: `cloudfront-js-2.0`.
 */
import {
  BYPASS_HEADER,
  COOKIE_SECONDS,
  ENTER_PATH,
  GATE_COOKIE,
  SET_COOKIE_HEADER,
  STATE,
  STATE_COOKIE,
  STATE_SECONDS,
} from "../../../lib/preview-gate.ts";

/** For answers of an origin with a status below 400; CloudFront runs no function for others. */
export const ROBOTS_LINES = `  if (event.context.eventType === "viewer-response") {
    event.response.headers["x-robots-tag"] = { value: "noindex" };
    return event.response;
  }
`;

/** In the handler, after `host`. */
export const GATE_CALL = `  var refusal = answerAtGate(access.gate, event, host, Math.floor(Date.now() / 1000));
  if (refusal !== null) return refusal;
`;

const PASS = `__Host-${GATE_COOKIE}`;
const KNOWN = `__Host-${STATE_COOKIE}`;

export const GATE_LINES = `var crypto = require("crypto");
function sign(text) {
  return crypto.createHmac("sha256", access.gate.key).update(text).digest("base64url");
}
function isSame(one, other) {
  if (one.length !== other.length) return false;
  var differs = 0;
  for (var i = 0; i < one.length; i += 1) differs |= one.charCodeAt(i) ^ other.charCodeAt(i);
  return differs === 0;
}
function found(status, words, location, cookies) {
  return {
    statusCode: status,
    statusDescription: words,
    headers: {
      location: { value: location },
      "cache-control": { value: "no-store" },
      "referrer-policy": { value: "no-referrer" },
      "x-robots-tag": { value: "noindex" },
    },
    cookies: cookies,
  };
}
function refuse(text) {
  return {
    statusCode: 401,
    statusDescription: "Unauthorized",
    headers: {
      "content-type": { value: "text/plain; charset=utf-8" },
      "www-authenticate": { value: 'Slipway realm="preview"' },
      "cache-control": { value: "no-store" },
      "referrer-policy": { value: "no-referrer" },
      "x-robots-tag": { value: "noindex" },
    },
    body: text + "\\n",
  };
}
function setting(value, seconds) {
  return { value: value, attributes: "Path=/; Max-Age=" + seconds + "; HttpOnly; SameSite=Lax; Secure" };
}
function answerAtGate(gate, event, host, now) {
  var request = event.request;
  var headers = request.headers;
  var cookies = request.cookies;
  var known = cookies["${KNOWN}"] ? cookies["${KNOWN}"].value : "";
  var cookie = (cookies["${PASS}"] ? cookies["${PASS}"].value : "").split(".");
  var secret = headers["${BYPASS_HEADER}"] ? headers["${BYPASS_HEADER}"].value : undefined;
  var setsCookie = headers["${SET_COOKIE_HEADER}"] !== undefined;
  delete cookies["${KNOWN}"];
  delete cookies["${PASS}"];
  delete headers["${BYPASS_HEADER}"];
  delete headers["${SET_COOKIE_HEADER}"];
  var query = request.rawQueryString();
  var address = "https://" + host + request.uri + (query === undefined ? "" : "?" + query);
  var until = String(now + ${COOKIE_SECONDS});
  var pass = {};
  pass["${PASS}"] = setting(until + "." + sign("cookie\\n" + host + "\\n" + until), ${COOKIE_SECONDS});
  if (request.uri === "${ENTER_PATH}") {
    var ticket = (request.querystring.ticket ? request.querystring.ticket.value : "").split(".");
    if (isSame(ticket[1] || "", sign("ticket\\n" + host + "\\n" + ticket[0]))) {
      var parts = Buffer.from(ticket[0], "base64url").toString().split("\\n");
      if (Number(parts[0]) > now && ${String(STATE)}.test(known) && isSame(known, parts[1] || "")) {
        pass["${KNOWN}"] = setting("", 0);
        return found(302, "Found", "https://" + host + parts.slice(2).join("\\n"), pass);
      }
    }
    return refuse("This link has expired, or is for another browser. Open the address of the preview again.");
  }
  if (isSame(cookie[1] || "", sign("cookie\\n" + host + "\\n" + cookie[0])) && Number(cookie[0]) > now) return null;
  if (secret !== undefined) {
    var hash = crypto.createHash("sha256").update(secret).digest("hex");
    if (gate.bypassHash === null || !isSame(hash, gate.bypassHash))
      return refuse("The secret in ${BYPASS_HEADER} is wrong, or was replaced.");
    return setsCookie ? found(307, "Temporary Redirect", address, pass) : null;
  }
  var mode = headers["sec-fetch-mode"];
  var accept = headers.accept ? headers.accept.value : "";
  var isPage = mode === undefined ? accept.indexOf("text/html") >= 0 : mode.value === "navigate";
  if (!isPage || (request.method !== "GET" && request.method !== "HEAD"))
    return refuse("This preview is protected. Open it in a browser that is signed in to Slipway, or send the header ${BYPASS_HEADER}.");
  var fresh = sign("state\\n" + event.context.requestId + "\\n" + Date.now() + "\\n" + Math.random()).slice(0, 22);
  var state = ${String(STATE)}.test(known) ? known : fresh;
  var asked = "?url=" + encodeURIComponent(address) + "&state=" + state;
  var kept = {};
  kept["${KNOWN}"] = setting(state, ${STATE_SECONDS});
  return found(302, "Found", gate.signInUrl + asked, kept);
}
`;
