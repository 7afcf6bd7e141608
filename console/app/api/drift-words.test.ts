import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { EnvironmentDrift } from "../../../sdk/src/generated/types.ts";
import { tellDrift } from "./drift-words.ts";

const HASH = "9fceb02d0ae598e95dc970b74767f19372d61af8";
const NEWEST = {
  commit: "9fceb02",
  commitHash: HASH,
  commitMessage: "Show the price with tax\n\nFor all countries.",
  commitAuthor: "Ada Lovelace",
};

type State = EnvironmentDrift["state"];

const driftOf = (state: State, services: readonly State[], more: Partial<EnvironmentDrift> = {}) =>
  tellDrift({
    branch: "main",
    newest: NEWEST,
    problem: null,
    state,
    services: services.map((own, index) => ({
      serviceId: `svc_${index}`,
      name: `s${index}`,
      liveCommit: null,
      state: own,
    })),
    ...more,
  });

describe("the words for how an environment compares with its branch", () => {
  it("say that the newest commit runs", () => {
    assert.deepEqual(driftOf("CURRENT", ["CURRENT"]), {
      state: "Up to date",
      sentence: "Runs the newest commit of main.",
      newest: "The newest commit of main is “Show the price with tax” (9fceb02) by Ada Lovelace.",
    });
    assert.equal(
      driftOf("CURRENT", ["CURRENT", "NOT_DEPLOYED"]).sentence,
      "Runs the newest commit of main. Not deployed yet: s1.",
    );
  });

  it("name the services that run another commit", () => {
    assert.equal(driftOf("BEHIND", ["BEHIND"]).sentence, "1 of 1 service runs another commit: s0.");
    assert.equal(
      driftOf("BEHIND", ["BEHIND", "CURRENT", "BEHIND", "NOT_DEPLOYED"]).sentence,
      "2 of 4 services run another commit: s0, s2. Not deployed yet: s3.",
    );
  });

  it("count those for which there is no room", () => {
    const told = (count: number) =>
      driftOf(
        "BEHIND",
        Array.from({ length: count }, (): State => "BEHIND"),
      ).sentence;
    assert.equal(told(4), "4 of 4 services run another commit: s0, s1, s2, s3.");
    assert.equal(told(5), "5 of 5 services run another commit: s0, s1, s2 and 2 others.");
  });

  it("say that nothing is deployed, and why the branch is not known", () => {
    const gone = { newest: null, problem: 'The repository has no branch "main".' };
    assert.deepEqual(driftOf("NOT_DEPLOYED", ["NOT_DEPLOYED"], gone), {
      state: "Not deployed",
      sentence: 'Nothing was released yet. The repository has no branch "main".',
      newest: null,
    });
    assert.equal(driftOf("NOT_DEPLOYED", ["NOT_DEPLOYED"]).sentence, "Nothing was released yet.");
    assert.match(driftOf("NOT_DEPLOYED", []).sentence, /no service/);
  });

  it("say why it could not be compared", () => {
    const away = { newest: null, problem: "github.com answered with status 500. Try again later." };
    const { state, sentence, newest } = driftOf("UNKNOWN", ["UNKNOWN"], away);
    assert.deepEqual([state, newest], ["Not compared", null]);
    assert.equal(sentence, "Could not be compared: github.com answered with status 500. Try again later.");
  });

  it("shorten a title, and do without a message and an author", () => {
    const long = driftOf("CURRENT", [], { newest: { ...NEWEST, commitMessage: "x".repeat(80) } });
    assert.ok(long.newest?.includes(`“${"x".repeat(71)}…”`));
    const bare = driftOf("CURRENT", [], { newest: { ...NEWEST, commitMessage: null, commitAuthor: null } });
    assert.equal(bare.newest, "The newest commit of main is 9fceb02.");
  });
});
