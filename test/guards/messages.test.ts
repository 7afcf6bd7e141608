/** Messages are read by people in the console and on the command line: they name no endpoint of the API. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, it } from "node:test";

const ROOT = path.join(import.meta.dirname, "../..");
const ENDPOINT = /\b(?:GET|POST|PATCH|PUT|DELETE) \/v1\//;
/** For clients of the API: its reference, the pages of its errors, and what operators run. */
const OF_THE_API = /(?:^|\/)(?:errors\.ts|openapi\/|cli\/)|\.test\.ts$/;

describe("the messages of the server and of the console", () => {
  it("name no endpoint", () => {
    const found = ["src", "console/app"].flatMap((folder) =>
      readdirSync(path.join(ROOT, folder), { recursive: true, encoding: "utf8" })
        .filter((file) => /\.tsx?$/.test(file) && !OF_THE_API.test(file))
        .flatMap((file) =>
          messagesIn(readFileSync(path.join(ROOT, folder, file), "utf8")).map((line) => `${file}: ${line}`),
        ),
    );
    assert.deepEqual(found, []);
  });

  it("would be found", () => {
    assert.deepEqual(messagesIn('throw new AppError(CODE, "Use POST /v1/things.");'), [
      'throw new AppError(CODE, "Use POST /v1/things.");',
    ]);
    assert.deepEqual(messagesIn(' * As `GET /v1/things` says.\n  description: "See GET /v1/things.",'), []);
  });
});

/** Lines of code with an endpoint that are neither a comment nor a description of the API. */
function messagesIn(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines
    .filter((line, index) => {
      const isComment = /^\s*(?:\*|\/\/|\/\*)/.test(line);
      const isDescription = /description|summary/.test(`${lines[index - 1] ?? ""}${line}`);
      return ENDPOINT.test(line) && !isComment && !isDescription;
    })
    .map((line) => line.trim());
}
