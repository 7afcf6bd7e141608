import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { ApiError, ConnectionError } from "../../../sdk/src/errors.ts";
import type { Fault } from "../../../sdk/src/generated/types.ts";
import { isGone, tellError, tellFault, tellFilePlace, tellPlace } from "./problem.ts";

const SAID = { requestId: null, retryAfter: null };

describe("errors in a person's words", () => {
  it("shows a refusal with its cause, the next step, the code's page and the request", () => {
    const error = new ApiError(
      403,
      {
        type: "/docs/errors/ROLE_TOO_LOW",
        title: "Role too low",
        detail: "This needs the role admin.",
        code: "ROLE_TOO_LOW",
        requestId: "r-1",
      },
      SAID,
    );
    assert.deepEqual(tellError(error), {
      title: "Role too low",
      cause: "This needs the role admin.",
      next: "Ask an admin of your organization to do it, or to give you a higher role.",
      code: "ROLE_TOO_LOW",
      help: "/docs/errors/ROLE_TOO_LOW",
      requestId: "r-1",
      faults: [],
    });
  });

  it("says what is wrong with a field once, at the field", () => {
    const fault: Fault = {
      path: "/name",
      code: "TOO_SMALL",
      message: "must NOT have fewer than 1 characters",
    };
    const problem = { title: "Invalid", detail: `/name ${fault.message}`, errors: [fault] };
    assert.equal(tellError(new ApiError(400, problem, SAID)).cause, null);
    assert.equal(tellFault(fault), "It must NOT have fewer than 1 characters.");
  });

  it("shows no pattern, and makes a sentence of what it has no words for", () => {
    const wrong: Fault = { path: "/givenId", code: "WRONG_FORM", message: "must match ^[a-zA-Z0-9]" };
    assert.equal(tellFault(wrong), "Some characters are not allowed here.");
    const inside: Fault = { ...wrong, message: "has a name that does not match ^[A-Za-z_]" };
    assert.equal(tellFault(inside), "Some characters are not allowed here.");
    const other: Fault = { path: "/x", code: "HAS_DOMAINS", message: "has domains" };
    assert.equal(tellFault(other), "It has domains.");
  });

  it("shows a refusal of one value at its field", () => {
    const problem = { title: "Refused", detail: "The host cannot be used.", code: "WEBHOOK_URL_REFUSED" };
    const { faults, cause } = tellError(new ApiError(422, problem, SAID));
    assert.deepEqual(
      [faults[0]?.path, faults[0]?.message, cause],
      ["/url", "The host cannot be used.", null],
    );
  });

  it("keeps the API's message, whatever its code", () => {
    const message =
      "is required, because the project's environments follow several branches: main, next; name one of them, or an environment";
    const fault: Fault = { path: "/branch", code: "REQUIRED", message };
    assert.equal(tellFault(fault), `It ${message}.`);
  });

  it("shows places without pointers", () => {
    assert.equal(tellPlace("/codeSource/host"), "Code source › host");
    assert.equal(tellPlace("/domains/1"), "Domains › entry 2");
    assert.equal(tellPlace("/plainText/LOG_LEVEL"), "Plain text › LOG_LEVEL");
    assert.equal(tellPlace("query/name"), "Query › name");
    assert.equal(tellFilePlace("/environments/0/services/1/a~1b"), 'environments[0].services[1]["a/b"]');
  });

  it("distinguishes a lost connection, an answer of something else, and a bug", () => {
    assert.equal(tellError(new ConnectionError("no")).title, "Slipway does not answer");
    assert.equal(tellError(new ApiError(502, {}, SAID)).title, "The server answered 502");
    assert.equal(tellError(new TypeError("x is undefined")).cause, "x is undefined");
    assert.equal(isGone(new ApiError(404, {}, SAID)), true);
  });
});
